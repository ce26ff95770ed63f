//! Rounding: an exact value and a direction give the bits of a format.

use super::format::{Class, Float, Specials, unpack};

/// A rounding mode, for results in a floating-point format and for roundings to a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// `.rn`, `.rni`: to nearest, ties to the even number.
    #[default]
    NearestEven,
    /// `.rna`: to nearest, ties away from zero.
    NearestAway,
    /// `.rz`, `.rzi`: towards zero.
    Zero,
    /// `.rm`, `.rmi`: towards minus infinity.
    Down,
    /// `.rp`, `.rpi`: towards plus infinity.
    Up,
}

impl Rounding {
    /// Whether a magnitude goes up by one in its last place. `rest` is what was cut off, `half` is half a
    /// unit in the last place.
    #[inline(always)]
    pub(super) const fn goes_up(self, sign: bool, is_odd: bool, rest: u64, half: u64) -> bool {
        match self {
            Self::NearestEven => rest > half || (rest == half && is_odd),
            Self::NearestAway => rest >= half,
            Self::Zero => false,
            Self::Down => sign && rest != 0,
            Self::Up => !sign && rest != 0,
        }
    }

    /// Cuts `shift` (1 or more) bits off `sig` and rounds.
    #[inline(always)]
    pub(super) const fn shift_right(self, sign: bool, sig: u64, shift: u32) -> u64 {
        let (kept, rest, half) = match shift {
            ..64 => (sig >> shift, sig & ((1 << shift) - 1), 1 << (shift - 1)),
            64 => (0, sig, 1 << 63),
            // Anything above zero is less than half.
            _ => (0, (sig != 0) as u64, 2),
        };
        kept + self.goes_up(sign, kept & 1 == 1, rest, half) as u64
    }
}

/// What happens to a number outside the range of its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Saturation {
    /// As the rounding mode says: infinity or the largest number.
    #[default]
    None,
    /// `.sat`: into `[0, 1]`; NaN gives +0.
    Unit,
    /// `.satfinite`: into `[-MAX_NORM, MAX_NORM]`, infinities too.
    Finite,
}

/// Rounds `(-1)^sign * sig * 2^exp` to `format`. The lowest bit of `sig` may stand for anything non-zero
/// below it ("sticky") when `sig` has at least 55 significant bits.
#[inline]
pub(super) const fn pack(
    format: Float,
    sign: bool,
    exp: i32,
    sig: u64,
    rounding: Rounding,
    satfinite: bool,
) -> u64 {
    let sign_bit = if sign { format.sign_mask() } else { 0 };
    if sig == 0 {
        return sign_bit;
    }
    let up = sig.leading_zeros();
    let sig = sig << up;
    // The value is 1.xxx * 2^top.
    let top = exp - up as i32 + 63;
    let mantissa = format.mantissa_bits();
    let smallest = 1 - format.bias();
    let is_subnormal = top < smallest;
    let extra = if is_subnormal { (smallest - top) as u32 } else { 0 };
    let kept = rounding.shift_right(sign, sig, (63 - mantissa).saturating_add(extra));
    // A carry out of the mantissa moves into the exponent field, which is what it should do.
    let code = if is_subnormal {
        kept
    } else {
        (((top + format.bias()) as u64) << mantissa) + (kept - (1 << mantissa))
    };
    if code <= format.max_code() {
        return sign_bit | code << format.low_padding();
    }
    let to_infinity = match rounding {
        Rounding::NearestEven | Rounding::NearestAway => true,
        Rounding::Zero => false,
        Rounding::Down => sign,
        Rounding::Up => !sign,
    };
    overflow(format, sign_bit, to_infinity && !satfinite)
}

/// The code of a magnitude above the largest number.
#[inline(always)]
const fn overflow(format: Float, sign_bit: u64, to_infinity: bool) -> u64 {
    match (to_infinity, format.specials()) {
        (true, Specials::Ieee) => sign_bit | (format.max_code() + 1) << format.low_padding(),
        (true, Specials::NanOnly) => sign_bit | format.canonical_nan(),
        _ => sign_bit | format.max_finite(),
    }
}

