//! Bits and bytes of integers (ISA 9.7.1: `popc`, `clz`, `bfind`, `fns`, `brev`, `bfe`, `bfi`, `szext`, `bmsk`, `dp4a`,
//! `dp2a`).

use crate::ast::ScalarType;
use crate::decode::{Decoder, constant_bits};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::isa::map::{bin32, map1, map3, tri32, un32, un64};
use crate::isa::operand::{read32, read64, write32, write64};
use crate::isa::types::scalar_type;
use crate::program::Arg;
use crate::regs::{S32, S64};
use tidegate_machine::hardware::Stop;

/// An instruction of this family: destination first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its instruction; the number is the width of the source in bits")]
pub enum Op {
    Popc32([S32; 2]),
    Popc64(S32, S64),
    Clz32([S32; 2]),
    Clz64(S32, S64),
    /// `bfind`: signed, `.shiftamt`.
    Bfind32 {
        signed: bool,
        shift: bool,
        slots: [S32; 2],
    },
    Bfind64 {
        signed: bool,
        shift: bool,
        d: S32,
        a: S64,
    },
    Fns([S32; 4]),
    Brev32([S32; 2]),
    Brev64([S64; 2]),
    /// `bfe`, signed or not: the position and the length are the last two.
    Bfe32(bool, [S32; 4]),
    Bfe64(bool, [S64; 2], [S32; 2]),
    /// `bfe.u32` and `bfe.s32` of a constant position and length: shifted to the left, then to the right.
    Field32(bool, [S32; 2], u8, u8),
    /// `bfi`: `f`, `a`, `b`, position and length.
    Bfi32([S32; 5]),
    Bfi64([S64; 3], [S32; 2]),
    Szext {
        signed: bool,
        clamp: bool,
        slots: [S32; 3],
    },
    Bmsk {
        clamp: bool,
        slots: [S32; 3],
    },
    /// `dp4a`: whether `a` and `b` are signed.
    Dp4a([bool; 2], [S32; 4]),
    /// `dp2a`: whether `a` and `b` are signed, the upper half of `b`.
    Dp2a([bool; 2], bool, [S32; 4]),
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    use ScalarType::{B32, B64, S32 as I32, U32};
    let opcode = d.opcode()[0].clone();
    let mods = d.modifiers();
    match (opcode.as_str(), &mods[..]) {
        ("popc", ["b32"]) => Ok(Op::Popc32(one(d)?)),
        ("popc", ["b64"]) => one64(d, B64).map(|(to, a)| Op::Popc64(to, a)),
        ("clz", ["b32"]) => Ok(Op::Clz32(one(d)?)),
        ("clz", ["b64"]) => one64(d, B64).map(|(to, a)| Op::Clz64(to, a)),
        ("bfind", ["shiftamt", ty]) => bfind(d, ty, true),
        ("bfind", [ty]) => bfind(d, ty, false),
        ("fns", ["b32"]) => {
            d.operands(4..=4)?;
            let sources = [read32(d, 1, B32)?, read32(d, 2, B32)?, read32(d, 3, I32)?];
            Ok(Op::Fns([write32(d, 0, B32)?, sources[0], sources[1], sources[2]]))
        }
        ("brev", ["b32"]) => Ok(Op::Brev32(one(d)?)),
        ("brev", ["b64"]) => {
            d.operands(2..=2)?;
            Ok(Op::Brev64([write64(d, 0, B64)?, read64(d, 1, B64)?]))
        }
        ("bfe", [ty @ ("u32" | "s32")]) => {
            d.operands(4..=4)?;
            let ty_ = scalar_type(ty).unwrap_or(U32);
            let slots = [write32(d, 0, ty_)?, read32(d, 1, ty_)?, read32(d, 2, U32)?, read32(d, 3, U32)?];
            if let (Arg::Const(pos), Arg::Const(len)) = (d.arg(2)?, d.arg(3)?) {
                let (pos, len) = (constant_bits(*pos, U32) as u32, constant_bits(*len, U32) as u32);
                // A field within the word; others are rare.
                if pos < 32 && len >= 1 && len <= 32 - pos {
                    let (left, right) = ((32 - pos - len) as u8, (32 - len) as u8);
                    return Ok(Op::Field32(*ty == "s32", [slots[0], slots[1]], left, right));
                }
            }
            Ok(Op::Bfe32(*ty == "s32", slots))
        }
        ("bfe", [ty @ ("u64" | "s64")]) => {
            d.operands(4..=4)?;
            let ty_ = scalar_type(ty).unwrap_or(ScalarType::U64);
            let slots = [write64(d, 0, ty_)?, read64(d, 1, ty_)?];
            Ok(Op::Bfe64(*ty == "s64", slots, [read32(d, 2, U32)?, read32(d, 3, U32)?]))
        }
        ("bfi", ["b32"]) => {
            d.operands(5..=5)?;
            let (a, b) = (read32(d, 1, B32)?, read32(d, 2, B32)?);
            Ok(Op::Bfi32([write32(d, 0, B32)?, a, b, read32(d, 3, U32)?, read32(d, 4, U32)?]))
        }
        ("bfi", ["b64"]) => {
            d.operands(5..=5)?;
            let slots = [write64(d, 0, B64)?, read64(d, 1, B64)?, read64(d, 2, B64)?];
            Ok(Op::Bfi64(slots, [read32(d, 3, U32)?, read32(d, 4, U32)?]))
        }
        ("szext", [mode @ ("clamp" | "wrap"), ty @ ("u32" | "s32")]) => {
            d.operands(3..=3)?;
            let ty_ = scalar_type(ty).unwrap_or(U32);
            let slots = [write32(d, 0, ty_)?, read32(d, 1, ty_)?, read32(d, 2, U32)?];
            Ok(Op::Szext { signed: *ty == "s32", clamp: *mode == "clamp", slots })
        }
        ("bmsk", [mode @ ("clamp" | "wrap"), "b32"]) => {
            d.operands(3..=3)?;
            let slots = [write32(d, 0, B32)?, read32(d, 1, U32)?, read32(d, 2, U32)?];
            Ok(Op::Bmsk { clamp: *mode == "clamp", slots })
        }
        ("dp4a", [a @ ("u32" | "s32"), b @ ("u32" | "s32")]) => {
            let signed = [*a == "s32", *b == "s32"];
            Ok(Op::Dp4a(signed, dot(d, signed)?))
        }
        ("dp2a", [half @ ("lo" | "hi"), a @ ("u32" | "s32"), b @ ("u32" | "s32")]) => {
            let signed = [*a == "s32", *b == "s32"];
            Ok(Op::Dp2a(signed, *half == "hi", dot(d, signed)?))
        }
        _ => d.unknown(),
    }
}

