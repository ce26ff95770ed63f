//! Integer arithmetic (ISA 9.7.1) and extended-precision integer arithmetic with the carry flag (ISA 9.7.2).
//!
//! What the ISA leaves open is as the hardware has it: a division or a remainder by zero gives all ones, the lowest
//! number divided by -1 is itself, and so is its absolute value.

use crate::ast::ScalarType;
use crate::decode::Decoder;
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::isa::map::{BIT, bin32, bin64, map2, map3, tri32, tri64, un32, un64};
use crate::isa::operand::{read32, read64, write32, write64};
use crate::isa::types::{bits, is_integer, is_signed, scalar_type};
use crate::regs::{S32, S64};
use tidegate_machine::hardware::Stop;

type Done = Result<Flow, Stop>;

/// An instruction of this family: destination first. The number in a name is the width of the sources in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the types say it")]
pub enum Op {
    One16(One, [S32; 2]),
    One32(One, [S32; 2]),
    One64(One, [S64; 2]),
    Two16(Two, [S32; 3]),
    Two32(Two, [S32; 3]),
    Two64(Two, [S64; 3]),
    Three16(Three, [S32; 4]),
    Three32(Three, [S32; 4]),
    Three64(Three, [S64; 4]),
    /// `.u16x2`, `.s16x2`: two halves of a register.
    Packed(Two, [S32; 3]),
    /// `mul.wide`, signed or not.
    MulWide16(bool, [S32; 3]),
    MulWide32(bool, S64, [S32; 2]),
    /// `mad.wide`, signed or not; of 32 bits: the destination and `c`, then the factors.
    MadWide16(bool, [S32; 4]),
    MadWide32(bool, [S64; 2], [S32; 2]),
    /// `add.sat.s32` and `sub.sat.s32`
    AddSat([S32; 3]),
    SubSat([S32; 3]),
    /// `mad.hi.sat.s32`
    MadHiSat([S32; 4]),
    Mul24(Half24, [S32; 3]),
    Mad24(Half24, [S32; 4]),
    /// `mad24.hi.sat.s32`
    Mad24HiSat([S32; 4]),
    Carry32(Carry, [S32; 4]),
    Carry64(Carry, [S64; 4]),
}

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its instruction")]
pub enum One {
    Abs,
    Neg,
}

/// A function of two numbers; `S` and `U`: signed and unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its instruction")]
pub enum Two {
    Add,
    Sub,
    MulLo,
    MulHiS,
    MulHiU,
    DivS,
    DivU,
    RemS,
    RemU,
    MinS,
    MinU,
    MaxS,
    MaxU,
    MinRelu,
    MaxRelu,
}

/// A function of three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its instruction")]
pub enum Three {
    MadLo,
    MadHiS,
    MadHiU,
    SadS,
    SadU,
}

/// Which half of a product of 24-bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "low or high, signed or not")]
pub enum Half24 {
    LoS,
    LoU,
    HiS,
    HiU,
}

/// An operation with the carry flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carry {
    what: CarryOp,
    /// The flag is added (or, as a borrow, subtracted): `addc`, `subc`, `madc`.
    carry_in: bool,
    /// `.cc`: the flag is written.
    carry_out: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CarryOp {
    Add,
    Sub,
    MadLo,
    MadHiS,
    MadHiU,
}

/// Whether an instruction's last type is an integer: `add`, `max`, ... exist for floats, too.
pub(super) fn takes(opcode: &[String]) -> bool {
    opcode
        .last()
        .is_some_and(|m| matches!(m.as_str(), "u16x2" | "s16x2") || scalar_type(m).is_some_and(is_integer))
}

/// An integer type of 16, 32 or 64 bits.
fn integer(d: &Decoder<'_>, name: &str) -> Result<ScalarType, ParseError> {
    match scalar_type(name) {
        Some(ty) if is_integer(ty) && bits(ty) >= 16 => Ok(ty),
        _ => d.unknown(),
    }
}

/// An integer type of 32 or 64 bits: the carry flag is that of these.
fn carried(d: &Decoder<'_>, name: &str) -> Result<ScalarType, ParseError> {
    match integer(d, name)? {
        ty if bits(ty) >= 32 => Ok(ty),
        _ => d.unknown(),
    }
}

fn all32<const N: usize>(d: &mut Decoder<'_>, ty: ScalarType) -> Result<[S32; N], ParseError> {
    d.operands(N..=N)?;
    let mut out = [S32(0); N];
    for (index, slot) in out.iter_mut().enumerate() {
        *slot = if index == 0 { write32(d, 0, ty)? } else { read32(d, index, ty)? };
    }
    Ok(out)
}

