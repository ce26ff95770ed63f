// SPDX-License-Identifier: Apache-2.0
// Floating-point atomics: f32, f64, f16x2, bf16x2, vector reductions; whole numbers, so that every order gives the same.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void atomics_float(const int* a, float* g, double* d, unsigned* h, float* s_out) {
  __shared__ float s; __shared__ double sd; int i = blockIdx.x * blockDim.x + threadIdx.x; float x = (float)(a[i] & 7);
  if (threadIdx.x == 0) { s = 0; sd = 0; } __syncthreads();
  atomicAdd(&g[i & 3], x); atomicAdd(&d[i & 1], (double)x); atomicAdd((__half2*)&h[0], __floats2half2_rn(1.f, 2.f)); atomicAdd((__nv_bfloat162*)&h[1], __floats2bfloat162_rn((i & 7) == 0, (i & 15) == 0));
  atomicAdd(&s, x); atomicAdd(&sd, (double)x * 0.5); atomicAdd((__half*)&h[2], __float2half((i & 1) ? 1.f : 2.f));
  atomicExch(&g[12], 2.5f);
  asm volatile("red.global.v4.f32.add [%0], {%1, %1, %2, %2};" :: "l"(&g[4]), "f"(x), "f"(-x) : "memory");
  float v0, v1; asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %4};" : "=f"(v0), "=f"(v1) : "l"(&g[8]), "f"(x), "f"(1.f) : "memory");
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" :: "l"(&h[3]), "r"(0x3c003c00u) : "memory");
  __syncthreads(); if (threadIdx.x == 0) { s_out[2 * blockIdx.x] = s; s_out[2 * blockIdx.x + 1] = (float)sd; }
}
