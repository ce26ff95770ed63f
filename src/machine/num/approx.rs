//! The approximate instructions: `ex2`, `lg2`, `rcp`, `rsqrt`, `sqrt`, `sin`, `cos`, `tanh`, `div` (PTX ISA,
//! "Floating Point Instructions").
//!
//! Hardware answers within an error that the ISA documents, but its last bits are not published. These
//! functions compute in f64 (with the `libm` crate, the same on every host) and round to nearest even: at
//! most half a unit in the last place plus 2^-28, within every documented error. Special values are those
//! of the ISA's tables. NaN gives the canonical NaN, in f32 `0x7fffffff`.

use super::arith::{canonical, f32_flush};
use super::arith16::half_to_f32;
use super::cvt::{f32_to_bf16, f32_to_f16};
use super::format::Float;

#[inline(always)]
fn unary(a: u32, ftz: bool, f: impl Fn(f64) -> f64) -> u32 {
    let a = if ftz { f32_flush(a) } else { a };
    let bits = canonical(f(f64::from(f32::from_bits(a))) as f32);
    if ftz { f32_flush(bits) } else { bits }
}

/// `ex2.approx{.ftz}.f32`: `2^a`. -Inf gives +0, subnormal numbers and zeros +1, +Inf gives +Inf.
#[must_use]
#[inline]
pub fn f32_ex2(a: u32, ftz: bool) -> u32 {
    unary(a, ftz, libm::exp2)
}

/// `lg2.approx{.ftz}.f32`: the logarithm to base 2. Zeros (with `ftz` subnormal numbers too) give -Inf,
/// negative numbers NaN.
#[must_use]
#[inline]
pub fn f32_lg2(a: u32, ftz: bool) -> u32 {
    unary(a, ftz, libm::log2)
}

/// `rcp.approx{.ftz}.f32`: `1 / a`. Zeros give infinities of the same sign, and infinities zeros.
#[must_use]
#[inline]
pub fn f32_rcp_approx(a: u32, ftz: bool) -> u32 {
    unary(a, ftz, |x| 1.0 / x)
}

/// `rcp.approx.ftz.f64`: the upper 32 bits of the operand count, and the lower 32 bits of the result are
/// zero. Subnormal operands and results become zero of the same sign.
#[must_use]
pub fn f64_rcp_approx_ftz(a: u64) -> u64 {
    f64_upper(a, |x| 1.0 / x)
}

/// `rsqrt.approx.ftz.f64`, under the rules of [`f64_rcp_approx_ftz`].
#[must_use]
pub fn f64_rsqrt_approx_ftz(a: u64) -> u64 {
    f64_upper(a, |x| 1.0 / x.sqrt())
}

#[inline(always)]
fn f64_upper(a: u64, f: impl Fn(f64) -> f64) -> u64 {
    const UPPER: u64 = 0xffff_ffff_0000_0000;
    if Float::F64.is_nan(a) {
        return 0x7fff_ffff << 32;
    }
    let value = f(f64::from_bits(Float::F64.flush(a & UPPER)));
    if value.is_nan() { 0x7fff_ffff << 32 } else { Float::F64.flush(value.to_bits()) & UPPER }
}

/// `rsqrt.approx{.ftz}.f32`: `1 / sqrt(a)`. Zeros give infinities of the same sign, +Inf gives +0, negative
/// numbers NaN.
#[must_use]
#[inline]
pub fn f32_rsqrt(a: u32, ftz: bool) -> u32 {
    unary(a, ftz, |x| 1.0 / x.sqrt())
}

/// `rsqrt.approx.f64`
#[must_use]
pub fn f64_rsqrt(a: u64) -> u64 {
    let value = 1.0 / f64::from_bits(a).sqrt();
    if value.is_nan() { Float::F64.canonical_nan() } else { value.to_bits() }
}

/// `sqrt.approx{.ftz}.f32`. -0 gives -0, negative numbers NaN.
#[must_use]
#[inline]
pub fn f32_sqrt_approx(a: u32, ftz: bool) -> u32 {
    unary(a, ftz, f64::sqrt)
}

/// `sin.approx{.ftz}.f32`, in radians. Infinities give NaN. Hardware is within 2^-20.5 for operands in
/// `[-pi, pi]` and worse outside; this function is as exact everywhere.
#[must_use]
#[inline]
pub fn f32_sin(a: u32, ftz: bool) -> u32 {
    unary(a, ftz, libm::sin)
}

