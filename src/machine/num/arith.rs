//! `add`, `sub`, `mul`, `fma`, `div`, `rcp`, `sqrt`, `neg`, `abs` of f32 and f64, correctly rounded in every
//! direction (PTX ISA, "Floating Point Instructions").
//!
//! To nearest even without modifiers, which is what kernels do, a function is the host's instruction and a
//! test for NaN. The other directions go through whole-number arithmetic. An f32 result that is NaN is
//! `0x7fffffff`; an f64 result keeps the payload of its first NaN operand, and is `0xfff8000000000000` where
//! no operand is NaN.
//!
//! `ftz` replaces subnormal operands before, and a subnormal result after rounding, by zero of the same sign.
//! `sat` clamps the result to `[0, 1]`, NaN to +0.

use super::format::Float;
use super::round::{Rounding, saturate_unit};
use super::soft;

const SIGN: u32 = 0x8000_0000;
const NAN: u32 = 0x7fff_ffff;

/// A subnormal f32 to zero of the same sign.
#[must_use]
#[inline(always)]
pub const fn f32_flush(a: u32) -> u32 {
    // A mask: loops over lanes become vector instructions.
    a & if a & 0x7f80_0000 == 0 { SIGN } else { u32::MAX }
}

#[inline(always)]
fn operand(a: u32, ftz: bool) -> u32 {
    if ftz { f32_flush(a) } else { a }
}

/// The bits of a result of the host, with the NaN of the GPU.
#[inline(always)]
pub(super) fn canonical(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

#[inline(always)]
fn finish(bits: u32, ftz: bool, sat: bool) -> u32 {
    let bits = if ftz { f32_flush(bits) } else { bits };
    if sat { saturate_unit(Float::F32, u64::from(bits)) as u32 } else { bits }
}

/// `add{.rnd}{.ftz}{.sat}.f32`
#[must_use]
#[inline(always)]
pub fn f32_add(a: u32, b: u32, rounding: Rounding, ftz: bool, sat: bool) -> u32 {
    let (a, b) = (operand(a, ftz), operand(b, ftz));
    let bits = match rounding {
        Rounding::NearestEven => canonical(f32::from_bits(a) + f32::from_bits(b)),
        _ => soft::add(Float::F32, u64::from(a), u64::from(b), rounding) as u32,
    };
    finish(bits, ftz, sat)
}

/// `sub{.rnd}{.ftz}{.sat}.f32`: `a - b`.
#[must_use]
#[inline(always)]
pub fn f32_sub(a: u32, b: u32, rounding: Rounding, ftz: bool, sat: bool) -> u32 {
    f32_add(a, b ^ SIGN, rounding, ftz, sat)
}

/// `mul{.rnd}{.ftz}{.sat}.f32`
#[must_use]
#[inline(always)]
pub fn f32_mul(a: u32, b: u32, rounding: Rounding, ftz: bool, sat: bool) -> u32 {
    let (a, b) = (operand(a, ftz), operand(b, ftz));
    let bits = match rounding {
        Rounding::NearestEven => canonical(f32::from_bits(a) * f32::from_bits(b)),
        _ => soft::mul(Float::F32, u64::from(a), u64::from(b), rounding) as u32,
    };
    finish(bits, ftz, sat)
}

/// `fma.rnd{.ftz}{.sat}.f32`: `a * b + c`, rounded once.
#[must_use]
#[inline(always)]
pub fn f32_fma(a: u32, b: u32, c: u32, rounding: Rounding, ftz: bool, sat: bool) -> u32 {
    let (a, b, c) = (operand(a, ftz), operand(b, ftz), operand(c, ftz));
    let bits = match rounding {
        Rounding::NearestEven => {
            canonical(fma_nearest(f32::from_bits(a), f32::from_bits(b), f32::from_bits(c)))
        }
        _ => soft::fma(Float::F32, u64::from(a), u64::from(b), u64::from(c), rounding) as u32,
    };
    finish(bits, ftz, sat)
}

/// The host's `mul_add` is a call where the build may not assume FMA, and some C libraries round it twice.
/// In f64 the product is exact and the sum is cut with [`to_odd`], which makes the second rounding harmless
/// (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
#[inline(always)]
fn fma_nearest(a: f32, b: f32, c: f32) -> f32 {
    to_odd(f64::from(a) * f64::from(b), f64::from(c)) as f32
}

/// `a + b`, rounded to odd: exact, or cut off with an odd last bit. For operands that are far from the
/// limits of f64, as products and numbers of f32 are.
#[inline(always)]
pub(super) fn to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's two-sum: the rounding error of `sum`, exactly. With an infinity it is NaN.
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    let bits = sum.to_bits();
    // One step towards the exact value; an even last bit has no carry on the way up, nor an odd one down.
    // Wrapping, and one selection: loops over lanes become vector instructions.
    let away = (error > 0.0) == (sum > 0.0);
    let step = if away { 1 } else { u64::MAX };
    // Neither zero nor NaN: the comparison is false for both.
    let inexact = error.abs() > 0.0;
    f64::from_bits(if inexact && bits & 1 == 0 { bits.wrapping_add(step) } else { bits })
}

