//! Constants: reading and writing them, and arithmetic on them with the exact semantics of each type.
//!
//! An integer of width w is held as its two's-complement value, sign-extended; `index` has 64 bits. A float is held as
//! an `f64`, in which every value of the narrower formats is exact.

use tidegate_ir::attr::AttrKind;
use tidegate_ir::builder::OpBuilder;
use tidegate_ir::ops::{ArithOp, Opcode};
use tidegate_ir::types::{FloatKind, TypeKind};
use tidegate_ir::{Attr, Module, Type, Value};

/// A number known at compile time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum Number {
    /// An integer, sign-extended from its width.
    Int(i128),
    /// A float.
    Float(f64),
}

impl Number {
    pub(crate) fn int(self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(value),
            Self::Float(_) => None,
        }
    }
    pub(crate) fn float(self) -> Option<f64> {
        match self {
            Self::Int(_) => None,
            Self::Float(value) => Some(value),
        }
    }
}

/// The number that `value` is, or that all elements of the array `value` are.
pub(crate) fn constant(module: &Module, value: Value) -> Option<Number> {
    let op = module.defining_op(value)?;
    if module.opcode(op) != Opcode::Arith(ArithOp::Constant) {
        return None;
    }
    number_of(module, module.attr(op, "value")?)
}

/// The integer that `value` is.
pub(crate) fn int_constant(module: &Module, value: Value) -> Option<i128> {
    constant(module, value)?.int()
}

/// The integer that `value` is, as 64 bits.
pub(crate) fn i64_constant(module: &Module, value: Value) -> Option<i64> {
    int_constant(module, value).and_then(|value| i64::try_from(value).ok())
}

fn number_of(module: &Module, attr: Attr) -> Option<Number> {
    match module.attrs.kind(attr) {
        AttrKind::Bool(value) => Some(Number::Int(wrap(i128::from(*value), 1))),
        AttrKind::Int { value, ty } => Some(Number::Int(wrap(*value, module.types.bit_width(*ty)?))),
        AttrKind::Float { bits, .. } => Some(Number::Float(f64::from_bits(*bits))),
        AttrKind::Splat { value, .. } => number_of(module, *value),
        AttrKind::Unit
        | AttrKind::Str(_)
        | AttrKind::Type(_)
        | AttrKind::Array(_)
        | AttrKind::Dict(_)
        | AttrKind::Symbol(_)
        | AttrKind::Ints { .. }
        | AttrKind::Opaque(_) => None,
    }
}

/// The attribute of an `arith.constant` of type `ty` that is `number`; `None` when the two do not fit.
pub(crate) fn number_attr(module: &mut Module, number: Number, ty: Type) -> Option<Attr> {
    let elem = module.types.elem_of(ty);
    let scalar = match (number, module.types.kind(elem)) {
        // The reader makes `true` a Bool, so equal constants have equal attributes.
        (Number::Int(value), TypeKind::Integer { width: 1, .. }) => {
            module.attrs.intern(AttrKind::Bool(value & 1 != 0))
        }
        (Number::Int(value), TypeKind::Integer { width, .. }) => {
            let value = wrap(value, *width);
            module.attrs.int(value, elem)
        }
        (Number::Int(value), TypeKind::Index) => module.attrs.int(wrap(value, 64), elem),
        (Number::Float(value), TypeKind::Float(_)) => module.attrs.float(value, elem),
        _ => return None,
    };
    let array = matches!(module.types.kind(ty), TypeKind::Vector { .. });
    Some(if array { module.attrs.intern(AttrKind::Splat { value: scalar, ty }) } else { scalar })
}

/// The name that a constant gets in text.
pub(crate) fn constant_name(module: &Module, number: Number, ty: Type) -> String {
    match number {
        Number::Int(value) if module.types.kind(ty) == &TypeKind::Index => format!("c{value}"),
        Number::Int(value) if ty == module.types.i1() => {
            (if value & 1 != 0 { "true" } else { "false" }).to_owned()
        }
        Number::Int(value) => {
            let width = module.types.bit_width(ty);
            width.map_or_else(|| "cst".to_owned(), |width| format!("c{value}_i{width}"))
        }
        Number::Float(_) => "cst".to_owned(),
    }
}

/// Makes a constant at the builder's insertion point.
pub(crate) fn build_constant(builder: &mut OpBuilder<'_>, number: Number, ty: Type) -> Option<Value> {
    let attr = number_attr(builder.module, number, ty)?;
    let op = builder.arith_constant(attr, ty);
    let value = builder.module.result(op, 0);
    let name = constant_name(builder.module, number, ty);
    builder.module.set_value_name(value, &name);
    Some(value)
}

