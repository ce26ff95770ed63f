// SPDX-License-Identifier: Apache-2.0
// Vector loads and stores of every width, read-only loads, cache operators, eviction hints, prefetches.
extern "C" __global__ void vector_ldst(const float4* __restrict__ a, float4* b, const uchar4* c, uchar4* d, const double2* e, double2* f, const short2* g, short2* h, unsigned* out) {
  int i = threadIdx.x;
  float4 v = a[i]; v.x += v.w; b[i] = v; uchar4 w = c[i]; d[i] = make_uchar4(w.w, w.z, w.y, w.x); double2 q = e[i]; f[i] = make_double2(q.y, q.x + 1.0); short2 s = g[i]; h[i] = make_short2(s.y, -s.x);
  const unsigned* u = (const unsigned*)a; unsigned r, t = 0;
#define L(op) { asm volatile(op " %0, [%1];" : "=r"(r) : "l"(u + i) : "memory"); t += r; }
  L("ld.global.ca.u32") L("ld.global.cg.u32") L("ld.global.cs.u32") L("ld.global.lu.u32") L("ld.volatile.global.u32") L("ld.global.nc.u32") L("ld.global.L1::no_allocate.u32") L("ld.global.L2::128B.u32") L("ld.global.nc.L1::evict_last.u32") L("ld.weak.global.u32") L("ld.relaxed.gpu.global.u32") L("ld.acquire.sys.global.u32") L("ld.mmio.relaxed.sys.global.u32") L("ld.u32")
  unsigned long long pol; asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(pol));
  asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(r) : "l"(u + i), "l"(pol)); t += r;
  asm volatile("prefetch.global.L2 [%0]; prefetchu.L1 [%0]; prefetch.global.L2::evict_last [%0];" :: "l"(u + i));
  unsigned r0, r1; asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2+8];" : "=r"(r0), "=r"(r1) : "l"(u + 4 * i)); t ^= r0 * 3 + r1;
  asm volatile("ld.global.v2.u8 {%0, %1}, [%2];" : "=r"(r0), "=r"(r1) : "l"((const unsigned char*)c + 2 * i)); t += r0 * 256 + r1;
  asm volatile("ld.global.s8 %0, [%1];" : "=r"(r0) : "l"((const unsigned char*)c + i)); t += r0;
#define S(op, k) asm volatile(op " [%0], %1;" :: "l"(out + k * 32 + i), "r"(t + k) : "memory");
  S("st.global.wb.u32", 0) S("st.global.cg.u32", 1) S("st.global.cs.u32", 2) S("st.global.wt.u32", 3) S("st.volatile.global.u32", 4) S("st.relaxed.sys.global.u32", 5) S("st.release.gpu.global.u32", 6) S("st.u32", 7) S("st.global.L1::evict_first.u32", 8)
}
