// SPDX-License-Identifier: Apache-2.0
// Helpers of the kernels that use asynchronous copies and tensor cores.
#pragma once
typedef unsigned long long u64; typedef unsigned u32;
struct alignas(64) TMap { char b[128]; };
static __device__ __forceinline__ u32 sa(const void* p) { return (u32)__cvta_generic_to_shared(p); }
static __device__ __forceinline__ void bar_init(u64* b, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(sa(b)), "r"(n) : "memory"); }
static __device__ __forceinline__ void bar_fence() { asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory"); }
static __device__ __forceinline__ void bar_expect(u64* b, u32 n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(sa(b)), "r"(n) : "memory"); }
static __device__ __forceinline__ void bar_wait(u64* b, u32 par) { asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}" :: "r"(sa(b)), "r"(par) : "memory"); }
static __device__ __forceinline__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
static __device__ __forceinline__ void bulk_wait() { asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); }
static __device__ __forceinline__ void bulk_in(void* s, const void* g, u32 bytes, u64* b) { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(sa(s)), "l"(g), "r"(bytes), "r"(sa(b)) : "memory"); }
static __device__ __forceinline__ void tma2(void* s, const TMap* m, int x, int y, u64* b) { asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" :: "r"(sa(s)), "l"(m), "r"(x), "r"(y), "r"(sa(b)) : "memory"); }
extern __shared__ __align__(1024) unsigned char smem[];
