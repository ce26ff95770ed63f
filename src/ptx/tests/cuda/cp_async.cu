// SPDX-License-Identifier: Apache-2.0
// cp.async in groups with two stages, zero fill, all sizes, and completion on an mbarrier.
#include <cuda_pipeline.h>
extern "C" __global__ void cp_async(const float* a, float* out, int tiles) {
  __shared__ alignas(16) float s[2][128]; __shared__ alignas(16) unsigned z[32 * 4]; __shared__ unsigned long long bar; int i = threadIdx.x;
  if (i < 32) __pipeline_memcpy_async(&s[0][4 * i], a + 4 * i, 16); __pipeline_commit();
  float acc = 0;
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) { if (i < 32) __pipeline_memcpy_async(&s[(t + 1) & 1][4 * i], a + 128 * (t + 1) + 4 * i, 16); __pipeline_commit(); __pipeline_wait_prior(1); } else __pipeline_wait_prior(0);
    __syncthreads(); acc += s[t & 1][127 - i] * (t + 1); __syncthreads();
  }
  out[i] = acc;
  unsigned zb = (unsigned)__cvta_generic_to_shared(z), bb = (unsigned)__cvta_generic_to_shared(&bar);
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(bb) : "memory"); if (i < 128) z[i] = 0xffffffffu; __syncthreads();
  if (i < 32) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" :: "r"(zb + 16 * i), "l"(a + 4 * i), "r"((i % 5) * 4 > 16 ? 16 : (i % 5) * 4) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(bb) : "memory");
    unsigned d = 0; while (!d) asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(d) : "r"(bb) : "memory");
    for (int k = 0; k < 4; ++k) out[128 + 4 * i + k] = __uint_as_float(z[4 * i + k]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.ca.shared.global.L2::128B [%0+8], [%1], 8; cp.async.wait_all;" :: "r"(zb + 16 * i), "l"(a + 2 * i) : "memory");
    for (int k = 0; k < 4; ++k) out[256 + 4 * i + k] = __uint_as_float(z[4 * i + k]);
  }
}
