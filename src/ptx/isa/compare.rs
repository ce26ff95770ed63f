//! Comparison and selection (ISA 9.7.6: `set`, `setp`, `selp`, `slct`; 9.7.7: of half precision).
//!
//! A comparison is one of a few relations, the result inverted or not: `ge` of integers is an inverted `lt`; `geu` of
//! floats, which holds when a number is NaN, an inverted `lt` that does not.

use crate::ast::ScalarType;
use crate::decode::{Decoder, Dst};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::isa::map::{mask2, select};
use crate::isa::operand::{read_p, read32, read64, write32, write64};
use crate::isa::types::{bits, is_integer, is_signed, scalar_type};
use crate::program::Arg;
use crate::regs::{S32, S64, SP};
use tidegate_machine::hardware::Stop;
use tidegate_machine::num::Float;
use tidegate_machine::num::arith16::half_to_f32;

type Result<T> = std::result::Result<T, ParseError>;

/// An instruction of this family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `setp` of one number: the results (`p` and its opposite `q`).
    Setp(Compare, [Option<SP>; 2]),
    /// `setp` of two packed halves: the result of each.
    SetpPacked(Compare, [Option<SP>; 2]),
    /// `set`: where to, the bits for true.
    Set(Compare, S32, u32),
    /// `set` of two packed halves: where to, the bits for true of each half.
    SetPacked(Compare, S32, u32),
    /// `selp` of 16 or 32 bits: `d`, `a`, `b`, and the predicate that takes `a`.
    Select32([S32; 3], SP),
    /// `selp` of 64 bits.
    Select64([S64; 3], SP),
    /// `slct` of 16 or 32 bits: `d`, `a`, `b`, and the number that takes `a` when it is not negative.
    Slct32([S32; 3], S32, By),
    /// `slct` of 64 bits.
    Slct64([S64; 3], S32, By),
}

/// The type of the number that `slct` looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its type")]
pub enum By {
    S32,
    F32,
    F32Ftz,
}

/// What is compared and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compare {
    kind: Kind,
    relation: Relation,
    invert: bool,
    join: Join,
    /// Slots of the width that `kind` has.
    a: u32,
    b: u32,
    /// The predicate to join with.
    c: SP,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Unsigned, and bits, of 16 and 32 bits.
    U32,
    S16,
    S32,
    U64,
    S64,
    F32,
    F32Ftz,
    F64,
    /// The lower half of a register.
    F16,
    F16Ftz,
    Bf16,
}

/// Relations that do not hold when a number is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Eq,
    /// Less or greater; only of floats.
    Ne,
    Lt,
    Gt,
    /// Only of floats, as integers have the inverse of `Gt`.
    Le,
    Ge,
    /// Neither is NaN.
    Num,
}

/// What a result is joined with `c` by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    None,
    And,
    Or,
    Xor,
    /// With `!c`.
    AndNot,
    OrNot,
    XorNot,
}

/// The relation of integers, and whether it is inverted; `None` when the type does not have it.
fn integer_relation(name: &str, ty: ScalarType) -> Option<(Relation, bool)> {
    use Relation::{Eq, Gt, Lt};
    let typed = is_integer(ty);
    let unsigned = typed && !is_signed(ty);
    Some(match name {
        "eq" => (Eq, false),
        "ne" => (Eq, true),
        "lt" if typed => (Lt, false),
        "le" if typed => (Gt, true),
        "gt" if typed => (Gt, false),
        "ge" if typed => (Lt, true),
        "lo" if unsigned => (Lt, false),
        "ls" if unsigned => (Gt, true),
        "hi" if unsigned => (Gt, false),
        "hs" if unsigned => (Lt, true),
        _ => return None,
    })
}

