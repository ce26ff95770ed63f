//! What bulk reductions do to an element: `cp.reduce.async.bulk` and its like (PTX ISA 9.7.9.25).

use crate::tensormap::ElementType;
use half::{bf16, f16};

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// Sum; integers wrap.
    Add,
    /// Smaller; of a NaN and a number the number.
    Min,
    /// Larger; of a NaN and a number the number.
    Max,
    /// `old >= new ? 0 : old + 1`
    Inc,
    /// `old == 0 || old > new ? new : old - 1`
    Dec,
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
}

/// The element of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the PTX type of its name")]
pub enum Element {
    U32,
    S32,
    B32,
    U64,
    S64,
    B64,
    F16,
    Bf16,
    F32,
    F64,
}

impl Element {
    /// Bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Element::F16 | Element::Bf16 => 2,
            Element::U32 | Element::S32 | Element::B32 | Element::F32 => 4,
            Element::U64 | Element::S64 | Element::B64 | Element::F64 => 8,
        }
    }

    /// The element of a tensor map, if reductions take it.
    pub fn of_map(element: ElementType) -> Option<Element> {
        Some(match element {
            ElementType::U32 => Element::U32,
            ElementType::S32 => Element::S32,
            ElementType::U64 => Element::U64,
            ElementType::S64 => Element::S64,
            ElementType::F16 => Element::F16,
            ElementType::Bf16 => Element::Bf16,
            ElementType::F32 | ElementType::F32Ftz => Element::F32,
            ElementType::F64 => Element::F64,
            _ => return None,
        })
    }
}

/// What is stored for the value in memory and the value given.
pub type Combine = fn(u64, u64) -> u64;

/// The function of an operation on an element, if there is one.
///
/// Sums of f16 and bf16 keep subnormals (`.noftz`); sums of f32 flush subnormal inputs and results to zeros of their
/// sign (ISA "cp.reduce.async.bulk").
pub fn combine(op: Reduce, element: Element) -> Option<Combine> {
    use Element::*;
    Some(match (op, element) {
        (Reduce::Add, U32 | S32) => |a, b| u64::from((a as u32).wrapping_add(b as u32)),
        (Reduce::Add, U64 | S64) => u64::wrapping_add,
        // A sum in f32 has more than twice the digits, so that rounding twice rounds right.
        (Reduce::Add, F16) => |a, b| u64::from(f16::from_f32(half(a) + half(b)).to_bits()),
        (Reduce::Add, Bf16) => |a, b| u64::from(bf16::from_f32(brain(a) + brain(b)).to_bits()),
        (Reduce::Add, F32) => |a, b| u64::from(flush(flush(single(a)) + flush(single(b))).to_bits()),
        (Reduce::Add, F64) => |a, b| (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
        (Reduce::Min, U32 | U64) => u64::min,
        (Reduce::Max, U32 | U64) => u64::max,
        (Reduce::Min, S32) => |a, b| if (a as i32) <= b as i32 { a } else { b },
        (Reduce::Max, S32) => |a, b| if (a as i32) >= b as i32 { a } else { b },
        (Reduce::Min, S64) => |a, b| if (a as i64) <= b as i64 { a } else { b },
        (Reduce::Max, S64) => |a, b| if (a as i64) >= b as i64 { a } else { b },
        (Reduce::Min, F16) => |a, b| u64::from(f16::from_f32(half(a).min(half(b))).to_bits()),
        (Reduce::Max, F16) => |a, b| u64::from(f16::from_f32(half(a).max(half(b))).to_bits()),
        (Reduce::Min, Bf16) => |a, b| u64::from(bf16::from_f32(brain(a).min(brain(b))).to_bits()),
        (Reduce::Max, Bf16) => |a, b| u64::from(bf16::from_f32(brain(a).max(brain(b))).to_bits()),
        (Reduce::Inc, U32) => |a, b| if a >= b { 0 } else { a + 1 },
        (Reduce::Dec, U32) => |a, b| if a == 0 || a > b { b } else { a - 1 },
        (Reduce::And, U32 | S32 | B32 | U64 | S64 | B64) => |a, b| a & b,
        (Reduce::Or, U32 | S32 | B32 | U64 | S64 | B64) => |a, b| a | b,
        (Reduce::Xor, U32 | S32 | B32 | U64 | S64 | B64) => |a, b| a ^ b,
        _ => return None,
    })
}

fn half(bits: u64) -> f32 {
    f16::from_bits(bits as u16).to_f32()
}

fn brain(bits: u64) -> f32 {
    bf16::from_bits(bits as u16).to_f32()
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(op: Reduce, element: Element, a: u64, b: u64) -> u64 {
        combine(op, element).unwrap()(a, b)
    }

    #[test]
    fn by_hand() {
        assert_eq!(run(Reduce::Add, Element::U32, 0xffff_ffff, 2), 1);
        assert_eq!(run(Reduce::Min, Element::S32, 0xffff_ffff, 2), 0xffff_ffff);
        assert_eq!(run(Reduce::Max, Element::U32, 0xffff_ffff, 2), 0xffff_ffff);
        assert_eq!(run(Reduce::Inc, Element::U32, 7, 7), 0);
        assert_eq!(run(Reduce::Inc, Element::U32, 6, 7), 7);
        assert_eq!(run(Reduce::Dec, Element::U32, 0, 7), 7);
        assert_eq!(run(Reduce::Dec, Element::U32, 9, 7), 7);
        // 1.0 + 2.0 in f16, bf16.
        assert_eq!(run(Reduce::Add, Element::F16, 0x3c00, 0x4000), 0x4200);
        assert_eq!(run(Reduce::Add, Element::Bf16, 0x3f80, 0x4000), 0x4040);
        // Subnormals: kept in f16, flushed in f32.
        assert_eq!(run(Reduce::Add, Element::F16, 1, 1), 2);
        assert_eq!(run(Reduce::Add, Element::F32, 0x8000_0001, 0x8000_0000), 0x8000_0000);
        assert_eq!(run(Reduce::Max, Element::F16, 0x7e00, 0x3c00), 0x3c00);
        assert!(combine(Reduce::Xor, Element::F32).is_none());
    }
}
