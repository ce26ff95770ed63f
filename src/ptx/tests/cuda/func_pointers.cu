// SPDX-License-Identifier: Apache-2.0
// Indirect calls through a table of device functions and through a virtual function.
struct P { float x, y; int k; };
__device__ __noinline__ float f_add(P p) { return p.x + p.y; }
__device__ __noinline__ float f_mul(P p) { return p.x * p.y; }
__device__ __noinline__ float f_sel(P p) { return p.k & 1 ? p.x : p.y; }
__device__ __noinline__ float f_neg(P p) { return -p.x; }
typedef float (*Fn)(P);
__device__ Fn table[4] = {f_add, f_mul, f_sel, f_neg};
struct Shape { __device__ virtual float area() const = 0; };
struct Sq : Shape { float s; __device__ Sq(float v) : s(v) {} __device__ float area() const override { return s * s; } };
struct Tri : Shape { float b, h; __device__ Tri(float v, float w) : b(v), h(w) {} __device__ float area() const override { return 0.5f * b * h; } };
extern "C" __global__ void func_pointers(const float* a, float* out) {
  int i = threadIdx.x; P p = {a[i], a[i + 1], i};
  out[2 * i] = table[(i * 5 + 1) & 3](p);
  Sq s(a[i]); Tri t(a[i], 2.f); Shape* q = (i & 2) ? (Shape*)&s : (Shape*)&t;
  out[2 * i + 1] = q->area();
}
