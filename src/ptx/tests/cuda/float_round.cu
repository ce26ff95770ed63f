// SPDX-License-Identifier: Apache-2.0
// add, mul, fma, div, rcp, sqrt in the four rounding modes, f32 and f64.
extern "C" __global__ void float_round(const float* a, float* o32, double* o64) {
  int i = threadIdx.x, n = blockDim.x;
  float x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2];
  double X = (double)x / 3.0, Y = (double)y / 7.0, Z = (double)z / 11.0;
  float* o = o32 + i; double* p = o64 + i;
#define F(v) { *o = (v); o += n; }
#define D(v) { *p = (v); p += n; }
#define M(s) F(__fadd_##s(x, y)) F(__fsub_##s(x, y)) F(__fmul_##s(x, y)) F(__fmaf_##s(x, y, z)) F(__fdiv_##s(x, y)) F(__frcp_##s(y)) F(__fsqrt_##s(fabsf(x))) \
  D(__dadd_##s(X, Y)) D(__dsub_##s(X, Y)) D(__dmul_##s(X, Y)) D(__fma_##s(X, Y, Z)) D(__ddiv_##s(X, Y)) D(__drcp_##s(Y)) D(__dsqrt_##s(fabs(X)))
  M(rn) M(rz) M(ru) M(rd)
}
