// SPDX-License-Identifier: Apache-2.0
// cp.async.bulk in one dimension: in, out, reductions out of several types, prefetch, with a cache hint.
#include "tg.cuh"
extern "C" __global__ void bulk_1d(const float* a, float* b, float* acc, int* imax, unsigned* h, const unsigned* hin) {
  __shared__ alignas(128) float s[256]; __shared__ alignas(16) int m[64]; __shared__ alignas(16) u32 hs[64]; __shared__ u64 bar; int i = threadIdx.x;
  if (i == 0) { bar_init(&bar, 1); bar_fence(); } __syncthreads();
  if (i == 0) { asm volatile("cp.async.bulk.prefetch.L2.global [%0], 1024;" :: "l"(a)); u64 pol; asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(pol)); bar_expect(&bar, 1024 + 256); bulk_in(s, a, 512, &bar);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], 512, [%2], %3;" :: "r"(sa(s + 128)), "l"(a + 128), "r"(sa(&bar)), "l"(pol) : "memory"); bulk_in(hs, hin, 256, &bar); }
  bar_wait(&bar, 0); s[i] = s[i] * 2 + 1; s[i + 128] += 0.5f; if (i < 64) m[i] = (int)s[i]; proxy_fence(); __syncthreads();
  if (i == 0) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" :: "l"(b), "r"(sa(s)) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 1024;" :: "l"(acc), "r"(sa(s)) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], 256;" :: "l"(imax), "r"(sa(m)) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], 256;" :: "l"(h), "r"(sa(hs)) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;" ::: "memory"); }
}
