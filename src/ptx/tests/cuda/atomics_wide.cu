// SPDX-License-Identifier: Apache-2.0
// 16-bit and 128-bit compare-and-swap and exchange.
extern "C" __global__ void atomics_wide(unsigned short* h, unsigned long long* q, unsigned* tries) {
  int i = threadIdx.x; unsigned n = 0; (void)i;
  unsigned short old = *(volatile unsigned short*)h; for (;;) { unsigned short p = atomicCAS(h, old, (unsigned short)(old + 3)); ++n; if (p == old) break; old = p; }
  unsigned long long l = 0, u = 0; // q = (low, high) += (1, 2)
  for (;;) { unsigned long long a, b; asm volatile("{.reg .b128 x, y, r; mov.b128 x, {%3, %4}; mov.b128 y, {%5, %6}; atom.global.cas.b128 r, [%2], x, y; mov.b128 {%0, %1}, r;}" : "=l"(a), "=l"(b) : "l"(q), "l"(l), "l"(u), "l"(l + 1), "l"(u + 2) : "memory"); if (a == l && b == u) break; l = a; u = b; }
  atomicAdd(tries, n > 0);
}
