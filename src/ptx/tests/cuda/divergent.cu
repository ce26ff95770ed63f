// SPDX-License-Identifier: Apache-2.0
// Loops of different lengths a lane, nested, with break, continue and early return; goto out of two loops.
extern "C" __global__ void divergent(const unsigned* a, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i] % 1000 + 1, steps = 0, y = 0;
  while (x != 1) { x = (x & 1) ? 3 * x + 1 : x >> 1; ++steps; if (steps > 100) break; }
  for (unsigned j = 0; j < i % 9; ++j) { if ((j ^ i) % 3 == 0) continue; for (unsigned k = j; k < 20; k += 2) { y += k * j; if (y > 200) goto done; if ((k + i) % 7 == 6) break; } }
done:
  if (steps == 0) { out[i] = 0xdead; return; }
  unsigned v = __popc(__ballot_sync(__activemask(), 1)) * 0; // reads the active set
  out[i] = steps * 1000 + y + v;
}
