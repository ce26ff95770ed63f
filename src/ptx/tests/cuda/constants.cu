// SPDX-License-Identifier: Apache-2.0
// Constant and global variables with initialisers, pointers among them, structures, a counter shared by the blocks.
struct Rec { short id; double w; const char* name; };
__constant__ float table[8] = {1.5f, -2.f, 3.25f, 1e-3f, 7.f, 0.f, 42.f, -0.5f};
__device__ const char text[] = "tidegate";
__device__ const char other[] = "machine";
__device__ int numbers[5] = {5, 4, 3, 2, 1};
__device__ int* at = &numbers[2];
__constant__ Rec recs[2] = {{7, 2.5, text}, {-9, 0.125, other + 2}};
__device__ unsigned count;
extern "C" __global__ void constants(double* out, unsigned* total) {
  int i = threadIdx.x; const Rec& r = recs[i & 1];
  out[i] = table[i & 7] * r.w + r.id + r.name[i % 5] + at[(i % 5) - 2];
  atomicAdd(&count, 1u); __syncthreads();
  if (i == 0) *total = count;
}
