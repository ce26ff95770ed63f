// SPDX-License-Identifier: Apache-2.0
// A warp-specialised product: a producer warpgroup gives registers up and loads by TMA into a ring; two consumer warpgroups take registers and use wgmma; the result goes out by TMA.
#include "tg.cuh"
[[maybe_unused]] static __device__ u64 desc(const void* p, u32 lbo, u32 sbo, u32 kind) { return (u64)((sa(p) & 0x3ffff) >> 4) | (u64)(lbo >> 4) << 16 | (u64)(sbo >> 4) << 32 | (u64)kind << 62; }
[[maybe_unused]] static __device__ u32 sw128(u32 row, u32 byte) { return row * 128 + ((byte & ~15u) ^ ((row & 7) << 4)) + (byte & 15); }
[[maybe_unused]] static __device__ u32 sw64(u32 row, u32 byte) { return row * 64 + ((byte & ~15u) ^ (((row >> 1) & 3) << 4)) + (byte & 15); }
[[maybe_unused]] static __device__ u32 sw32(u32 row, u32 byte) { return row * 32 + ((byte & ~15u) ^ (((row >> 2) & 1) << 4)) + (byte & 15); }
static __device__ void fence_in() { proxy_fence(); __syncthreads(); asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ void finish() { asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory"); __syncthreads(); }

extern "C" __global__ void __launch_bounds__(384) warp_specialised(const __grid_constant__ TMap ma, const __grid_constant__ TMap mb, const __grid_constant__ TMap mc, int ksteps) {
  __shared__ u64 full[3], empty[3]; int t = threadIdx.x, wg = t / 128, i = t % 128, w = i / 32, lane = i & 31;
  unsigned char* A = smem; unsigned char* B = smem + 3 * 16384; float* C = (float*)(smem + 3 * 16384 + 3 * 4096);
  if (t == 0) { for (int k = 0; k < 3; ++k) { bar_init(&full[k], 1); bar_init(&empty[k], 2); } bar_fence(); } __syncthreads();
  if (wg == 0) { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (i == 0) for (int k = 0; k < ksteps; ++k) { int s = k % 3; if (k >= 3) bar_wait(&empty[s], (k / 3 + 1) & 1); bar_expect(&full[s], 16384 + 4096); tma2(A + 16384 * s, &ma, 64 * k, 128 * blockIdx.y, &full[s]); tma2(B + 4096 * s, &mb, 64 * k, 32 * blockIdx.x, &full[s]); }
  } else { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); float d[16]; u32 acc = 0; unsigned char* Aw = A + 8192 * (wg - 1);
    for (int k = 0; k < ksteps; ++k) { int s = k % 3; bar_wait(&full[s], (k / 3) & 1); asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      #pragma unroll
      for (int q = 0; q < 4; ++q) { asm volatile("{.reg .pred p; setp.ne.b32 p, %18, 0; wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p, 1, 1, 0, 0;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]) : "l"(desc(Aw + 16384 * s + 32 * q, 16, 1024, 1)), "l"(desc(B + 4096 * s + 32 * q, 16, 1024, 1)), "r"(acc) : "memory"); acc = 1; }
      asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory"); if (i == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(sa(&empty[s])) : "memory"); }
    for (int j = 0; j < 16; ++j) C[(64 * (wg - 1) + 16 * w + lane / 4 + 8 * ((j >> 1) & 1)) * 32 + 8 * (j >> 2) + 2 * (lane & 3) + (j & 1)] = d[j];
    proxy_fence(); asm volatile("bar.sync 1, 256;" ::: "memory");
    if (wg == 1 && i == 0) { asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" :: "l"(&mc), "r"(32 * blockIdx.x), "r"(128 * blockIdx.y), "r"(sa(C)) : "memory"); bulk_wait(); } }
}
