// SPDX-License-Identifier: Apache-2.0
// Flush to zero, saturation, min/max with NaN, comparisons ordered and not, testp, copysign, classification. Results as bits.
static __device__ unsigned bits(float f) { return f != f ? 0x7fffffffu : __float_as_uint(f); } // one NaN
extern "C" __global__ void float_misc(const float* a, const float* b, unsigned* out) {
  int i = threadIdx.x, n = blockDim.x;
  float x = a[i], y = b[i], f; unsigned r; unsigned* o = out + i;
#define PUT(v) { *o = (v); o += n; }
#define A2(op) { asm(op " %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y)); PUT(bits(f)) }
#define A1(op) { asm(op " %0, %1;" : "=f"(f) : "f"(x)); PUT(bits(f)) }
#define P2(op) { asm("{.reg .pred p; setp." op ".f32 p, %1, %2; selp.u32 %0, 1, 0, p;}" : "=r"(r) : "f"(x), "f"(y)); PUT(r) }
#define T1(op) { asm("{.reg .pred p; testp." op ".f32 p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(r) : "f"(x)); PUT(r) }
  P2("eq") P2("ne") P2("lt") P2("le") P2("gt") P2("ge") P2("equ") P2("neu") P2("ltu") P2("leu") P2("gtu") P2("geu") P2("num") P2("nan") P2("lt.ftz")
  T1("finite") T1("infinite") T1("number") T1("notanumber") T1("normal") T1("subnormal")
  A1("abs.f32") A1("neg.f32") A1("abs.ftz.f32")
  { asm("copysign.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y)); PUT(bits(f)) }
  // min/max: a NaN result is reported as 0x7fffffff, the canonical one.
  A2("min.f32") A2("max.f32") A2("min.NaN.f32") A2("max.NaN.f32") A2("min.ftz.f32")
  A2("add.sat.f32") A2("mul.ftz.sat.f32") A2("add.ftz.f32") A2("mul.ftz.f32")
  { asm("fma.rn.sat.f32 %0, %1, %2, %1;" : "=f"(f) : "f"(x), "f"(y)); PUT(bits(f)) }
  { asm("slct.f32.f32 %0, %1, %2, %2;" : "=f"(f) : "f"(x), "f"(y)); PUT(bits(f)) }
  { asm("{.reg .pred p,q; setp.lt.and.f32 p|q, %1, %2, 1; selp.u32 %0, 1, 2, p; @q add.u32 %0, %0, 4;}" : "=r"(r) : "f"(x), "f"(y)); PUT(r) }
  { asm("set.gtu.u32.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(y)); PUT(r) }
  { asm("set.leu.f32.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y)); PUT(bits(f)) }
}
