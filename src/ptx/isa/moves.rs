//! `mov` (ISA 9.7.9: "mov", twice: of one value, and packing and unpacking vectors).

use crate::ast::ScalarType;
use crate::decode::{Decoder, Dst, Src, describe};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::isa::map::{map1, map2};
use crate::isa::operand::{check, check_arg, in_frame, special_bits};
use crate::isa::types::{bits, changes, scalar_type};
use crate::program::Arg;
use crate::regs::{Lanes32, Lanes64, Lanes128, S32, S64, S128, SP};
use tidegate_machine::hardware::Stop;

/// An instruction of this family: destination first.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the types say it")]
pub enum Op {
    Move32(S32, S32),
    Move64(S64, S64),
    Move128(S128, S128),
    MoveP(SP, SP),
    /// Cut to 16 bits: special registers read as `.u16`.
    Cut16(S32, S32),
    /// The address of a variable of a frame: its offset is in the source, the frame's start is added.
    Frame32(S32, S32),
    Frame64(S64, S64),
    /// A special register that changes.
    Clock(Dst, Clock),
    /// `mov.b64 d, {low, high}` of halves of 32 bits.
    Pack64(S64, [S32; 2]),
    /// `mov.b64 {low, high}, a`; `None` is `_`.
    Unpack64([Option<S32>; 2], S64),
    /// Any other packing: bits of an element, the elements (low first).
    Pack(Dst, u32, Box<[Src]>),
    /// Any other unpacking.
    Unpack(Box<[Dst]>, u32, Src),
}

/// A special register that changes while a warp runs (ISA 10: `%clock`, `%globaltimer`, `%pm`). The model has no time:
/// clocks count the instructions of warps that ran so far, so that they grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The lower bits of the count, as many as the destination has.
    Low,
    /// The upper 32 bits.
    High,
    /// Performance counters: nobody has started them.
    Zero,
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    d.operands(2..=2)?;
    let mods = d.modifiers();
    let ty = match &mods[..] {
        [name] => match scalar_type(name) {
            Some(ty) => ty,
            None => return d.unknown(),
        },
        _ => return d.unknown(),
    };
    use ScalarType::*;
    if matches!(ty, B8 | U8 | S8 | F16 | F16x2 | Bf16 | Bf16x2 | Opaque) {
        let help = format!("use `mov.b{}`: it moves the bits of any type", bits(ty));
        return Err(ParseError::new(d.instr().opcode_span, format!("there is no `mov.{ty}`")).help(help));
    }
    match (d.arg(0)?, d.arg(1)?) {
        (Arg::Vector(_), Arg::Vector(_)) => {
            d.error_at(1, "a vector on both sides: move each element by itself")
        }
        (Arg::Vector(_), _) => decode_unpack(d, ty),
        (_, Arg::Vector(_)) => decode_pack(d, ty),
        _ => decode_one(d, ty),
    }
}

fn decode_one(d: &mut Decoder<'_>, ty: ScalarType) -> Result<Op, ParseError> {
    let source = d.arg(1)?.clone();
    check(d, 0, ty)?;
    match &source {
        Arg::Special(name) => return decode_special(d, ty, name),
        Arg::Symbol(symbol, _) if in_frame(d, *symbol) && bits(ty) >= 32 => {
            // Kernels start at frame address 0: nothing to add there.
            if !d.function.entry {
                return Ok(if bits(ty) == 32 {
                    Op::Frame32(d.dst32(0)?, d.src32(1, ty)?)
                } else {
                    Op::Frame64(d.dst64(0)?, d.src64(1, ty)?)
                });
            }
        }
        _ => check(d, 1, ty)?,
    }
    Ok(match bits(ty) {
        1 => match d.src_p(1)? {
            (p, false) => Op::MoveP(d.dst_p(0)?, p),
            (_, true) => return d.error_at(1, "mov.pred takes no `!`: use `not.pred`"),
        },
        16 | 32 => Op::Move32(d.dst32(0)?, d.src32(1, ty)?),
        64 => Op::Move64(d.dst64(0)?, d.src64(1, ty)?),
        _ => match (d.dst(0)?, d.src(1, ty)?) {
            (Dst::R128(to), Src::R128(from)) => Op::Move128(to, from),
            _ => return d.error_at(0, "a 128-bit register is wanted"),
        },
    })
}

