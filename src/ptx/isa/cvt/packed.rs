//! Conversions of two numbers that share a register: to and from f16x2 and bf16x2, the formats of 8, 6 and 4 bits,
//! `ue8m0x2`, and `tf32` (ISA 9.7.9, "cvt"; formats: ISA 5.2.3, "Alternate Floating-Point Data Formats"), and
//! `cvt.pack` (ISA 9.7.9, "cvt.pack").
//!
//! Of `cvt.f16x2.f32 d, a, b` the upper half of `d` is `a`.

use crate::ast::ScalarType::{self, B8, B16, B32, F32, S32};
use crate::decode::Decoder;
use crate::error::ParseError;
use crate::isa::lanewise::{Lanewise, Modifiers, Mods, Run32, lanes, need};
use tidegate_machine::num::cvt::{self, CvtMods, f32_to_bf16, f32_to_f16, f32_to_ue8m0};
use tidegate_machine::num::{Float, Rounding, Saturation, ue8m0_to_f32};

type Decoded = Result<Lanewise, ParseError>;

fn mods_of(m: Mods) -> CvtMods {
    let saturation = if m.satfinite { Saturation::Finite } else { Saturation::None };
    CvtMods { rounding: m.rounding, saturation, relu: m.relu, ftz: false }
}

/// A format of two halves.
fn half(name: &str) -> Option<Float> {
    match name {
        "f16x2" => Some(Float::F16),
        "bf16x2" => Some(Float::Bf16),
        _ => None,
    }
}

/// A format of 8, 6 or 4 bits, the type of a register with two of them, and the architecture it came with.
fn narrow(name: &str) -> Option<(Float, ScalarType, u32)> {
    match name {
        "e4m3x2" => Some((Float::E4m3, B16, 89)),
        "e5m2x2" => Some((Float::E5m2, B16, 89)),
        "e2m3x2" => Some((Float::E2m3, B16, 100)),
        "e3m2x2" => Some((Float::E3m2, B16, 100)),
        "e2m1x2" => Some((Float::E2m1, B8, 100)),
        _ => None,
    }
}

/// Formats that came with sm_100 are not in every chip since.
fn need_specific(d: &Decoder<'_>, arch: u32) -> Result<(), ParseError> {
    need(d, arch)?;
    if arch >= 100 && !d.specific {
        let name = d.opcode().join(".");
        return d.error(format!("`{name}` needs an architecture-specific target such as `sm_100a`"));
    }
    Ok(())
}

pub(super) fn decode(d: &mut Decoder<'_>, m: Modifiers<'_>, from: &str, to: &str) -> Decoded {
    match (half(from), half(to), narrow(from), narrow(to)) {
        _ if (from, to) == ("f32", "tf32") => tf32(d, m),
        (_, Some(format), ..) if from == "f32" => two_halves(d, m, format),
        (.., Some(to)) if from == "f32" => two_narrow(d, m, to),
        (Some(from), _, _, Some(to)) => halves_to_narrow(d, m, from, to),
        (_, Some(to), Some(from), _) => narrow_to_halves(d, m, from, to),
        _ if to == "ue8m0x2" && (from == "f32" || from == "bf16x2") => to_scales(d, m, from == "f32"),
        _ if (from, to) == ("ue8m0x2", "bf16x2") => from_scales(d, m),
        _ => d.unknown(),
    }
}

/// `.rn` or `.rz`.
fn nearest_or_zero(d: &Decoder<'_>, m: &mut Modifiers<'_>) -> Result<Rounding, ParseError> {
    match m.rounding() {
        Some(r @ (Rounding::NearestEven | Rounding::Zero)) => Ok(r),
        _ => d.error(format!("`{}` needs `.rn` or `.rz`", d.opcode().join("."))),
    }
}

fn nearest(d: &Decoder<'_>, m: &mut Modifiers<'_>) -> Result<(), ParseError> {
    if m.take("rn") {
        return Ok(());
    }
    d.error(format!("`{}` needs `.rn`", d.opcode().join(".")))
}

/// `cvt.rna{.satfinite}.tf32.f32`, `cvt.{rn,rz}{.satfinite}{.relu}.tf32.f32`.
fn tf32(d: &mut Decoder<'_>, mut m: Modifiers<'_>) -> Decoded {
    let mut mods = Mods { format: Float::Tf32, ..Mods::default() };
    if m.take("rna") {
        need(d, 80)?;
        mods.rounding = Rounding::NearestAway;
    } else {
        mods.rounding = nearest_or_zero(d, &mut m)?;
        need(d, 90)?;
        mods.relu = m.take("relu");
    }
    mods.satfinite = m.take("satfinite");
    m.end(d)?;
    let run: Run32 = |m, a, _, _| lanes(|i| cvt::encode_f32(a[i], Float::Tf32, mods_of(m)) as u32);
    Lanewise::mixed32(d, B32, [F32], mods, run)
}

