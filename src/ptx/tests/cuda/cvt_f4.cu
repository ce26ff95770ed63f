// SPDX-License-Identifier: Apache-2.0
// sm_100: e2m1, e2m3, e3m2 and ue8m0 conversions.
extern "C" __global__ void cvt_f4(const float* a, const unsigned short* b, unsigned* out) {
  int i = threadIdx.x, n = blockDim.x; float x = a[i], y = a[(i + 1) % n]; unsigned short s = b[i], h; unsigned r; unsigned* o = out + i;
#define PUT(v) { *o = (v); o += n; }
#define D(op) { asm(op " %0, %1, %2;" : "=h"(h) : "f"(x), "f"(y)); PUT(h) }
  D("cvt.rn.satfinite.e2m3x2.f32") D("cvt.rn.satfinite.e3m2x2.f32") D("cvt.rz.satfinite.ue8m0x2.f32") D("cvt.rp.satfinite.ue8m0x2.f32")
  asm("{.reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %1, %2; mov.b16 %0, {t, 0};}" : "=h"(h) : "f"(x), "f"(y)); PUT(h)
  asm("{.reg .b8 t, u; mov.b16 {t, u}, %1; cvt.rn.f16x2.e2m1x2 %0, t;}" : "=r"(r) : "h"(s)); PUT(r)
  asm("cvt.rn.f16x2.e2m3x2 %0, %1;" : "=r"(r) : "h"((unsigned short)(s & 0x3f3f))); PUT(r)
  asm("cvt.rn.f16x2.e3m2x2 %0, %1;" : "=r"(r) : "h"((unsigned short)(s & 0x3f3f))); PUT(r)
  asm("cvt.rn.bf16x2.ue8m0x2 %0, %1;" : "=r"(r) : "h"((unsigned short)(s & 0x7f7f))); PUT(r)
}
