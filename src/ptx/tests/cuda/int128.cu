// SPDX-License-Identifier: Apache-2.0
// 128-bit arithmetic by the compiler's carry chains and by inline add.cc / sub.cc / mad.cc.
extern "C" __global__ void int128(const unsigned long long* a, unsigned long long* out) {
  int i = threadIdx.x;
  unsigned __int128 x = ((unsigned __int128)a[4 * i] << 64) | a[4 * i + 1], y = ((unsigned __int128)a[4 * i + 2] << 64) | a[4 * i + 3];
  unsigned long long* o = out + 20 * i;
#define PUT(v) { unsigned __int128 t = (v); o[0] = (unsigned long long)(t >> 64); o[1] = (unsigned long long)t; o += 2; }
  PUT(x + y) PUT(x - y) PUT(x * y) PUT(x << (int)(a[4 * i] & 127)) PUT((unsigned __int128)((__int128)x >> (int)(a[4 * i + 1] & 127))) PUT(x < y ? x : y)
  unsigned r0, r1, r2, r3, x0 = (unsigned)x, x1 = x >> 32, x2 = x >> 64, x3 = x >> 96, y0 = (unsigned)y, y1 = y >> 32, y2 = y >> 64, y3 = y >> 96;
#define PUT4 PUT(((unsigned __int128)r3 << 96) | ((unsigned __int128)r2 << 64) | ((unsigned __int128)r1 << 32) | r0)
  asm("add.cc.u32 %0,%4,%8; addc.cc.u32 %1,%5,%9; addc.cc.u32 %2,%6,%10; addc.u32 %3,%7,%11;" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1), "r"(y2), "r"(y3)); PUT4
  asm("sub.cc.u32 %0,%4,%8; subc.cc.u32 %1,%5,%9; subc.cc.u32 %2,%6,%10; subc.u32 %3,%7,%11;" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1), "r"(y2), "r"(y3)); PUT4
  // (x1:x0) * y0 + (y2:y1), 96 bits.
  asm("mad.lo.cc.u32 %0,%3,%5,%6; madc.hi.cc.u32 %1,%3,%5,%7; addc.u32 %2,0,0; mad.lo.cc.u32 %1,%4,%5,%1; madc.hi.u32 %2,%4,%5,%2;" : "=&r"(r0), "=&r"(r1), "=&r"(r2) : "r"(x0), "r"(x1), "r"(y0), "r"(y1), "r"(y2)); r3 = 0; PUT4
  unsigned long long l, h;
  asm("add.cc.u64 %0,%2,%4; addc.u64 %1,%3,%5;" : "=l"(l), "=l"(h) : "l"((unsigned long long)x), "l"((unsigned long long)(x >> 64)), "l"((unsigned long long)y), "l"((unsigned long long)(y >> 64)));
  PUT(((unsigned __int128)h << 64) | l)
}
