//! Arithmetic of f32 and f64 (ISA 9.7.3, "Floating Point Instructions"), and of pairs of f32 in 64-bit registers.
//!
//! Results are those of [`tidegate_machine::num`]: rounded as the ISA says, approximations to the nearest.

use super::lanewise::{Lanewise, Modifiers, Mods, Run32, Run64, lanes, need, source32, source64, wanted};
use crate::ast::ScalarType::{F32, F64};
use crate::decode::Decoder;
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::regs::{Lanes32, Lanes64};
use tidegate_machine::hardware::Stop;
use tidegate_machine::num::Rounding::{self, NearestEven};
use tidegate_machine::num::minmax::MinMaxMods;
use tidegate_machine::num::{approx, arith, minmax};

/// An instruction of this family.
#[derive(Clone, Debug)]
pub struct Op(Lanewise);

impl Op {
    #[inline(always)]
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        self.0.exec(x);
        Ok(Flow::Next)
    }
}

type Decoded = Result<Lanewise, ParseError>;

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let mut m = Modifiers::new(d);
    let op = match m.last() {
        Some("f32") => single(d, m),
        Some("f64") => double(d, m),
        Some("f32x2") => pair(d, m),
        _ => d.unknown(),
    };
    op.map(Op)
}

/// The loop of a rounded operation on f32. The modifiers that kernels have are constants in their own loops.
macro_rules! rounded {
    ($mods:expr, $f:path, |$a:ident, $b:ident, $c:ident| $($op:ident)*) => {{
        let run: Run32 = match ($mods.rounding, $mods.ftz, $mods.sat) {
            (NearestEven, false, false) => {
                |_, $a, $b, $c| lanes(|i| $f($($op[i],)* NearestEven, false, false))
            }
            (NearestEven, true, false) => {
                |_, $a, $b, $c| lanes(|i| $f($($op[i],)* NearestEven, true, false))
            }
            _ => |m, $a, $b, $c| lanes(|i| $f($($op[i],)* m.rounding, m.ftz, m.sat)),
        };
        run
    }};
}

