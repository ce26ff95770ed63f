//! Logic, shifts and permutation of bytes (ISA 9.7.8: `and`, `or`, `xor`, `not`, `cnot`, `lop3`, `shf`, `shl`, `shr`; ISA
//! 9.7.9: `prmt`).

use crate::ast::ScalarType;
use crate::decode::Decoder;
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::isa::map::{bin32, bin64, map1, map2, map3, tri32, un32, un64};
use crate::isa::operand::{read_p, read32, read64, write32, write64};
use crate::isa::types::{bits, scalar_type};
use crate::program::Arg;
use crate::regs::{Lanes32, S32, S64, SP};
use tidegate_machine::hardware::Stop;

type Done = Result<Flow, Stop>;

/// An instruction of this family: destination first. The number in a name is the width in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its instruction")]
pub enum Op {
    TwoP(Two, [SP; 3]),
    /// 16 bits, too: the upper halves stay zero.
    Two32(Two, [S32; 3]),
    Two64(Two, [S64; 3]),
    NotP([SP; 2]),
    Not16([S32; 2]),
    Not32([S32; 2]),
    Not64([S64; 2]),
    /// 16 bits, too.
    Cnot32([S32; 2]),
    Cnot64([S64; 2]),
    Shift16(Shift, [S32; 3]),
    Shift32(Shift, [S32; 3]),
    Shift64(Shift, [S64; 2], S32),
    /// By a constant, which is below the width.
    ShiftBy32(Shift, [S32; 2], u32),
    ShiftBy64(Shift, [S64; 2], u32),
    /// `shf`: to the left, with `.clamp`.
    Funnel {
        left: bool,
        clamp: bool,
        slots: [S32; 4],
    },
    Lop3(u8, [S32; 4]),
    /// `lop3` with a predicate: the table, the destinations, the sources, `.and` (or `.or`) with a predicate.
    Lop3P {
        table: u8,
        and: bool,
        d: Option<S32>,
        p: SP,
        sources: [S32; 3],
        with: (SP, bool),
    },
    Permute(Permute, [S32; 4]),
    /// `prmt` by a constant without replicated signs: for each byte of the result which of the eight it is.
    PermuteBy([u8; 4], [S32; 3]),
}

/// A function of the bits of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its instruction")]
pub enum Two {
    And,
    Or,
    Xor,
}

/// A shift; amounts of the width or more shift everything out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// `shl`
    Left,
    /// `shr.u`, `shr.b`
    Right,
    /// `shr.s`
    Arithmetic,
}

/// The mode of `prmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its modifier; the generic one has none")]
pub enum Permute {
    Generic,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let opcode = d.opcode()[0].clone();
    let mods = d.modifiers();
    match (opcode.as_str(), &mods[..]) {
        ("and", [ty]) => two(d, Two::And, ty),
        ("or", [ty]) => two(d, Two::Or, ty),
        ("xor", [ty]) => two(d, Two::Xor, ty),
        ("not", ["pred"]) => {
            d.operands(2..=2)?;
            Ok(Op::NotP([d.dst_p(0)?, read_p(d, 1)?]))
        }
        ("not", [ty @ "b16"]) => Ok(Op::Not16(one32(d, ty)?)),
        ("not", [ty @ "b32"]) => Ok(Op::Not32(one32(d, ty)?)),
        ("not", ["b64"]) => Ok(Op::Not64(one64(d)?)),
        ("cnot", [ty @ ("b16" | "b32")]) => Ok(Op::Cnot32(one32(d, ty)?)),
        ("cnot", ["b64"]) => Ok(Op::Cnot64(one64(d)?)),
        ("shl", [ty @ ("b16" | "b32" | "b64")]) => shift(d, Shift::Left, ty),
        ("shr", [ty @ ("b16" | "b32" | "b64" | "u16" | "u32" | "u64")]) => shift(d, Shift::Right, ty),
        ("shr", [ty @ ("s16" | "s32" | "s64")]) => shift(d, Shift::Arithmetic, ty),
        ("shf", [way @ ("l" | "r"), mode @ ("clamp" | "wrap"), "b32"]) => {
            d.operands(4..=4)?;
            let ty = ScalarType::B32;
            let slots = [write32(d, 0, ty)?, read32(d, 1, ty)?, read32(d, 2, ty)?, amount(d, 3)?];
            Ok(Op::Funnel { left: *way == "l", clamp: *mode == "clamp", slots })
        }
        ("lop3", ["b32"]) => {
            d.operands(5..=5)?;
            let slots = sources(d)?;
            Ok(Op::Lop3(table(d)?, [write32(d, 0, ScalarType::B32)?, slots[0], slots[1], slots[2]]))
        }
        ("lop3", [join @ ("and" | "or"), "b32"]) => {
            d.operands(6..=6)?;
            let (to, p) = match d.arg(0)? {
                Arg::Pair(to, p) => ((**to).clone(), (**p).clone()),
                _ => return d.error_at(0, "a register and a predicate are wanted to write to: `d|p`"),
            };
            let span = d.span(0);
            let to = match d.dst_of(&to, span)? {
                crate::decode::Dst::R32(slot) => Some(slot),
                crate::decode::Dst::None => None,
                _ => return d.error_at(0, "a 32-bit register is wanted to write to"),
            };
            let crate::decode::Dst::P(p) = d.dst_of(&p, span)? else {
                return d.error_at(0, "a predicate is wanted after `|`");
            };
            let sources = sources(d)?;
            let with = d.src_p(5)?;
            Ok(Op::Lop3P { table: table(d)?, and: *join == "and", d: to, p, sources, with })
        }
        ("prmt", ["b32"]) => permute(d, Permute::Generic),
        ("prmt", ["b32", "f4e"]) => permute(d, Permute::F4e),
        ("prmt", ["b32", "b4e"]) => permute(d, Permute::B4e),
        ("prmt", ["b32", "rc8"]) => permute(d, Permute::Rc8),
        ("prmt", ["b32", "ecl"]) => permute(d, Permute::Ecl),
        ("prmt", ["b32", "ecr"]) => permute(d, Permute::Ecr),
        ("prmt", ["b32", "rc16"]) => permute(d, Permute::Rc16),
        _ => d.unknown(),
    }
}

