// SPDX-License-Identifier: Apache-2.0
// ldmatrix (x1, x2, x4, transposed or not), stmatrix and movmatrix; fragments written out as they lie.
#include "tg.cuh"
extern "C" __global__ void ldmatrix(const u32* a, u32* out) {
  __shared__ alignas(128) u32 s[256], t[256]; int i = threadIdx.x; for (int k = i; k < 256; k += 32) { s[k] = a[k]; t[k] = 0; } __syncthreads(); u32 r[4]; u32* o = out + i; u32 ad = sa(s) + 16 * ((i * 5) & 63);
#define PUT(v) { *o = (v); o += 32; }
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(ad)); PUT(r[0])
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(ad)); PUT(r[0]) PUT(r[1])
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(ad)); PUT(r[0]) PUT(r[1]) PUT(r[2]) PUT(r[3])
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(ad)); PUT(r[0])
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(ad)); PUT(r[0]) PUT(r[1]) PUT(r[2]) PUT(r[3])
  u32 m; asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(m) : "r"(r[2])); PUT(m)
  u32 at = sa(t) + 16 * i;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" :: "r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};" :: "r"(at + 512), "r"(r[0]), "r"(r[1]) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(at + 768), "r"(r[3]) : "memory"); __syncthreads();
  for (int k = 0; k < 8; ++k) PUT(t[i + 32 * k])
}
