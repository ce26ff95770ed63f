//! `cvt`: between types of numbers (ISA 9.7.9, "Data Movement and Conversion Instructions: cvt"). Conversions to and
//! from packed formats and `cvt.pack` are in `packed`.
//!
//! A source register may be wider than its type: its low bits are read. A destination register may be wider than its
//! type: the result is sign-extended for signed types, else zero-extended (ISA 9.4.1, "Operand Size Exceeding
//! Instruction-Type Size").

mod packed;
#[cfg(test)]
mod tests;

use super::lanewise::{Lanewise, Modifiers, Mods, Run32, lanes, need, wider_destination, wider_source};
use crate::ast::ScalarType;
use crate::decode::{Decoder, Dst, Src};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::regs::{Lanes64, S32, S64};
use tidegate_machine::hardware::Stop;
use tidegate_machine::num::cvt::{self, CvtMods, Int};
use tidegate_machine::num::{Float, Rounding, Saturation, arith, saturate_unit, to_whole};

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// Between registers of up to 32 bits.
    Lanewise(Lanewise),
    /// Between integers in registers of up to 32 bits, without saturation.
    Extend32(S32, S32, Extend),
    /// The low half.
    Low(S32, S64),
    /// 32 bits zero-extended.
    Zero(S64, S32),
    /// 32 bits sign-extended.
    Sign(S64, S32),
    /// Everything else.
    Any(Box<Conversion>),
}

/// Sign- or zero-extension of the low bits of a register, twice: as the source's type has it to the destination's
/// width, then as the destination's type has it to the register's width.
#[derive(Clone, Copy, Debug)]
pub struct Extend {
    /// Bits above the source's type, and what stays of them: all ones for a signed type.
    up: [u32; 2],
    mask: [u32; 2],
}

impl Extend {
    fn new(from: Int, to: Int, register: u32) -> Extend {
        let mask = |int: Int| if int.signed { u32::MAX } else { u32::MAX >> (32 - int.bits) };
        let own = u32::MAX >> (32 - register);
        Extend { up: [32 - from.bits, 32 - to.bits], mask: [mask(from), mask(to) & own] }
    }

    #[inline(always)]
    fn of(self, value: u32) -> u32 {
        let value = ((value << self.up[0]) as i32 >> self.up[0]) as u32 & self.mask[0];
        ((value << self.up[1]) as i32 >> self.up[1]) as u32 & self.mask[1]
    }
}

/// A conversion that goes through 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    dst: Dst,
    src: Src,
    /// The bits of the destination register.
    mask: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    IntToInt(Int, Int, bool),
    IntToFloat(Int, Float, CvtMods),
    FloatToInt(Float, Int, Rounding, bool),
    FloatToFloat(Float, Float, CvtMods),
    /// To a whole number of the same format, with `.ftz` and `.sat`.
    Whole(Float, Rounding, bool, bool),
}

impl Kind {
    fn of(self, a: &Lanes64) -> Lanes64 {
        match self {
            Kind::IntToInt(from, to, sat) => lanes(|i| cvt::int_to_int(a[i], from, to, sat)),
            Kind::IntToFloat(from, to, mods) => lanes(|i| cvt::int_to_float(a[i], from, to, mods)),
            Kind::FloatToInt(from, to, rounding, ftz) => {
                lanes(|i| cvt::float_to_int(a[i], from, to, rounding, ftz))
            }
            Kind::FloatToFloat(from, to, mods) => lanes(|i| cvt::float_to_float(a[i], from, to, mods)),
            Kind::Whole(format, rounding, ftz, sat) => lanes(|i| {
                let flushed = if ftz { format.flush(a[i]) } else { a[i] };
                let whole = to_whole(format, flushed, rounding);
                if sat { saturate_unit(format, whole) } else { whole }
            }),
        }
    }
}

impl Op {
    #[inline(always)]
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::Lanewise(op) => op.exec(x),
            Op::Extend32(dst, src, extend) => {
                let a = x.regs.r32(*src);
                let out = lanes(|i| extend.of(a[i]));
                x.regs.set32(*dst, x.lanes, &out);
            }
            Op::Low(dst, src) => {
                let a = x.regs.r64(*src);
                let out = lanes(|i| a[i] as u32);
                x.regs.set32(*dst, x.lanes, &out);
            }
            Op::Zero(dst, src) => {
                let a = x.regs.r32(*src);
                let out = lanes(|i| u64::from(a[i]));
                x.regs.set64(*dst, x.lanes, &out);
            }
            Op::Sign(dst, src) => {
                let a = x.regs.r32(*src);
                let out = lanes(|i| i64::from(a[i] as i32) as u64);
                x.regs.set64(*dst, x.lanes, &out);
            }
            Op::Any(c) => {
                let a = match c.src {
                    // The low bits of registers are values as the types have them: cut by the functions of `Kind`.
                    Src::R64(s) => *x.regs.r64(s),
                    src => x.wide(src),
                };
                let out = c.kind.of(&a);
                x.put(c.dst, &out.map(|v| v & c.mask));
            }
        }
        Ok(Flow::Next)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Int(Int),
    Float(Float),
}