fn two(d: &mut Decoder<'_>, op: Two, ty: &str) -> Result<Op, ParseError> {
    d.operands(3..=3)?;
    match ty {
        "pred" => Ok(Op::TwoP(op, [d.dst_p(0)?, read_p(d, 1)?, read_p(d, 2)?])),
        "b16" | "b32" => {
            let ty = if ty == "b16" { ScalarType::B16 } else { ScalarType::B32 };
            Ok(Op::Two32(op, [write32(d, 0, ty)?, read32(d, 1, ty)?, read32(d, 2, ty)?]))
        }
        "b64" => {
            let ty = ScalarType::B64;
            Ok(Op::Two64(op, [write64(d, 0, ty)?, read64(d, 1, ty)?, read64(d, 2, ty)?]))
        }
        _ => d.unknown(),
    }
}

fn one32(d: &mut Decoder<'_>, ty: &str) -> Result<[S32; 2], ParseError> {
    d.operands(2..=2)?;
    let ty = if ty == "b16" { ScalarType::B16 } else { ScalarType::B32 };
    Ok([write32(d, 0, ty)?, read32(d, 1, ty)?])
}

fn one64(d: &mut Decoder<'_>) -> Result<[S64; 2], ParseError> {
    d.operands(2..=2)?;
    Ok([write64(d, 0, ScalarType::B64)?, read64(d, 1, ScalarType::B64)?])
}

/// The amount of a shift: always 32 bits, unsigned.
fn amount(d: &mut Decoder<'_>, index: usize) -> Result<S32, ParseError> {
    read32(d, index, ScalarType::U32)
}

fn shift(d: &mut Decoder<'_>, op: Shift, ty: &str) -> Result<Op, ParseError> {
    d.operands(3..=3)?;
    let Some(ty) = scalar_type(ty) else { return d.unknown() };
    // Most shifts are by a constant: one amount for all lanes is one vector instruction.
    if let Arg::Const(c) = d.arg(2)? {
        let by = crate::decode::constant_bits(*c, ScalarType::U32) as u32;
        if by < bits(ty) && bits(ty) >= 32 {
            amount(d, 2)?;
            return Ok(if bits(ty) == 32 {
                Op::ShiftBy32(op, [write32(d, 0, ty)?, read32(d, 1, ty)?], by)
            } else {
                Op::ShiftBy64(op, [write64(d, 0, ty)?, read64(d, 1, ty)?], by)
            });
        }
    }
    Ok(match bits(ty) {
        16 => Op::Shift16(op, [write32(d, 0, ty)?, read32(d, 1, ty)?, amount(d, 2)?]),
        32 => Op::Shift32(op, [write32(d, 0, ty)?, read32(d, 1, ty)?, amount(d, 2)?]),
        _ => Op::Shift64(op, [write64(d, 0, ty)?, read64(d, 1, ty)?], amount(d, 2)?),
    })
}

/// The sources of `lop3`.
fn sources(d: &mut Decoder<'_>) -> Result<[S32; 3], ParseError> {
    let ty = ScalarType::B32;
    Ok([read32(d, 1, ty)?, read32(d, 2, ty)?, read32(d, 3, ty)?])
}