fn one(d: &mut Decoder<'_>) -> Result<[S32; 2], ParseError> {
    d.operands(2..=2)?;
    Ok([write32(d, 0, ScalarType::B32)?, read32(d, 1, ScalarType::B32)?])
}

/// A result of 32 bits of a source of 64.
fn one64(d: &mut Decoder<'_>, ty: ScalarType) -> Result<(S32, S64), ParseError> {
    d.operands(2..=2)?;
    Ok((write32(d, 0, ScalarType::B32)?, read64(d, 1, ty)?))
}

fn bfind(d: &mut Decoder<'_>, ty: &str, shift: bool) -> Result<Op, ParseError> {
    d.operands(2..=2)?;
    let signed = ty.starts_with('s');
    match ty {
        "u32" | "s32" => {
            let ty = if signed { ScalarType::S32 } else { ScalarType::U32 };
            Ok(Op::Bfind32 { signed, shift, slots: [write32(d, 0, ScalarType::U32)?, read32(d, 1, ty)?] })
        }
        "u64" | "s64" => {
            let ty = if signed { ScalarType::S64 } else { ScalarType::U64 };
            let (to, a) = (write32(d, 0, ScalarType::U32)?, read64(d, 1, ty)?);
            Ok(Op::Bfind64 { signed, shift, d: to, a })
        }
        _ => d.unknown(),
    }
}