fn number(name: Option<&str>) -> Option<(Number, ScalarType)> {
    Some(match name? {
        "u8" => (Number::Int(Int::U8), ScalarType::U8),
        "s8" => (Number::Int(Int::S8), ScalarType::S8),
        "u16" => (Number::Int(Int::U16), ScalarType::U16),
        "s16" => (Number::Int(Int::S16), ScalarType::S16),
        "u32" => (Number::Int(Int::U32), ScalarType::U32),
        "s32" => (Number::Int(Int::S32), ScalarType::S32),
        "u64" => (Number::Int(Int::U64), ScalarType::U64),
        "s64" => (Number::Int(Int::S64), ScalarType::S64),
        "f16" => (Number::Float(Float::F16), ScalarType::F16),
        "bf16" => (Number::Float(Float::Bf16), ScalarType::Bf16),
        "f32" => (Number::Float(Float::F32), ScalarType::F32),
        "f64" => (Number::Float(Float::F64), ScalarType::F64),
        _ => return None,
    })
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let mut m = Modifiers::new(d);
    if m.take("pack") {
        return packed::pack(d, m).map(Op::Lanewise);
    }
    if m.take("rs") {
        let name = d.opcode().join(".");
        return d.error(format!(
            "`{name}`: stochastic rounding (`.rs`) is not modelled, as its use of the random bits is not published"
        ));
    }
    let (from_name, to_name) = (m.last(), m.last());
    match (number(from_name), number(to_name)) {
        (Some(from), Some(to)) => scalar(d, m, from, to),
        _ => match (from_name, to_name) {
            (Some(from), Some(to)) => packed::decode(d, m, from, to).map(Op::Lanewise),
            _ => d.unknown(),
        },
    }
}

/// What the modifiers of a conversion between two numbers say, checked against what the ISA allows for the types.
fn kind(d: &Decoder<'_>, mut m: Modifiers<'_>, from: Number, to: Number) -> Result<Kind, ParseError> {
    let name = || d.opcode().join(".");
    // Before the others, as f32 alone has it.
    let single = [from, to].contains(&Number::Float(Float::F32));
    let ftz = single && m.take("ftz");
    let sat = m.take("sat");
    let saturation = if sat { Saturation::Unit } else { Saturation::None };
    let bf16 = Number::Float(Float::Bf16);
    match (from, to) {
        (Number::Float(Float::F32), Number::Float(Float::Bf16)) => need(d, 80)?,
        _ if from == bf16 || to == bf16 => need(d, 90)?,
        _ => {}
    }
    let kind = match (from, to) {
        (Number::Int(from), Number::Int(to)) => Kind::IntToInt(from, to, sat),
        (Number::Float(from), Number::Int(to)) => match m.integer_rounding() {
            Some(rounding) => Kind::FloatToInt(from, to, rounding, ftz),
            None => {
                return d.error(format!("`{}` needs one of `.rni`, `.rzi`, `.rmi`, `.rpi`", name()));
            }
        },
        (Number::Int(from), Number::Float(to)) => match m.rounding() {
            Some(rounding) => Kind::IntToFloat(from, to, CvtMods { rounding, saturation, relu: false, ftz }),
            None => return d.error(format!("`{}` needs one of `.rn`, `.rz`, `.rm`, `.rp`", name())),
        },
        (Number::Float(from), Number::Float(to)) if from == to => match m.integer_rounding() {
            Some(rounding) => Kind::Whole(from, rounding, ftz, sat),
            None => {
                let mods = CvtMods { rounding: Rounding::NearestEven, saturation, relu: false, ftz };
                Kind::FloatToFloat(from, to, mods)
            }
        },
        (Number::Float(from), Number::Float(to)) if from.storage_bits() < to.storage_bits() => {
            let mods = CvtMods { rounding: Rounding::NearestEven, saturation, relu: false, ftz };
            Kind::FloatToFloat(from, to, mods)
        }
        (Number::Float(from), Number::Float(to)) => {
            let Some(rounding) = m.rounding() else {
                return d.error(format!("`{}` needs one of `.rn`, `.rz`, `.rm`, `.rp`", name()));
            };
            let mut mods = CvtMods { rounding, saturation, relu: false, ftz };
            let nearest_or_zero = matches!(rounding, Rounding::NearestEven | Rounding::Zero);
            if from == Float::F32 && nearest_or_zero {
                mods.relu = m.take("relu");
                if !sat && m.take("satfinite") {
                    mods.saturation = Saturation::Finite;
                }
            }
            Kind::FloatToFloat(from, to, mods)
        }
    };
    m.end(d)?;
    Ok(kind)
}

