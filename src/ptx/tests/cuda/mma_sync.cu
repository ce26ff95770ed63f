// SPDX-License-Identifier: Apache-2.0
// mma.sync of every common type and shape; fragments are given and written as they lie.
#include "tg.cuh"
extern "C" __global__ void mma_sync(const u32* A, const u32* B, const float* Cf, const int* Ci, const double* D, float* of, u32* oh, int* oi, double* od) {
  int i = threadIdx.x; u32 a[4], b[2]; float c[4], d[4]; int ci[4], di[4]; u32 h[2], e[2];
  for (int k = 0; k < 4; ++k) { c[k] = Cf[4 * i + k]; ci[k] = Ci[4 * i + k]; }
  int t = 0, ti = 0, th = 0;
#define LOAD(q) for (int k = 0; k < 4; ++k) a[k] = A[(q) * 128 + 4 * i + k]; for (int k = 0; k < 2; ++k) b[k] = B[(q) * 64 + 2 * i + k];
#define F(op) asm volatile(op " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3])); for (int k = 0; k < 4; ++k) of[128 * t + 4 * i + k] = d[k]; ++t;
#define F8(op) asm volatile(op " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3])); for (int k = 0; k < 4; ++k) of[128 * t + 4 * i + k] = d[k]; ++t;
#define I(op) asm volatile(op " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : "=r"(di[0]), "=r"(di[1]), "=r"(di[2]), "=r"(di[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(ci[0]), "r"(ci[1]), "r"(ci[2]), "r"(ci[3])); for (int k = 0; k < 4; ++k) oi[128 * ti + 4 * i + k] = di[k]; ++ti;
  LOAD(0) F("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") F8("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")
  h[0] = oh[2 * i]; h[1] = oh[2 * i + 1]; asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};" : "=r"(e[0]), "=r"(e[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(h[0]), "r"(h[1])); oh[2 * i] = e[0]; oh[2 * i + 1] = e[1]; (void)th;
  LOAD(1) F("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32") F8("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32")
  LOAD(2) F("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32") F8("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32")
  LOAD(3) F("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32") F("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32") F("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32")
  LOAD(4) I("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32") I("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32") I("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32") I("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32") I("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc") I("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc")
  double x = D[i], y = D[32 + i], p = D[64 + 2 * i], q = D[65 + 2 * i], r, s; asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};" : "=d"(r), "=d"(s) : "d"(x), "d"(y), "d"(p), "d"(q)); od[2 * i] = r; od[2 * i + 1] = s;
  double z[4]; asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%7,%8};" : "=d"(z[0]), "=d"(z[1]), "=d"(z[2]), "=d"(z[3]) : "d"(x), "d"(p), "d"(y), "d"(p), "d"(q)); for (int k = 0; k < 4; ++k) od[64 + 4 * i + k] = z[k];
}
