//! The floating-point formats of PTX: layouts, exact decoding, canonical NaNs.
//!
//! Sources: PTX ISA, "Fundamental Types" and "Alternate Floating-Point Data Formats" (section 5.2); the OCP
//! 8-bit floating point specification 1.0 for E4M3 and E5M2, and the OCP microscaling formats
//! specification 1.0 for E2M3, E3M2, E2M1 and E8M0.

/// What the codes with the largest exponent mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Specials {
    /// Infinity and NaNs as in IEEE 754.
    Ieee,
    /// One NaN per sign, all bits set; no infinity.
    NanOnly,
    /// Every code is a finite number.
    None,
}

/// A floating-point format with a sign.
///
/// Bit patterns are passed in the low bits of an integer; bits above [`Float::storage_bits`] are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Float {
    /// `.e2m1`: 4 bits, finite only, largest 6.
    E2m1,
    /// `.e2m3`: 6 bits, finite only, largest 7.5.
    E2m3,
    /// `.e3m2`: 6 bits, finite only, largest 28.
    E3m2,
    /// `.e4m3`: 8 bits, no infinity, NaN is 0x7f and 0xff, largest 448.
    E4m3,
    /// `.e5m2`: 8 bits, infinities and NaNs, largest 57344.
    E5m2,
    /// `.f16`: IEEE binary16.
    F16,
    /// `.bf16`: the upper half of binary32.
    Bf16,
    /// `.tf32`: 32 bits of storage, 8 bits of exponent, 10 bits of mantissa; the low 13 bits are ignored
    /// when read and zero when written.
    Tf32,
    /// `.f32`: IEEE binary32.
    F32,
    /// `.f64`: IEEE binary64.
    F64,
}

impl Float {
    /// Bits of storage, without padding: 4 for E2M1, 6 for E2M3 and E3M2, and so on.
    #[must_use]
    #[inline(always)]
    pub const fn storage_bits(self) -> u32 {
        match self {
            Self::E2m1 => 4,
            Self::E2m3 | Self::E3m2 => 6,
            Self::E4m3 | Self::E5m2 => 8,
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 | Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// Bits of the exponent field.
    #[must_use]
    #[inline(always)]
    pub const fn exponent_bits(self) -> u32 {
        match self {
            Self::E2m1 | Self::E2m3 => 2,
            Self::E3m2 => 3,
            Self::E4m3 => 4,
            Self::E5m2 | Self::F16 => 5,
            Self::Bf16 | Self::Tf32 | Self::F32 => 8,
            Self::F64 => 11,
        }
    }

    /// Bits of the mantissa field, without the implicit one.
    #[must_use]
    #[inline(always)]
    pub const fn mantissa_bits(self) -> u32 {
        match self {
            Self::E2m1 => 1,
            Self::E3m2 | Self::E5m2 => 2,
            Self::E2m3 | Self::E4m3 => 3,
            Self::Bf16 => 7,
            Self::F16 | Self::Tf32 => 10,
            Self::F32 => 23,
            Self::F64 => 52,
        }
    }

    /// Exponent bias.
    #[must_use]
    #[inline(always)]
    pub const fn bias(self) -> i32 {
        (1 << (self.exponent_bits() - 1)) - 1
    }

    /// Unused low bits of the storage (13 for TF32).
    #[inline(always)]
    pub(super) const fn low_padding(self) -> u32 {
        match self {
            Self::Tf32 => 13,
            _ => 0,
        }
    }

    #[inline(always)]
    pub(super) const fn specials(self) -> Specials {
        match self {
            Self::E2m1 | Self::E2m3 | Self::E3m2 => Specials::None,
            Self::E4m3 => Specials::NanOnly,
            _ => Specials::Ieee,
        }
    }

    /// The sign bit of the storage.
    #[must_use]
    #[inline(always)]
    pub const fn sign_mask(self) -> u64 {
        1 << (self.storage_bits() - 1)
    }

    /// The largest finite number (`MAX_NORM` of the PTX ISA), positive.
    #[must_use]
    #[inline(always)]
    pub const fn max_finite(self) -> u64 {
        self.max_code() << self.low_padding()
    }

    /// [`Self::max_finite`] before the padding is added.
    #[inline(always)]
    pub(super) const fn max_code(self) -> u64 {
        let all = (1 << (self.exponent_bits() + self.mantissa_bits())) - 1;
        match self.specials() {
            Specials::None => all,
            Specials::NanOnly => all - 1,
            Specials::Ieee => all - (1 << self.mantissa_bits()),
        }
    }

    /// The NaN an instruction writes: all mantissa bits set (`0x7fff`, `0x7fffffff`, `0x7f`); for F64 the
    /// pattern of an invalid operation on NVIDIA hardware, `0xfff8000000000000`. Formats without a NaN give
    /// their largest number, as `cvt` does (PTX ISA, `cvt`, `.satfinite`).
    #[must_use]
    #[inline(always)]
    pub const fn canonical_nan(self) -> u64 {
        match self.specials() {
            Specials::None => self.max_code(),
            _ => match self {
                Self::F64 => 0xfff8_0000_0000_0000,
                _ => self.sign_mask() - 1,
            },
        }
    }

    /// Positive infinity, where the format has one.
    #[must_use]
    #[inline(always)]
    pub const fn infinity(self) -> Option<u64> {
        match self.specials() {
            Specials::Ieee => Some((self.max_code() + 1) << self.low_padding()),
            _ => None,
        }
    }

    /// The number one.
    #[must_use]
    #[inline(always)]
    pub const fn one(self) -> u64 {
        (self.bias() as u64) << (self.mantissa_bits() + self.low_padding())
    }

    /// Whether `bits` is a NaN of this format.
    #[must_use]
    #[inline(always)]
    pub const fn is_nan(self, bits: u64) -> bool {
        let code = (bits & (self.sign_mask() - 1)) >> self.low_padding();
        match self.specials() {
            Specials::None => false,
            Specials::NanOnly => code > self.max_code(),
            Specials::Ieee => code > self.max_code() + 1,
        }
    }

    /// `bits` with a subnormal number replaced by zero of the same sign (`.ftz`).
    #[must_use]
    #[inline(always)]
    pub const fn flush(self, bits: u64) -> u64 {
        let exponent = self.max_code() >> self.mantissa_bits() << (self.mantissa_bits() + self.low_padding());
        // The largest exponent of an IEEE format is one more than that of `max_code`; its low bit is the
        // only one that `exponent` lacks.
        let exponent = exponent | 1 << (self.mantissa_bits() + self.low_padding());
        if bits & exponent == 0 { bits & self.sign_mask() } else { bits }
    }

    /// The number as f32. Exact for every format but [`Float::F64`], which is rounded to nearest even.
    /// A NaN gives the canonical NaN of f32.
    #[must_use]
    #[inline]
    pub const fn to_f32(self, bits: u64) -> f32 {
        f32::from_bits(self.to_f32_bits(bits))
    }

    const fn to_f32_bits(self, bits: u64) -> u32 {
        if let Self::F64 = self {
            let value = f64::from_bits(bits) as f32;
            return if value.is_nan() { 0x7fff_ffff } else { value.to_bits() };
        }
        let u = unpack(self, bits);
        let sign = (u.sign as u32) << 31;
        match u.class {
            Class::Nan => 0x7fff_ffff,
            Class::Infinite => sign | 0x7f80_0000,
            Class::Zero => sign,
            Class::Finite => {
                // Leading one to bit 23; at most 24 bits are significant, so this loses nothing.
                let up = u.sig.leading_zeros() as i32 - 40;
                let biased = u.exp - up + 23 + 127;
                let sig = (u.sig << up) as u32;
                if biased >= 1 {
                    sign | (biased as u32) << 23 | (sig & 0x7f_ffff)
                } else {
                    sign | sig >> (1 - biased)
                }
            }
        }
    }
}

/// What an unpacked number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Nan,
    Infinite,
    Zero,
    Finite,
}

/// A number taken apart: `(-1)^sign * sig * 2^exp` where the class is [`Class::Finite`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Unpacked {
    pub(super) class: Class,
    pub(super) sign: bool,
    pub(super) exp: i32,
    pub(super) sig: u64,
}

