// SPDX-License-Identifier: Apache-2.0
// wgmma of bf16: A and B stored M-major and N-major with a 128-byte swizzle, N of two swizzle atoms; and without a swizzle, and with 32 and 64 bytes.
#include "tg.cuh"
[[maybe_unused]] static __device__ u64 desc(const void* p, u32 lbo, u32 sbo, u32 kind) { return (u64)((sa(p) & 0x3ffff) >> 4) | (u64)(lbo >> 4) << 16 | (u64)(sbo >> 4) << 32 | (u64)kind << 62; }
[[maybe_unused]] static __device__ u32 sw128(u32 row, u32 byte) { return row * 128 + ((byte & ~15u) ^ ((row & 7) << 4)) + (byte & 15); }
[[maybe_unused]] static __device__ u32 sw64(u32 row, u32 byte) { return row * 64 + ((byte & ~15u) ^ (((row >> 1) & 3) << 4)) + (byte & 15); }
[[maybe_unused]] static __device__ u32 sw32(u32 row, u32 byte) { return row * 32 + ((byte & ~15u) ^ (((row >> 2) & 1) << 4)) + (byte & 15); }
static __device__ void fence_in() { proxy_fence(); __syncthreads(); asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ void finish() { asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory"); __syncthreads(); }

extern "C" __global__ void __launch_bounds__(128) wgmma_major(const unsigned short* a, const unsigned short* b, float* o1, float* o2, float* o3, float* o4) {
  int i = threadIdx.x, w = i / 32, lane = i & 31;  // a is 64 x 16 (m by k), b is 128 x 16 (n by k)
  unsigned char* A = smem; unsigned char* B = smem + 2048; u32 acc = 0;
  for (int k = i; k < 64 * 16; k += 128) *(unsigned short*)(A + sw128(k % 16, 2 * (k / 16))) = a[k];
  for (int k = i; k < 128 * 16; k += 128) { int n = k / 16; *(unsigned short*)(B + 2048 * (n / 64) + sw128(k % 16, 2 * (n % 64))) = b[k]; }
  { float d[64]; fence_in(); asm volatile("{.reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 1, 1;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]) : "l"(desc(A, 2048, 1024, 1)), "l"(desc(B, 2048, 1024, 1)), "r"(acc) : "memory");
  finish(); for (int j = 0; j < 64; ++j) o1[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 128 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j]; }
  // no swizzle, K-major: 8 x 16-byte core matrices, 128 bytes apart along k, 256 along the rows
  for (int k = i; k < 64 * 16; k += 128) { int r = k / 16, c = k % 16; *(unsigned short*)(A + 256 * (r / 8) + 128 * (c / 8) + 16 * (r % 8) + 2 * (c % 8)) = a[k]; }
  for (int k = i; k < 16 * 16; k += 128) { int r = k / 16, c = k % 16; *(unsigned short*)(B + 256 * (r / 8) + 128 * (c / 8) + 16 * (r % 8) + 2 * (c % 8)) = b[k]; }
  float d[8]; fence_in(); asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(desc(A, 128, 256, 0)), "l"(desc(B, 128, 256, 0)), "r"(acc) : "memory");
  finish(); for (int j = 0; j < 8; ++j) o2[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j];
  for (int k = i; k < 64 * 16; k += 128) *(unsigned short*)(A + sw32(k / 16, 2 * (k % 16))) = a[k];
  for (int k = i; k < 16 * 16; k += 128) *(unsigned short*)(B + sw32(k / 16, 2 * (k % 16))) = b[k];
  fence_in(); asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(desc(A, 16, 256, 3)), "l"(desc(B, 16, 256, 3)), "r"(acc) : "memory");
  finish(); for (int j = 0; j < 8; ++j) o3[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j];
  // 64 bytes: the 16 columns in the second half of rows of 32, so the descriptor's start is in the middle of an atom
  for (int k = i; k < 64 * 16; k += 128) *(unsigned short*)(smem + sw64(k / 16, 32 + 2 * (k % 16))) = a[k];
  for (int k = i; k < 16 * 16; k += 128) *(unsigned short*)(smem + 4096 + sw64(k / 16, 32 + 2 * (k % 16))) = b[k];
  fence_in(); asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(desc(smem + 32, 16, 512, 2)), "l"(desc(smem + 4096 + 32, 16, 512, 2)), "r"(acc) : "memory");
  finish(); for (int j = 0; j < 8; ++j) o4[(16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 16 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j];
}
