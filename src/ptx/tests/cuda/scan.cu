// SPDX-License-Identifier: Apache-2.0
// Inclusive and exclusive scan of a block: warp scans by shuffle, then across the warps.
extern "C" __global__ void scan(const int* a, int* incl, int* excl) {
  __shared__ int s[32]; int i = threadIdx.x, lane = i & 31, w = i >> 5, v = a[i], x = v;
  for (int d = 1; d < 32; d <<= 1) { int y = __shfl_up_sync(~0u, x, d); if (lane >= d) x += y; }
  if (lane == 31) s[w] = x; __syncthreads();
  if (w == 0) { int y = lane < blockDim.x / 32 ? s[lane] : 0; for (int d = 1; d < 32; d <<= 1) { int z = __shfl_up_sync(~0u, y, d); if (lane >= d) y += z; } s[lane] = y; }
  __syncthreads(); if (w) x += s[w - 1]; incl[i] = x; excl[i] = x - v;
}
