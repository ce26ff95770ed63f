// SPDX-License-Identifier: Apache-2.0
// Votes, matches, warp reductions, the active mask and election.
extern "C" __global__ void votes(const int* a, unsigned* out) {
  int i = threadIdx.x, n = blockDim.x; int x = a[i]; unsigned* o = out + i; const unsigned m = 0xffffffffu;
#define PUT(v) { *o = (unsigned)(v); o += n; }
  PUT(__ballot_sync(m, x > 2)) PUT(__any_sync(m, x > 7)) PUT(__all_sync(m, x > -100)) PUT(__all_sync(m, x & 1)) PUT(__match_any_sync(m, x)) int p; PUT(__match_all_sync(m, 7, &p)) PUT(p) PUT(__match_all_sync(m, x, &p)) PUT(p)
  PUT(__match_any_sync(m, (unsigned long long)x << 33))
  PUT(__reduce_add_sync(m, x)) PUT(__reduce_min_sync(m, x)) PUT(__reduce_max_sync(m, x)) PUT(__reduce_min_sync(m, (unsigned)x)) PUT(__reduce_max_sync(m, (unsigned)x)) PUT(__reduce_and_sync(m, (unsigned)x)) PUT(__reduce_or_sync(m, (unsigned)x)) PUT(__reduce_xor_sync(m, (unsigned)x))
  unsigned r, q; asm volatile("{.reg .pred p; vote.sync.uni.pred p, 1, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(r)); PUT(r)
  unsigned act = 0;
  if (i % 3 == 0) act = __activemask() & 0; // only that it can be read: its value is not defined by convergence
  if (x > 0) { __syncwarp(__ballot_sync(__activemask(), 1)); }
  __syncwarp();
  if (i & 1) { act |= __reduce_add_sync(0xaaaaaaaau, x); } else { act |= __ballot_sync(0x55555555u, x > 1); }
  PUT(act) PUT(__popc(__ballot_sync(m, (i & 31) < 9)))
}