/// The relation of floats (ISA 9.3.3, tables of floating-point operators).
fn float_relation(name: &str) -> Option<(Relation, bool)> {
    use Relation::*;
    Some(match name {
        "eq" => (Eq, false),
        "ne" => (Ne, false),
        "lt" => (Lt, false),
        "le" => (Le, false),
        "gt" => (Gt, false),
        "ge" => (Ge, false),
        "equ" => (Ne, true),
        "neu" => (Eq, true),
        "ltu" => (Ge, true),
        "leu" => (Gt, true),
        "gtu" => (Le, true),
        "geu" => (Lt, true),
        "num" => (Num, false),
        "nan" => (Num, true),
        _ => return None,
    })
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op> {
    let opcode = d.opcode()[0].clone();
    match opcode.as_str() {
        "setp" => decode_setp(d),
        "set" => decode_set(d),
        "selp" => decode_selp(d),
        _ => decode_slct(d),
    }
}

/// Reads the modifiers from the comparison to the type of the sources. `dtype`: one more type stands before it.
fn header<'m>(d: &Decoder<'_>, mods: &[&'m str], dtype: bool) -> Result<(Header, Option<&'m str>)> {
    let mut rest = mods;
    let mut next = || {
        let (first, others) = rest.split_first()?;
        rest = others;
        Some(*first)
    };
    let Some(name) = next() else { return d.unknown() };
    let mut part = next();
    let mut join = Join::None;
    if let Some(found) = match part {
        Some("and") => Some(Join::And),
        Some("or") => Some(Join::Or),
        Some("xor") => Some(Join::Xor),
        _ => None,
    } {
        join = found;
        part = next();
    }
    let ftz = part == Some("ftz");
    if ftz {
        part = next();
    }
    let to = if dtype {
        let to = part;
        part = next();
        to
    } else {
        None
    };
    let (Some(ty), None) = (part.and_then(scalar_type), next()) else { return d.unknown() };
    use ScalarType::{Bf16, Bf16x2, F16, F16x2, F32, F64};
    let kind = match ty {
        ScalarType::B16 | ScalarType::U16 | ScalarType::B32 | ScalarType::U32 => Kind::U32,
        ScalarType::S16 => Kind::S16,
        ScalarType::S32 => Kind::S32,
        ScalarType::B64 | ScalarType::U64 => Kind::U64,
        ScalarType::S64 => Kind::S64,
        F32 if ftz => Kind::F32Ftz,
        F32 => Kind::F32,
        F64 => Kind::F64,
        F16 | F16x2 if ftz => Kind::F16Ftz,
        F16 | F16x2 => Kind::F16,
        Bf16 | Bf16x2 => Kind::Bf16,
        _ => return d.unknown(),
    };
    if ftz && !matches!(kind, Kind::F32Ftz | Kind::F16Ftz) {
        return d.error(format!("`.ftz` is for `.f32` and `.f16`, not for `.{ty}`"));
    }
    if matches!(ty, Bf16 | Bf16x2) && d.arch < 90 {
        return d.error("comparisons of bf16 need the target sm_90 or a later one");
    }
    let float = matches!(ty, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F64);
    let relation = if float { float_relation(name) } else { integer_relation(name, ty) };
    let Some((relation, invert)) = relation else {
        return d.error(format!("`.{name}` does not compare `.{ty}`"));
    };
    Ok((Header { kind, ty, relation, invert, join }, to))
}

struct Header {
    kind: Kind,
    ty: ScalarType,
    relation: Relation,
    invert: bool,
    join: Join,
}

/// Reads the operands `a`, `b` and, when there is something to join with, `c`.
fn compare(d: &mut Decoder<'_>, h: &Header) -> Result<Compare> {
    let count = if h.join == Join::None { 3 } else { 4 };
    d.operands(count..=count)?;
    let (a, b) = if bits(h.ty) == 64 {
        (read64(d, 1, h.ty)?.0, read64(d, 2, h.ty)?.0)
    } else {
        (read32(d, 1, h.ty)?.0, read32(d, 2, h.ty)?.0)
    };
    let (c, negated) = if h.join == Join::None { (d.const_p(true), false) } else { d.src_p(3)? };
    let join = match (h.join, negated) {
        (Join::And, true) => Join::AndNot,
        (Join::Or, true) => Join::OrNot,
        (Join::Xor, true) => Join::XorNot,
        (join, _) => join,
    };
    Ok(Compare { kind: h.kind, relation: h.relation, invert: h.invert, join, a, b, c })
}

fn is_packed(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2)
}

fn decode_setp(d: &mut Decoder<'_>) -> Result<Op> {
    let mods = d.modifiers();
    let (h, _) = header(d, &mods, false)?;
    let compare = compare(d, &h)?;
    let (p, q) = match d.arg(0)? {
        Arg::Pair(p, q) => ((**p).clone(), (**q).clone()),
        other => (other.clone(), Arg::Sink),
    };
    let predicate = |arg: &Arg| match d.dst_of(arg, d.span(0))? {
        Dst::P(slot) => Ok(Some(slot)),
        Dst::None => Ok(None),
        _ => d.error_at(0, "a predicate is wanted to write to"),
    };
    let to = [predicate(&p)?, predicate(&q)?];
    Ok(if is_packed(h.ty) { Op::SetpPacked(compare, to) } else { Op::Setp(compare, to) })
}

