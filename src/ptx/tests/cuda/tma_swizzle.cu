// SPDX-License-Identifier: Apache-2.0
// One 2-d tile by four tensor maps: no swizzle, 32, 64 and 128 bytes. Shared memory is written out as it lies.
#include "tg.cuh"
extern "C" __global__ void tma_swizzle(const __grid_constant__ TMap m0, const __grid_constant__ TMap m1, const __grid_constant__ TMap m2, const __grid_constant__ TMap m3, unsigned* out) {
  __shared__ u64 bar; int i = threadIdx.x;
  if (i == 0) { asm volatile("prefetch.tensormap [%0];" :: "l"(&m0)); bar_init(&bar, 1); bar_fence(); bar_expect(&bar, 1024 * 4); tma2(smem, &m0, 8, 3, &bar); tma2(smem + 1024, &m1, 8, 3, &bar); tma2(smem + 2048, &m2, 8, 3, &bar); tma2(smem + 3072, &m3, 8, 3, &bar); }
  __syncthreads(); bar_wait(&bar, 0);
  for (int k = i; k < 1024; k += 128) out[k] = ((unsigned*)smem)[k];
}
