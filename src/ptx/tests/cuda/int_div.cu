// SPDX-License-Identifier: Apache-2.0
// Division and remainder, signed and unsigned, 8 to 64 bits, by variables and by constants.
extern "C" __global__ void int_div(const long long* a, const long long* b, long long* out) {
  int i = threadIdx.x, n = blockDim.x;
  long long x = a[i], y = b[i];
  long long* o = out + i;
#define PUT(v) { *o = (long long)(v); o += n; }
  PUT(x / y) PUT(x % y) PUT((unsigned long long)x / (unsigned long long)y) PUT((unsigned long long)x % (unsigned long long)y)
  PUT((int)x / ((int)y | 1)) PUT((int)x % ((int)y | 1)) PUT((unsigned)x / ((unsigned)y | 1)) PUT((unsigned)x % ((unsigned)y | 1))
  PUT((short)x / (short)((short)y | 1)) PUT((unsigned char)x % (unsigned char)((unsigned char)y | 1))
  PUT((int)x / 7) PUT((unsigned)x / 10u) PUT(x / 1000003) PUT((unsigned long long)x % 97u) PUT((int)x / 16) PUT((int)x % 16)
}