/// The table of `lop3`: a constant of 8 bits.
fn table(d: &Decoder<'_>) -> Result<u8, ParseError> {
    match d.arg(4)? {
        Arg::Const(c) => {
            let value = crate::decode::constant_bits(*c, ScalarType::U64);
            match u8::try_from(value) {
                Ok(table) => Ok(table),
                Err(_) => d.error_at(4, format!("the table of lop3 has 8 bits, 0 to 255; found {value}")),
            }
        }
        _ => d.error_at(4, "the table of lop3 is a constant, 0 to 255"),
    }
}

fn permute(d: &mut Decoder<'_>, mode: Permute) -> Result<Op, ParseError> {
    d.operands(4..=4)?;
    let ty = ScalarType::B32;
    if let Arg::Const(c) = d.arg(3)? {
        let control = crate::decode::constant_bits(*c, ScalarType::U32) as u32;
        if mode != Permute::Generic || control & 0x8888 == 0 {
            read32(d, 3, ty)?;
            let bytes = [0, 1, 2, 3].map(|i| byte_of(mode, i, control) as u8);
            return Ok(Op::PermuteBy(bytes, [write32(d, 0, ty)?, read32(d, 1, ty)?, read32(d, 2, ty)?]));
        }
    }
    Ok(Op::Permute(mode, [write32(d, 0, ty)?, read32(d, 1, ty)?, read32(d, 2, ty)?, read32(d, 3, ty)?]))
}

/// A function of three bits, given by its table: bit `4a + 2b + c` is its value (ISA 9.7.8: `lop3`).
#[inline(always)]
fn lop3(table: u8, a: &Lanes32, b: &Lanes32, c: &Lanes32) -> Lanes32 {
    let row = |i: u32| if table >> i & 1 == 1 { u32::MAX } else { 0 };
    let rows: [u32; 8] = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
    map3(a, b, c, |a, b, c| {
        // The table is folded by one variable after the other: c, b, a.
        let by = |v: u32, zero: u32, one: u32| !v & zero | v & one;
        let low = by(b, by(c, rows[0], rows[1]), by(c, rows[2], rows[3]));
        let high = by(b, by(c, rows[4], rows[5]), by(c, rows[6], rows[7]));
        by(a, low, high)
    })
}

/// Which of the eight bytes (four of `a`, then four of `b`) a byte of the result is (ISA 9.7.9.7, the table of modes).
#[inline(always)]
fn byte_of(mode: Permute, i: u32, control: u32) -> u32 {
    let n = control & 3;
    match mode {
        Permute::Generic => control >> (4 * i) & 7,
        Permute::F4e => n + i,
        Permute::B4e => n.wrapping_sub(i) & 7,
        Permute::Rc8 => n,
        Permute::Ecl => i.max(n),
        Permute::Ecr => i.min(n),
        Permute::Rc16 => (n & 1) * 2 + (i & 1),
    }
}

#[inline(always)]
fn permuted(mode: Permute, a: u32, b: u32, control: u32) -> u32 {
    let all = u64::from(b) << 32 | u64::from(a);
    let mut out = 0;
    for i in 0..4 {
        let byte = (all >> (8 * byte_of(mode, i, control))) as u8;
        // The top bit of a generic selector asks for the byte's sign, eight times.
        let replicate = mode == Permute::Generic && control >> (4 * i + 3) & 1 == 1;
        let byte = if replicate { (byte as i8 >> 7) as u8 } else { byte };
        out |= u32::from(byte) << (8 * i);
    }
    out
}