fn single(d: &mut Decoder<'_>, mut m: Modifiers<'_>) -> Decoded {
    let mut mods = Mods { ftz: m.take("ftz"), ..Mods::default() };
    let name = d.opcode().first().map_or("", String::as_str);
    match name {
        "add" | "sub" | "mul" => {
            mods.rounding = m.rounding().unwrap_or(NearestEven);
            mods.sat = m.take("sat");
            m.end(d)?;
            let run = match name {
                "add" => rounded!(mods, arith::f32_add, |a, b, _c| a b),
                "sub" => rounded!(mods, arith::f32_sub, |a, b, _c| a b),
                _ => rounded!(mods, arith::f32_mul, |a, b, _c| a b),
            };
            Lanewise::decode32::<2>(d, F32, mods, run)
        }
        // `mad` without a rounding mode is of architectures before sm_20.
        "fma" | "mad" => {
            mods.rounding = wanted(d, m.rounding())?;
            mods.sat = m.take("sat");
            m.end(d)?;
            Lanewise::decode32::<3>(d, F32, mods, rounded!(mods, arith::f32_fma, |a, b, c| a b c))
        }
        "div" => {
            let run: Run32 = if m.take("approx") {
                |m, a, b, _| lanes(|i| approx::f32_div_approx(a[i], b[i], m.ftz))
            } else if m.take("full") {
                |m, a, b, _| lanes(|i| approx::f32_div_full(a[i], b[i], m.ftz))
            } else {
                mods.rounding = division(d, &mut m, "`.approx`, `.full`")?;
                |m, a, b, _| lanes(|i| arith::f32_div(a[i], b[i], m.rounding, m.ftz))
            };
            m.end(d)?;
            Lanewise::decode32::<2>(d, F32, mods, run)
        }
        "rcp" | "sqrt" => {
            let approximate = m.take("approx");
            if !approximate {
                mods.rounding = division(d, &mut m, "`.approx`")?;
            }
            m.end(d)?;
            let run: Run32 = match (name, approximate) {
                ("rcp", true) => |m, a, _, _| lanes(|i| approx::f32_rcp_approx(a[i], m.ftz)),
                ("rcp", false) => |m, a, _, _| lanes(|i| arith::f32_rcp(a[i], m.rounding, m.ftz)),
                (_, true) => |m, a, _, _| lanes(|i| approx::f32_sqrt_approx(a[i], m.ftz)),
                (_, false) => |m, a, _, _| lanes(|i| arith::f32_sqrt(a[i], m.rounding, m.ftz)),
            };
            Lanewise::decode32::<1>(d, F32, mods, run)
        }
        "abs" | "neg" => {
            m.end(d)?;
            let run: Run32 = match name {
                "abs" => |m, a, _, _| lanes(|i| arith::f32_abs(a[i], m.ftz)),
                _ => |m, a, _, _| lanes(|i| arith::f32_neg(a[i], m.ftz)),
            };
            Lanewise::decode32::<1>(d, F32, mods, run)
        }
        "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => {
            if !m.take("approx") {
                return d.error(format!("`{name}` exists as `{name}.approx` only"));
            }
            let run: Run32 = match name {
                "rsqrt" => |m, a, _, _| lanes(|i| approx::f32_rsqrt(a[i], m.ftz)),
                "sin" => |m, a, _, _| lanes(|i| approx::f32_sin(a[i], m.ftz)),
                "cos" => |m, a, _, _| lanes(|i| approx::f32_cos(a[i], m.ftz)),
                "lg2" => |m, a, _, _| lanes(|i| approx::f32_lg2(a[i], m.ftz)),
                "ex2" => |m, a, _, _| lanes(|i| approx::f32_ex2(a[i], m.ftz)),
                _ if mods.ftz => return d.unknown(),
                _ => {
                    need(d, 75)?;
                    |_, a, _, _| lanes(|i| approx::f32_tanh(a[i]))
                }
            };
            m.end(d)?;
            Lanewise::decode32::<1>(d, F32, mods, run)
        }
        "min" | "max" => minmax(d, m, mods, name == "max"),
        "copysign" if !mods.ftz => {
            m.end(d)?;
            let run: Run32 = |_, a, b, _| lanes(|i| a[i] & 0x8000_0000 | b[i] & 0x7fff_ffff);
            Lanewise::decode32::<2>(d, F32, mods, run)
        }
        "testp" if !mods.ftz => {
            let kind = property(d, m)?;
            d.operands(2..=2)?;
            // Constants for each property, in one loop: the class of a number by its exponent and fraction.
            let run: fn(&Lanes32) -> u32 = match kind {
                Property::Finite => |a| bits_of(|i| a[i] & 0x7fff_ffff < 0x7f80_0000),
                Property::Infinite => |a| bits_of(|i| a[i] & 0x7fff_ffff == 0x7f80_0000),
                Property::Number => |a| bits_of(|i| a[i] & 0x7fff_ffff <= 0x7f80_0000),
                Property::NotANumber => |a| bits_of(|i| a[i] & 0x7fff_ffff > 0x7f80_0000),
                Property::Normal => |a| {
                    bits_of(|i| {
                        let f = f32::from_bits(a[i]);
                        f.is_normal() || f == 0.0
                    })
                },
                Property::Subnormal => |a| bits_of(|i| f32::from_bits(a[i]).is_subnormal()),
            };
            Ok(Lanewise::Test32(run, d.dst_p(0)?, source32(d, 1, F32)?))
        }
        _ => d.unknown(),
    }
}

