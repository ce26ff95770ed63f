// SPDX-License-Identifier: Apache-2.0
// Block reduction: shuffles in the warp, then shared memory; grid-stride loads; the last block sums the partial results (threadfence).
__device__ unsigned arrived;
extern "C" __global__ void block_reduce(const float* a, float* partial, float* out, int n) {
  __shared__ float s[32]; __shared__ bool last; float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += a[i];
  auto reduce = [&](float v) { for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v; __syncthreads(); v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.f; if (threadIdx.x < 32) for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d); return v; };
  v = reduce(v);
  if (threadIdx.x == 0) { partial[blockIdx.x] = v; __threadfence(); last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1; }
  __syncthreads();
  if (last) { __threadfence(); v = threadIdx.x < gridDim.x ? *(volatile float*)&partial[threadIdx.x] : 0.f; v = reduce(v); if (threadIdx.x == 0) *out = v; }
}