impl Op {
    #[inline]
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Done {
        match *self {
            Op::Two32(Two::And, r) => bin32(x, r, |a, b| a & b),
            Op::Two32(Two::Or, r) => bin32(x, r, |a, b| a | b),
            Op::Two32(Two::Xor, r) => bin32(x, r, |a, b| a ^ b),
            Op::Two64(Two::And, r) => bin64(x, r, |a, b| a & b),
            Op::Two64(Two::Or, r) => bin64(x, r, |a, b| a | b),
            Op::Two64(Two::Xor, r) => bin64(x, r, |a, b| a ^ b),
            Op::TwoP(op, [d, a, b]) => {
                let (a, b) = (x.regs.p(a), x.regs.p(b));
                let out = match op {
                    Two::And => a & b,
                    Two::Or => a | b,
                    Two::Xor => a ^ b,
                };
                x.regs.set_p(d, x.lanes, out);
                Ok(Flow::Next)
            }
            Op::NotP([d, a]) => {
                let out = !x.regs.p(a);
                x.regs.set_p(d, x.lanes, out);
                Ok(Flow::Next)
            }
            Op::Not16(r) => un32(x, r, |a| !a & 0xffff),
            Op::Not32(r) => un32(x, r, |a| !a),
            Op::Not64(r) => un64(x, r, |a| !a),
            Op::Cnot32(r) => un32(x, r, |a| u32::from(a == 0)),
            Op::Cnot64(r) => un64(x, r, |a| u64::from(a == 0)),
            Op::Shift16(Shift::Left, r) => bin32(x, r, |a, n| if n < 16 { a << n & 0xffff } else { 0 }),
            Op::Shift16(Shift::Right, r) => bin32(x, r, |a, n| if n < 16 { a >> n } else { 0 }),
            Op::Shift16(Shift::Arithmetic, r) => {
                bin32(x, r, |a, n| u32::from((a as u16 as i16 >> n.min(15)) as u16))
            }
            Op::Shift32(Shift::Left, r) => bin32(x, r, |a, n| if n < 32 { a << (n & 31) } else { 0 }),
            Op::Shift32(Shift::Right, r) => bin32(x, r, |a, n| if n < 32 { a >> (n & 31) } else { 0 }),
            Op::Shift32(Shift::Arithmetic, r) => bin32(x, r, |a, n| (a as i32 >> n.min(31)) as u32),
            Op::Shift64(op, [d, a], n) => {
                let (a, n) = (x.regs.r64(a), x.regs.r32(n));
                let out = match op {
                    Shift::Left => map2(a, n, |a, n| if n < 64 { a << (n & 63) } else { 0 }),
                    Shift::Right => map2(a, n, |a, n| if n < 64 { a >> (n & 63) } else { 0 }),
                    Shift::Arithmetic => map2(a, n, |a, n| (a as i64 >> n.min(63)) as u64),
                };
                x.regs.set64(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::ShiftBy32(Shift::Left, r, n) => un32(x, r, |a| a << (n & 31)),
            Op::ShiftBy32(Shift::Right, r, n) => un32(x, r, |a| a >> (n & 31)),
            Op::ShiftBy32(Shift::Arithmetic, r, n) => un32(x, r, |a| (a as i32 >> (n & 31)) as u32),
            Op::ShiftBy64(Shift::Left, r, n) => un64(x, r, |a| a << (n & 63)),
            Op::ShiftBy64(Shift::Right, r, n) => un64(x, r, |a| a >> (n & 63)),
            Op::ShiftBy64(Shift::Arithmetic, r, n) => un64(x, r, |a| (a as i64 >> (n & 63)) as u64),
            Op::Funnel { left, clamp, slots: [d, a, b, n] } => {
                let n = map1(x.regs.r32(n), |n| if clamp { n.min(32) } else { n & 31 });
                let (a, b) = (x.regs.r32(a), x.regs.r32(b));
                let out = if left {
                    map3(a, b, &n, |a, b, n| ((u64::from(b) << 32 | u64::from(a)) << n >> 32) as u32)
                } else {
                    map3(a, b, &n, |a, b, n| ((u64::from(b) << 32 | u64::from(a)) >> n) as u32)
                };
                x.regs.set32(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::Lop3(table, [d, a, b, c]) => {
                let out = lop3(table, x.regs.r32(a), x.regs.r32(b), x.regs.r32(c));
                x.regs.set32(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::Lop3P { table, and, d, p, sources: [a, b, c], with: (q, negated) } => {
                let out = lop3(table, x.regs.r32(a), x.regs.r32(b), x.regs.r32(c));
                let some = crate::isa::map::mask2(&out, &out, |v, _| v != 0);
                let q = if negated { !x.regs.p(q) } else { x.regs.p(q) };
                if let Some(d) = d {
                    x.regs.set32(d, x.lanes, &out);
                }
                x.regs.set_p(p, x.lanes, if and { some & q } else { some | q });
                Ok(Flow::Next)
            }
            Op::PermuteBy(bytes, [d, a, b]) => {
                let mut out = [0; 32];
                for (to, from) in (0_u32..).zip(bytes) {
                    let from = u32::from(from);
                    let source = x.regs.r32(if from < 4 { a } else { b });
                    let (right, left) = (8 * (from & 3), 8 * (to & 3));
                    out = map2(&out, source, |o, v| o | (v >> right & 0xff) << left);
                }
                x.regs.set32(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::Permute(mode, r) => match mode {
                Permute::Generic => tri32(x, r, |a, b, c| permuted(Permute::Generic, a, b, c)),
                _ => tri32(x, r, |a, b, c| permuted(mode, a, b, c)),
            },
        }
    }
}

#[cfg(test)]
mod tests;