/// The low `width` bits of `value`, sign-extended.
pub(crate) fn wrap(value: i128, width: u32) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    value << unused >> unused
}

/// The low `width` bits of `value` as an unsigned number.
pub(crate) fn unsigned(value: i128, width: u32) -> u128 {
    let unused = 128 - width.clamp(1, 128);
    value.cast_unsigned() << unused >> unused
}

/// A binary integer op on constants; `None` where the result is undefined, or the op is no such op.
pub(crate) fn fold_int(op: ArithOp, a: i128, b: i128, width: u32) -> Option<i128> {
    if width > 64 {
        return None;
    }
    let (ua, ub) = (unsigned(a, width), unsigned(b, width));
    let min = wrap(1 << (width - 1), width);
    let signed_division = || (b != 0 && !(a == min && b == -1)).then_some(());
    let unsigned_division = || (ub != 0).then_some(());
    let shift = || (ub < u128::from(width)).then_some(u32::try_from(ub).unwrap_or(0));
    let result = match op {
        ArithOp::AddI => a + b,
        ArithOp::SubI => a - b,
        ArithOp::MulI => a.wrapping_mul(b),
        ArithOp::DivSI => signed_division().map(|()| a / b)?,
        ArithOp::DivUI => unsigned_division().map(|()| (ua / ub).cast_signed())?,
        ArithOp::CeilDivSI => {
            signed_division().map(|()| a / b + i128::from(a % b != 0 && (a < 0) == (b < 0)))?
        }
        ArithOp::CeilDivUI => unsigned_division().map(|()| ua.div_ceil(ub).cast_signed())?,
        ArithOp::FloorDivSI => {
            signed_division().map(|()| a / b - i128::from(a % b != 0 && (a < 0) != (b < 0)))?
        }
        ArithOp::RemSI => signed_division().map(|()| a % b)?,
        ArithOp::RemUI => unsigned_division().map(|()| (ua % ub).cast_signed())?,
        ArithOp::AndI => a & b,
        ArithOp::OrI => a | b,
        ArithOp::XOrI => a ^ b,
        ArithOp::ShLI => shift().map(|by| a << by)?,
        ArithOp::ShRSI => shift().map(|by| a >> by)?,
        ArithOp::ShRUI => shift().map(|by| (ua >> by).cast_signed())?,
        ArithOp::MaxSI => a.max(b),
        ArithOp::MinSI => a.min(b),
        ArithOp::MaxUI => ua.max(ub).cast_signed(),
        ArithOp::MinUI => ua.min(ub).cast_signed(),
        _ => return None,
    };
    Some(wrap(result, width))
}

/// An integer comparison; `predicate` counts as in MLIR.
pub(crate) fn fold_cmpi(predicate: i64, a: i128, b: i128, width: u32) -> Option<bool> {
    let (ua, ub) = (unsigned(a, width), unsigned(b, width));
    Some(match predicate {
        0 => a == b,
        1 => a != b,
        2 => a < b,
        3 => a <= b,
        4 => a > b,
        5 => a >= b,
        6 => ua < ub,
        7 => ua <= ub,
        8 => ua > ub,
        9 => ua >= ub,
        _ => return None,
    })
}

/// Whether a comparison of equal integers holds.
pub(crate) fn cmpi_holds_on_equal(predicate: i64) -> Option<bool> {
    fold_cmpi(predicate, 0, 0, 64)
}

/// The predicate that says the same of swapped operands.
pub(crate) fn swap_cmpi(predicate: i64) -> i64 {
    match predicate {
        2..=5 => [4, 5, 2, 3][usize::try_from(predicate - 2).unwrap_or(0)],
        6..=9 => [8, 9, 6, 7][usize::try_from(predicate - 6).unwrap_or(0)],
        other => other,
    }
}

/// A float comparison; `predicate` counts as in MLIR.
pub(crate) fn fold_cmpf(predicate: i64, a: f64, b: f64) -> Option<bool> {
    let unordered = a.is_nan() || b.is_nan();
    Some(match predicate {
        0 => false,
        1 => a == b,
        2 => a > b,
        3 => a >= b,
        4 => a < b,
        5 => a <= b,
        6 => !unordered && a != b,
        7 => !unordered,
        8 => unordered || a == b,
        9 => unordered || a > b,
        10 => unordered || a >= b,
        11 => unordered || a < b,
        12 => unordered || a <= b,
        13 => unordered || a != b,
        14 => unordered,
        15 => true,
        _ => return None,
    })
}