fn decode_set(d: &mut Decoder<'_>) -> Result<Op> {
    use ScalarType::*;
    let mods = d.modifiers();
    let (h, to) = header(d, &mods, true)?;
    let Some(to) = to.and_then(scalar_type) else { return d.unknown() };
    let compare = compare(d, &h)?;
    let slot = write32(d, 0, to)?;
    // What true is (ISA 9.7.6.1, 9.7.7.1): all ones for integers, 1.0 for floats.
    if is_packed(h.ty) {
        let one = match (to, h.ty) {
            (U32 | S32, _) => 0xffff,
            (F16x2, F16x2) => 0x3c00,
            (Bf16x2, Bf16x2) => 0x3f80,
            _ => return d.unknown(),
        };
        return Ok(Op::SetPacked(compare, slot, one));
    }
    let half = matches!(h.ty, F16 | Bf16);
    let yes = match to {
        U32 | S32 => u32::MAX,
        U16 | S16 if half => 0xffff,
        F32 if !half => 0x3f80_0000,
        F16 if h.ty != Bf16 => 0x3c00,
        Bf16 if h.ty != F16 => 0x3f80,
        _ => return d.unknown(),
    };
    Ok(Op::Set(compare, slot, yes))
}

/// A type that `selp` and `slct` take.
fn selectable(d: &Decoder<'_>, name: &str) -> Result<ScalarType> {
    use ScalarType::*;
    match scalar_type(name) {
        Some(ty @ (B16 | B32 | B64 | U16 | U32 | U64 | S16 | S32 | S64 | F32 | F64)) => Ok(ty),
        _ => d.unknown(),
    }
}

fn decode_selp(d: &mut Decoder<'_>) -> Result<Op> {
    d.operands(4..=4)?;
    let mods = d.modifiers();
    let [ty] = &mods[..] else { return d.unknown() };
    let ty = selectable(d, ty)?;
    Ok(if bits(ty) == 64 {
        Op::Select64([write64(d, 0, ty)?, read64(d, 1, ty)?, read64(d, 2, ty)?], read_p(d, 3)?)
    } else {
        Op::Select32([write32(d, 0, ty)?, read32(d, 1, ty)?, read32(d, 2, ty)?], read_p(d, 3)?)
    })
}

fn decode_slct(d: &mut Decoder<'_>) -> Result<Op> {
    d.operands(4..=4)?;
    let mods = d.modifiers();
    let (ty, by) = match &mods[..] {
        [ty, "s32"] => (selectable(d, ty)?, ScalarType::S32),
        [ty, "f32"] => (selectable(d, ty)?, ScalarType::F32),
        ["ftz", ty, "f32"] => (selectable(d, ty)?, ScalarType::F32),
        _ => return d.unknown(),
    };
    let ftz = mods.first() == Some(&"ftz");
    let c = read32(d, 3, by)?;
    let by = match (by, ftz) {
        (ScalarType::S32, _) => By::S32,
        (_, false) => By::F32,
        (_, true) => By::F32Ftz,
    };
    Ok(if bits(ty) == 64 {
        Op::Slct64([write64(d, 0, ty)?, read64(d, 1, ty)?, read64(d, 2, ty)?], c, by)
    } else {
        Op::Slct32([write32(d, 0, ty)?, read32(d, 1, ty)?, read32(d, 2, ty)?], c, by)
    })
}

/// The lanes in which a relation of two numbers holds; of floats: which is false for NaN.
#[inline(always)]
fn ordered<T: Copy, V: PartialOrd>(
    relation: Relation,
    a: &[T; 32],
    b: &[T; 32],
    value: impl Fn(T) -> V,
) -> u32 {
    match relation {
        Relation::Eq => mask2(a, b, |a, b| value(a) == value(b)),
        Relation::Ne => mask2(a, b, |a, b| value(a) < value(b) || value(a) > value(b)),
        Relation::Lt => mask2(a, b, |a, b| value(a) < value(b)),
        Relation::Gt => mask2(a, b, |a, b| value(a) > value(b)),
        Relation::Le => mask2(a, b, |a, b| value(a) <= value(b)),
        Relation::Ge => mask2(a, b, |a, b| value(a) >= value(b)),
        Relation::Num => mask2(a, b, |a, b| value(a).partial_cmp(&value(b)).is_some()),
    }
}

