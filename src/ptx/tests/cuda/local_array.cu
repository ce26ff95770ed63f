// SPDX-License-Identifier: Apache-2.0
// Local arrays with dynamic indices, a struct copied through local memory, alloca.
extern "C" __global__ void local_array(const unsigned char* a, unsigned* out) {
  int i = threadIdx.x; unsigned h[16] = {}; unsigned char buf[40];
  for (int k = 0; k < 40; ++k) { unsigned char v = a[(i * 40 + k) % 512]; buf[39 - k] = v; ++h[v & 15]; }
  unsigned s = 0; for (int k = 0; k < 40; ++k) s = s * 33 + buf[(k * 7 + i) % 40];
  // insertion sort of the histogram
  for (int k = 1; k < 16; ++k) { unsigned v = h[k]; int j = k - 1; while (j >= 0 && h[j] > v) { h[j + 1] = h[j]; --j; } h[j + 1] = v; }
  unsigned t = 0; for (int k = 0; k < 16; ++k) t = t * 5 + h[k];
  unsigned* dyn = (unsigned*)__builtin_alloca(4 * (i % 8 + 1)); for (int k = 0; k <= i % 8; ++k) dyn[k] = k * k + i; unsigned u = 0; for (int k = i % 8; k >= 0; --k) u = u * 3 + dyn[k];
  out[3 * i] = s; out[3 * i + 1] = t; out[3 * i + 2] = u;
}
