// SPDX-License-Identifier: Apache-2.0
// Every shuffle mode, whole warp and segments, 32 and 64 bits, and the predicate form.
extern "C" __global__ void shuffles(const unsigned* a, unsigned* out) {
  int i = threadIdx.x, n = blockDim.x; unsigned x = a[i], r, p; unsigned* o = out + i;
#define PUT(v) { *o = (v); o += n; }
  const unsigned m = 0xffffffffu;
  PUT(__shfl_sync(m, x, 5)) PUT(__shfl_sync(m, x, (i * 7) & 31)) PUT(__shfl_sync(m, x, i + 3, 8)) PUT(__shfl_up_sync(m, x, 3)) PUT(__shfl_up_sync(m, x, 2, 16)) PUT(__shfl_down_sync(m, x, 4)) PUT(__shfl_down_sync(m, x, 1, 4))
  PUT(__shfl_xor_sync(m, x, 16)) PUT(__shfl_xor_sync(m, x, 5, 8))
  unsigned long long d = __shfl_xor_sync(m, ((unsigned long long)x << 32) | i, 1); PUT((unsigned)(d >> 32)) PUT((unsigned)d)
#define SP(mode, b, c) { asm volatile("{.reg .pred q; shfl.sync." mode ".b32 %0|q, %2, " b ", " c ", 0xffffffff; selp.u32 %1, 1, 0, q;}" : "=r"(r), "=r"(p) : "r"(x)); PUT(r) PUT(p) }
  SP("up", "3", "0") SP("down", "3", "0x1f") SP("bfly", "9", "0x1f") SP("idx", "20", "0x0f") SP("down", "2", "0x1807")
  if (i & 4) { unsigned h = __shfl_sync(0xf0f0f0f0u, x, 28); PUT(h) } else { unsigned h = __shfl_sync(0x0f0f0f0fu, x, 3); PUT(h) }
}
