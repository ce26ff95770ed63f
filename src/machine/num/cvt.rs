//! `cvt`: between floating-point formats, and between them and integers (PTX ISA, "Data Movement and
//! Conversion Instructions: cvt").

use super::format::{Class, Float, unpack};
use super::round::{Rounding, Saturation, infinity, pack, relu, saturate_unit};

/// The modifiers of a `cvt` with a floating-point destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CvtMods {
    /// Direction of rounding.
    pub rounding: Rounding,
    /// `.sat` or `.satfinite`.
    pub saturation: Saturation,
    /// `.relu`: negative results become +0.
    pub relu: bool,
    /// `.ftz`: subnormal f32 operands and results become zero of the same sign. It has no effect on other
    /// formats.
    pub ftz: bool,
}

impl CvtMods {
    /// Rounding alone.
    #[must_use]
    pub const fn rounding(rounding: Rounding) -> Self {
        Self { rounding, saturation: Saturation::None, relu: false, ftz: false }
    }
}

/// An integer type of PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Int {
    /// Bits, 1 to 64.
    pub bits: u32,
    /// Two's complement.
    pub signed: bool,
}

impl Int {
    /// `.u8`
    pub const U8: Self = Self { bits: 8, signed: false };
    /// `.s8`
    pub const S8: Self = Self { bits: 8, signed: true };
    /// `.u16`
    pub const U16: Self = Self { bits: 16, signed: false };
    /// `.s16`
    pub const S16: Self = Self { bits: 16, signed: true };
    /// `.u32`
    pub const U32: Self = Self { bits: 32, signed: false };
    /// `.s32`
    pub const S32: Self = Self { bits: 32, signed: true };
    /// `.u64`
    pub const U64: Self = Self { bits: 64, signed: false };
    /// `.s64`
    pub const S64: Self = Self { bits: 64, signed: true };

    const fn width(self) -> u32 {
        match self.bits {
            0 => 1,
            1..=64 => self.bits,
            _ => 64,
        }
    }

    /// The largest value.
    #[must_use]
    pub const fn max(self) -> i128 {
        (1 << (self.width() - self.signed as u32)) - 1
    }

    /// The smallest value.
    #[must_use]
    pub const fn min(self) -> i128 {
        if self.signed { -(1 << (self.width() - 1)) } else { 0 }
    }

    /// The value of the low bits of `bits`, sign- or zero-extended to 64 bits. A register wider than its
    /// type holds values so.
    #[must_use]
    #[inline(always)]
    pub const fn extend(self, bits: u64) -> u64 {
        let up = 64 - self.width();
        if self.signed { (((bits << up) as i64) >> up) as u64 } else { bits << up >> up }
    }

    /// The value of the low bits of `bits`.
    #[must_use]
    #[inline(always)]
    pub const fn value(self, bits: u64) -> i128 {
        let extended = self.extend(bits);
        if self.signed { extended as i64 as i128 } else { extended as i128 }
    }
}

/// A number from one floating-point format to another.
///
/// NaN gives the destination's canonical NaN, also under `.satfinite` and `.relu` (formats without NaN give
/// `MAX_NORM`); under `.sat` it gives +0. In F64 it keeps sign and payload and becomes quiet.
#[must_use]
#[inline]
pub fn float_to_float(bits: u64, from: Float, to: Float, mods: CvtMods) -> u64 {
    let satfinite = mods.saturation == Saturation::Finite;
    let u = unpack(from, bits);
    let mut out = match u.class {
        Class::Nan if to == Float::F64 => {
            let sign = if u.sign { to.sign_mask() } else { 0 };
            sign | 0x7ff8 << 48 | u.sig << (52 - from.mantissa_bits())
        }
        Class::Nan => to.canonical_nan(),
        Class::Infinite => infinity(to, u.sign, satfinite),
        Class::Finite if mods.ftz && from == Float::F32 && bits & 0x7f80_0000 == 0 => {
            pack(to, u.sign, 0, 0, mods.rounding, satfinite)
        }
        Class::Zero | Class::Finite => pack(to, u.sign, u.exp, u.sig, mods.rounding, satfinite),
    };
    if mods.ftz && to == Float::F32 {
        out = to.flush(out);
    }
    if mods.saturation == Saturation::Unit {
        out = saturate_unit(to, out);
    }
    // A NaN that a format cannot hold is MAX_NORM by now: positive, and left alone.
    if mods.relu { relu(to, out) } else { out }
}

/// An f32 to any format; see [`float_to_float`].
#[must_use]
#[inline]
pub fn encode_f32(value: u32, to: Float, mods: CvtMods) -> u64 {
    float_to_float(u64::from(value), Float::F32, to, mods)
}

/// An f64 to any format; see [`float_to_float`].
#[must_use]
#[inline]
pub fn encode_f64(value: u64, to: Float, mods: CvtMods) -> u64 {
    float_to_float(value, Float::F64, to, mods)
}

/// `cvt.rn.f16.f32`. The same as [`encode_f32`] to nearest even, in a few instructions.
#[must_use]
#[inline(always)]
pub const fn f32_to_f16(value: u32) -> u16 {
    let sign = (value >> 16 & 0x8000) as u16;
    let magnitude = value & 0x7fff_ffff;
    // Both ways are computed, wrapping, and one chosen: loops over lanes become vector instructions.
    // Subnormal or zero in f16: 0.5 has the unit 2^-24 in its last place, as f16 has here, so that the host's
    // addition rounds to the code.
    let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    // Rebias by 15 - 127 and round; a carry moves into the exponent, at the top to infinity.
    let normal = magnitude.wrapping_add((0xfff + (magnitude >> 13 & 1)).wrapping_sub(112 << 23)) >> 13;
    let code = if magnitude < 0x3880_0000 { small } else { normal };
    // 65536 and above are infinite.
    let code = if magnitude >= 0x4780_0000 { 0x7c00 } else { code };
    if magnitude > 0x7f80_0000 { 0x7fff } else { sign | code as u16 }
}

