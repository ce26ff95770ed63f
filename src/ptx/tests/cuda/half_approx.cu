// SPDX-License-Identifier: Apache-2.0
// f16/bf16 transcendental instructions (ex2, tanh, rcp through f32, sqrt); results as f32.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void half_approx(const float* a, float* out) {
  int i = threadIdx.x, n = blockDim.x; float x = a[i]; float* o = out + i;
  __half h = __float2half(x), g = __habs(h) ; __half2 h2 = __floats2half2_rn(x, -x); __nv_bfloat162 b2 = __floats2bfloat162_rn(x, -x);
#define PUT(v) { *o = (v); o += n; }
  PUT(__half2float(hexp2(h))) PUT(__half2float(hexp(h))) PUT(__half2float(hlog2(g))) PUT(__half2float(hrcp(h))) PUT(__half2float(hsqrt(g))) PUT(__half2float(hrsqrt(g)))
  __half2 e = h2exp2(h2); PUT(__low2float(e)) PUT(__high2float(e))
  unsigned r; asm("tanh.approx.f16x2 %0, %1;" : "=r"(r) : "r"(*(unsigned*)&h2)); e = *(__half2*)&r; PUT(__low2float(e)) PUT(__high2float(e))
  asm("tanh.approx.bf16x2 %0, %1;" : "=r"(r) : "r"(*(unsigned*)&b2)); __nv_bfloat162 f = *(__nv_bfloat162*)&r; PUT(__low2float(f)) PUT(__high2float(f))
  asm("ex2.approx.ftz.bf16x2 %0, %1;" : "=r"(r) : "r"(*(unsigned*)&b2)); f = *(__nv_bfloat162*)&r; PUT(__low2float(f)) PUT(__high2float(f))
}