/// The formats whose arithmetic is folded: those that the hardware adds and multiplies.
pub(crate) fn folds_float(kind: FloatKind) -> bool {
    matches!(kind, FloatKind::F16 | FloatKind::BF16 | FloatKind::F32 | FloatKind::F64)
}

/// `value` rounded to nearest even in one of the formats of [`folds_float`], overflowing to infinity.
pub(crate) fn round_float(value: f64, kind: FloatKind) -> Option<f64> {
    match kind {
        FloatKind::F64 => Some(value),
        #[expect(clippy::cast_possible_truncation, reason = "this is the rounding")]
        FloatKind::F32 => Some(f64::from(value as f32)),
        FloatKind::F16 | FloatKind::BF16 => Some(round_narrow(value, kind)),
        FloatKind::TF32
        | FloatKind::F8E4M3FN
        | FloatKind::F8E5M2
        | FloatKind::F8E8M0FNU
        | FloatKind::F6E2M3FN
        | FloatKind::F6E3M2FN
        | FloatKind::F4E2M1FN => None,
    }
}

fn round_narrow(value: f64, kind: FloatKind) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let bias = (1i32 << (kind.exponent_bits() - 1)) - 1;
    let mantissa = kind.mantissa_bits().cast_signed();
    // The exponent of the leading bit; an f64 that is subnormal rounds to zero in any of these formats.
    let exponent = i32::try_from(value.to_bits() >> 52 & 0x7FF).unwrap_or(0) - 1023;
    let unit = (exponent.max(1 - bias) - mantissa).max(-1022);
    // Powers of two scale exactly, so the only rounding is the one wanted.
    let step = f64::powi(2.0, unit);
    let rounded = (value / step).round_ties_even() * step;
    let limit = f64::powi(2.0, bias) * (2.0 - f64::powi(2.0, -mantissa));
    if rounded.abs() > limit { f64::INFINITY.copysign(value) } else { rounded }
}