fn decode_special(d: &mut Decoder<'_>, ty: ScalarType, name: &str) -> Result<Op, ParseError> {
    let narrow = bits(ty) < special_bits(name);
    if changes(name) {
        let clock = match name {
            "clock" | "clock64" | "globaltimer" | "globaltimer_lo" => Clock::Low,
            "clock_hi" | "globaltimer_hi" => Clock::High,
            _ => Clock::Zero,
        };
        if narrow || bits(ty) < 32 || bits(ty) > 64 {
            return d.error_at(1, format!("`%{name}` has {} bits, not those of `{ty}`", special_bits(name)));
        }
        return Ok(Op::Clock(d.dst(0)?, clock));
    }
    Ok(match bits(ty) {
        16 => Op::Cut16(d.dst32(0)?, d.src32(1, ScalarType::U32)?),
        // `%gridid` had 32 bits once and may still be read so (ISA 10: gridid).
        32 if !narrow || name == "gridid" => Op::Move32(d.dst32(0)?, d.src32(1, ty)?),
        64 => Op::Move64(d.dst64(0)?, d.src64(1, ty)?),
        _ => {
            return d.error_at(1, format!("`%{name}` has {} bits, not those of `{ty}`", special_bits(name)));
        }
    })
}

/// The type of an element when a type of bits is made of so many: 2 or 4 of at least 8 bits.
fn element(d: &Decoder<'_>, ty: ScalarType, count: usize, index: usize) -> Result<ScalarType, ParseError> {
    use ScalarType::*;
    Ok(match (ty, count) {
        (B16, 2) | (B32, 4) => B8,
        (B32, 2) | (B64, 4) => B16,
        (B64, 2) | (B128, 4) => B32,
        (B128, 2) => B64,
        (B16 | B32 | B64 | B128, _) => {
            return d.error_at(index, format!("`mov.{ty}` cannot have a vector of {count} elements"));
        }
        _ => {
            let message = format!("`mov.{ty}` of a vector");
            let help = "vectors are packed and unpacked by `mov.b16`, `.b32`, `.b64` and `.b128`";
            return Err(ParseError::new(d.instr().opcode_span, message).help(help));
        }
    })
}

fn decode_pack(d: &mut Decoder<'_>, ty: ScalarType) -> Result<Op, ParseError> {
    let list = d.elements(1)?;
    let element = element(d, ty, list.len(), 1)?;
    check(d, 0, ty)?;
    let mut sources = Vec::new();
    let span = d.span(1);
    for arg in &list {
        match arg {
            Arg::Reg(..) | Arg::Const(_) => check_arg(d, 1, arg, element)?,
            other => {
                return d.error_at(
                    1,
                    format!("registers or constants are wanted to pack, found {}", describe(other)),
                );
            }
        }
        sources.push(d.src_of(arg, element, span)?);
    }
    let to = d.dst(0)?;
    Ok(match (to, &sources[..]) {
        (Dst::R64(to), [Src::R32(low), Src::R32(high)]) if element == ScalarType::B32 => {
            Op::Pack64(to, [*low, *high])
        }
        (Dst::None, _) => return d.error_at(0, "a register is wanted to write to"),
        _ => Op::Pack(to, bits(element), sources.into()),
    })
}