/// `cvt.{rn,rz}{.relu}{.satfinite}.{f16x2,bf16x2}.f32 d, a, b`
fn two_halves(d: &mut Decoder<'_>, mut m: Modifiers<'_>, format: Float) -> Decoded {
    need(d, 80)?;
    let rounding = nearest_or_zero(d, &mut m)?;
    let (relu, satfinite) = (m.take("relu"), m.take("satfinite"));
    m.end(d)?;
    let mods = Mods { rounding, relu, satfinite, format, ..Mods::default() };
    let plain = rounding == Rounding::NearestEven && !relu && !satfinite;
    let run: Run32 = match (plain, format) {
        (true, Float::F16) => {
            |_, a, b, _| lanes(|i| u32::from(f32_to_f16(a[i])) << 16 | u32::from(f32_to_f16(b[i])))
        }
        (true, Float::Bf16) => {
            |_, a, b, _| lanes(|i| u32::from(f32_to_bf16(a[i])) << 16 | u32::from(f32_to_bf16(b[i])))
        }
        _ => |m, a, b, _| {
            let half = |v| cvt::encode_f32(v, m.format, mods_of(m)) as u32;
            lanes(|i| half(a[i]) << 16 | half(b[i]))
        },
    };
    Lanewise::mixed32(d, B32, [F32, F32], mods, run)
}

/// The place of the second of two narrow numbers: a byte each for 8 and 6 bits, half a byte for 4.
fn place(format: Float) -> u32 {
    if format == Float::E2m1 { 4 } else { 8 }
}

fn narrowing(d: &Decoder<'_>, m: &mut Modifiers<'_>, format: Float, arch: u32) -> Result<Mods, ParseError> {
    need_specific(d, arch)?;
    nearest(d, m)?;
    if !m.take("satfinite") {
        return d.error(format!("`{}` needs `.satfinite`", d.opcode().join(".")));
    }
    let relu = m.take("relu");
    m.end(d)?;
    Ok(Mods { satfinite: true, relu, format, ..Mods::default() })
}

/// `cvt.rn.satfinite{.relu}.{e4m3x2,e5m2x2,e2m3x2,e3m2x2,e2m1x2}.f32 d, a, b`
fn two_narrow(d: &mut Decoder<'_>, mut m: Modifiers<'_>, to: (Float, ScalarType, u32)) -> Decoded {
    let mods = narrowing(d, &mut m, to.0, to.2)?;
    let run: Run32 = |m, a, b, _| {
        let narrow = |v| cvt::encode_f32(v, m.format, mods_of(m)) as u32;
        lanes(|i| narrow(a[i]) << place(m.format) | narrow(b[i]))
    };
    Lanewise::mixed32(d, to.1, [F32, F32], mods, run)
}

/// `cvt.rn.satfinite{.relu}.{e4m3x2,...}.{f16x2,bf16x2} d, a`; on sm_89 only f16x2 to 8 bits.
fn halves_to_narrow(
    d: &mut Decoder<'_>,
    mut m: Modifiers<'_>,
    from: Float,
    to: (Float, ScalarType, u32),
) -> Decoded {
    let arch = if from == Float::F16 { to.2 } else { 100 };
    let mods = narrowing(d, &mut m, to.0, arch)?;
    let run: Run32 = if from == Float::F16 {
        |m, a, _, _| lanes(|i| from_halves(m, a[i], Float::F16))
    } else {
        |m, a, _, _| lanes(|i| from_halves(m, a[i], Float::Bf16))
    };
    Lanewise::mixed32(d, to.1, [B32], mods, run)
}

fn from_halves(m: Mods, value: u32, from: Float) -> u32 {
    let narrow = |v: u32| cvt::float_to_float(u64::from(v & 0xffff), from, m.format, mods_of(m)) as u32;
    narrow(value >> 16) << place(m.format) | narrow(value)
}

/// `cvt.rn{.relu}.{f16x2,bf16x2}.{e4m3x2,...} d, a`; every number of the narrow formats is one of the wide.
fn narrow_to_halves(
    d: &mut Decoder<'_>,
    mut m: Modifiers<'_>,
    from: (Float, ScalarType, u32),
    to: Float,
) -> Decoded {
    need_specific(d, if to == Float::F16 { from.2 } else { 100 })?;
    nearest(d, &mut m)?;
    let relu = m.take("relu");
    m.end(d)?;
    let mods = Mods { relu, format: from.0, ..Mods::default() };
    let run: Run32 = if to == Float::F16 {
        |m, a, _, _| lanes(|i| to_halves(m, a[i], Float::F16))
    } else {
        |m, a, _, _| lanes(|i| to_halves(m, a[i], Float::Bf16))
    };
    Lanewise::mixed32(d, B32, [from.1], mods, run)
}