/// A binary float op on constants of format `kind`. NaN results are not folded: the hardware's NaN is its own.
///
/// Computing in `f64` and rounding once more is exact for + - * / in formats of at most 24 bits of precision.
pub(crate) fn fold_float(op: ArithOp, a: f64, b: f64, kind: FloatKind) -> Option<f64> {
    if !folds_float(kind) {
        return None;
    }
    let result = match op {
        ArithOp::AddF => a + b,
        ArithOp::SubF => a - b,
        ArithOp::MulF => a * b,
        ArithOp::DivF => a / b,
        ArithOp::RemF => a % b,
        ArithOp::MaximumF | ArithOp::MaxNumF => {
            let (nan_a, nan_b) = (a.is_nan(), b.is_nan());
            match (nan_a, nan_b, op) {
                (false, false, _) if a == b => {
                    if a.is_sign_positive() {
                        a
                    } else {
                        b
                    }
                }
                (false, false, _) => a.max(b),
                (true, false, ArithOp::MaxNumF) => b,
                (false, true, ArithOp::MaxNumF) => a,
                _ => f64::NAN,
            }
        }
        ArithOp::MinimumF | ArithOp::MinNumF => {
            let (nan_a, nan_b) = (a.is_nan(), b.is_nan());
            match (nan_a, nan_b, op) {
                (false, false, _) if a == b => {
                    if a.is_sign_negative() {
                        a
                    } else {
                        b
                    }
                }
                (false, false, _) => a.min(b),
                (true, false, ArithOp::MinNumF) => b,
                (false, true, ArithOp::MinNumF) => a,
                _ => f64::NAN,
            }
        }
        _ => return None,
    };
    if result.is_nan() {
        return None;
    }
    round_float(result, kind).filter(|result| !result.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_in_their_width() {
        assert_eq!(fold_int(ArithOp::AddI, 127, 1, 8), Some(-128));
        assert_eq!(fold_int(ArithOp::MulI, i128::from(i64::MAX), 2, 64), Some(-2));
        assert_eq!(fold_int(ArithOp::DivUI, -1, 2, 8), Some(127));
        assert_eq!(fold_int(ArithOp::RemUI, -1, 7, 64), Some(i128::from(u64::MAX % 7)));
        assert_eq!(fold_int(ArithOp::ShRUI, -1, 4, 8), Some(15));
        assert_eq!(fold_int(ArithOp::ShRSI, -16, 2, 8), Some(-4));
        assert_eq!(fold_int(ArithOp::MaxUI, -1, 1, 32), Some(-1));
        assert_eq!(fold_int(ArithOp::CeilDivSI, -7, 2, 32), Some(-3));
        assert_eq!(fold_int(ArithOp::FloorDivSI, -7, 2, 32), Some(-4));
        assert_eq!(fold_int(ArithOp::CeilDivUI, 7, 2, 32), Some(4));
    }

    #[test]
    fn what_is_undefined_is_not_folded() {
        for op in [ArithOp::DivSI, ArithOp::DivUI, ArithOp::RemSI, ArithOp::RemUI, ArithOp::CeilDivUI] {
            assert_eq!(fold_int(op, 5, 0, 32), None);
        }
        assert_eq!(fold_int(ArithOp::DivSI, -128, -1, 8), None);
        assert_eq!(fold_int(ArithOp::ShLI, 1, 8, 8), None);
        assert_eq!(fold_int(ArithOp::ShLI, 1, -1, 8), None);
    }

    #[test]
    fn narrow_floats_round_as_their_formats_do() {
        let f16 = |value| round_float(value, FloatKind::F16).unwrap();
        assert_eq!(f16(65504.0), 65504.0);
        assert_eq!(f16(65519.9), 65504.0);
        assert_eq!(f16(65520.0), f64::INFINITY);
        assert_eq!(f16(1.0 + f64::powi(2.0, -11)), 1.0);
        assert_eq!(f16(1.0 + 3.0 * f64::powi(2.0, -11)), 1.0 + f64::powi(2.0, -9));
        assert_eq!(f16(f64::powi(2.0, -24)), f64::powi(2.0, -24));
        assert_eq!(f16(f64::powi(2.0, -25)), 0.0);
        assert_eq!(f16(1.5 * f64::powi(2.0, -25)), f64::powi(2.0, -24));
        assert_eq!(f16(-5e-324), 0.0);
        let bf16 = |value| round_float(value, FloatKind::BF16).unwrap();
        assert_eq!(bf16(3.140_625), 3.140_625);
        assert_eq!(bf16(1.0 + f64::powi(2.0, -8)), 1.0);
        assert_eq!(bf16(f64::from(f32::MAX)), f64::INFINITY);
    }

    #[test]
    fn narrow_rounding_agrees_with_the_formats_values() {
        // Every finite f16 is its own rounding, and the midpoint of neighbours goes to the even one.
        let value = |bits: u64| tidegate_ir::attr::float_from_bits(bits, FloatKind::F16);
        for bits in 0..0x7BFFu64 {
            let (low, high) = (value(bits), value(bits + 1));
            assert_eq!(round_narrow(low, FloatKind::F16), low);
            let even = if bits % 2 == 0 { low } else { high };
            assert_eq!(round_narrow(f64::midpoint(low, high), FloatKind::F16), even, "{bits:#x}");
        }
    }

    #[test]
    fn minima_and_maxima_know_zeros_and_nans() {
        let fold = |op, a, b| fold_float(op, a, b, FloatKind::F32);
        assert!(fold(ArithOp::MaximumF, -0.0, 0.0).unwrap().is_sign_positive());
        assert!(fold(ArithOp::MinimumF, 0.0, -0.0).unwrap().is_sign_negative());
        assert_eq!(fold(ArithOp::MaxNumF, f64::NAN, 1.0), Some(1.0));
        assert_eq!(fold(ArithOp::MaximumF, f64::NAN, 1.0), None);
        assert_eq!(fold(ArithOp::DivF, 0.0, 0.0), None);
        assert_eq!(fold(ArithOp::AddF, 1.0, f64::powi(2.0, -24)), Some(1.0));
    }

    #[test]
    fn comparisons() {
        assert_eq!(fold_cmpi(6, -1, 1, 32), Some(false));
        assert_eq!(fold_cmpi(2, -1, 1, 32), Some(true));
        assert_eq!(fold_cmpf(1, f64::NAN, 1.0), Some(false));
        assert_eq!(fold_cmpf(13, f64::NAN, 1.0), Some(true));
        for predicate in 0..10 {
            for (a, b) in [(1, 2), (2, 1), (2, 2), (-1, 3), (3, -1)] {
                assert_eq!(fold_cmpi(predicate, a, b, 8), fold_cmpi(swap_cmpi(predicate), b, a, 8));
            }
        }
    }
}