fn decode_unpack(d: &mut Decoder<'_>, ty: ScalarType) -> Result<Op, ParseError> {
    let list = d.elements(0)?;
    let element = element(d, ty, list.len(), 0)?;
    let mut to = Vec::new();
    let span = d.span(0);
    for arg in &list {
        check_arg(d, 0, arg, element)?;
        to.push(d.dst_of(arg, span)?);
    }
    check(d, 1, ty)?;
    let from = d.src(1, ty)?;
    let slot = |dst: &Dst| match dst {
        Dst::R32(slot) => Some(*slot),
        _ => None,
    };
    Ok(match (&to[..], from) {
        ([low, high], Src::R64(from)) if element == ScalarType::B32 => {
            Op::Unpack64([slot(low), slot(high)], from)
        }
        _ => Op::Unpack(to.into(), bits(element), from),
    })
}

/// A source, widened to 128 bits by zeros.
fn wide(x: &Exec<'_>, src: Src) -> Lanes128 {
    match src {
        Src::R128(s) => *x.regs.r128(s),
        other => map1(&x.wide(other), u128::from),
    }
}

impl Op {
    #[inline]
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::Move32(d, a) => {
                let value = map1(x.regs.r32(*a), |a| a);
                x.regs.set32(*d, x.lanes, &value);
            }
            Op::Move64(d, a) => {
                let value = map1(x.regs.r64(*a), |a| a);
                x.regs.set64(*d, x.lanes, &value);
            }
            Op::Move128(d, a) => {
                let value = *x.regs.r128(*a);
                x.regs.set128(*d, x.lanes, &value);
            }
            Op::MoveP(d, a) => {
                let value = x.regs.p(*a);
                x.regs.set_p(*d, x.lanes, value);
            }
            Op::Cut16(d, a) => {
                let value = map1(x.regs.r32(*a), |a| a & 0xffff);
                x.regs.set32(*d, x.lanes, &value);
            }
            Op::Frame32(d, a) => {
                let frame = x.frame_memory;
                let value = map1(x.regs.r32(*a), |a| a.wrapping_add(frame));
                x.regs.set32(*d, x.lanes, &value);
            }
            Op::Frame64(d, a) => {
                let frame = u64::from(x.frame_memory);
                let value = map1(x.regs.r64(*a), |a| a.wrapping_add(frame));
                x.regs.set64(*d, x.lanes, &value);
            }
            Op::Clock(d, clock) => {
                let now = x.hw.counts.instructions;
                let value = match clock {
                    Clock::Low => now,
                    Clock::High => now >> 32,
                    Clock::Zero => 0,
                };
                x.put(*d, &[value; 32]);
            }
            Op::Pack64(d, [low, high]) => {
                let value =
                    map2(x.regs.r32(*low), x.regs.r32(*high), |l, h| u64::from(h) << 32 | u64::from(l));
                x.regs.set64(*d, x.lanes, &value);
            }
            Op::Unpack64([low, high], a) => {
                let value: Lanes64 = *x.regs.r64(*a);
                if let Some(low) = low {
                    let low_bits: Lanes32 = map1(&value, |v| v as u32);
                    x.regs.set32(*low, x.lanes, &low_bits);
                }
                if let Some(high) = high {
                    let high_bits: Lanes32 = map1(&value, |v| (v >> 32) as u32);
                    x.regs.set32(*high, x.lanes, &high_bits);
                }
            }
            Op::Pack(d, element, sources) => {
                let mut out = [0_u128; 32];
                let mut shift = 0;
                for source in sources {
                    out = map2(&out, &wide(x, *source), |o, v| o | v << shift);
                    shift += element;
                }
                match *d {
                    Dst::R128(d) => x.regs.set128(d, x.lanes, &out),
                    d => x.put(d, &map1(&out, |v| v as u64)),
                }
            }
            Op::Unpack(to, element, source) => {
                let value = wide(x, *source);
                let mask = (1_u128 << element) - 1;
                let mut shift = 0;
                for d in to {
                    let part = map1(&value, |v| (v >> shift & mask) as u64);
                    x.put(*d, &part);
                    shift += element;
                }
            }
        }
        Ok(Flow::Next)
    }
}

#[cfg(test)]
mod tests;
