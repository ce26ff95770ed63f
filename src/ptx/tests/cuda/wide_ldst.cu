// SPDX-License-Identifier: Apache-2.0
// sm_100: 256-bit loads and stores.
extern "C" __global__ void wide_ldst(const float* a, float* b) {
  int i = threadIdx.x; float v[8]; unsigned long long w[4];
  asm volatile("ld.global.v8.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];" : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7]) : "l"(a + 8 * i));
  asm volatile("st.global.v8.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8};" :: "l"(b + 16 * i), "f"(v[7]), "f"(v[6]), "f"(v[5]), "f"(v[4]), "f"(v[3]), "f"(v[2]), "f"(v[1]), "f"(v[0]));
  asm volatile("ld.global.nc.v4.b64 {%0,%1,%2,%3}, [%4];" : "=l"(w[0]), "=l"(w[1]), "=l"(w[2]), "=l"(w[3]) : "l"(a + 8 * i));
  asm volatile("st.global.v4.b64 [%0], {%1,%2,%3,%4};" :: "l"(b + 16 * i + 8), "l"(w[3]), "l"(w[2]), "l"(w[1]), "l"(w[0]));
  float2 p, q = make_float2(v[0], v[1]), r = make_float2(v[2], v[3]); asm("fma.rn.f32x2 %0, %1, %2, %1;" : "=l"(*(unsigned long long*)&p) : "l"(*(unsigned long long*)&q), "l"(*(unsigned long long*)&r));
  b[512 + 2 * i] = p.x; b[513 + 2 * i] = p.y;
  unsigned m; asm volatile("redux.sync.max.abs.NaN.f32 %0, %1, 0xffffffff;" : "=r"(m) : "f"(v[3])); b[576 + i] = __uint_as_float(m);
}
