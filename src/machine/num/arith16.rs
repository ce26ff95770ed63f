//! `add`, `sub`, `mul`, `fma`, `neg`, `abs` of f16 and bf16 (PTX ISA, "Half Precision Floating-Point
//! Instructions"). Results are rounded once, to nearest even: the ISA knows no other direction here.
//!
//! `format` is [`Float::F16`] or [`Float::Bf16`]. The packed forms (`f16x2`, `bf16x2`) are [`lanes2`] and
//! [`lanes3`] of a scalar function. A NaN result is `0x7fff`.

use super::arith::to_odd;
use super::cvt::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use super::format::Float;
use super::round::{relu, saturate_unit};

/// What a half-precision instruction does to its operands and result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HalfMods {
    /// `.ftz`: subnormal operands and results become zero of the same sign.
    pub ftz: bool,
    /// `.sat`: the result into `[0, 1]`, NaN to +0.
    pub sat: bool,
    /// `.relu`: negative results become +0.
    pub relu: bool,
}

/// An f16 or bf16 as f32, exactly.
#[must_use]
#[inline(always)]
pub fn half_to_f32(format: Float, a: u16) -> f32 {
    f32::from_bits(if format == Float::Bf16 { bf16_to_f32(a) } else { f16_to_f32(a) })
}

#[inline(always)]
fn operand(format: Float, a: u16, mods: HalfMods) -> f64 {
    let a = if mods.ftz { format.flush(u64::from(a)) as u16 } else { a };
    f64::from(half_to_f32(format, a))
}

/// Rounds a number of f64 that is exact, or rounded to odd.
///
/// Step one goes to f32, to odd again: 24 bits are more than twice the 11 of f16 plus two, so that the
/// second step rounds as if it saw the exact number.
#[inline(always)]
fn finish(format: Float, value: f64, mods: HalfMods) -> u16 {
    let bits = f32_to_odd(value);
    let half = if format == Float::Bf16 { f32_to_bf16(bits) } else { f32_to_f16(bits) };
    let mut half = u64::from(half);
    if mods.ftz {
        half = format.flush(half);
    }
    if mods.sat {
        half = saturate_unit(format, half);
    }
    if mods.relu {
        half = relu(format, half);
    }
    half as u16
}

/// f64 to f32, cut off with an odd last bit where the cut is not exact.
#[inline(always)]
fn f32_to_odd(value: f64) -> u32 {
    let near = value as f32;
    let (back, bits) = (f64::from(near), near.to_bits());
    // An infinity here is a finite number rounded up: one below it is odd. Zero is a number rounded down.
    let step = if back.abs() > value.abs() { u32::MAX } else { 1 };
    // NaN, and the NaN that infinities leave, compare as false.
    let inexact = (back - value).abs() > 0.0;
    if inexact && bits & 1 == 0 { bits.wrapping_add(step) } else { bits }
}

/// `a + b`
#[must_use]
#[inline]
pub fn half_add(format: Float, a: u16, b: u16, mods: HalfMods) -> u16 {
    finish(format, to_odd(operand(format, a, mods), operand(format, b, mods)), mods)
}

/// `a - b`
#[must_use]
#[inline]
pub fn half_sub(format: Float, a: u16, b: u16, mods: HalfMods) -> u16 {
    half_add(format, a, b ^ 0x8000, mods)
}

/// `a * b`; a product of two such numbers is exact in f64.
#[must_use]
#[inline]
pub fn half_mul(format: Float, a: u16, b: u16, mods: HalfMods) -> u16 {
    finish(format, operand(format, a, mods) * operand(format, b, mods), mods)
}

/// `a * b + c`, rounded once.
#[must_use]
#[inline]
pub fn half_fma(format: Float, a: u16, b: u16, c: u16, mods: HalfMods) -> u16 {
    let product = operand(format, a, mods) * operand(format, b, mods);
    finish(format, to_odd(product, operand(format, c, mods)), mods)
}

/// `-a`
#[must_use]
#[inline(always)]
pub fn half_neg(format: Float, a: u16, ftz: bool) -> u16 {
    flushed(format, a, ftz) ^ 0x8000
}

/// `|a|`
#[must_use]
#[inline(always)]
pub fn half_abs(format: Float, a: u16, ftz: bool) -> u16 {
    flushed(format, a, ftz) & 0x7fff
}

#[inline(always)]
fn flushed(format: Float, a: u16, ftz: bool) -> u16 {
    if ftz { format.flush(u64::from(a)) as u16 } else { a }
}

/// A function of one operand on both halves of a register.
#[must_use]
#[inline(always)]
pub fn lanes1(a: u32, f: impl Fn(u16) -> u16) -> u32 {
    u32::from(f(a as u16)) | u32::from(f((a >> 16) as u16)) << 16
}

/// A function of two operands on both halves of registers.
#[must_use]
#[inline(always)]
pub fn lanes2(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

/// A function of three operands on both halves of registers.
#[must_use]
#[inline(always)]
pub fn lanes3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16, c as u16))
        | u32::from(f((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16)) << 16
}
