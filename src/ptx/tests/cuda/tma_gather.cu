// SPDX-License-Identifier: Apache-2.0
// sm_100: four rows of a matrix gathered by index into shared memory, and scattered to other rows.
#include "tg.cuh"
extern "C" __global__ void tma_gather(const __grid_constant__ TMap in, const __grid_constant__ TMap to, const int* rows, float* out) {
  __shared__ u64 bar; int i = threadIdx.x; if (i == 0) { bar_init(&bar, 1); bar_fence(); } __syncthreads();
  if (i == 0) { bar_expect(&bar, 512); asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" :: "r"(sa(smem)), "l"(&in), "r"(4), "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(sa(&bar)) : "memory"); }
  bar_wait(&bar, 0); for (int k = i; k < 128; k += 32) { out[k] = ((float*)smem)[k]; ((float*)smem)[k] += 1.f; } proxy_fence(); __syncthreads();
  if (i == 0) { asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" :: "l"(&to), "r"(0), "r"(rows[4]), "r"(rows[5]), "r"(rows[6]), "r"(rows[7]), "r"(sa(smem)) : "memory"); bulk_wait(); }
}
