// SPDX-License-Identifier: Apache-2.0
// Named barriers: pairs of warps, arrive without waiting, reductions over the barrier, syncthreads_count/and/or.
extern "C" __global__ void named_barriers(const int* a, int* out) {
  __shared__ int s[128]; int i = threadIdx.x, w = i / 32;
  s[i] = a[i]; asm volatile("bar.sync %0, 64;" :: "r"(1 + w / 2) : "memory"); int v = s[i ^ 32];
  __syncthreads();
  if (w < 2) { s[i] = v * 3; asm volatile("bar.arrive 5, 128;" ::: "memory"); } else { asm volatile("bar.sync 5, 128;" ::: "memory"); v += s[i - 64]; }
  __syncthreads();
  int c = __syncthreads_count(a[i] & 1), d = __syncthreads_and(a[i] > -1000), e = __syncthreads_or(a[i] > 1000); unsigned r;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; barrier.red.popc.u32 %0, %2, 64, p;}" : "=r"(r) : "r"(a[i] & 2), "r"(7 + w / 2) : "memory");
  asm volatile("barrier.cta.sync.aligned 3; barrier.sync 4; bar.warp.sync 0xffffffff; barrier.cta.arrive 9, 256; barrier.cta.sync 9, 256;" ::: "memory");
  out[i] = v; out[128 + i] = c * 100 + d * 10 + e; out[256 + i] = (int)r;
}
