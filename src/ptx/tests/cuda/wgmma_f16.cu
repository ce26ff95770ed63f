// SPDX-License-Identifier: Apache-2.0
// wgmma of f16 with f32 sums: operands K-major with a 128-byte swizzle, two 64-wide sums one on the other, A by registers, then negated, and f16 sums.
#include "tg.cuh"
[[maybe_unused]] static __device__ u64 desc(const void* p, u32 lbo, u32 sbo, u32 kind) { return (u64)((sa(p) & 0x3ffff) >> 4) | (u64)(lbo >> 4) << 16 | (u64)(sbo >> 4) << 32 | (u64)kind << 62; }
[[maybe_unused]] static __device__ u32 sw128(u32 row, u32 byte) { return row * 128 + ((byte & ~15u) ^ ((row & 7) << 4)) + (byte & 15); }
[[maybe_unused]] static __device__ u32 sw64(u32 row, u32 byte) { return row * 64 + ((byte & ~15u) ^ (((row >> 1) & 3) << 4)) + (byte & 15); }
[[maybe_unused]] static __device__ u32 sw32(u32 row, u32 byte) { return row * 32 + ((byte & ~15u) ^ (((row >> 2) & 1) << 4)) + (byte & 15); }
static __device__ void fence_in() { proxy_fence(); __syncthreads(); asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ void finish() { asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory"); __syncthreads(); }

extern "C" __global__ void __launch_bounds__(128) wgmma_f16(const u32* a, const u32* b, float* o1, float* o2, u32* o3) {
  int i = threadIdx.x, w = i / 32, lane = i & 31;  // a is 64 x 64, b is 32 x 64 (n by k), both of f16
  unsigned char* A = smem; unsigned char* B = smem + 8192;
  for (int k = i; k < 64 * 32; k += 128) *(u32*)(A + sw128(k / 32, 4 * (k % 32))) = a[k];
  for (int k = i; k < 32 * 32; k += 128) *(u32*)(B + sw128(k / 32, 4 * (k % 32))) = b[k];
  float d[16]; fence_in(); u32 acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %18, 0; wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p, 1, 1, 0, 0;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 16; ++j) o1[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 32 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j];
  for (int j = 0; j < 16; ++j) d[j] = (float)j; // registers: sums start at j, A negated
  fence_in();
  #pragma unroll
  for (int k = 0; k < 4; ++k) { u32 f[4]; for (int r = 0; r < 4; ++r) f[r] = a[(16 * w + lane / 4 + 8 * (r & 1)) * 32 + 8 * k + (lane & 3) + 4 * (r >> 1)];
    asm volatile("{.reg .pred p; setp.ne.b32 p, %21, 0; wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, p, -1, 1, 0;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]) : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); }
  finish(); for (int j = 0; j < 16; ++j) o2[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 32 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j];
  { u32 d[8]; fence_in(); acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n32k16.f16.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0;}" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 8; ++j) o3[((16 * w + lane / 4 + 8 * (j & 1)) * 32 + 8 * (j >> 1) + 2 * (lane & 3)) / 2] = d[j]; }
}