fn all64<const N: usize>(d: &mut Decoder<'_>, ty: ScalarType) -> Result<[S64; N], ParseError> {
    d.operands(N..=N)?;
    let mut out = [S64(0); N];
    for (index, slot) in out.iter_mut().enumerate() {
        *slot = if index == 0 { write64(d, 0, ty)? } else { read64(d, index, ty)? };
    }
    Ok(out)
}

fn one(d: &mut Decoder<'_>, op: One, ty: ScalarType) -> Result<Op, ParseError> {
    Ok(match bits(ty) {
        16 => Op::One16(op, all32(d, ty)?),
        32 => Op::One32(op, all32(d, ty)?),
        _ => Op::One64(op, all64(d, ty)?),
    })
}

fn two(d: &mut Decoder<'_>, op: Two, ty: ScalarType) -> Result<Op, ParseError> {
    Ok(match bits(ty) {
        16 => Op::Two16(op, all32(d, ty)?),
        32 => Op::Two32(op, all32(d, ty)?),
        _ => Op::Two64(op, all64(d, ty)?),
    })
}

fn three(d: &mut Decoder<'_>, op: Three, ty: ScalarType) -> Result<Op, ParseError> {
    Ok(match bits(ty) {
        16 => Op::Three16(op, all32(d, ty)?),
        32 => Op::Three32(op, all32(d, ty)?),
        _ => Op::Three64(op, all64(d, ty)?),
    })
}

fn packed(d: &mut Decoder<'_>, op: Two) -> Result<Op, ParseError> {
    needs_sm90(d)?;
    // A register of two packed integers is a `.b32` or `.u32` one (ISA 5.2.3).
    Ok(Op::Packed(op, all32(d, ScalarType::B32)?))
}

fn needs_sm90(d: &Decoder<'_>) -> Result<(), ParseError> {
    if d.arch >= 90 {
        return Ok(());
    }
    d.error(format!("`{}` needs the target sm_90 or a later one", d.opcode().join(".")))
}

fn carry(
    d: &mut Decoder<'_>,
    what: CarryOp,
    ty: ScalarType,
    carry_in: bool,
    carry_out: bool,
) -> Result<Op, ParseError> {
    let carry = Carry { what, carry_in, carry_out };
    let product = !matches!(what, CarryOp::Add | CarryOp::Sub);
    Ok(match (bits(ty), product) {
        (32, true) => Op::Carry32(carry, all32(d, ty)?),
        (32, false) => {
            let [to, a, b] = all32(d, ty)?;
            Op::Carry32(carry, [to, a, b, b])
        }
        (_, true) => Op::Carry64(carry, all64(d, ty)?),
        (_, false) => {
            let [to, a, b] = all64(d, ty)?;
            Op::Carry64(carry, [to, a, b, b])
        }
    })
}

fn high_or_low(d: &Decoder<'_>, half: &str, ty: ScalarType) -> Result<CarryOp, ParseError> {
    match half {
        "lo" => Ok(CarryOp::MadLo),
        "hi" if is_signed(ty) => Ok(CarryOp::MadHiS),
        "hi" => Ok(CarryOp::MadHiU),
        _ => d.unknown(),
    }
}

fn half24(d: &Decoder<'_>, half: &str, ty: &str) -> Result<Half24, ParseError> {
    match (half, ty) {
        ("lo", "s32") => Ok(Half24::LoS),
        ("lo", "u32") => Ok(Half24::LoU),
        ("hi", "s32") => Ok(Half24::HiS),
        ("hi", "u32") => Ok(Half24::HiU),
        _ => d.unknown(),
    }
}

/// The type of a product twice as wide.
fn doubled(d: &Decoder<'_>, ty: ScalarType) -> Result<ScalarType, ParseError> {
    match ty {
        ScalarType::S16 => Ok(ScalarType::S32),
        ScalarType::U16 => Ok(ScalarType::U32),
        ScalarType::S32 => Ok(ScalarType::S64),
        ScalarType::U32 => Ok(ScalarType::U64),
        _ => d.unknown(),
    }
}

fn mul_wide(d: &mut Decoder<'_>, ty: ScalarType) -> Result<Op, ParseError> {
    d.operands(3..=3)?;
    let wide = doubled(d, ty)?;
    let factors = [read32(d, 1, ty)?, read32(d, 2, ty)?];
    Ok(if bits(ty) == 16 {
        Op::MulWide16(is_signed(ty), [write32(d, 0, wide)?, factors[0], factors[1]])
    } else {
        Op::MulWide32(is_signed(ty), write64(d, 0, wide)?, factors)
    })
}

