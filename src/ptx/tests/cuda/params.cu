// SPDX-License-Identifier: Apache-2.0
// Structures by value, of mixed members, with an array indexed dynamically, beside scalars of every width.
struct Big { char c; short s; int v[6]; double d; float2 f; unsigned long long q; };
extern "C" __global__ void params(double* out, const __grid_constant__ Big big, signed char c, unsigned short h, float f, double d, long long q, bool b) {
  int i = threadIdx.x; const Big* p = &big; out[i] = p->v[i % 6] + p->c + p->s + p->d + p->f.x * p->f.y + (double)p->q + c + h + f + d + (double)q + (b ? 0.5 : 0.25);
}
