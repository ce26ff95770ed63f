// SPDX-License-Identifier: Apache-2.0
// The f64 math library.
extern "C" __global__ void math_f64(const double* a, double* out) {
  int i = threadIdx.x, n = blockDim.x; double x = a[i], p = fabs(x) + 0.01; double* o = out + i;
#define PUT(v) { *o = (v); o += n; }
  PUT(exp(x)) PUT(log(p)) PUT(pow(p, x * 0.3)) PUT(sin(x * 1e9)) PUT(cos(x)) PUT(tanh(x)) PUT(erf(x * 0.2)) PUT(sqrt(p)) PUT(x / p) PUT(1.0 / x) PUT(cbrt(x)) PUT(rsqrt(p)) PUT(atan(x)) PUT(fmod(x, 0.7)) PUT(fma(x, p, 1.0)) PUT(hypot(x, p))
}
