// SPDX-License-Identifier: Apache-2.0
// A tensor map copied to shared memory, changed (address, a dimension, a stride), published to global memory and used.
#include "tg.cuh"
extern "C" __global__ void tensormap_replace(const __grid_constant__ TMap map, const float* other, TMap* gmap, float* out) {
  __shared__ alignas(128) TMap sm; __shared__ u64 bar; int i = threadIdx.x;
  if (i < 32) ((u32*)&sm)[i] = ((const u32*)&map)[i]; if (i == 0) { bar_init(&bar, 1); bar_fence(); } __syncthreads();
  if (i == 0) { asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" :: "r"(sa(&sm)), "l"(other) : "memory"); asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" :: "r"(sa(&sm)), "r"(6) : "memory"); asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" :: "r"(sa(&sm)), "l"(192ull) : "memory"); }
  __syncwarp();
  if (i < 32) { asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" :: "l"(gmap + blockIdx.x), "r"(sa(&sm)) : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(gmap + blockIdx.x) : "memory"); }
  if (i == 0) { bar_expect(&bar, 1024); tma2(smem, gmap + blockIdx.x, 4, 1, &bar); }
  bar_wait(&bar, 0); for (int k = i; k < 256; k += blockDim.x) out[k] = ((float*)smem)[k];
}