#[inline(always)]
pub(super) const fn unpack(format: Float, bits: u64) -> Unpacked {
    let sign = bits & format.sign_mask() != 0;
    let code = (bits & (format.sign_mask() - 1)) >> format.low_padding();
    let mantissa = format.mantissa_bits();
    let is_special = match format.specials() {
        Specials::None => false,
        _ => code > format.max_code(),
    };
    let field = (code >> mantissa) as i32;
    let fraction = code & ((1 << mantissa) - 1);
    let (class, sig, field) = if is_special {
        let class = if matches!(format.specials(), Specials::Ieee) && fraction == 0 {
            Class::Infinite
        } else {
            Class::Nan
        };
        (class, fraction, 1)
    } else if code == 0 {
        (Class::Zero, 0, 1)
    } else if field == 0 {
        (Class::Finite, fraction, 1)
    } else {
        (Class::Finite, fraction | 1 << mantissa, field)
    };
    Unpacked { class, sign, exp: field - format.bias() - mantissa as i32, sig }
}

/// `.ue8m0` to f32: `2^(code - 127)`; code 255 is NaN (OCP microscaling formats 1.0, section 5.4.1).
#[must_use]
#[inline]
pub const fn ue8m0_to_f32(code: u8) -> f32 {
    f32::from_bits(match code {
        0 => 0x0040_0000, // 2^-127 is subnormal in f32
        255 => 0x7fff_ffff,
        _ => (code as u32) << 23,
    })
}

const fn table<const N: usize>(format: Float) -> [f32; N] {
    let mut values = [0.0; N];
    let mut code = 0;
    while code < N {
        values[code] = format.to_f32(code as u64);
        code += 1;
    }
    values
}

