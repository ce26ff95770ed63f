// SPDX-License-Identifier: Apache-2.0
// A dense switch of many cases, in a loop, with a return and a fall-through.
__device__ __noinline__ unsigned op(unsigned c, unsigned x, unsigned y, const unsigned* a) {
  switch (c) {
    case 0: return y + 7 * a[x & 7]; case 1: return y ^ a[x & 15] ^ 0x55; case 2: return y * a[3]; case 3: return ~y + a[x & 3]; case 4: return y - x * a[4]; case 5: y <<= a[5] & 7; /* falls through */
    case 6: return y >> (a[6] & 3); case 7: return __brev(y) + a[7]; case 8: return y * y + a[8]; case 9: return y | (a[9] & 0xf0); case 10: return y & (a[10] | 0xffff); case 11: return a[11] / (y | 1); case 12: return a[12] % (y | 1);
    case 13: return __popc(y) * a[13]; case 14: return __clz(y) + a[14]; case 15: return y + a[x & 1] * 3; case 16: return min(y, a[16]); case 17: return max(y, a[17]); default: return y + 1; }
}
extern "C" __global__ void switch_table(const unsigned* a, unsigned* out) {
  unsigned i = threadIdx.x, x = a[i], y = x >> 8;
  #pragma unroll 1
  for (int k = 0; k < 6; ++k) { if (x % 23 == 22) { out[i] = y; return; } y = op(x % 23, x, y, a); x = x / 23 + a[k] + y; }
  out[i] = y;
}
