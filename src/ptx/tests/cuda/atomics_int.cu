// SPDX-License-Identifier: Apache-2.0
// Integer atomics, shared and global, 32 and 64 bits; commutative ones by many threads, exchange and cas checked by their invariants.
extern "C" __global__ void atomics_int(const int* a, int* g, unsigned long long* g64, unsigned* s_out) {
  __shared__ unsigned s[16]; __shared__ unsigned long long s64[4]; __shared__ unsigned lock, inside;
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; int x = a[i];
  if (t < 16) s[t] = (t == 3 || t == 1) ? 0xffffffffu : 0; if (t < 4) s64[t] = t == 1 ? ~0ull : 0; if (t == 0) lock = inside = 0;
  __syncthreads();
  atomicAdd(&g[0], x); atomicMin(&g[1], x); atomicMax(&g[2], x); atomicAnd(&g[3], x | 0xf0); atomicOr(&g[4], x & 0xff); atomicXor(&g[5], x); atomicInc((unsigned*)&g[6], 99u); atomicDec((unsigned*)&g[7], 49u); atomicSub(&g[8], x); atomicMin((unsigned*)&g[9], (unsigned)x); atomicMax((unsigned*)&g[10], (unsigned)x);
  unsigned ticket = (unsigned)atomicAdd(&g[11], 1); atomicAdd(&g[12], (int)ticket); // the sum of all tickets
  int old = g[13]; do { x = old; old = atomicCAS(&g[13], x, x + 3); } while (old != x); x = a[i];
  atomicExch(&g[14], 77);
  atomicAdd(&g64[0], (unsigned long long)(long long)x); atomicMax((long long*)&g64[1], (long long)x << 20); atomicMin((long long*)&g64[2], (long long)x << 20); atomicXor(&g64[3], (unsigned long long)x); atomicAnd(&g64[4], ~(1ull << (t & 63))); atomicExch(&g64[5], 123456789012ull);
  unsigned long long o64 = g64[6]; for (;;) { unsigned long long p = atomicCAS(&g64[6], o64, o64 + 5); if (p == o64) break; o64 = p; }
  atomicAdd(&s[0], (unsigned)x); atomicMin(&s[1], (unsigned)x & 0xffff); atomicMax((int*)&s[2], x); atomicAnd(&s[3], (unsigned)x | 0xff00); atomicOr(&s[4], 1u << (t & 31)); atomicXor(&s[5], (unsigned)x); atomicInc(&s[6], 9u); atomicDec(&s[7], 9u); atomicAdd(&s64[0], (unsigned long long)x); atomicMin(&s64[1], (unsigned long long)(x & 0xfff));
  atomicAdd_block(&s[8], 1u); atomicAdd_system((int*)&g[15], 1);
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], 2;" :: "l"(&g[16]) : "memory"); asm volatile("atom.acq_rel.cta.shared::cta.or.b32 %0, [%1], %2;" : "=r"(ticket) : "r"((unsigned)__cvta_generic_to_shared(&s[9])), "r"(1u << (t % 20)) : "memory");
  // a spin lock guards a counter that is not atomic
  bool done = false; while (!done) { if (atomicCAS(&lock, 0u, 1u) == 0u) { volatile unsigned* c = &inside; *c = *c + 1; __threadfence_block(); atomicExch(&lock, 0u); done = true; } }
  __syncthreads();
  unsigned* o = s_out + blockIdx.x * 24; if (t < 16) o[t] = s[t]; if (t < 2) { o[16 + 2 * t] = (unsigned)s64[t]; o[17 + 2 * t] = (unsigned)(s64[t] >> 32); } if (t == 0) { o[20] = inside; o[21] = lock; o[22] = o[23] = 0; }
}