/// `div.rnd{.ftz}.f32`: `a / b`.
#[must_use]
#[inline(always)]
pub fn f32_div(a: u32, b: u32, rounding: Rounding, ftz: bool) -> u32 {
    let (a, b) = (operand(a, ftz), operand(b, ftz));
    let bits = match rounding {
        Rounding::NearestEven => canonical(f32::from_bits(a) / f32::from_bits(b)),
        _ => soft::div(Float::F32, u64::from(a), u64::from(b), rounding) as u32,
    };
    finish(bits, ftz, false)
}

/// `rcp.rnd{.ftz}.f32`: `1 / a`.
#[must_use]
#[inline(always)]
pub fn f32_rcp(a: u32, rounding: Rounding, ftz: bool) -> u32 {
    f32_div(0x3f80_0000, a, rounding, ftz)
}

/// `sqrt.rnd{.ftz}.f32`
#[must_use]
#[inline(always)]
pub fn f32_sqrt(a: u32, rounding: Rounding, ftz: bool) -> u32 {
    let a = operand(a, ftz);
    let bits = match rounding {
        Rounding::NearestEven => canonical(f32::from_bits(a).sqrt()),
        _ => soft::sqrt(Float::F32, u64::from(a), rounding) as u32,
    };
    finish(bits, ftz, false)
}

/// `neg{.ftz}.f32`. The sign of a NaN is flipped too ("NaN inputs yield an unspecified NaN").
#[must_use]
#[inline(always)]
pub fn f32_neg(a: u32, ftz: bool) -> u32 {
    operand(a, ftz) ^ SIGN
}

/// `abs{.ftz}.f32`
#[must_use]
#[inline(always)]
pub fn f32_abs(a: u32, ftz: bool) -> u32 {
    operand(a, ftz) & !SIGN
}

const SIGN64: u64 = 1 << 63;

/// The host's result, unless it is NaN, whose bits the GPU makes in its own way.
#[inline(always)]
fn f64_or_nan(value: f64, operands: &[u64]) -> u64 {
    if value.is_nan() { soft::nan(Float::F64, operands) } else { value.to_bits() }
}

/// `add{.rnd}.f64`
#[must_use]
#[inline(always)]
pub fn f64_add(a: u64, b: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::NearestEven => f64_or_nan(f64::from_bits(a) + f64::from_bits(b), &[a, b]),
        _ => soft::add(Float::F64, a, b, rounding),
    }
}

/// `sub{.rnd}.f64`: `a - b`.
#[must_use]
#[inline(always)]
pub fn f64_sub(a: u64, b: u64, rounding: Rounding) -> u64 {
    f64_add(a, b ^ SIGN64, rounding)
}

/// `mul{.rnd}.f64`
#[must_use]
#[inline(always)]
pub fn f64_mul(a: u64, b: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::NearestEven => f64_or_nan(f64::from_bits(a) * f64::from_bits(b), &[a, b]),
        _ => soft::mul(Float::F64, a, b, rounding),
    }
}

/// `fma.rnd.f64`: `a * b + c`, rounded once.
#[must_use]
#[inline(always)]
pub fn f64_fma(a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::NearestEven => {
            f64_or_nan(f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)), &[a, b, c])
        }
        _ => soft::fma(Float::F64, a, b, c, rounding),
    }
}

/// `div.rnd.f64`: `a / b`.
#[must_use]
#[inline(always)]
pub fn f64_div(a: u64, b: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::NearestEven => f64_or_nan(f64::from_bits(a) / f64::from_bits(b), &[a, b]),
        _ => soft::div(Float::F64, a, b, rounding),
    }
}

/// `rcp.rnd.f64`: `1 / a`.
#[must_use]
#[inline(always)]
pub fn f64_rcp(a: u64, rounding: Rounding) -> u64 {
    f64_div(1f64.to_bits(), a, rounding)
}

/// `sqrt.rnd.f64`
#[must_use]
#[inline(always)]
pub fn f64_sqrt(a: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::NearestEven => f64_or_nan(f64::from_bits(a).sqrt(), &[a]),
        _ => soft::sqrt(Float::F64, a, rounding),
    }
}

/// `neg.f64`
#[must_use]
#[inline(always)]
pub const fn f64_neg(a: u64) -> u64 {
    a ^ SIGN64
}

/// `abs.f64`
#[must_use]
#[inline(always)]
pub const fn f64_abs(a: u64) -> u64 {
    a & !SIGN64
}