/// An f32 with subnormal numbers made zero (`.ftz`).
#[inline(always)]
fn flushed(bits: u32) -> f32 {
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// An f16 with subnormal numbers made zero.
#[inline(always)]
fn flushed_half(bits: u16) -> f32 {
    half_to_f32(Float::F16, if bits & 0x7c00 == 0 { bits & 0x8000 } else { bits })
}

impl Compare {
    /// The lanes in which the comparison holds, not yet joined. `high`: of the upper halves of packed numbers.
    #[inline]
    fn holds(&self, x: &Exec<'_>, high: bool) -> u32 {
        let relation = self.relation;
        let (a32, b32) = (S32(self.a), S32(self.b));
        let (a64, b64) = (S64(self.a), S64(self.b));
        let r = &*x.regs;
        let half = |v: u32| if high { (v >> 16) as u16 } else { v as u16 };
        let mask = match self.kind {
            Kind::U32 => ordered(relation, r.r32(a32), r.r32(b32), |v| v),
            Kind::S32 => ordered(relation, r.r32(a32), r.r32(b32), |v| v as i32),
            Kind::S16 => ordered(relation, r.r32(a32), r.r32(b32), |v| v as u16 as i16),
            Kind::U64 => ordered(relation, r.r64(a64), r.r64(b64), |v| v),
            Kind::S64 => ordered(relation, r.r64(a64), r.r64(b64), |v| v as i64),
            Kind::F32 => ordered(relation, r.r32(a32), r.r32(b32), f32::from_bits),
            Kind::F32Ftz => ordered(relation, r.r32(a32), r.r32(b32), flushed),
            Kind::F64 => ordered(relation, r.r64(a64), r.r64(b64), f64::from_bits),
            Kind::F16 => ordered(relation, r.r32(a32), r.r32(b32), |v| half_to_f32(Float::F16, half(v))),
            Kind::F16Ftz => ordered(relation, r.r32(a32), r.r32(b32), |v| flushed_half(half(v))),
            Kind::Bf16 => ordered(relation, r.r32(a32), r.r32(b32), |v| half_to_f32(Float::Bf16, half(v))),
        };
        if self.invert { !mask } else { mask }
    }

    /// A result joined with `c`.
    #[inline]
    fn joined(&self, x: &Exec<'_>, mask: u32) -> u32 {
        match self.join {
            Join::None => mask,
            Join::And => mask & x.regs.p(self.c),
            Join::Or => mask | x.regs.p(self.c),
            Join::Xor => mask ^ x.regs.p(self.c),
            Join::AndNot => mask & !x.regs.p(self.c),
            Join::OrNot => mask | !x.regs.p(self.c),
            Join::XorNot => mask ^ !x.regs.p(self.c),
        }
    }
}

/// The lanes in which `slct` takes its first number: the deciding one is 0 or more.
#[inline(always)]
fn takes_first(x: &Exec<'_>, c: S32, by: By) -> u32 {
    let c = x.regs.r32(c);
    match by {
        By::S32 => mask2(c, c, |c, _| c as i32 >= 0),
        By::F32 => mask2(c, c, |c, _| f32::from_bits(c) >= 0.0),
        By::F32Ftz => mask2(c, c, |c, _| flushed(c) >= 0.0),
    }
}

impl Op {
    #[inline]
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> std::result::Result<Flow, Stop> {
        match *self {
            Op::Setp(ref compare, [p, q]) => {
                let mask = compare.holds(x, false);
                // Both are worked out before either is written: `c` may be one of them.
                let (first, second) = (compare.joined(x, mask), compare.joined(x, !mask));
                write(x, [p, q], [first, second]);
            }
            Op::SetpPacked(ref compare, to) => {
                let (low, high) = (compare.holds(x, false), compare.holds(x, true));
                let results = [compare.joined(x, low), compare.joined(x, high)];
                write(x, to, results);
            }
            Op::Set(ref compare, d, yes) => {
                let mask = compare.holds(x, false);
                let value = select(compare.joined(x, mask), &[yes; 32], &[0; 32]);
                x.regs.set32(d, x.lanes, &value);
            }
            Op::SetPacked(ref compare, d, yes) => {
                let (low, high) = (compare.holds(x, false), compare.holds(x, true));
                let low = select(compare.joined(x, low), &[yes; 32], &[0; 32]);
                let high = select(compare.joined(x, high), &[yes << 16; 32], &[0; 32]);
                let value = crate::isa::map::map2(&low, &high, |l, h| l | h);
                x.regs.set32(d, x.lanes, &value);
            }
            Op::Select32([d, a, b], p) => {
                let value = select(x.regs.p(p), x.regs.r32(a), x.regs.r32(b));
                x.regs.set32(d, x.lanes, &value);
            }
            Op::Select64([d, a, b], p) => {
                let value = select(x.regs.p(p), x.regs.r64(a), x.regs.r64(b));
                x.regs.set64(d, x.lanes, &value);
            }
            Op::Slct32([d, a, b], c, by) => {
                let value = select(takes_first(x, c, by), x.regs.r32(a), x.regs.r32(b));
                x.regs.set32(d, x.lanes, &value);
            }
            Op::Slct64([d, a, b], c, by) => {
                let value = select(takes_first(x, c, by), x.regs.r64(a), x.regs.r64(b));
                x.regs.set64(d, x.lanes, &value);
            }
        }
        Ok(Flow::Next)
    }
}

#[inline(always)]
fn write(x: &mut Exec<'_>, to: [Option<SP>; 2], masks: [u32; 2]) {
    for (to, mask) in to.into_iter().zip(masks) {
        if let Some(p) = to {
            x.regs.set_p(p, x.lanes, mask);
        }
    }
}

#[cfg(test)]
mod tests;