/// Values of the E4M3 codes. The tables of the narrow formats repeat where the upper bits are ignored, so
/// that a byte is an index without a check.
pub static E4M3: [f32; 256] = table(Float::E4m3);
/// Values of the E5M2 codes.
pub static E5M2: [f32; 256] = table(Float::E5m2);
/// Values of the E2M3 codes in the low 6 bits of a byte.
pub static E2M3: [f32; 256] = table(Float::E2m3);
/// Values of the E3M2 codes in the low 6 bits of a byte.
pub static E3M2: [f32; 256] = table(Float::E3m2);
/// Values of the E2M1 codes in the low 4 bits of a byte.
pub static E2M1: [f32; 256] = table(Float::E2m1);

#[cfg(test)]
mod tests {
    use super::*;

    /// A code's value by the definition of the format: sign, exponent with bias, fraction.
    fn by_definition(code: u32, exponent_bits: i32, mantissa_bits: i32, bias: i32) -> f64 {
        let magnitude = code & ((1 << (exponent_bits + mantissa_bits)) - 1);
        let sign = if code >> (exponent_bits + mantissa_bits) & 1 == 1 { -1.0 } else { 1.0 };
        let field = (magnitude >> mantissa_bits) as i32;
        let fraction = f64::from(magnitude & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
        let value = if field == 0 {
            fraction * 2f64.powi(1 - bias)
        } else {
            (1.0 + fraction) * 2f64.powi(field - bias)
        };
        sign * value
    }

    #[test]
    fn narrow_formats_decode_by_their_definition() {
        for code in 0..256u32 {
            let e4m3 = E4M3[code as usize];
            if code & 0x7f == 0x7f {
                assert_eq!(e4m3.to_bits(), 0x7fff_ffff);
            } else {
                assert_eq!(f64::from(e4m3), by_definition(code, 4, 3, 7), "e4m3 {code:#x}");
            }
            let e5m2 = E5M2[code as usize];
            match code & 0x7f {
                0x7c => assert_eq!(e5m2, if code > 127 { f32::NEG_INFINITY } else { f32::INFINITY }),
                0x7d.. => assert!(e5m2.is_nan()),
                _ => assert_eq!(f64::from(e5m2), by_definition(code, 5, 2, 15), "e5m2 {code:#x}"),
            }
            assert_eq!(f64::from(E2M3[code as usize]), by_definition(code & 63, 2, 3, 1));
            assert_eq!(f64::from(E3M2[code as usize]), by_definition(code & 63, 3, 2, 3));
            assert_eq!(f64::from(E2M1[code as usize]), by_definition(code & 15, 2, 1, 1));
        }
        assert_eq!(E2M1[..8], [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
        assert!(E2M1[8].is_sign_negative() && E4M3[0x80].is_sign_negative());
    }

    #[test]
    fn largest_numbers_are_those_of_the_specifications() {
        let largest = [
            (Float::E2m1, 6.0),
            (Float::E2m3, 7.5),
            (Float::E3m2, 28.0),
            (Float::E4m3, 448.0),
            (Float::E5m2, 57344.0),
            (Float::F16, 65504.0),
            (Float::F32, f32::MAX),
        ];
        for (format, value) in largest {
            assert_eq!(format.to_f32(format.max_finite()), value, "{format:?}");
        }
        assert_eq!(Float::Tf32.max_finite(), 0x7f7f_e000);
        for format in [Float::E4m3, Float::E5m2, Float::F16, Float::Bf16, Float::Tf32, Float::F32] {
            assert!(format.is_nan(format.canonical_nan()), "{format:?}");
            assert_eq!(format.to_f32(format.one()), 1.0);
            assert!(format.infinity().is_none_or(|bits| format.to_f32(bits) == f32::INFINITY));
        }
    }

    #[test]
    fn f16_and_bf16_decode_as_in_the_half_crate() {
        for code in 0..=u16::MAX {
            let (f16, bf16) = (half::f16::from_bits(code), half::bf16::from_bits(code));
            let ours = Float::F16.to_f32(u64::from(code));
            assert!(ours.to_bits() == f16.to_f32().to_bits() || ours.is_nan() && f16.is_nan());
            let ours = Float::Bf16.to_f32(u64::from(code));
            assert!(ours.to_bits() == bf16.to_f32().to_bits() || ours.is_nan() && bf16.is_nan());
        }
    }

    #[test]
    fn flushing_keeps_normal_numbers_infinities_and_nans() {
        for bits in [0x0080_0000u32, 0x7f80_0000, 0x7fff_ffff, 0xff80_0000, 0x3f80_0000] {
            assert_eq!(Float::F32.flush(u64::from(bits)), u64::from(bits));
        }
        assert_eq!(Float::F32.flush(0x807f_ffff), 0x8000_0000);
        assert_eq!(Float::F32.flush(0x0000_0001), 0);
        assert_eq!(Float::F16.flush(0x83ff), 0x8000);
        assert_eq!(Float::F16.flush(0x7c00), 0x7c00);
        assert_eq!(Float::F16.flush(0x0400), 0x0400);
    }

    #[test]
    fn scales_are_powers_of_two() {
        for code in 0..255u8 {
            assert_eq!(f64::from(ue8m0_to_f32(code)), 2f64.powi(i32::from(code) - 127));
        }
        assert!(ue8m0_to_f32(255).is_nan());
    }
}