/// `cvt.rn.bf16.f32`. The same as [`encode_f32`] to nearest even, in a few instructions.
#[must_use]
#[inline(always)]
pub const fn f32_to_bf16(value: u32) -> u16 {
    // A NaN alone could overflow, and is not looked at.
    let rounded = value.wrapping_add(0x7fff + (value >> 16 & 1)) >> 16;
    if value & 0x7fff_ffff > 0x7f80_0000 { 0x7fff } else { rounded as u16 }
}

/// `cvt.f32.f16`, exact; NaN gives the canonical NaN of f32.
#[must_use]
#[inline(always)]
pub const fn f16_to_f32(value: u16) -> u32 {
    let sign = (value as u32 & 0x8000) << 16;
    let magnitude = value as u32 & 0x7fff;
    if magnitude > 0x7c00 {
        0x7fff_ffff
    } else if magnitude == 0x7c00 {
        sign | 0x7f80_0000
    } else {
        // The code read as an f32 is too small by 2^112, subnormals included; the product is exact.
        let scale = f32::from_bits((112 + 127) << 23);
        sign | (f32::from_bits(magnitude << 13) * scale).to_bits()
    }
}

/// `cvt.f32.bf16`, exact; NaN gives the canonical NaN of f32.
#[must_use]
#[inline(always)]
pub const fn bf16_to_f32(value: u16) -> u32 {
    if value & 0x7fff > 0x7f80 { 0x7fff_ffff } else { (value as u32) << 16 }
}

/// `cvt.{rp,rz}.ue8m0x2.f32`: the exponent of a scale. The sign is ignored. Zero and what is below 2^-127
/// give code 0 (2^-127, the smallest); NaN gives 255; infinity, and what rounds above 2^127, gives 255
/// without and 254 with `satfinite`.
///
/// Other directions than `Up` round down, as the ISA knows `.rp` and `.rz` alone.
#[must_use]
pub const fn f32_to_ue8m0(value: u32, rounding: Rounding, satfinite: bool) -> u8 {
    let magnitude = value & 0x7fff_ffff;
    let largest = if satfinite { 254 } else { 255 };
    let code = if magnitude > 0x7f80_0000 {
        return 255;
    } else if magnitude == 0x7f80_0000 {
        largest
    } else if magnitude < 0x0080_0000 {
        // 2^-127 is 0x0040_0000 and the smallest code; 2^-126 is code 1.
        (matches!(rounding, Rounding::Up) && magnitude > 0x0040_0000) as u32
    } else {
        (magnitude >> 23) + (matches!(rounding, Rounding::Up) && magnitude & 0x7f_ffff != 0) as u32
    };
    if code > 254 { largest as u8 } else { code as u8 }
}

/// A floating-point number to an integer: rounded to a whole number, then clamped to the type's range
/// ("float-to-integer conversions are always saturating"). The result is sign- or zero-extended to 64 bits.
///
/// NaN gives 0, but where the source is f64 or the destination has 64 bits, `1 << (bits - 1)` (PTX ISA,
/// `cvt`, "floating-point to integer: NaN").
#[must_use]
pub fn float_to_int(bits: u64, from: Float, to: Int, rounding: Rounding, ftz: bool) -> u64 {
    let bits = if ftz && from == Float::F32 { from.flush(bits) } else { bits };
    let u = unpack(from, bits);
    let magnitude: u128 = match u.class {
        Class::Nan if from == Float::F64 || to.bits == 64 => return to.extend(1 << (to.width() - 1)),
        Class::Nan | Class::Zero => return 0,
        Class::Infinite => 1 << 64,
        Class::Finite if u.exp >= 64 => 1 << 64,
        Class::Finite if u.exp >= 0 => u128::from(u.sig) << u.exp,
        Class::Finite => u128::from(rounding.shift_right(u.sign, u.sig, u.exp.unsigned_abs())),
    };
    let magnitude = magnitude.min(1 << 64) as i128;
    let value = if u.sign { -magnitude } else { magnitude };
    value.clamp(to.min(), to.max()) as u64
}

/// An integer to a floating-point number. `.sat` clamps to `[0, 1]`.
#[must_use]
pub fn int_to_float(bits: u64, from: Int, to: Float, mods: CvtMods) -> u64 {
    let value = from.value(bits);
    let sig = value.unsigned_abs() as u64;
    let out = pack(to, value < 0, 0, sig, mods.rounding, mods.saturation == Saturation::Finite);
    let out = if mods.saturation == Saturation::Unit { saturate_unit(to, out) } else { out };
    if mods.relu { relu(to, out) } else { out }
}

/// An integer to another type: the low bits or, with `sat`, the nearest value of the type. The result is
/// sign- or zero-extended to 64 bits.
#[must_use]
#[inline(always)]
pub fn int_to_int(bits: u64, from: Int, to: Int, sat: bool) -> u64 {
    if sat { from.value(bits).clamp(to.min(), to.max()) as u64 } else { to.extend(from.extend(bits)) }
}
