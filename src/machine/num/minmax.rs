//! `min` and `max` of floating-point numbers (PTX ISA, "Floating Point Instructions: min, max").

use super::format::Float;

/// The modifiers of `min` and `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MinMaxMods {
    /// `.ftz`: subnormal operands count as zero of the same sign.
    pub ftz: bool,
    /// `.NaN`: the result is NaN if an operand is. Without it, the other operand is the result.
    pub nan: bool,
    /// `.xorsign.abs`: the smaller (larger) magnitude, with the exclusive or of the operands' signs.
    pub xorsign_abs: bool,
}

#[inline(always)]
fn pick(format: Float, a: u64, b: u64, mods: MinMaxMods, want_max: bool) -> u64 {
    let sign = format.sign_mask();
    let (mut a, mut b) = if mods.ftz { (format.flush(a), format.flush(b)) } else { (a, b) };
    let xorsign = (a ^ b) & sign;
    if mods.xorsign_abs {
        (a, b) = (a & !sign, b & !sign);
    }
    let chosen = match (format.is_nan(a), format.is_nan(b)) {
        (true, true) => return format.canonical_nan(),
        (true, false) | (false, true) if mods.nan => return format.canonical_nan(),
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            // In this order of the bits -0 is below +0, as the ISA has it.
            let key = |bits: u64| if bits & sign != 0 { !bits & (sign | (sign - 1)) } else { bits | sign };
            if (key(a) < key(b)) == want_max { b } else { a }
        }
    };
    if mods.xorsign_abs { chosen | xorsign } else { chosen }
}

/// `min` of two numbers of a format of 16, 32 or 64 bits. -0 is below +0; of two NaNs the result is the
/// canonical NaN.
#[must_use]
#[inline(always)]
pub fn min(format: Float, a: u64, b: u64, mods: MinMaxMods) -> u64 {
    pick(format, a, b, mods, false)
}

/// `max`, as [`min`].
#[must_use]
#[inline(always)]
pub fn max(format: Float, a: u64, b: u64, mods: MinMaxMods) -> u64 {
    pick(format, a, b, mods, true)
}

/// `min.f32`
#[must_use]
#[inline(always)]
pub fn f32_min(a: u32, b: u32, mods: MinMaxMods) -> u32 {
    min(Float::F32, u64::from(a), u64::from(b), mods) as u32
}

/// `max.f32`
#[must_use]
#[inline(always)]
pub fn f32_max(a: u32, b: u32, mods: MinMaxMods) -> u32 {
    max(Float::F32, u64::from(a), u64::from(b), mods) as u32
}

/// `min.f64`
#[must_use]
#[inline(always)]
pub fn f64_min(a: u64, b: u64) -> u64 {
    min(Float::F64, a, b, MinMaxMods::default())
}

/// `max.f64`
#[must_use]
#[inline(always)]
pub fn f64_max(a: u64, b: u64) -> u64 {
    max(Float::F64, a, b, MinMaxMods::default())
}

/// `min.f16` or `min.bf16`
#[must_use]
#[inline(always)]
pub fn half_min(format: Float, a: u16, b: u16, mods: MinMaxMods) -> u16 {
    min(format, u64::from(a), u64::from(b), mods) as u16
}

/// `max.f16` or `max.bf16`
#[must_use]
#[inline(always)]
pub fn half_max(format: Float, a: u16, b: u16, mods: MinMaxMods) -> u16 {
    max(format, u64::from(a), u64::from(b), mods) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: u32 = 0x7fff_ffff;
    const PLAIN: MinMaxMods = MinMaxMods { ftz: false, nan: false, xorsign_abs: false };

    fn bits(x: f32) -> u32 {
        x.to_bits()
    }

    #[test]
    fn table_of_the_isa() {
        let (zero, minus_zero) = (bits(0.0), bits(-0.0));
        assert_eq!(f32_min(zero, minus_zero, PLAIN), minus_zero);
        assert_eq!(f32_min(minus_zero, zero, PLAIN), minus_zero);
        assert_eq!(f32_max(zero, minus_zero, PLAIN), zero);
        assert_eq!(f32_max(minus_zero, zero, PLAIN), zero);
        assert_eq!(f32_min(bits(-3.0), bits(-2.0), PLAIN), bits(-3.0));
        assert_eq!(f32_max(bits(-3.0), bits(2.0), PLAIN), bits(2.0));
        assert_eq!(f32_max(0xffc0_0000, bits(2.0), PLAIN), bits(2.0));
        assert_eq!(f32_max(bits(2.0), 0x7f80_0001, PLAIN), bits(2.0));
        assert_eq!(f32_max(0xffc0_0000, 0x7f80_0001, PLAIN), NAN);
        assert_eq!(f32_max(0xffc0_0000, bits(2.0), MinMaxMods { nan: true, ..PLAIN }), NAN);
        assert_eq!(f32_max(bits(f32::NEG_INFINITY), bits(f32::MIN), PLAIN), bits(f32::MIN));
    }

    #[test]
    fn xorsign_and_ftz() {
        let xorsign = MinMaxMods { xorsign_abs: true, ..PLAIN };
        assert_eq!(f32_max(bits(-3.0), bits(2.0), xorsign), bits(-3.0));
        assert_eq!(f32_min(bits(-3.0), bits(-2.0), xorsign), bits(2.0));
        let ftz = MinMaxMods { ftz: true, ..PLAIN };
        assert_eq!(f32_min(0x8000_0001, bits(1.0), ftz), bits(-0.0));
        assert_eq!(f32_max(0x0000_0001, bits(-1.0), ftz), 0);
    }

    #[test]
    fn halves_and_doubles() {
        assert_eq!(half_max(Float::F16, 0x3c00, 0xc000, PLAIN), 0x3c00);
        assert_eq!(half_min(Float::Bf16, 0x3f80, 0xbf80, PLAIN), 0xbf80);
        assert_eq!(half_min(Float::Bf16, 0x7fc0, 0xbf80, MinMaxMods { nan: true, ..PLAIN }), 0x7fff);
        assert_eq!(f64_min(1f64.to_bits(), (-2f64).to_bits()), (-2f64).to_bits());
        assert_eq!(f64_max(f64::NAN.to_bits(), (-2f64).to_bits()), (-2f64).to_bits());
    }
}