fn scalar(
    d: &mut Decoder<'_>,
    m: Modifiers<'_>,
    (from, from_type): (Number, ScalarType),
    (to, to_type): (Number, ScalarType),
) -> Result<Op, ParseError> {
    let kind = kind(d, m, from, to)?;
    d.operands(2..=2)?;
    let (dst, register) = wider_destination(d, 0, to_type)?;
    let src = wider_source(d, 1, from_type)?;
    let fast = match (dst, src) {
        (Dst::R32(to), Src::R32(from)) => match kind {
            Kind::IntToInt(a, b, false) => {
                return Ok(Op::Extend32(to, from, Extend::new(a, b, register)));
            }
            _ => single(kind).map(|run| Op::Lanewise(Lanewise::B32(run, Mods::default(), to, [from; 3]))),
        },
        (Dst::R32(to), Src::R64(from)) => match kind {
            Kind::IntToInt(_, b, false) if b.bits == 32 => Some(Op::Low(to, from)),
            _ => None,
        },
        (Dst::R64(to), Src::R32(from)) => match kind {
            Kind::IntToInt(a, b, false) if (a.bits, b.bits) == (32, 64) && a.signed => {
                Some(Op::Sign(to, from))
            }
            Kind::IntToInt(a, b, false) if (a.bits, b.bits) == (32, 64) => Some(Op::Zero(to, from)),
            _ => None,
        },
        _ => None,
    };
    let mask = if register >= 64 { u64::MAX } else { (1 << register) - 1 };
    Ok(fast.unwrap_or_else(|| Op::Any(Box::new(Conversion { dst, src, mask, kind }))))
}

/// The loops of the frequent conversions, on registers of up to 32 bits.
fn single(kind: Kind) -> Option<Run32> {
    use Float::{Bf16, F16, F32};
    let nearest = CvtMods::rounding(Rounding::NearestEven);
    let run: Run32 = match kind {
        Kind::FloatToFloat(F16, F32, mods) if mods == nearest => {
            |_, a, _, _| lanes(|i| cvt::f16_to_f32(a[i] as u16))
        }
        Kind::FloatToFloat(Bf16, F32, mods) if mods == nearest => {
            |_, a, _, _| lanes(|i| cvt::bf16_to_f32(a[i] as u16))
        }
        Kind::FloatToFloat(F32, F16, mods) if mods == nearest => {
            |_, a, _, _| lanes(|i| u32::from(cvt::f32_to_f16(a[i])))
        }
        Kind::FloatToFloat(F32, Bf16, mods) if mods == nearest => {
            |_, a, _, _| lanes(|i| u32::from(cvt::f32_to_bf16(a[i])))
        }
        // The host rounds to nearest even, too.
        Kind::IntToFloat(Int::S32, F32, mods) if CvtMods { ftz: false, ..mods } == nearest => {
            |_, a, _, _| lanes(|i| (a[i] as i32 as f32).to_bits())
        }
        Kind::IntToFloat(Int::U32, F32, mods) if CvtMods { ftz: false, ..mods } == nearest => {
            |_, a, _, _| lanes(|i| (a[i] as f32).to_bits())
        }
        // Rust's conversion is the ISA's: towards zero, clamped, NaN to zero. Subnormal numbers give zero anyway.
        Kind::FloatToInt(F32, Int::S32, Rounding::Zero, _) => {
            |_, a, _, _| lanes(|i| f32::from_bits(a[i]) as i32 as u32)
        }
        Kind::FloatToInt(F32, Int::U32, Rounding::Zero, _) => {
            |_, a, _, _| lanes(|i| f32::from_bits(a[i]) as u32)
        }
        Kind::FloatToFloat(F32, F32, mods) if mods == (CvtMods { ftz: true, ..nearest }) => {
            |_, a, _, _| lanes(|i| arith::f32_add(a[i], 0x8000_0000, Rounding::NearestEven, true, false))
        }
        _ => return None,
    };
    Some(run)
}
