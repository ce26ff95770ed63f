// SPDX-License-Identifier: Apache-2.0
// f16x2 and bf16x2 arithmetic, comparison and fused operations; results as bits.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
static __device__ unsigned u(__half2 h) { return *(unsigned*)&h; }
static __device__ unsigned u(__nv_bfloat162 h) { return *(unsigned*)&h; }
extern "C" __global__ void half2_ops(const unsigned* a, const unsigned* b, const unsigned* c, const unsigned* d, unsigned* out) {
  int i = threadIdx.x, n = blockDim.x; unsigned* o = out + i;
#define PUT(v) { *o = (v); o += n; }
  unsigned ra = a[i], rb = b[i], rc = c[i], rd = d[i];
  __half2 x = *(__half2*)&ra, y = *(__half2*)&rb; __nv_bfloat162 X = *(__nv_bfloat162*)&rc, Y = *(__nv_bfloat162*)&rd;
#define OPS(x, y) PUT(u(__hadd2(x, y))) PUT(u(__hsub2(x, y))) PUT(u(__hmul2(x, y))) PUT(u(__hfma2(x, y, x))) PUT(u(__hfma2_relu(x, y, x))) PUT(u(__hmin2(x, y))) PUT(u(__hmax2(x, y))) \
  PUT(u(__hmin2_nan(x, y))) PUT(u(__habs2(x))) PUT(u(__hneg2(x))) PUT(u(__heq2(x, y))) PUT(u(__hltu2(x, y))) PUT(__hge2_mask(x, y)) PUT(u(__hisnan2(x)))
  OPS(x, y) OPS(X, Y)
  PUT(u(__hadd2_sat(x, y))) PUT(u(__hmul2_sat(x, y))) PUT(u(__hfma2_sat(x, y, x)))
  PUT(u(__lowhigh2highlow(x))) PUT(u(__highs2half2(x, y))) PUT(u(__halves2half2(__hadd(x.x, y.y), __hmul(x.y, y.x))))
}
