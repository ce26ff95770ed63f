// SPDX-License-Identifier: Apache-2.0
// sm_100: block-scaled f8: scale factors copied from shared to tensor memory (tcgen05.cp 32x128b.warpx4), then kind::mxf8f6f4.block_scale; also cp 128x256b.
#include "tg.cuh"
[[maybe_unused]] static __device__ u64 desc(const void* p, u32 lbo, u32 sbo, u64 swz) { return (u64)((sa(p) & 0x3ffff) >> 4) | (u64)(lbo >> 4) << 16 | (u64)(sbo >> 4) << 32 | 1ull << 46 | swz << 61; }
[[maybe_unused]] static __device__ u32 sw128(u32 row, u32 byte) { return row * 128 + ((byte & ~15u) ^ ((row & 7) << 4)) + (byte & 15); }
static __device__ void commit(u64* b) { asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(sa(b)) : "memory"); }
#define ALLOC(n) __shared__ u32 tm; __shared__ u64 bar; if (w == 0) { asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" :: "r"(sa(&tm)), "r"(n) : "memory"); asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"); } if (i == 0) { bar_init(&bar, 1); bar_fence(); } asm volatile("tcgen05.fence::before_thread_sync;"); __syncthreads(); asm volatile("tcgen05.fence::after_thread_sync;"); u32 t0 = tm;
#define FREE(n) asm volatile("tcgen05.fence::before_thread_sync;"); __syncthreads(); if (w == 0) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" :: "r"(t0), "r"(n));
#define MMA(kind, d, a, b, id, acc) asm volatile("{.reg .pred p; setp.ne.b32 p, %4, 0; tcgen05.mma.cta_group::1.kind::" kind " [%0], %1, %2, %3, p;}" :: "r"(d), "l"(a), "l"(b), "r"(id), "r"((u32)(acc)) : "memory");
#define MMATS(kind, d, a, b, id, acc) asm volatile("{.reg .pred p; setp.ne.b32 p, %4, 0; tcgen05.mma.cta_group::1.kind::" kind " [%0], [%1], %2, %3, p;}" :: "r"(d), "r"(a), "l"(b), "r"(id), "r"((u32)(acc)) : "memory");

extern "C" __global__ void __launch_bounds__(128) tcgen05_mxf8(const u32* a, const u32* b, const u32* sfa, const u32* sfb, u32* out, u32* cp) {
  int i = threadIdx.x, w = i / 32, lane = i & 31; (void)lane;  ALLOC(128u) unsigned char* A = smem; unsigned char* B = smem + 16384; u32* SA = (u32*)(smem + 20480); u32* SB = SA + 128; u32* X = (u32*)(smem + 24576);
  // a: 128 x 128 of e4m3, b: 32 x 128, scales ue8m0: one per row and 32 elements of k (a word is a row's four)
  for (int k = i; k < 128 * 32; k += 128) *(u32*)(A + sw128(k / 32, 4 * (k % 32))) = a[k]; for (int k = i; k < 32 * 32; k += 128) *(u32*)(B + sw128(k / 32, 4 * (k % 32))) = b[k];
  // 32 lanes x 16 bytes: lane r holds rows r, r + 32, r + 64, r + 96
  SA[4 * (i % 32) + i / 32] = sfa[i]; SB[4 * (i % 32) + i / 32] = i < 32 ? sfb[i] : 0;
  for (int k = i; k < 1024; k += 128) X[k] = (u32)k * 3 + 1; // 128 x 256 bits: 8 x 16-byte core matrices
  proxy_fence(); __syncthreads();
  if (i == 0) { asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" :: "r"(t0 + 64), "l"(desc(SA, 128, 128, 0)) : "memory"); asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" :: "r"(t0 + 68), "l"(desc(SB, 128, 128, 0)) : "memory");
    asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" :: "r"(t0 + 96), "l"(desc(X, 128, 256, 0)) : "memory");
    for (int k = 0; k < 4; ++k) { u32 id = (4u << 17) | (1u << 23) | (1u << 27) | ((u32)k << 4) | ((u32)k << 29);
      asm volatile("{.reg .pred p; setp.ne.b32 p, %4, 0; tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%0], %1, %2, %3, [%5], [%6], p;}" :: "r"(t0), "l"(desc(A + 32 * k, 16, 1024, 2)), "l"(desc(B + 32 * k, 16, 1024, 2)), "r"(id), "r"((u32)(k > 0)), "r"(t0 + 64), "r"(t0 + 68) : "memory"); }
    commit(&bar); }
  bar_wait(&bar, 0); asm volatile("tcgen05.fence::after_thread_sync;"); { u32 r[32]; asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];\ntcgen05.wait::ld.sync.aligned;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]), "=r"(r[8]), "=r"(r[9]), "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]), "=r"(r[14]), "=r"(r[15]), "=r"(r[16]), "=r"(r[17]), "=r"(r[18]), "=r"(r[19]), "=r"(r[20]), "=r"(r[21]), "=r"(r[22]), "=r"(r[23]), "=r"(r[24]), "=r"(r[25]), "=r"(r[26]), "=r"(r[27]), "=r"(r[28]), "=r"(r[29]), "=r"(r[30]), "=r"(r[31]) : "r"(t0 + ((u32)w << 21) + 0) : "memory"); for (int c = 0; c < 32; ++c) out[i * 32 + c] = r[c]; } { u32 r[8]; asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];\ntcgen05.wait::ld.sync.aligned;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "r"(t0 + ((u32)w << 21) + 96) : "memory"); for (int c = 0; c < 8; ++c) cp[i * 8 + c] = r[c]; }
  FREE(128u)
}