/// An infinity in `format`, or what stands for it.
#[inline(always)]
pub(super) const fn infinity(format: Float, sign: bool, satfinite: bool) -> u64 {
    overflow(format, if sign { format.sign_mask() } else { 0 }, !satfinite)
}

/// 128 bits to 64: `(exponent added, significand)` with the lowest bit sticky.
#[inline(always)]
pub(super) const fn jam(sig: u128) -> (i32, u64) {
    let shift = 64u32.saturating_sub(sig.leading_zeros());
    let lost = sig & ((1 << shift) - 1) != 0;
    (shift as i32, (sig >> shift) as u64 | lost as u64)
}

/// Clamps to `[0, 1]` as `.sat` does (PTX ISA, `add`, `cvt`): NaN, negative numbers and -0 give +0.
#[must_use]
#[inline]
pub const fn saturate_unit(format: Float, bits: u64) -> u64 {
    if format.is_nan(bits) || bits & format.sign_mask() != 0 {
        0
    } else if bits > format.one() {
        format.one()
    } else {
        bits
    }
}

/// Clamps below at zero as `.relu` does: negative numbers and -0 give +0, NaN the canonical NaN.
#[must_use]
#[inline]
pub const fn relu(format: Float, bits: u64) -> u64 {
    if format.is_nan(bits) {
        format.canonical_nan()
    } else if bits & format.sign_mask() != 0 {
        0
    } else {
        bits
    }
}

/// Rounds a number to a whole number of the same format (`cvt.rni.f32.f32` and so on). The sign of zero is
/// that of the operand; NaN gives the canonical NaN.
#[must_use]
pub const fn to_whole(format: Float, bits: u64, rounding: Rounding) -> u64 {
    let u = unpack(format, bits);
    match u.class {
        Class::Nan => format.canonical_nan(),
        Class::Infinite | Class::Zero => bits,
        // No fraction.
        Class::Finite if u.exp >= 0 => bits,
        Class::Finite => {
            let whole = rounding.shift_right(u.sign, u.sig, u.exp.unsigned_abs());
            pack(format, u.sign, 0, whole, Rounding::Zero, false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_in_every_direction() {
        let value = |x: f32, r| f32::from_bits(to_whole(Float::F32, u64::from(x.to_bits()), r) as u32);
        for (x, even, away, zero, down, up) in [
            (2.5f32, 2.0, 3.0, 2.0, 2.0, 3.0),
            (-2.5, -2.0, -3.0, -2.0, -3.0, -2.0),
            (0.5, 0.0, 1.0, 0.0, 0.0, 1.0),
            (-0.3, -0.0, -0.0, -0.0, -1.0, -0.0),
            (1e-40, 0.0, 0.0, 0.0, 0.0, 1.0),
            (8388609.0, 8388609.0, 8388609.0, 8388609.0, 8388609.0, 8388609.0),
        ] {
            assert_eq!(value(x, Rounding::NearestEven).to_bits(), f32::to_bits(even), "{x}");
            assert_eq!(value(x, Rounding::NearestAway), away, "{x}");
            assert_eq!(value(x, Rounding::Zero), zero, "{x}");
            assert_eq!(value(x, Rounding::Down), down, "{x}");
            assert_eq!(value(x, Rounding::Up), up, "{x}");
        }
    }

    #[test]
    fn saturation_and_relu() {
        let sat = |x: f32| f32::from_bits(saturate_unit(Float::F32, u64::from(x.to_bits())) as u32);
        assert_eq!(sat(0.25), 0.25);
        assert_eq!(sat(f32::INFINITY), 1.0);
        assert_eq!(sat(f32::NAN).to_bits(), 0);
        assert_eq!(sat(-0.0).to_bits(), 0);
        assert_eq!(relu(Float::F16, 0xfe01), 0x7fff);
        assert_eq!(relu(Float::F16, 0xbc00), 0);
        assert_eq!(relu(Float::F16, 0x3c00), 0x3c00);
    }

    #[test]
    fn jam_keeps_what_is_lost_as_a_bit() {
        assert_eq!(jam(5), (0, 5));
        assert_eq!(jam(u128::from(u64::MAX)), (0, u64::MAX));
        assert_eq!(jam(1 << 64 | 1), (1, 1 << 63 | 1));
        assert_eq!(jam(1 << 127), (64, 1 << 63));
    }
}