/// The operands of a dot product; the sum is signed when a factor is.
fn dot(d: &mut Decoder<'_>, [a, b]: [bool; 2]) -> Result<[S32; 4], ParseError> {
    d.operands(4..=4)?;
    let ty = |signed| if signed { ScalarType::S32 } else { ScalarType::U32 };
    let sum = ty(a || b);
    Ok([write32(d, 0, sum)?, read32(d, 1, ty(a))?, read32(d, 2, ty(b))?, read32(d, 3, sum)?])
}

/// `bfind`: the position of the highest bit that is not the sign; all ones when there is none.
#[inline(always)]
fn find64(a: u64, signed: bool, shift: bool, width: u32) -> u32 {
    let a = if signed && (a as i64) < 0 { !a } else { a };
    if a == 0 {
        return u32::MAX;
    }
    let position = 63 - a.leading_zeros();
    if shift { width - 1 - position } else { position }
}

/// `bfe` of 32 bits: bits from `pos` on, `len` of them; above them zeros or the field's top bit. Bits that the source
/// does not have are as its top bit.
#[inline(always)]
fn extract32(signed: bool, a: u32, pos: u32, len: u32) -> u32 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    if len == 0 {
        return 0;
    }
    let unused = 32 - len.min(32);
    if signed {
        ((a as i32 >> pos.min(31) << unused) >> unused) as u32
    } else {
        let field = if pos < 32 { a >> (pos & 31) } else { 0 };
        field << unused >> unused
    }
}

/// `bfe` of 64 bits, see [`extract32`].
#[inline(always)]
fn extract64(signed: bool, a: u64, pos: u32, len: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    if len == 0 {
        return 0;
    }
    let unused = 64 - len.min(64);
    if signed {
        ((a as i64 >> pos.min(63) << unused) >> unused) as u64
    } else {
        let field = if pos < 64 { a >> (pos & 63) } else { 0 };
        field << unused >> unused
    }
}

/// `bfi` on 64 bits; of 32 bits the lower half is it.
#[inline(always)]
fn insert(a: u64, b: u64, pos: u32, len: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    if len == 0 || pos >= 64 {
        return b;
    }
    let mask = (u64::MAX >> (64 - len.min(64))) << pos;
    b & !mask | a << pos & mask
}

/// `fns`: the position of the `offset`-th set bit from `base` on, upward or (negative) downward; 0: the bit at `base`.
#[inline(always)]
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    if offset == 0 {
        return if base < 32 && mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    let mut left = offset.unsigned_abs() - 1;
    // A base beyond the mask: nothing is found (it is negative as a signed number, or too large).
    let mut position = i64::from(base as i32);
    while (0..32).contains(&position) {
        if mask >> position & 1 == 1 {
            if left == 0 {
                return position as u32;
            }
            left -= 1;
        }
        position += if offset > 0 { 1 } else { -1 };
    }
    u32::MAX
}

/// `szext`: the low `b` bits, extended by zeros or by their top bit.
#[inline(always)]
fn extend(a: u32, b: u32, signed: bool, clamp: bool) -> u32 {
    if clamp && b >= 32 {
        return a;
    }
    let width = b & 31;
    if width == 0 {
        return 0;
    }
    let unused = 32 - width;
    if signed { ((a << unused) as i32 >> unused) as u32 } else { a << unused >> unused }
}

/// `bmsk`: `b` ones from position `a` on.
#[inline(always)]
fn ones(a: u32, b: u32, clamp: bool) -> u32 {
    if clamp && a >= 32 {
        return 0;
    }
    let from = a & 31;
    let width = if clamp { b.min(32) } else { b & 31 };
    (((1_u64 << width) - 1) << from) as u32
}

/// A byte of a number as a factor.
#[inline(always)]
fn byte(v: u32, index: u32, signed: bool) -> i32 {
    let byte = (v >> (8 * index)) as u8;
    if signed { i32::from(byte as i8) } else { i32::from(byte) }
}

