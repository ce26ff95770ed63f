// SPDX-License-Identifier: Apache-2.0
// mbarrier by hand: a ring of two slots between a producer warp and a consumer warp; tokens, counts, noComplete, expect and complete.
#define BAR(b) "r"((unsigned)__cvta_generic_to_shared(b))
static __device__ void wait(unsigned long long* b, unsigned parity) { unsigned d = 0; while (!d) asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2, 1000; selp.u32 %0, 1, 0, p;}" : "=r"(d) : BAR(b), "r"(parity) : "memory"); }
extern "C" __global__ void mbarrier(const int* a, int* out, unsigned* info, int n) {
  __shared__ unsigned long long full[2], empty[2], x; __shared__ int s[2][32]; int lane = threadIdx.x & 31, w = threadIdx.x / 32;
  if (threadIdx.x == 0) { for (int k = 0; k < 2; ++k) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" :: BAR(&full[k])); asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: BAR(&empty[k])); } asm volatile("mbarrier.init.shared.b64 [%0], 4;" :: BAR(&x)); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
  __syncthreads();
  if (w == 0) for (int t = 0; t < n; ++t) { if (t >= 2) wait(&empty[t & 1], ((t >> 1) + 1) & 1); s[t & 1][lane] = a[32 * t + lane] + t; asm volatile("{.reg .b64 st; mbarrier.arrive.release.cta.shared::cta.b64 st, [%0];}" :: BAR(&full[t & 1]) : "memory"); }
  else if (w == 1) { int acc = 0; for (int t = 0; t < n; ++t) { wait(&full[t & 1], (t >> 1) & 1); acc = acc * 7 + s[t & 1][lane ^ 1]; __syncwarp(); if (lane == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: BAR(&empty[t & 1]) : "memory"); } out[lane] = acc; }
  else if (lane == 0) { unsigned long long st, st2; unsigned c, p;
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(st) : BAR(&x) : "memory"); asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(c) : "l"(st)); info[0] = c;
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(st) : BAR(&x) : "memory"); asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(c) : "l"(st)); info[1] = c;
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(p) : BAR(&x), "l"(st) : "memory"); info[2] = p;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 64;" : "=l"(st2) : BAR(&x) : "memory");
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(p) : BAR(&x), "l"(st) : "memory"); info[3] = p;
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;" :: BAR(&x) : "memory");
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(p) : BAR(&x), "l"(st) : "memory"); info[4] = p;
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" :: BAR(&x) : "memory");
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(st) : BAR(&x) : "memory"); asm volatile("mbarrier.arrive.shared.b64 _, [%0], 3;" :: BAR(&x) : "memory");
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p;}" : "=r"(p) : BAR(&x) : "memory"); info[5] = p;
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(st) : BAR(&x) : "memory"); asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(c) : "l"(st)); info[6] = c;
    asm volatile("mbarrier.inval.shared.b64 [%0];" :: BAR(&x) : "memory"); info[7] = 1; }
}
