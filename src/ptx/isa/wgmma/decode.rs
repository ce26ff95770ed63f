//! Decoding of WGMMA instructions.

use super::super::tile::Element;
use super::{Accumulator, Mma, Op, Source};
use crate::ast::ScalarType;
use crate::decode::{Decoder, constant_bits};
use crate::error::ParseError;
use crate::program::{Arg, Reg};
use crate::regs::{S32, S64};
use std::sync::Arc;
use tidegate_machine::matrix::Major;

pub(in super::super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    if !(d.arch == 90 && d.specific) {
        return d.error("wgmma is an instruction of sm_90a only: compile for `.target sm_90a`");
    }
    let parts: Vec<&str> = d.opcode().iter().skip(1).map(String::as_str).collect();
    match parts[..] {
        ["fence", "sync", "aligned"] => {
            d.operands(0..=0)?;
            Ok(Op::Fence)
        }
        ["commit_group", "sync", "aligned"] => {
            d.operands(0..=0)?;
            Ok(Op::Commit)
        }
        ["wait_group", "sync", "aligned"] => {
            d.operands(1..=1)?;
            let n = constant(d, 0)?;
            match u32::try_from(n) {
                Ok(n) => Ok(Op::Wait(n)),
                Err(_) => d.error_at(0, format!("a number of groups is wanted, found {n}")),
            }
        }
        ["mma_async", "sp", ..] => {
            d.error("wgmma.mma_async.sp (sparse A) is not modelled; a dense wgmma.mma_async is")
        }
        ["mma_async", "sync", "aligned", ..] => mma(d),
        _ => d.unknown(),
    }
}

fn constant(d: &Decoder<'_>, index: usize) -> Result<i64, ParseError> {
    match d.arg(index)? {
        Arg::Const(c) => Ok(constant_bits(*c, ScalarType::S64) as i64),
        other => d.error_at(index, format!("a constant is wanted, found {}", crate::decode::describe(other))),
    }
}

/// `m64nNkK` of these types of A: N and K.
fn shape(text: &str, a: Element) -> Option<(usize, usize)> {
    let (n, k) = text.strip_prefix("m64n")?.split_once('k')?;
    let (n, k) = (n.parse::<usize>().ok()?, k.parse::<usize>().ok()?);
    let n_exists = match a {
        // ISA 9.7.15.2: of integers and bits, N is a multiple of 16 from 32 on, and 8 and 24 below.
        Element::S8 | Element::U8 | Element::B1 => matches!(n, 8 | 24) || n.is_multiple_of(16),
        _ => n.is_multiple_of(8),
    };
    (n_exists && (8..=256).contains(&n) && k == 256 / a.bits() as usize).then_some((n, k))
}

fn mma(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let mut parts: Vec<String> = d.opcode()[4..].to_vec();
    let before = parts.len();
    parts.retain(|p| p != "satfinite");
    let satfinite = parts.len() + 1 == before;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (text, dtype, atype, btype) = match parts[..] {
        [shape, d, a, b] => (shape, d, a, b),
        [shape, d, a, b, "and", "popc"] if a == "b1" => (shape, d, a, b),
        _ => return d.unknown(),
    };
    let (Some(a_type), Some(b_type)) = (Element::from_modifier(atype), Element::from_modifier(btype)) else {
        return d.unknown();
    };
    let accumulator = match (dtype, a_type, b_type) {
        ("f32" | "f16", Element::F16, Element::F16) => dtype,
        ("f32", Element::Bf16, Element::Bf16) | ("f32", Element::Tf32, Element::Tf32) => dtype,
        ("f32" | "f16", a, b) if a.is_f8() && b.is_f8() => dtype,
        ("s32", Element::S8 | Element::U8, Element::S8 | Element::U8) => dtype,
        ("s32", Element::B1, Element::B1) if parts.len() == 6 => dtype,
        _ => return d.unknown(),
    };
    let accumulator = match accumulator {
        "f32" => Accumulator::F32,
        "f16" => Accumulator::F16,
        _ => Accumulator::S32,
    };
    let integer = accumulator == Accumulator::S32;
    if satfinite && !a_type.is_integer() || before > parts.len() + 1 {
        return d.unknown();
    }
    let Some((n, k)) = shape(text, a_type) else {
        return d.error(format!("wgmma.mma_async has no shape `{text}` for {atype}"));
    };
    let registers = if accumulator == Accumulator::F16 { n / 4 } else { n / 2 };
    let slots = vector(d, 0, registers)?;
    let mut sorted: Vec<u32> = slots.iter().map(|s| s.0).collect();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() != registers {
        return d.error_at(0, "a register stands twice in the accumulator");
    }
    let a = match d.arg(1)? {
        Arg::Vector(_) => {
            let list = vector(d, 1, 4)?;
            Source::Registers([list[0], list[1], list[2], list[3]])
        }
        _ => Source::Shared(matrix(d, 1)?),
    };
    let b = matrix(d, 2)?;
    let half = matches!(a_type, Element::F16 | Element::Bf16);
    let in_registers = matches!(a, Source::Registers(_));
    let count = match (integer, half, in_registers) {
        (true, ..) => 4,
        (false, false, _) => 6,
        (false, true, true) => 7,
        (false, true, false) => 8,
    };
    d.operands(count..=count)?;
    let scale_d = d.src_p(3)?;
    let (mut negate_a, mut negate_b) = (false, false);
    if !integer {
        negate_a = sign(d, 4)?;
        negate_b = sign(d, 5)?;
    }
    let (a_major, b_major) = match count {
        8 => (major(d, 6)?, major(d, 7)?),
        7 => (Major::K, major(d, 6)?),
        _ => (Major::K, Major::K),
    };
    Ok(Op::Mma(Arc::new(Mma {
        n,
        k,
        accumulator,
        a_type,
        b_type,
        d: slots,
        a,
        b,
        scale_d,
        negate_a,
        negate_b,
        a_major,
        b_major,
        satfinite,
    })))
}

/// `imm-scale-a`: 1 or -1.
fn sign(d: &Decoder<'_>, index: usize) -> Result<bool, ParseError> {
    match constant(d, index)? {
        1 => Ok(false),
        -1 => Ok(true),
        n => d.error_at(index, format!("the scale of an operand is 1 or -1, found {n}")),
    }
}

/// `imm-trans-a`: 0 or 1.
fn major(d: &Decoder<'_>, index: usize) -> Result<Major, ParseError> {
    match constant(d, index)? {
        0 => Ok(Major::K),
        1 => Ok(Major::Mn),
        n => d.error_at(index, format!("the transposition of an operand is 0 or 1, found {n}")),
    }
}

/// So many 32-bit registers.
fn vector(d: &Decoder<'_>, index: usize, count: usize) -> Result<Vec<S32>, ParseError> {
    let list = d.elements(index)?;
    let mut slots = Vec::with_capacity(list.len());
    for arg in &list {
        match arg {
            Arg::Reg(Reg::R32(slot), _) => slots.push(S32(*slot)),
            other => {
                let found = crate::decode::describe(other);
                return d.error_at(index, format!("registers of 32 bits are wanted, found {found}"));
            }
        }
    }
    if slots.len() != count {
        return d.error_at(index, format!("this shape takes {count} registers here, found {}", slots.len()));
    }
    Ok(slots)
}

/// A descriptor.
fn matrix(d: &mut Decoder<'_>, index: usize) -> Result<S64, ParseError> {
    d.src64(index, ScalarType::B64)
}