/// A half of a number as a factor.
#[inline(always)]
fn half(v: u32, index: u32, signed: bool) -> i32 {
    let half = (v >> (16 * index)) as u16;
    if signed { i32::from(half as i16) } else { i32::from(half) }
}

impl Op {
    #[inline]
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match *self {
            Op::Popc32(r) => un32(x, r, u32::count_ones),
            Op::Popc64(d, a) => narrow(x, d, a, u64::count_ones),
            Op::Clz32(r) => un32(x, r, u32::leading_zeros),
            Op::Clz64(d, a) => narrow(x, d, a, u64::leading_zeros),
            Op::Bfind32 { signed, shift, slots } => {
                let wide = |a: u32| if signed { i64::from(a as i32) as u64 } else { u64::from(a) };
                un32(x, slots, |a| find64(wide(a), signed, shift, 32))
            }
            Op::Bfind64 { signed, shift, d, a } => narrow(x, d, a, |a| find64(a, signed, shift, 64)),
            Op::Fns(r) => tri32(x, r, |mask, base, offset| nth_set(mask, base, offset as i32)),
            Op::Brev32(r) => un32(x, r, u32::reverse_bits),
            Op::Brev64(r) => un64(x, r, u64::reverse_bits),
            Op::Bfe32(true, r) => tri32(x, r, |a, pos, len| extract32(true, a, pos, len)),
            Op::Bfe32(false, r) => tri32(x, r, |a, pos, len| extract32(false, a, pos, len)),
            Op::Field32(true, r, left, right) => {
                un32(x, r, |a| ((a << (left & 31)) as i32 >> (right & 31)) as u32)
            }
            Op::Field32(false, r, left, right) => un32(x, r, |a| a << (left & 31) >> (right & 31)),
            Op::Bfe64(signed, [d, a], [pos, len]) => {
                let (a, pos, len) = (x.regs.r64(a), x.regs.r32(pos), x.regs.r32(len));
                let out = if signed {
                    map3(a, pos, len, |a, pos, len| extract64(true, a, pos, len))
                } else {
                    map3(a, pos, len, |a, pos, len| extract64(false, a, pos, len))
                };
                x.regs.set64(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::Bfi32([d, a, b, pos, len]) => {
                let fields = map3(x.regs.r32(a), x.regs.r32(pos), x.regs.r32(len), |a, p, l| (a, p, l));
                let out = crate::isa::map::map2(&fields, x.regs.r32(b), |(a, pos, len), b| {
                    insert(u64::from(a), u64::from(b), pos, len) as u32
                });
                x.regs.set32(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::Bfi64([d, a, b], [pos, len]) => {
                let fields = map3(x.regs.r64(a), x.regs.r32(pos), x.regs.r32(len), |a, p, l| (a, p, l));
                let out =
                    crate::isa::map::map2(&fields, x.regs.r64(b), |(a, pos, len), b| insert(a, b, pos, len));
                x.regs.set64(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::Szext { signed, clamp, slots } => bin32(x, slots, |a, b| extend(a, b, signed, clamp)),
            Op::Bmsk { clamp, slots } => bin32(x, slots, |a, b| ones(a, b, clamp)),
            Op::Dp4a([sa, sb], r) => tri32(x, r, |a, b, c| {
                (0..4).fold(c, |sum, i| sum.wrapping_add((byte(a, i, sa) * byte(b, i, sb)) as u32))
            }),
            Op::Dp2a([sa, sb], high, r) => tri32(x, r, |a, b, c| {
                let first = if high { 2 } else { 0 };
                (0..2).fold(c, |sum, i| sum.wrapping_add((half(a, i, sa) * byte(b, first + i, sb)) as u32))
            }),
        }
    }
}

/// `d = f(a)`, from 64 bits to 32.
#[inline(always)]
fn narrow(x: &mut Exec<'_>, d: S32, a: S64, f: impl Fn(u64) -> u32) -> Result<Flow, Stop> {
    let out = map1(x.regs.r64(a), f);
    x.regs.set32(d, x.lanes, &out);
    Ok(Flow::Next)
}

#[cfg(test)]
mod tests;
