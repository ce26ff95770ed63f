// SPDX-License-Identifier: Apache-2.0
// Tensor reductions into global memory: add of f32 by two blocks, min of s32, or of b32, a store that is clipped.
#include "tg.cuh"
extern "C" __global__ void tma_reduce(const __grid_constant__ TMap add, const __grid_constant__ TMap mn, const __grid_constant__ TMap orr) {
  int i = threadIdx.x; float* f = (float*)smem; int* m = (int*)(smem + 1024); u32* o = (u32*)(smem + 2048);
  for (int k = i; k < 256; k += 32) { f[k] = (float)(k + blockIdx.x); m[k] = (k * 37) % 101 - 50 + blockIdx.x; o[k] = 1u << ((k + blockIdx.x) % 32); } proxy_fence(); __syncthreads();
  if (i == 0) { asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, 4}], [%2];" :: "l"(&add), "r"(blockIdx.x * 8), "r"(sa(f)) : "memory");
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [%0, {0, 0}], [%1];" :: "l"(&mn), "r"(sa(m)) : "memory"); asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.bulk_group [%0, {0, 0}], [%1];" :: "l"(&orr), "r"(sa(o)) : "memory"); bulk_wait(); }
}
