// SPDX-License-Identifier: Apache-2.0
// Integer and bit operations, one output column per operation.
extern "C" __global__ void int_ops(const unsigned* a, const unsigned* b, unsigned* out, unsigned long long* out64) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  unsigned x = a[i], y = b[i], r;
  unsigned* o = out + i;
#define PUT(v) { *o = (unsigned)(v); o += n; }
#define ASM2(op) { asm(op " %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); PUT(r) }
#define ASM1(op) { asm(op " %0, %1;" : "=r"(r) : "r"(x)); PUT(r) }
  PUT(__popc(x)) PUT(__clz(x)) PUT(__brev(x)) PUT(__ffs(x))
  ASM1("bfind.u32") ASM1("bfind.s32") ASM1("bfind.shiftamt.u32")
  PUT(__byte_perm(x, y, 0x5140)) PUT(__byte_perm(x, y, y & 0xffff))
  { asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(y)); PUT(r) }
  { asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(x)); PUT(r) }
  { asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(r) : "r"(x), "r"(y), "r"(x + y)); PUT(r) }
  PUT(__funnelshift_l(x, y, y)) PUT(__funnelshift_r(x, y, y)) PUT(__funnelshift_lc(x, y, y & 63)) PUT(__funnelshift_rc(x, y, y & 63))
  PUT(__mulhi((int)x, (int)y)) PUT(__umulhi(x, y)) PUT(x * y + 7u)
  PUT(__dp4a((int)x, (int)y, 5)) PUT(__dp4a(x, y, 5u)) PUT(__dp2a_lo((int)x, (int)y, 5)) PUT(__dp2a_hi(x, y, 5u))
  PUT(__sad((int)x, (int)y, 3u)) PUT(__usad(x, y, 3u)) PUT(abs((int)x)) PUT(min((int)x, (int)y)) PUT(max(x, y))
  PUT(__hadd((int)x, (int)y)) PUT(__uhadd(x, y)) PUT(__rhadd((int)x, (int)y)) PUT(__urhadd(x, y))
  { asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"((y >> 8) & 63)); PUT(r) }
  { asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"((y >> 8) & 63)); PUT(r) }
  { asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(y & 31), "r"((y >> 8) & 31)); PUT(r) }
  { asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63)); PUT(r) }
  { asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63)); PUT(r) }
  { asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63)); PUT(r) }
  ASM2("mul24.lo.s32") ASM2("mul24.hi.u32") ASM2("add.sat.s32") ASM2("sub.sat.s32") ASM1("cnot.b32")
  { asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(x & 63), "r"(y & 63)); PUT(r) }
  { asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63)); PUT(r) }
  { asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(x - y)); PUT(r) }
  { asm("set.lt.u32.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); PUT(r) }
  { asm("{.reg .u16 l,h; mov.b32 {l,h}, %1; mul.wide.u16 %0, l, h;}" : "=r"(r) : "r"(x)); PUT(r) }
  { asm("{.reg .s16 l,h; mov.b32 {l,h}, %1; mad.wide.s16 %0, l, h, %2;}" : "=r"(r) : "r"(x), "r"(y)); PUT(r) }
  unsigned long long* q = out64 + i;
#define PUT64(v) { *q = (unsigned long long)(v); q += n; }
  unsigned long long X = ((unsigned long long)x << 32) | y, Y = ((unsigned long long)y << 29) ^ x;
  PUT64((unsigned long long)x * y + X) PUT64((long long)(int)x * (int)y + (long long)Y)
  PUT64(__popcll(X)) PUT64(__clzll(X)) PUT64(__brevll(X)) PUT64(__umul64hi(X, Y)) PUT64(__mul64hi(X, Y)) PUT64(X * Y)
  PUT64(min((long long)X, (long long)Y)) PUT64(max(X, Y)) PUT64(X << (y & 63)) PUT64((long long)X >> (y & 63)) PUT64(X >> (y & 63))
}
