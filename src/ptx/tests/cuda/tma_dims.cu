// SPDX-License-Identifier: Apache-2.0
// Tensor copies of one to five dimensions, in and out, some boxes partly outside the tensor (zero and NaN fill).
#include "tg.cuh"
extern "C" __global__ void tma_dims(const __grid_constant__ TMap m1, const __grid_constant__ TMap m2, const __grid_constant__ TMap m3, const __grid_constant__ TMap m4, const __grid_constant__ TMap m5, const __grid_constant__ TMap o3, const __grid_constant__ TMap o5, unsigned* out) {
  __shared__ u64 bar; int i = threadIdx.x; unsigned* s = (unsigned*)smem;
  if (i == 0) { bar_init(&bar, 1); bar_fence(); bar_expect(&bar, 256 + 512 + 512 + 512 + 1024);
#define T(d, s, m, c) asm volatile("cp.async.bulk.tensor." #d "d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " c "], [%2];" :: "r"(sa(s)), "l"(&m), "r"(sa(&bar)) : "memory");
    T(1, smem, m1, "{-16}") T(2, smem + 256, m2, "{12, -3}") T(3, smem + 1024, m3, "{4, 3, 2}") T(4, smem + 2048, m4, "{0, 1, 2, 1}") T(5, smem + 3072, m5, "{4, 1, 0, 1, 1}") }
  __syncthreads(); bar_wait(&bar, 0);
  const int at[5] = {0, 64, 256, 512, 768}, len[5] = {64, 128, 128, 128, 256}; int o = 0;
  for (int r = 0; r < 5; ++r) { for (int k = i; k < len[r]; k += 32) out[o + k] = s[at[r] + k]; o += len[r]; }
  proxy_fence(); __syncthreads();
  if (i == 0) { asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {0, 1, 1}], [%1];" :: "l"(&o3), "r"(sa(smem + 1024)) : "memory"); asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%0, {0, 0, 0, 0, 0}], [%1];" :: "l"(&o5), "r"(sa(smem + 3072)) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {0, 0}];" :: "l"(&m2)); bulk_wait(); }
}
