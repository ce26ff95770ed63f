// SPDX-License-Identifier: Apache-2.0
// Structured sparsity, 2 of 4: mma.sp of f16; fragments as they lie.
#include "tg.cuh"
extern "C" __global__ void mma_sparse(const u32* A, const u32* B, const u32* meta, float* of) {
  int i = threadIdx.x; u32 a[4], b[4]; float d[4] = {0, 0, 0, 0}; for (int k = 0; k < 4; ++k) { a[k] = A[4 * i + k]; b[k] = B[4 * i + k]; }
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(meta[i]));
  for (int k = 0; k < 4; ++k) of[4 * i + k] = d[k];
}