fn mad_wide(d: &mut Decoder<'_>, ty: ScalarType) -> Result<Op, ParseError> {
    d.operands(4..=4)?;
    let wide = doubled(d, ty)?;
    let factors = [read32(d, 1, ty)?, read32(d, 2, ty)?];
    Ok(if bits(ty) == 16 {
        let (to, c) = (write32(d, 0, wide)?, read32(d, 3, wide)?);
        Op::MadWide16(is_signed(ty), [to, factors[0], factors[1], c])
    } else {
        Op::MadWide32(is_signed(ty), [write64(d, 0, wide)?, read64(d, 3, wide)?], factors)
    })
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    use ScalarType::S32 as I32;
    let opcode = d.opcode()[0].clone();
    let mods = d.modifiers();
    let sign = |ty, s, u| if is_signed(ty) { s } else { u };
    match (opcode.as_str(), &mods[..]) {
        ("add", ["sat", "s32"]) => Ok(Op::AddSat(all32(d, I32)?)),
        ("sub", ["sat", "s32"]) => Ok(Op::SubSat(all32(d, I32)?)),
        ("add", ["u16x2" | "s16x2"]) => packed(d, Two::Add),
        ("add", ["cc", ty]) => carry(d, CarryOp::Add, carried(d, ty)?, false, true),
        ("addc", ["cc", ty]) => carry(d, CarryOp::Add, carried(d, ty)?, true, true),
        ("addc", [ty]) => carry(d, CarryOp::Add, carried(d, ty)?, true, false),
        ("sub", ["cc", ty]) => carry(d, CarryOp::Sub, carried(d, ty)?, false, true),
        ("subc", ["cc", ty]) => carry(d, CarryOp::Sub, carried(d, ty)?, true, true),
        ("subc", [ty]) => carry(d, CarryOp::Sub, carried(d, ty)?, true, false),
        ("add", [ty]) => two(d, Two::Add, integer(d, ty)?),
        ("sub", [ty]) => two(d, Two::Sub, integer(d, ty)?),
        ("mul", ["wide", ty]) => mul_wide(d, integer(d, ty)?),
        ("mul", ["lo", ty]) => two(d, Two::MulLo, integer(d, ty)?),
        ("mul", ["hi", ty]) => {
            let ty = integer(d, ty)?;
            two(d, sign(ty, Two::MulHiS, Two::MulHiU), ty)
        }
        ("mul" | "mad", [_]) => d.error(format!(
            "`{}` of integers needs `.lo`, `.hi` or `.wide`: which half of the product",
            d.opcode().join(".")
        )),
        ("mad", ["wide", ty]) => mad_wide(d, integer(d, ty)?),
        ("mad", ["lo", ty]) => three(d, Three::MadLo, integer(d, ty)?),
        ("mad", ["hi", ty]) => {
            let ty = integer(d, ty)?;
            three(d, if is_signed(ty) { Three::MadHiS } else { Three::MadHiU }, ty)
        }
        ("mad", ["hi", "sat", "s32"]) => Ok(Op::MadHiSat(all32(d, I32)?)),
        ("mad", [half, "cc", ty]) => {
            let ty = carried(d, ty)?;
            carry(d, high_or_low(d, half, ty)?, ty, false, true)
        }
        ("madc", [half, "cc", ty]) => {
            let ty = carried(d, ty)?;
            carry(d, high_or_low(d, half, ty)?, ty, true, true)
        }
        ("madc", [half, ty]) => {
            let ty = carried(d, ty)?;
            carry(d, high_or_low(d, half, ty)?, ty, true, false)
        }
        ("mul24", [half, ty]) => {
            let half = half24(d, half, ty)?;
            Ok(Op::Mul24(half, all32(d, integer(d, ty)?)?))
        }
        ("mad24", ["hi", "sat", "s32"]) => Ok(Op::Mad24HiSat(all32(d, I32)?)),
        ("mad24", [half, ty]) => {
            let half = half24(d, half, ty)?;
            Ok(Op::Mad24(half, all32(d, integer(d, ty)?)?))
        }
        ("div", [ty]) => {
            let ty = integer(d, ty)?;
            two(d, sign(ty, Two::DivS, Two::DivU), ty)
        }
        ("rem", [ty]) => {
            let ty = integer(d, ty)?;
            two(d, sign(ty, Two::RemS, Two::RemU), ty)
        }
        ("abs", [ty @ ("s16" | "s32" | "s64")]) => one(d, One::Abs, integer(d, ty)?),
        ("neg", [ty @ ("s16" | "s32" | "s64")]) => one(d, One::Neg, integer(d, ty)?),
        ("min", ["relu", "s32"]) => needs_sm90(d).and_then(|()| two(d, Two::MinRelu, I32)),
        ("max", ["relu", "s32"]) => needs_sm90(d).and_then(|()| two(d, Two::MaxRelu, I32)),
        ("min", ["relu", "s16x2"]) => packed(d, Two::MinRelu),
        ("max", ["relu", "s16x2"]) => packed(d, Two::MaxRelu),
        ("min", ["s16x2"]) => packed(d, Two::MinS),
        ("min", ["u16x2"]) => packed(d, Two::MinU),
        ("max", ["s16x2"]) => packed(d, Two::MaxS),
        ("max", ["u16x2"]) => packed(d, Two::MaxU),
        ("min", [ty]) => {
            let ty = integer(d, ty)?;
            two(d, sign(ty, Two::MinS, Two::MinU), ty)
        }
        ("max", [ty]) => {
            let ty = integer(d, ty)?;
            two(d, sign(ty, Two::MaxS, Two::MaxU), ty)
        }
        ("sad", [ty]) => {
            let ty = integer(d, ty)?;
            three(d, if is_signed(ty) { Three::SadS } else { Three::SadU }, ty)
        }
        _ => d.unknown(),
    }
}

