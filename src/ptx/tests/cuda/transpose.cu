// SPDX-License-Identifier: Apache-2.0
// Tiled transpose through padded static shared memory.
extern "C" __global__ void transpose(const float* a, float* b, int rows, int cols) {
  __shared__ float t[32][33]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < cols && y + j < rows) t[threadIdx.y + j][threadIdx.x] = a[(y + j) * cols + x];
  __syncthreads(); x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < rows && y + j < cols) b[(y + j) * rows + x] = t[threadIdx.x][threadIdx.y + j];
}
