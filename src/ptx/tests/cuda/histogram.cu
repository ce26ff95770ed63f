// SPDX-License-Identifier: Apache-2.0
// Histogram: a privatised table in dynamic shared memory, then reductions to global memory.
extern __shared__ unsigned bins[];
extern "C" __global__ void histogram(const unsigned char* a, unsigned* out, int n, int nbins) {
  for (int b = threadIdx.x; b < nbins; b += blockDim.x) bins[b] = 0; __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[a[i] % nbins], 1u); __syncthreads();
  for (int b = threadIdx.x; b < nbins; b += blockDim.x) if (bins[b]) atomicAdd(&out[b], bins[b]);
}