#[inline(always)]
fn un16(x: &mut Exec<'_>, slots: [S32; 2], f: impl Fn(u16) -> u16) -> Done {
    un32(x, slots, |a| u32::from(f(a as u16)))
}

#[inline(always)]
fn bin16(x: &mut Exec<'_>, slots: [S32; 3], f: impl Fn(u16, u16) -> u16) -> Done {
    bin32(x, slots, |a, b| u32::from(f(a as u16, b as u16)))
}

#[inline(always)]
fn tri16(x: &mut Exec<'_>, slots: [S32; 4], f: impl Fn(u16, u16, u16) -> u16) -> Done {
    tri32(x, slots, |a, b, c| u32::from(f(a as u16, b as u16, c as u16)))
}

/// Two halves.
#[inline(always)]
fn halves(x: &mut Exec<'_>, slots: [S32; 3], f: impl Fn(u16, u16) -> u16) -> Done {
    bin32(x, slots, |a, b| {
        u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
    })
}

/// The functions of one width: how a function is applied, the types of that width and of twice that width.
macro_rules! width {
    ($one:ident $two:ident $three:ident, $un:ident $bin:ident $tri:ident, $slot:ty, $u:ty, $s:ty, $uu:ty, $ss:ty) => {
        fn $one(x: &mut Exec<'_>, op: One, r: [$slot; 2]) -> Done {
            match op {
                One::Abs => $un(x, r, |a: $u| (a as $s).wrapping_abs() as $u),
                One::Neg => $un(x, r, <$u>::wrapping_neg),
            }
        }

        fn $two(x: &mut Exec<'_>, op: Two, r: [$slot; 3]) -> Done {
            type U = $u;
            type S = $s;
            match op {
                Two::Add => $bin(x, r, U::wrapping_add),
                Two::Sub => $bin(x, r, U::wrapping_sub),
                Two::MulLo => $bin(x, r, U::wrapping_mul),
                Two::MulHiS => $bin(x, r, |a, b| (<$ss>::from(a as S) * <$ss>::from(b as S) >> U::BITS) as U),
                Two::MulHiU => $bin(x, r, |a, b| (<$uu>::from(a) * <$uu>::from(b) >> U::BITS) as U),
                Two::DivS => {
                    $bin(x, r, |a, b| if b == 0 { U::MAX } else { (a as S).wrapping_div(b as S) as U })
                }
                Two::DivU => $bin(x, r, |a, b| a.checked_div(b).unwrap_or(U::MAX)),
                Two::RemS => {
                    $bin(x, r, |a, b| if b == 0 { U::MAX } else { (a as S).wrapping_rem(b as S) as U })
                }
                Two::RemU => $bin(x, r, |a, b| a.checked_rem(b).unwrap_or(U::MAX)),
                Two::MinS => $bin(x, r, |a, b| (a as S).min(b as S) as U),
                Two::MinU => $bin(x, r, |a, b| a.min(b)),
                Two::MaxS => $bin(x, r, |a, b| (a as S).max(b as S) as U),
                Two::MaxU => $bin(x, r, |a, b| a.max(b)),
                Two::MinRelu => $bin(x, r, |a, b| (a as S).min(b as S).max(0) as U),
                Two::MaxRelu => $bin(x, r, |a, b| (a as S).max(b as S).max(0) as U),
            }
        }

        fn $three(x: &mut Exec<'_>, op: Three, r: [$slot; 4]) -> Done {
            type U = $u;
            type S = $s;
            match op {
                Three::MadLo => $tri(x, r, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
                Three::MadHiS => $tri(x, r, |a, b, c| {
                    ((<$ss>::from(a as S) * <$ss>::from(b as S) >> U::BITS) as U).wrapping_add(c)
                }),
                Three::MadHiU => {
                    $tri(x, r, |a, b, c| ((<$uu>::from(a) * <$uu>::from(b) >> U::BITS) as U).wrapping_add(c))
                }
                Three::SadS => $tri(x, r, |a, b, c| c.wrapping_add((a as S).abs_diff(b as S))),
                Three::SadU => $tri(x, r, |a, b, c| c.wrapping_add(a.abs_diff(b))),
            }
        }
    };
}

width!(one16 two16 three16, un16 bin16 tri16, S32, u16, i16, u32, i32);
width!(one32 two32 three32, un32 bin32 tri32, S32, u32, i32, u64, i64);
width!(one64 two64 three64, un64 bin64 tri64, S64, u64, i64, u128, i128);

/// `.u16x2` and `.s16x2` (ISA 9.7.1: `add`, `min`, `max`).
fn packed2(x: &mut Exec<'_>, op: Two, r: [S32; 3]) -> Done {
    match op {
        Two::MinS => halves(x, r, |a, b| (a as i16).min(b as i16) as u16),
        Two::MinU => halves(x, r, |a, b| a.min(b)),
        Two::MaxS => halves(x, r, |a, b| (a as i16).max(b as i16) as u16),
        Two::MaxU => halves(x, r, |a, b| a.max(b)),
        Two::MinRelu => halves(x, r, |a, b| (a as i16).min(b as i16).max(0) as u16),
        Two::MaxRelu => halves(x, r, |a, b| (a as i16).max(b as i16).max(0) as u16),
        // The decoder makes nothing else.
        _ => halves(x, r, u16::wrapping_add),
    }
}

/// The 48 bits of a product of the low 24 bits of two numbers.
#[inline(always)]
fn product24(half: Half24, a: u32, b: u32) -> u32 {
    let signed = |v: u32| i64::from((v << 8) as i32 >> 8);
    let unsigned = |v: u32| i64::from(v & 0xff_ffff);
    match half {
        Half24::LoS => (signed(a) * signed(b)) as u32,
        Half24::LoU => (unsigned(a) * unsigned(b)) as u32,
        Half24::HiS => ((signed(a) * signed(b)) >> 16) as u32,
        Half24::HiU => ((unsigned(a) * unsigned(b)) >> 16) as u32,
    }
}

/// Operations with the carry flag: each lane has its own.
macro_rules! carried {
    ($name:ident, $slot:ty, $get:ident, $set:ident, $u:ty, $s:ty, $uu:ty, $ss:ty) => {
        fn $name(x: &mut Exec<'_>, op: Carry, [d, a, b, c]: [$slot; 4]) -> Done {
            let flags = if op.carry_in { x.state.carry } else { 0 };
            let (a, b, c) = (x.regs.$get(a), x.regs.$get(b), x.regs.$get(c));
            // What is added (for a subtraction: subtracted) to what.
            let (left, right): ([$u; 32], [$u; 32]) = match op.what {
                CarryOp::Add | CarryOp::Sub => (*a, *b),
                CarryOp::MadLo => (map2(a, b, <$u>::wrapping_mul), *c),
                CarryOp::MadHiS => {
                    let high =
                        |a: $u, b: $u| (<$ss>::from(a as $s) * <$ss>::from(b as $s) >> <$u>::BITS) as $u;
                    (map2(a, b, high), *c)
                }
                CarryOp::MadHiU => {
                    (map2(a, b, |a, b| (<$uu>::from(a) * <$uu>::from(b) >> <$u>::BITS) as $u), *c)
                }
            };
            let flag = |bit: u32| <$u>::from(flags & bit != 0);
            let (out, carries): ([$u; 32], [bool; 32]) = if op.what == CarryOp::Sub {
                let wide = |a, b, bit| <$uu>::from(b) + <$uu>::from(flag(bit)) > <$uu>::from(a);
                (
                    map3(&left, &right, &BIT, |a, b, bit| a.wrapping_sub(b).wrapping_sub(flag(bit))),
                    map3(&left, &right, &BIT, wide),
                )
            } else {
                let wide = |a: $u, b: $u, bit| {
                    <$uu>::from(a) + <$uu>::from(b) + <$uu>::from(flag(bit)) > <$uu>::from(<$u>::MAX)
                };
                (
                    map3(&left, &right, &BIT, |a, b, bit| a.wrapping_add(b).wrapping_add(flag(bit))),
                    map3(&left, &right, &BIT, wide),
                )
            };
            if op.carry_out {
                let set = carries.iter().zip(&BIT).fold(0, |m, (&c, &bit)| if c { m | bit } else { m });
                x.state.carry = x.state.carry & !x.lanes | set & x.lanes;
            }
            x.regs.$set(d, x.lanes, &out);
            Ok(Flow::Next)
        }
    };
}

carried!(carry32, S32, r32, set32, u32, i32, u64, i64);
carried!(carry64, S64, r64, set64, u64, i64, u128, i128);

impl Op {
    #[inline]
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Done {
        match *self {
            Op::One16(op, r) => one16(x, op, r),
            Op::One32(op, r) => one32(x, op, r),
            Op::One64(op, r) => one64(x, op, r),
            Op::Two16(op, r) => two16(x, op, r),
            Op::Two32(op, r) => two32(x, op, r),
            Op::Two64(op, r) => two64(x, op, r),
            Op::Three16(op, r) => three16(x, op, r),
            Op::Three32(op, r) => three32(x, op, r),
            Op::Three64(op, r) => three64(x, op, r),
            Op::Packed(op, r) => packed2(x, op, r),
            Op::MulWide16(true, r) => bin32(x, r, |a, b| (i32::from(a as i16) * i32::from(b as i16)) as u32),
            Op::MulWide16(false, r) => bin32(x, r, |a, b| (a & 0xffff) * (b & 0xffff)),
            Op::MulWide32(true, d, [a, b]) => {
                let f = |a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64;
                let out = map2(x.regs.r32(a), x.regs.r32(b), f);
                x.regs.set64(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::MulWide32(false, d, [a, b]) => {
                let out = map2(x.regs.r32(a), x.regs.r32(b), |a, b| u64::from(a) * u64::from(b));
                x.regs.set64(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::MadWide16(true, r) => {
                tri32(x, r, |a, b, c| ((i32::from(a as i16) * i32::from(b as i16)) as u32).wrapping_add(c))
            }
            Op::MadWide16(false, r) => tri32(x, r, |a, b, c| ((a & 0xffff) * (b & 0xffff)).wrapping_add(c)),
            Op::MadWide32(true, [d, c], [a, b]) => {
                let f = |a, b, c| ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c);
                let out = map3(x.regs.r32(a), x.regs.r32(b), x.regs.r64(c), f);
                x.regs.set64(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::MadWide32(false, [d, c], [a, b]) => {
                let f = |a, b, c| (u64::from(a) * u64::from(b)).wrapping_add(c);
                let out = map3(x.regs.r32(a), x.regs.r32(b), x.regs.r64(c), f);
                x.regs.set64(d, x.lanes, &out);
                Ok(Flow::Next)
            }
            Op::AddSat(r) => bin32(x, r, |a, b| (a as i32).saturating_add(b as i32) as u32),
            Op::SubSat(r) => bin32(x, r, |a, b| (a as i32).saturating_sub(b as i32) as u32),
            Op::MadHiSat(r) => tri32(x, r, |a, b, c| {
                let high = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as i32;
                high.saturating_add(c as i32) as u32
            }),
            Op::Mul24(half, r) => bin32(x, r, |a, b| product24(half, a, b)),
            Op::Mad24(half, r) => tri32(x, r, |a, b, c| product24(half, a, b).wrapping_add(c)),
            Op::Mad24HiSat(r) => {
                tri32(x, r, |a, b, c| (product24(Half24::HiS, a, b) as i32).saturating_add(c as i32) as u32)
            }
            Op::Carry32(op, r) => carry32(x, op, r),
            Op::Carry64(op, r) => carry64(x, op, r),
        }
    }
}

#[cfg(test)]
mod tests;