/// The rounding mode of `div`, `rcp`, `sqrt`, which have approximate forms beside.
fn division(d: &Decoder<'_>, m: &mut Modifiers<'_>, others: &str) -> Result<Rounding, ParseError> {
    match m.rounding() {
        Some(r) => Ok(r),
        None => {
            let name = d.opcode().join(".");
            d.error(format!("`{name}` needs one of {others}, `.rn`, `.rz`, `.rm`, `.rp`"))
        }
    }
}

/// `min` and `max`; with three sources on sm_100 (ISA 9.7.3, "min", "max").
fn minmax(d: &mut Decoder<'_>, mut m: Modifiers<'_>, mut mods: Mods, largest: bool) -> Decoded {
    let three = d.instr().args.len() == 4;
    mods.nan = m.take("NaN");
    mods.xorsign = !three && m.take("xorsign");
    let abs = m.take("abs");
    if mods.xorsign != abs && !three {
        return d.unknown();
    }
    mods.abs = three && abs;
    m.end(d)?;
    if mods.nan {
        need(d, 80)?;
    }
    if mods.xorsign {
        need(d, 86)?;
    }
    if three {
        need(d, 100)?;
        let run: Run32 = if largest {
            |m, a, b, c| lanes(|i| three_of(m, a[i], b[i], c[i], minmax::f32_max))
        } else {
            |m, a, b, c| lanes(|i| three_of(m, a[i], b[i], c[i], minmax::f32_min))
        };
        return Lanewise::decode32::<3>(d, F32, mods, run);
    }
    let plain = mods == Mods::default();
    let run: Run32 = match (plain, largest) {
        (true, true) => |_, a, b, _| lanes(|i| plain_max(a[i], b[i])),
        (true, false) => |_, a, b, _| lanes(|i| plain_min(a[i], b[i])),
        (false, true) => |m, a, b, _| lanes(|i| minmax::f32_max(a[i], b[i], minmax_mods(m))),
        (false, false) => |m, a, b, _| lanes(|i| minmax::f32_min(a[i], b[i], minmax_mods(m))),
    };
    Lanewise::decode32::<2>(d, F32, mods, run)
}

/// The modifiers as [`minmax`] takes them.
pub(super) fn minmax_mods(m: Mods) -> MinMaxMods {
    MinMaxMods { ftz: m.ftz, nan: m.nan, xorsign_abs: m.xorsign }
}

fn three_of(m: Mods, a: u32, b: u32, c: u32, f: fn(u32, u32, MinMaxMods) -> u32) -> u32 {
    let operand = |v: u32| if m.abs { v & 0x7fff_ffff } else { v };
    f(f(operand(a), operand(b), minmax_mods(m)), operand(c), minmax_mods(m))
}

/// [`minmax::f32_max`] without modifiers, by comparisons of the host. Masks, so that the loop over the lanes becomes
/// vector instructions.
#[inline(always)]
fn plain_max(a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    // Equal numbers have equal bits, but for zeros: +0 unless both are -0.
    without_nan(a, b, a & (mask(x > y) | mask(x == y) & b) | b & mask(x < y))
}

/// [`minmax::f32_min`] without modifiers.
#[inline(always)]
fn plain_min(a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    without_nan(a, b, a & mask(x <= y) | b & mask(x >= y))
}

/// `chosen` (zero where a comparison with NaN chose nothing), unless an operand is NaN: then the other one, and of two
/// NaNs the canonical NaN.
#[inline(always)]
fn without_nan(a: u32, b: u32, chosen: u32) -> u32 {
    let (no_a, no_b) = (mask(f32::from_bits(a).is_nan()), mask(f32::from_bits(b).is_nan()));
    chosen | b & no_a & !no_b | a & no_b & !no_a | 0x7fff_ffff & no_a & no_b
}

#[inline(always)]
fn mask(condition: bool) -> u32 {
    0u32.wrapping_sub(u32::from(condition))
}

