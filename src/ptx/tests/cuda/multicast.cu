// SPDX-License-Identifier: Apache-2.0
// Multicast: each of two blocks loads half of a tile for both; and a bulk copy multicast in one dimension.
#include "tg.cuh"
extern "C" __global__ void multicast(const __grid_constant__ TMap m, const float* a, float* out) {
  __shared__ u64 bar; int i = threadIdx.x; u32 rank; asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  if (i == 0) { bar_init(&bar, 1); bar_fence(); bar_expect(&bar, 2048 + 512); } asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  if (i == 0) { asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {0, %2}], [%3], %4;" :: "r"(sa(smem + 1024 * rank)), "l"(&m), "r"(8 * rank), "r"(sa(&bar)), "h"((unsigned short)3) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;" :: "r"(sa(smem + 2048 + 256 * rank)), "l"(a + 64 * rank), "r"(sa(&bar)), "h"((unsigned short)3) : "memory"); }
  bar_wait(&bar, 0); for (int k = i; k < 640; k += blockDim.x) out[blockIdx.x * 640 + k] = ((float*)smem)[k] + blockIdx.x;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