/// `cos.approx{.ftz}.f32`, as [`f32_sin`].
#[must_use]
#[inline]
pub fn f32_cos(a: u32, ftz: bool) -> u32 {
    unary(a, ftz, libm::cos)
}

/// `tanh.approx.f32`. Infinities give 1 with their sign; subnormal numbers are kept.
#[must_use]
#[inline]
pub fn f32_tanh(a: u32) -> u32 {
    unary(a, false, libm::tanh)
}

/// `div.approx{.ftz}.f32`: `a * (1 / b)`. For `2^126 < |b| < 2^128` the reciprocal is zero, so that the
/// result is zero with the sign of the quotient, or NaN if `a` is infinite.
#[must_use]
#[inline]
pub fn f32_div_approx(a: u32, b: u32, ftz: bool) -> u32 {
    let (a, b) = if ftz { (f32_flush(a), f32_flush(b)) } else { (a, b) };
    let magnitude = b & 0x7fff_ffff;
    // 2^126 is 0x7e80_0000.
    let b =
        if magnitude > 0x7e80_0000 && magnitude < 0x7f80_0000 { b & 0x8000_0000 | 0x7f80_0000 } else { b };
    let bits = canonical(f32::from_bits(a) / f32::from_bits(b));
    if ftz { f32_flush(bits) } else { bits }
}

/// `div.full{.ftz}.f32`: within 2 units in the last place over the full range; here correctly rounded.
#[must_use]
#[inline]
pub fn f32_div_full(a: u32, b: u32, ftz: bool) -> u32 {
    let (a, b) = if ftz { (f32_flush(a), f32_flush(b)) } else { (a, b) };
    let bits = canonical(f32::from_bits(a) / f32::from_bits(b));
    if ftz { f32_flush(bits) } else { bits }
}

#[inline(always)]
fn half_unary(format: Float, a: u16, ftz: bool, f: impl Fn(f64) -> f64) -> u16 {
    let a = if ftz { format.flush(u64::from(a)) as u16 } else { a };
    let value = canonical(f(f64::from(half_to_f32(format, a))) as f32);
    let bits = if format == Float::Bf16 { f32_to_bf16(value) } else { f32_to_f16(value) };
    if ftz { format.flush(u64::from(bits)) as u16 } else { bits }
}

/// `ex2.approx.f16` and `ex2.approx.ftz.bf16`: `2^a`, as [`f32_ex2`]. `format` is [`Float::F16`] or
/// [`Float::Bf16`]; subnormal numbers give +1 in both, and subnormal results of bf16 +0.
#[must_use]
#[inline]
pub fn half_ex2(format: Float, a: u16) -> u16 {
    half_unary(format, a, format == Float::Bf16, libm::exp2)
}

