// SPDX-License-Identifier: Apache-2.0
// The approximate instructions.
extern "C" __global__ void approx(const float* a, float* out) {
  int i = threadIdx.x, n = blockDim.x; float x = a[i], f; float* o = out + i;
#define A1(op, v) { asm(op " %0, %1;" : "=f"(f) : "f"(v)); *o = f; o += n; }
  A1("ex2.approx.f32", x) A1("ex2.approx.ftz.f32", x) A1("lg2.approx.f32", fabsf(x)) A1("lg2.approx.ftz.f32", fabsf(x)) A1("sin.approx.f32", x) A1("cos.approx.f32", x)
  A1("rcp.approx.ftz.f32", x) A1("rsqrt.approx.f32", fabsf(x)) A1("sqrt.approx.f32", fabsf(x)) A1("sqrt.approx.ftz.f32", fabsf(x)) A1("tanh.approx.f32", x)
  { asm("div.approx.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(x + 20.f)); *o = f; o += n; }
  { asm("div.full.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(x + 20.f)); *o = f; o += n; }
  double d = x, r; asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d)); *o = (float)r; o += n;
  asm("rsqrt.approx.f64 %0, %1;" : "=d"(r) : "d"(fabs(d))); *o = (float)r;
}
