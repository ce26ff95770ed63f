// SPDX-License-Identifier: Apache-2.0
// Bitonic sort of 256 keys with values in shared memory.
extern "C" __global__ void bitonic(const unsigned* key, const unsigned* val, unsigned* ko, unsigned* vo) {
  __shared__ uint2 s[256]; unsigned i = threadIdx.x; s[i] = make_uint2(key[i], val[i]); __syncthreads();
  for (unsigned k = 2; k <= 256; k <<= 1) for (unsigned j = k >> 1; j; j >>= 1) { unsigned l = i ^ j; if (l > i) { uint2 a = s[i], b = s[l]; if ((a.x > b.x) == ((i & k) == 0)) { s[i] = b; s[l] = a; } } __syncthreads(); }
  ko[i] = s[i].x; vo[i] = s[i].y;
}