fn double(d: &mut Decoder<'_>, mut m: Modifiers<'_>) -> Decoded {
    let mut mods = Mods::default();
    let name = d.opcode().first().map_or("", String::as_str);
    match name {
        "add" | "sub" | "mul" => {
            mods.rounding = m.rounding().unwrap_or(NearestEven);
            m.end(d)?;
            let run: Run64 = match (name, mods.rounding) {
                ("add", NearestEven) => |_, a, b, _| lanes(|i| arith::f64_add(a[i], b[i], NearestEven)),
                ("add", _) => |m, a, b, _| lanes(|i| arith::f64_add(a[i], b[i], m.rounding)),
                ("sub", NearestEven) => |_, a, b, _| lanes(|i| arith::f64_sub(a[i], b[i], NearestEven)),
                ("sub", _) => |m, a, b, _| lanes(|i| arith::f64_sub(a[i], b[i], m.rounding)),
                (_, NearestEven) => |_, a, b, _| lanes(|i| arith::f64_mul(a[i], b[i], NearestEven)),
                _ => |m, a, b, _| lanes(|i| arith::f64_mul(a[i], b[i], m.rounding)),
            };
            Lanewise::decode64::<2>(d, F64, mods, run)
        }
        "fma" | "mad" => {
            mods.rounding = wanted(d, m.rounding())?;
            m.end(d)?;
            let run: Run64 = |m, a, b, c| lanes(|i| arith::f64_fma(a[i], b[i], c[i], m.rounding));
            Lanewise::decode64::<3>(d, F64, mods, run)
        }
        "div" => {
            mods.rounding = wanted(d, m.rounding())?;
            m.end(d)?;
            let run: Run64 = |m, a, b, _| lanes(|i| arith::f64_div(a[i], b[i], m.rounding));
            Lanewise::decode64::<2>(d, F64, mods, run)
        }
        "rcp" | "sqrt" => {
            // The one approximate form in f64 flushes subnormal numbers, and there is none of `sqrt`.
            let run: Run64 = if name == "rcp" && m.take("approx") {
                if !m.take("ftz") {
                    return d.error("`rcp.approx.f64` does not exist, `rcp.approx.ftz.f64` does");
                }
                |_, a, _, _| lanes(|i| approx::f64_rcp_approx_ftz(a[i]))
            } else {
                mods.rounding = wanted(d, m.rounding())?;
                match name {
                    "rcp" => |m, a, _, _| lanes(|i| arith::f64_rcp(a[i], m.rounding)),
                    _ => |m, a, _, _| lanes(|i| arith::f64_sqrt(a[i], m.rounding)),
                }
            };
            m.end(d)?;
            Lanewise::decode64::<1>(d, F64, mods, run)
        }
        "rsqrt" if m.take("approx") => {
            let run: Run64 = if m.take("ftz") {
                |_, a, _, _| lanes(|i| approx::f64_rsqrt_approx_ftz(a[i]))
            } else {
                |_, a, _, _| lanes(|i| approx::f64_rsqrt(a[i]))
            };
            m.end(d)?;
            Lanewise::decode64::<1>(d, F64, mods, run)
        }
        "abs" | "neg" => {
            m.end(d)?;
            let run: Run64 = match name {
                "abs" => |_, a, _, _| lanes(|i| arith::f64_abs(a[i])),
                _ => |_, a, _, _| lanes(|i| arith::f64_neg(a[i])),
            };
            Lanewise::decode64::<1>(d, F64, mods, run)
        }
        "min" | "max" | "copysign" => {
            m.end(d)?;
            let run: Run64 = match name {
                "min" => |_, a, b, _| lanes(|i| minmax::f64_min(a[i], b[i])),
                "max" => |_, a, b, _| lanes(|i| minmax::f64_max(a[i], b[i])),
                _ => |_, a, b, _| lanes(|i| a[i] & 1 << 63 | b[i] & (u64::MAX >> 1)),
            };
            Lanewise::decode64::<2>(d, F64, mods, run)
        }
        "testp" => {
            let kind = property(d, m)?;
            d.operands(2..=2)?;
            let run: fn(&Lanes64) -> u32 = match kind {
                Property::Finite => |a| bits_of(|i| f64::from_bits(a[i]).is_finite()),
                Property::Infinite => |a| bits_of(|i| f64::from_bits(a[i]).is_infinite()),
                Property::Number => |a| bits_of(|i| !f64::from_bits(a[i]).is_nan()),
                Property::NotANumber => |a| bits_of(|i| f64::from_bits(a[i]).is_nan()),
                Property::Normal => |a| {
                    bits_of(|i| {
                        let f = f64::from_bits(a[i]);
                        f.is_normal() || f == 0.0
                    })
                },
                Property::Subnormal => |a| bits_of(|i| f64::from_bits(a[i]).is_subnormal()),
            };
            Ok(Lanewise::Test64(run, d.dst_p(0)?, source64(d, 1, F64)?))
        }
        _ => d.unknown(),
    }
}

