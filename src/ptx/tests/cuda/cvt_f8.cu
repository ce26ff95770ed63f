// SPDX-License-Identifier: Apache-2.0
// f8 conversions: e4m3 and e5m2, both ways, from f32 and f16x2, with relu.
extern "C" __global__ void cvt_f8(const float* a, const unsigned short* b, unsigned* out) {
  int i = threadIdx.x, n = blockDim.x; float x = a[i], y = a[(i + 1) % n]; unsigned short s = b[i], h; unsigned r; unsigned* o = out + i;
#define PUT(v) { *o = (v); o += n; }
#define D(op) { asm(op " %0, %1, %2;" : "=h"(h) : "f"(x), "f"(y)); PUT(h) }
  D("cvt.rn.satfinite.e4m3x2.f32") D("cvt.rn.satfinite.e5m2x2.f32") D("cvt.rn.satfinite.relu.e4m3x2.f32") D("cvt.rn.satfinite.relu.e5m2x2.f32")
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(r) : "h"(s)); PUT(r & 0x7fff7fff)
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(r) : "h"((unsigned short)(s & 0x7b7b))); PUT(r)
  asm("cvt.rn.relu.f16x2.e4m3x2 %0, %1;" : "=r"(r) : "h"((unsigned short)(s & 0xfefe))); PUT(r)
  unsigned p; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(p) : "f"(x), "f"(y));
  asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(h) : "r"(p)); PUT(h)
  asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(h) : "r"(p)); PUT(h)
}