/// `tanh.approx.f16` and `tanh.approx.bf16`.
#[must_use]
#[inline]
pub fn half_tanh(format: Float, a: u16) -> u16 {
    half_unary(format, a, false, libm::tanh)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: u32 = 0x7fff_ffff;
    const INF: u32 = 0x7f80_0000;
    const NEG_INF: u32 = 0xff80_0000;
    const NEG_ZERO: u32 = 0x8000_0000;
    const ONE: u32 = 0x3f80_0000;
    const SUB: u32 = 0x0000_0400;
    const NEG_SUB: u32 = 0x8000_0400;
    const NEG_ONE: u32 = 0xbf80_0000;

    #[test]
    fn special_values_of_ex2_and_lg2() {
        for ftz in [false, true] {
            for (a, want) in [
                (NEG_INF, 0),
                (NEG_SUB, ONE),
                (NEG_ZERO, ONE),
                (0, ONE),
                (SUB, ONE),
                (INF, INF),
                (0xffc0_0000, NAN),
                (3f32.to_bits(), 8f32.to_bits()),
                (129f32.to_bits(), INF),
            ] {
                assert_eq!(f32_ex2(a, ftz), want, "ex2 {a:#x}");
            }
            for (a, want) in [
                (NEG_INF, NAN),
                (NEG_ONE, NAN),
                (NEG_ZERO, NEG_INF),
                (0, NEG_INF),
                (INF, INF),
                (NAN, NAN),
                (8f32.to_bits(), 3f32.to_bits()),
            ] {
                assert_eq!(f32_lg2(a, ftz), want, "lg2 {a:#x}");
            }
        }
        assert_eq!((f32_lg2(NEG_SUB, true), f32_lg2(SUB, true)), (NEG_INF, NEG_INF));
        assert_eq!((f32_lg2(NEG_SUB, false), f32_lg2(1, false)), (NAN, (-149f32).to_bits()));
        assert_eq!((f32_ex2((-130f32).to_bits(), true), f32_ex2((-130f32).to_bits(), false)), (0, 1 << 19));
    }

    #[test]
    fn special_values_of_reciprocals_and_roots() {
        for ftz in [false, true] {
            for (a, want) in [(NEG_INF, NEG_ZERO), (NEG_ZERO, NEG_INF), (0, INF), (INF, 0), (NAN, NAN)] {
                assert_eq!(f32_rcp_approx(a, ftz), want, "rcp {a:#x}");
            }
            for (a, want) in [(NEG_INF, NAN), (NEG_ONE, NAN), (NEG_ZERO, NEG_INF), (0, INF), (INF, 0)] {
                assert_eq!(f32_rsqrt(a, ftz), want, "rsqrt {a:#x}");
            }
            for (a, want) in [(NEG_INF, NAN), (NEG_ONE, NAN), (NEG_ZERO, NEG_ZERO), (0, 0), (INF, INF)] {
                assert_eq!(f32_sqrt_approx(a, ftz), want, "sqrt {a:#x}");
            }
        }
        assert_eq!((f32_rcp_approx(NEG_SUB, true), f32_rsqrt(NEG_SUB, true)), (NEG_INF, NEG_INF));
        assert_eq!((f32_sqrt_approx(NEG_SUB, true), f32_rsqrt(NEG_SUB, false)), (NEG_ZERO, NAN));
        assert_eq!(f64_rcp_approx_ftz(4f64.to_bits()), 0.25f64.to_bits());
        assert_eq!(f64_rcp_approx_ftz(1), f64::INFINITY.to_bits());
        assert_eq!(f64_rsqrt_approx_ftz(4f64.to_bits()), 0.5f64.to_bits());
    }

    #[test]
    fn special_values_of_trigonometric_functions() {
        for a in [INF, NEG_INF, NAN] {
            assert_eq!((f32_sin(a, false), f32_cos(a, true)), (NAN, NAN));
        }
        assert_eq!((f32_sin(NEG_ZERO, false), f32_sin(NEG_SUB, true)), (NEG_ZERO, NEG_ZERO));
        assert_eq!((f32_cos(NEG_ZERO, false), f32_cos(SUB, true)), (ONE, ONE));
        assert_eq!((f32_tanh(INF), f32_tanh(NEG_INF), f32_tanh(NEG_ZERO)), (ONE, NEG_ONE, NEG_ZERO));
        assert_eq!((f32_tanh(NEG_SUB), f32_tanh(NAN)), (NEG_SUB, NAN));
    }

    #[test]
    fn division_outside_the_range_of_the_reciprocal() {
        let huge = f32::from_bits(0x7e80_0001).to_bits();
        assert_eq!(f32_div_approx(huge, huge, false), 0);
        assert_eq!(f32_div_approx(NEG_ONE, huge, false), NEG_ZERO);
        assert_eq!(f32_div_approx(INF, huge, false), NAN);
        assert_eq!(f32_div_approx(INF, 0x7e80_0000, false), INF);
        assert_eq!(f32_div_full(huge, huge, true), ONE);
        assert_eq!(f32_div_full(ONE, NEG_SUB, true), NEG_INF);
        assert_eq!(f32_div_full(0, 0, true), NAN);
        assert_eq!(f32_div_full(6f32.to_bits(), 3f32.to_bits(), false), 2f32.to_bits());
    }

    #[test]
    fn halves() {
        assert_eq!(half_ex2(Float::F16, 0x4200), 0x4800);
        assert_eq!(half_ex2(Float::F16, 0xfc00), 0);
        assert_eq!(half_ex2(Float::Bf16, 0x8001), 0x3f80);
        assert_eq!(half_ex2(Float::F16, 0x7e00), 0x7fff);
        assert_eq!(half_tanh(Float::F16, 0x7c00), 0x3c00);
        assert_eq!(half_tanh(Float::Bf16, 0xff80), 0xbf80);
    }
}
