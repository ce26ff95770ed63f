// SPDX-License-Identifier: Apache-2.0
// Conversions among integers and floats: rounding, saturation, widening and narrowing; results in 64-bit slots.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void cvt(const float* a, const long long* b, long long* out) {
  int i = threadIdx.x, n = blockDim.x; float x = a[i]; long long y = b[i]; double d = (double)x * 1.0000001; long long* o = out + i;
#define PUT(v) { *o = (long long)(v); o += n; }
#define FB(v) PUT((unsigned long long)__float_as_uint(v))
#define DB(v) PUT(__double_as_longlong(v))
  PUT(__float2int_rn(x)) PUT(__float2int_rz(x)) PUT(__float2int_ru(x)) PUT(__float2int_rd(x)) PUT(__float2uint_rz(x)) PUT(__float2ll_rn(x)) PUT((long long)__float2ull_rz(x))
  PUT(__double2int_rn(d)) PUT(__double2int_rz(d)) PUT(__double2ll_ru(d)) PUT((long long)__double2ull_rd(d)) PUT(__double2uint_rn(d))
  FB(__int2float_rn((int)y)) FB(__int2float_rz((int)y)) FB(__uint2float_ru((unsigned)y)) FB(__ll2float_rd(y)) FB(__ull2float_rn((unsigned long long)y))
  DB(__int2double_rn((int)y)) DB(__ll2double_rn(y)) DB(__ll2double_rz(y)) DB(__ull2double_ru((unsigned long long)y))
  FB(__double2float_rn(d)) FB(__double2float_rz(d)) FB(__double2float_ru(d)) FB(__double2float_rd(d))
  FB(rintf(x)) FB(floorf(x)) FB(ceilf(x)) FB(truncf(x)) DB(rint(d)) DB(floor(d)) FB(__saturatef(x))
  PUT(__half_as_ushort(__float2half_rn(x))) PUT(__half_as_ushort(__float2half_rz(x))) PUT(__half_as_ushort(__float2half_ru(x))) PUT(__half_as_ushort(__float2half_rd(x)))
  PUT(__half_as_ushort(__double2half(d))) PUT(__half_as_ushort(__int2half_rn((int)y))) FB(__half2float(__ushort_as_half((unsigned short)y & 0x7bff)))
  PUT(__half2int_rz(__float2half_rn(x))) PUT(__bfloat16_as_ushort(__float2bfloat16_rn(x))) PUT(__bfloat16_as_ushort(__float2bfloat16_rz(x))) PUT(__bfloat16_as_ushort(__double2bfloat16(d)))
  FB(__bfloat162float(__ushort_as_bfloat16((unsigned short)y & 0x7f7f)))
  unsigned r; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x)); PUT(r & 0xffffe000u)
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(x * 3.f)); PUT(r)
  asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(-x)); PUT(r)
  asm("cvt.rz.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(x * 3.f)); PUT(r)
  PUT((signed char)y) PUT((unsigned char)y) PUT((short)y) PUT((unsigned short)y) PUT((int)y) PUT((unsigned)y)
#define SAT(t, c, e) { t s; asm("cvt.sat." e ".s64 %0, %1;" : "=" c(s) : "l"(y)); PUT(s) }
  SAT(int, "r", "s32") SAT(unsigned, "r", "u32") SAT(short, "h", "s16") SAT(unsigned short, "h", "u16")
  { unsigned s; asm("{.reg .u8 t; cvt.sat.u8.s64 t, %1; cvt.u32.u8 %0, t;}" : "=r"(s) : "l"(y)); PUT(s) }
  { int s; asm("{.reg .s8 t; cvt.sat.s8.s32 t, %1; cvt.s32.s8 %0, t;}" : "=r"(s) : "r"((int)y)); PUT(s) }
  { int s; asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(s) : "r"((int)y), "r"((int)(y >> 17))); PUT((unsigned)s) }
  { int s; asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(s) : "r"((int)y), "r"((int)(y >> 55)), "r"(0xabcd)); PUT((unsigned)s) }
}
