// SPDX-License-Identifier: Apache-2.0
// printf, assert and the device heap: calls of functions that the driver provides.
#include <cstdio>
#include <cassert>
extern "C" __global__ void printf_assert(const int* a, int* out) {
  int i = threadIdx.x; assert(a[i] > -1000000);
  if (i % 16 == 3) printf("thread %d has %d, half of it is %.2f, %s %c %llx\n", i, a[i], a[i] * 0.5, "text", 'c', 0x123456789abcull);
  int* p = (int*)malloc(4 * 8); if (p) { for (int k = 0; k < 8; ++k) p[k] = a[i] + k; int s = 0; for (int k = 0; k < 8; ++k) s += p[k]; free(p); out[i] = s; } else out[i] = 8 * a[i] + 28;
}