/// What `testp` asks. Zeros count as normal (ISA 9.7.3, "testp").
#[derive(Clone, Copy)]
enum Property {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

fn property(d: &Decoder<'_>, mut m: Modifiers<'_>) -> Result<Property, ParseError> {
    let kind = match m.last() {
        Some("finite") => Property::Finite,
        Some("infinite") => Property::Infinite,
        Some("number") => Property::Number,
        Some("notanumber") => Property::NotANumber,
        Some("normal") => Property::Normal,
        Some("subnormal") => Property::Subnormal,
        _ => return d.unknown(),
    };
    m.end(d)?;
    Ok(kind)
}

fn bits_of(f: impl Fn(usize) -> bool) -> u32 {
    (0..32).fold(0, |bits, lane| bits | u32::from(f(lane)) << lane)
}

/// The loop of a rounded operation on both halves of 64-bit registers.
macro_rules! paired {
    ($mods:expr, $f:path, |$a:ident, $b:ident, $c:ident| $($op:ident)*) => {{
        let run: Run64 = match ($mods.rounding, $mods.ftz) {
            (NearestEven, false) => |_, $a, $b, $c| {
                lanes(|i| join(
                    $f($($op[i] as u32,)* NearestEven, false, false),
                    $f($(($op[i] >> 32) as u32,)* NearestEven, false, false),
                ))
            },
            _ => |m, $a, $b, $c| {
                lanes(|i| join(
                    $f($($op[i] as u32,)* m.rounding, m.ftz, false),
                    $f($(($op[i] >> 32) as u32,)* m.rounding, m.ftz, false),
                ))
            },
        };
        run
    }};
}

#[inline(always)]
fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// `add`, `sub`, `mul`, `fma` of `.f32x2` (ISA 9.7.3; sm_100).
fn pair(d: &mut Decoder<'_>, mut m: Modifiers<'_>) -> Decoded {
    need(d, 100)?;
    let mut mods = Mods { ftz: m.take("ftz"), ..Mods::default() };
    let name = d.opcode().first().map_or("", String::as_str);
    let rounding = m.rounding();
    mods.rounding = if name == "fma" { wanted(d, rounding)? } else { rounding.unwrap_or(NearestEven) };
    m.end(d)?;
    let ty = crate::ast::ScalarType::B64;
    match name {
        "add" => Lanewise::decode64::<2>(d, ty, mods, paired!(mods, arith::f32_add, |a, b, _c| a b)),
        "sub" => Lanewise::decode64::<2>(d, ty, mods, paired!(mods, arith::f32_sub, |a, b, _c| a b)),
        "mul" => Lanewise::decode64::<2>(d, ty, mods, paired!(mods, arith::f32_mul, |a, b, _c| a b)),
        "fma" => Lanewise::decode64::<3>(d, ty, mods, paired!(mods, arith::f32_fma, |a, b, c| a b c)),
        _ => d.unknown(),
    }
}

#[cfg(test)]
mod tests;