fn to_halves(m: Mods, value: u32, to: Float) -> u32 {
    let mask = (1 << m.format.storage_bits()) - 1;
    let half = |v: u32| cvt::float_to_float(u64::from(v & mask), m.format, to, mods_of(m)) as u32;
    half(value >> place(m.format)) << 16 | half(value)
}

/// `cvt.{rz,rp}{.satfinite}.ue8m0x2.f32 d, a, b`, `.ue8m0x2.bf16x2 d, a`
fn to_scales(d: &mut Decoder<'_>, mut m: Modifiers<'_>, two: bool) -> Decoded {
    need_specific(d, 100)?;
    let rounding = match m.rounding() {
        Some(r @ (Rounding::Zero | Rounding::Up)) => r,
        _ => return d.error(format!("`{}` needs `.rz` or `.rp`", d.opcode().join("."))),
    };
    let satfinite = m.take("satfinite");
    m.end(d)?;
    let mods = Mods { rounding, satfinite, ..Mods::default() };
    if two {
        let run: Run32 = |m, a, b, _| lanes(|i| scale(m, a[i]) << 8 | scale(m, b[i]));
        return Lanewise::mixed32(d, B16, [F32, F32], mods, run);
    }
    // A bf16 is the upper half of an f32.
    let run: Run32 = |m, a, _, _| lanes(|i| scale(m, a[i] & 0xffff_0000) << 8 | scale(m, a[i] << 16));
    Lanewise::mixed32(d, B16, [B32], mods, run)
}

fn scale(m: Mods, value: u32) -> u32 {
    u32::from(f32_to_ue8m0(value, m.rounding, m.satfinite))
}

/// `cvt.rn.bf16x2.ue8m0x2 d, a`
fn from_scales(d: &mut Decoder<'_>, mut m: Modifiers<'_>) -> Decoded {
    need_specific(d, 100)?;
    nearest(d, &mut m)?;
    m.end(d)?;
    let run: Run32 = |_, a, _, _| {
        let half = |code: u32| u32::from(f32_to_bf16(ue8m0_to_f32(code as u8).to_bits()));
        lanes(|i| half(a[i] >> 8) << 16 | half(a[i]))
    };
    Lanewise::mixed32(d, B32, [B16], Mods::default(), run)
}

/// `cvt.pack.sat.{u16,s16}.s32 d, a, b` and `cvt.pack.sat.{u8,s8,u4,s4,u2,s2}.s32.b32 d, a, b, c`: `b` and above it `a`,
/// clamped, and above them the low bits of `c`.
pub(super) fn pack(d: &mut Decoder<'_>, mut m: Modifiers<'_>) -> Decoded {
    let with_c = m.take("b32");
    if m.last() != Some("s32") || !m.take("sat") {
        return d.unknown();
    }
    let (run, arch, wide): (Run32, u32, bool) = match m.last() {
        Some("u16") => (packed::<16, false>, 72, true),
        Some("s16") => (packed::<16, true>, 72, true),
        Some("u8") => (packed::<8, false>, 72, false),
        Some("s8") => (packed::<8, true>, 72, false),
        Some("u4") => (packed::<4, false>, 75, false),
        Some("s4") => (packed::<4, true>, 75, false),
        Some("u2") => (packed::<2, false>, 75, false),
        Some("s2") => (packed::<2, true>, 75, false),
        _ => return d.unknown(),
    };
    m.end(d)?;
    need(d, arch)?;
    if wide == with_c {
        return d.unknown();
    }
    if wide {
        return Lanewise::mixed32(d, B32, [S32, S32], Mods::default(), run);
    }
    Lanewise::mixed32(d, B32, [S32, S32, B32], Mods::default(), run)
}

fn packed<const BITS: u32, const SIGNED: bool>(
    _: Mods,
    a: &[u32; 32],
    b: &[u32; 32],
    c: &[u32; 32],
) -> [u32; 32] {
    let (low, high) = if SIGNED { (-1 << (BITS - 1), (1 << (BITS - 1)) - 1) } else { (0, (1 << BITS) - 1) };
    let clamped = |v: u32| (v as i32).clamp(low, high) as u32 & ((1 << BITS) - 1);
    lanes(|i| {
        let above = if BITS == 16 { 0 } else { c[i] << (2 * BITS) };
        above | clamped(a[i]) << BITS | clamped(b[i])
    })
}
