// SPDX-License-Identifier: Apache-2.0
// wgmma of tf32, f8 of both kinds, and 8-bit and 1-bit integers, all K-major with a 128-byte swizzle, k of 128 bytes.
#include "tg.cuh"
[[maybe_unused]] static __device__ u64 desc(const void* p, u32 lbo, u32 sbo, u32 kind) { return (u64)((sa(p) & 0x3ffff) >> 4) | (u64)(lbo >> 4) << 16 | (u64)(sbo >> 4) << 32 | (u64)kind << 62; }
[[maybe_unused]] static __device__ u32 sw128(u32 row, u32 byte) { return row * 128 + ((byte & ~15u) ^ ((row & 7) << 4)) + (byte & 15); }
[[maybe_unused]] static __device__ u32 sw64(u32 row, u32 byte) { return row * 64 + ((byte & ~15u) ^ (((row >> 1) & 3) << 4)) + (byte & 15); }
[[maybe_unused]] static __device__ u32 sw32(u32 row, u32 byte) { return row * 32 + ((byte & ~15u) ^ (((row >> 2) & 1) << 4)) + (byte & 15); }
static __device__ void fence_in() { proxy_fence(); __syncthreads(); asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ void finish() { asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory"); __syncthreads(); }

extern "C" __global__ void __launch_bounds__(128) wgmma_types(const u32* a, const u32* b, float* tf, float* f8, int* s8) {
  int i = threadIdx.x, w = i / 32, lane = i & 31;  u32 acc; unsigned char* A = smem; unsigned char* B = smem + 8192; // a: three matrices of 64 x 128 bytes, b: three of 16 x 128 bytes
#define LOAD(q) __syncthreads(); for (int k = i; k < 64 * 32; k += 128) *(u32*)(A + sw128(k / 32, 4 * (k % 32))) = a[2048 * (q) + k]; for (int k = i; k < 16 * 32; k += 128) *(u32*)(B + sw128(k / 32, 4 * (k % 32))) = b[512 * (q) + k];
  LOAD(0)
  { float d[8]; fence_in(); acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 8; ++j) tf[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j]; }
  LOAD(1)
  { float d[8]; fence_in(); acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 8; ++j) f8[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j]; }
  { float d[8]; fence_in(); acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k32.f32.e5m2.e4m3 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 8; ++j) (f8 + 1024)[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j]; }
  { float d[8]; fence_in(); acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k32.f32.e5m2.e5m2 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 8; ++j) (f8 + 2048)[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j]; }
  LOAD(2)
  { int d[8]; fence_in(); acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p;}" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 8; ++j) s8[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j]; }
  { int d[8]; fence_in(); acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k32.s32.u8.s8 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p;}" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 8; ++j) (s8 + 1024)[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j]; }
  { int d[8]; fence_in(); acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k32.s32.u8.u8.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p;}" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 8; ++j) (s8 + 2048)[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j]; }
  { int d[8]; fence_in(); acc = 0;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k256.s32.b1.b1.and.popc {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p;}" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]) : "l"(desc(A + 32 * k, 16, 1024, 1)), "l"(desc(B + 32 * k, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
  finish(); for (int j = 0; j < 8; ++j) (s8 + 3072)[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j]; }
}
