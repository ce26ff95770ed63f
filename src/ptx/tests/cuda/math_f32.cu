// SPDX-License-Identifier: Apache-2.0
// The f32 math library; large arguments take sinf's slow path (a local array).
extern "C" __global__ void math_f32(const float* a, float* out) {
  int i = threadIdx.x, n = blockDim.x; float x = a[i], p = fabsf(x) + 0.01f; float* o = out + i;
#define PUT(v) { *o = (v); o += n; }
  PUT(expf(x)) PUT(exp2f(x)) PUT(logf(p)) PUT(log1pf(p)) PUT(log10f(p)) PUT(powf(p, x * 0.3f)) PUT(sinf(x * 1e6f)) PUT(cosf(x * 1e6f)) PUT(tanf(x)) PUT(erff(x * 0.2f)) PUT(erfcf(x * 0.2f))
  PUT(tanhf(x)) PUT(cbrtf(x)) PUT(rsqrtf(p)) PUT(hypotf(x, p)) PUT(fmodf(x, 0.7f)) PUT(atan2f(x, 1.5f)) PUT(asinf(x * 0.05f)) PUT(sinhf(x * 0.3f)) PUT(lgammaf(p)) PUT(expm1f(x * 0.1f)) PUT(remainderf(x, 0.7f)) PUT(ldexpf(x, 5)) PUT(nextafterf(x, 100.f))
  PUT(__expf(x)) PUT(__sinf(x)) PUT(__powf(p, 0.5f)) PUT(__fdividef(x, p)) PUT(__logf(p)) PUT(x / p) PUT(sqrtf(p)) PUT(1.f / x)
}
