//! Folds and identities of `arith` and `math`.

use tidegate_ir::ops::{ArithOp, MathOp, Opcode, Traits};
use tidegate_ir::types::{FloatKind, TypeKind};
use tidegate_ir::{Op, Type, Value};

use super::super::constants::{
    Number, cmpi_holds_on_equal, fold_cmpf, fold_cmpi, fold_float, fold_int, folds_float, round_float,
    swap_cmpi, unsigned, wrap,
};
use super::Rewriter;

pub(super) fn visit(rewriter: &mut Rewriter<'_>, op: Op, arith: ArithOp) {
    match arith {
        ArithOp::Constant => {}
        ArithOp::AddI
        | ArithOp::SubI
        | ArithOp::MulI
        | ArithOp::DivSI
        | ArithOp::DivUI
        | ArithOp::CeilDivSI
        | ArithOp::CeilDivUI
        | ArithOp::FloorDivSI
        | ArithOp::RemSI
        | ArithOp::RemUI
        | ArithOp::AndI
        | ArithOp::OrI
        | ArithOp::XOrI
        | ArithOp::ShLI
        | ArithOp::ShRSI
        | ArithOp::ShRUI
        | ArithOp::MaxSI
        | ArithOp::MaxUI
        | ArithOp::MinSI
        | ArithOp::MinUI => integer_binary(rewriter, op, arith),
        ArithOp::AddF
        | ArithOp::SubF
        | ArithOp::MulF
        | ArithOp::DivF
        | ArithOp::RemF
        | ArithOp::MaximumF
        | ArithOp::MinimumF
        | ArithOp::MaxNumF
        | ArithOp::MinNumF => float_binary(rewriter, op, arith),
        ArithOp::NegF => negf(rewriter, op),
        ArithOp::AddUIExtended | ArithOp::MulSIExtended | ArithOp::MulUIExtended => {
            extended(rewriter, op, arith)
        }
        ArithOp::CmpI => cmpi(rewriter, op),
        ArithOp::CmpF => cmpf(rewriter, op),
        ArithOp::Select => select(rewriter, op),
        ArithOp::ExtSI
        | ArithOp::ExtUI
        | ArithOp::TruncI
        | ArithOp::ExtF
        | ArithOp::TruncF
        | ArithOp::SIToFP
        | ArithOp::UIToFP
        | ArithOp::FPToSI
        | ArithOp::FPToUI
        | ArithOp::IndexCast
        | ArithOp::IndexCastUI
        | ArithOp::Bitcast => cast(rewriter, op, arith),
    }
}

/// The width of the integers of `ty`, or of its elements.
fn int_width(rewriter: &Rewriter<'_>, ty: Type) -> Option<u32> {
    let types = &rewriter.module.types;
    let elem = types.elem_of(ty);
    match types.kind(elem) {
        TypeKind::Integer { width, .. } => (*width <= 64).then_some(*width),
        TypeKind::Index => Some(64),
        _ => None,
    }
}

fn float_kind(rewriter: &Rewriter<'_>, ty: Type) -> Option<FloatKind> {
    let types = &rewriter.module.types;
    match types.kind(types.elem_of(ty)) {
        TypeKind::Float(kind) => Some(*kind),
        _ => None,
    }
}

/// Puts a constant operand of a commutative op behind the other one. Says whether it did.
fn constant_to_the_right(rewriter: &mut Rewriter<'_>, op: Op) -> bool {
    let (lhs, rhs) = (rewriter.operand(op, 0), rewriter.operand(op, 1));
    if rewriter.constant(lhs).is_some() && rewriter.constant(rhs).is_none() {
        rewriter.module.set_operand(op, 0, rhs);
        rewriter.module.set_operand(op, 1, lhs);
        rewriter.touched(op);
        return true;
    }
    false
}

fn integer_binary(rewriter: &mut Rewriter<'_>, op: Op, arith: ArithOp) {
    let (lhs, rhs) = (rewriter.operand(op, 0), rewriter.operand(op, 1));
    let ty = rewriter.module.ty(lhs);
    let Some(width) = int_width(rewriter, ty) else { return };
    if let (Some(a), Some(b)) = (rewriter.int(lhs), rewriter.int(rhs)) {
        if let Some(result) = fold_int(arith, a, b, width) {
            rewriter.replace_by_constant(op, Number::Int(result));
        }
        return;
    }
    if Opcode::Arith(arith).has(Traits::COMMUTATIVE) && constant_to_the_right(rewriter, op) {
        return;
    }
    if lhs == rhs {
        match arith {
            ArithOp::SubI | ArithOp::XOrI => return rewriter.replace_by_constant(op, Number::Int(0)),
            ArithOp::AndI
            | ArithOp::OrI
            | ArithOp::MaxSI
            | ArithOp::MaxUI
            | ArithOp::MinSI
            | ArithOp::MinUI => return rewriter.replace(op, &[lhs]),
            // x / x is 1 only where x is not 0; there it is undefined, so 1 is as good. But a reader who looks for
            // the fault would not find it.
            _ => {}
        }
    }
    if absorbs_nested(rewriter, op, arith, lhs, rhs) {
        return;
    }
    let Some(b) = rewriter.int(rhs) else { return };
    if right_identity(rewriter, op, arith, lhs, b, width) {
        return;
    }
    if reassociates(arith)
        && let Some((inner, inner_rhs)) = rewriter.matched(lhs, arith)
        && let Some(folded) = rewriter.int(inner_rhs).and_then(|a| fold_int(arith, a, b, width))
    {
        if let Some(value) = rewriter.make_constant(op, Number::Int(folded), ty) {
            // Wrap-around flags of the two need not hold for the one.
            rewriter.module.remove_attr(op, "overflowFlags");
            rewriter.set_operand(op, 0, inner);
            rewriter.set_operand(op, 1, value);
        }
        return;
    }
    let power = unsigned(b, width);
    if power.is_power_of_two() && power > 1 {
        match arith {
            ArithOp::RemUI => {
                let mask = Number::Int(wrap(power.cast_signed() - 1, width));
                if let Some(mask) = rewriter.make_constant(op, mask, ty) {
                    let and = rewriter.build(op, |b| b.arith_andi(lhs, mask));
                    let value = rewriter.module.result(and, 0);
                    rewriter.replace(op, &[value]);
                }
            }
            ArithOp::DivUI => {
                let by = Number::Int(i128::from(power.trailing_zeros()));
                if let Some(by) = rewriter.make_constant(op, by, ty) {
                    let shift = rewriter.build(op, |b| b.arith_shrui(lhs, by, None));
                    let value = rewriter.module.result(shift, 0);
                    rewriter.replace(op, &[value]);
                }
            }
            _ => {}
        }
    }
}

/// Ops of which `(x op a) op b` is `x op (a op b)`.
fn reassociates(arith: ArithOp) -> bool {
    matches!(
        arith,
        ArithOp::AddI
            | ArithOp::MulI
            | ArithOp::AndI
            | ArithOp::OrI
            | ArithOp::XOrI
            | ArithOp::MaxSI
            | ArithOp::MaxUI
            | ArithOp::MinSI
            | ArithOp::MinUI
    )
}

/// `x op c` for special constants. Says whether `op` was replaced.
fn right_identity(
    rewriter: &mut Rewriter<'_>,
    op: Op,
    arith: ArithOp,
    lhs: Value,
    b: i128,
    width: u32,
) -> bool {
    let all_ones = -1;
    let (signed_min, signed_max) = (wrap(1 << (width - 1), width), wrap((1 << (width - 1)) - 1, width));
    // A one-bit 1 is stored as -1.
    let one = wrap(1, width);
    let (same, absorbed) = match arith {
        ArithOp::AddI | ArithOp::SubI | ArithOp::ShLI | ArithOp::ShRSI | ArithOp::ShRUI | ArithOp::XOrI => {
            (b == 0, None)
        }
        ArithOp::MulI => (b == one, (b == 0).then_some(0)),
        ArithOp::DivUI | ArithOp::CeilDivUI => (b == one, None),
        ArithOp::DivSI | ArithOp::CeilDivSI | ArithOp::FloorDivSI => (b == 1, None),
        ArithOp::RemUI => (false, (b == one).then_some(0)),
        ArithOp::RemSI => (false, (b == 1).then_some(0)),
        ArithOp::AndI => (b == all_ones, (b == 0).then_some(0)),
        ArithOp::OrI => (b == 0, (b == all_ones).then_some(all_ones)),
        ArithOp::MaxUI => (b == 0, (b == all_ones).then_some(all_ones)),
        ArithOp::MinUI => (b == all_ones, (b == 0).then_some(0)),
        ArithOp::MaxSI => (b == signed_min, (b == signed_max).then_some(signed_max)),
        ArithOp::MinSI => (b == signed_max, (b == signed_min).then_some(signed_min)),
        _ => (false, None),
    };
    if same {
        rewriter.replace(op, &[lhs]);
    } else if let Some(value) = absorbed {
        rewriter.replace_by_constant(op, Number::Int(value));
    }
    same || absorbed.is_some()
}

/// `(x ^ y) ^ y`, `x min (x min y)`, `(x + y) - y` and the like. Says whether `op` was replaced.
fn absorbs_nested(rewriter: &mut Rewriter<'_>, op: Op, arith: ArithOp, lhs: Value, rhs: Value) -> bool {
    match arith {
        ArithOp::AndI | ArithOp::OrI | ArithOp::MaxSI | ArithOp::MaxUI | ArithOp::MinSI | ArithOp::MinUI => {
            for (nested, other) in [(lhs, rhs), (rhs, lhs)] {
                if let Some((a, b)) = rewriter.matched(nested, arith)
                    && (a == other || b == other)
                {
                    rewriter.replace(op, &[nested]);
                    return true;
                }
            }
        }
        ArithOp::XOrI => {
            for (nested, other) in [(lhs, rhs), (rhs, lhs)] {
                if let Some((a, b)) = rewriter.matched(nested, ArithOp::XOrI)
                    && (a == other || b == other)
                {
                    rewriter.replace(op, &[if a == other { b } else { a }]);
                    return true;
                }
            }
        }
        ArithOp::SubI => {
            if let Some((a, b)) = rewriter.matched(lhs, ArithOp::AddI)
                && (a == rhs || b == rhs)
            {
                rewriter.replace(op, &[if a == rhs { b } else { a }]);
                return true;
            }
        }
        ArithOp::AddI => {
            for (nested, other) in [(lhs, rhs), (rhs, lhs)] {
                if let Some((a, b)) = rewriter.matched(nested, ArithOp::SubI)
                    && b == other
                {
                    rewriter.replace(op, &[a]);
                    return true;
                }
            }
        }
        _ => {}
    }
    false
}

fn float_binary(rewriter: &mut Rewriter<'_>, op: Op, arith: ArithOp) {
    let (lhs, rhs) = (rewriter.operand(op, 0), rewriter.operand(op, 1));
    let Some(kind) = float_kind(rewriter, rewriter.module.ty(lhs)) else { return };
    let number = |value| rewriter.constant(value).and_then(Number::float);
    if let (Some(a), Some(b)) = (number(lhs), number(rhs)) {
        // Constants are rounded to their type when lowered; so they are here.
        let rounded = round_float(a, kind).zip(round_float(b, kind));
        if let Some(result) = rounded.and_then(|(a, b)| fold_float(arith, a, b, kind)) {
            rewriter.replace_by_constant(op, Number::Float(result));
        }
        return;
    }
    if Opcode::Arith(arith).has(Traits::COMMUTATIVE) && constant_to_the_right(rewriter, op) {
        return;
    }
    if lhs == rhs
        && matches!(arith, ArithOp::MaximumF | ArithOp::MinimumF | ArithOp::MaxNumF | ArithOp::MinNumF)
    {
        return rewriter.replace(op, &[lhs]);
    }
    if !folds_float(kind) {
        return;
    }
    let Some(b) = rewriter.constant(rhs).and_then(Number::float) else { return };
    let same = match arith {
        ArithOp::AddF => b == 0.0 && b.is_sign_negative(),
        ArithOp::SubF => b == 0.0 && b.is_sign_positive(),
        ArithOp::MulF | ArithOp::DivF => b == 1.0,
        _ => false,
    };
    if same {
        rewriter.replace(op, &[lhs]);
    }
}

fn negf(rewriter: &mut Rewriter<'_>, op: Op) {
    let input = rewriter.operand(op, 0);
    if let Some((inner, Opcode::Arith(ArithOp::NegF))) = rewriter.definer(input) {
        let value = rewriter.operand(inner, 0);
        return rewriter.replace(op, &[value]);
    }
    if let Some(value) = rewriter.constant(input).and_then(Number::float).filter(|value| !value.is_nan()) {
        rewriter.replace_by_constant(op, Number::Float(-value));
    }
}

fn extended(rewriter: &mut Rewriter<'_>, op: Op, arith: ArithOp) {
    let (lhs, rhs) = (rewriter.operand(op, 0), rewriter.operand(op, 1));
    let ty = rewriter.module.ty(lhs);
    let Some(width) = int_width(rewriter, ty) else { return };
    let (Some(a), Some(b)) = (rewriter.int(lhs), rewriter.int(rhs)) else { return };
    let (ua, ub) = (unsigned(a, width), unsigned(b, width));
    let (low, high) = match arith {
        ArithOp::AddUIExtended => (a + b, i128::from((ua + ub) >> width != 0)),
        ArithOp::MulUIExtended => ((ua * ub).cast_signed(), ((ua * ub) >> width).cast_signed()),
        ArithOp::MulSIExtended => (a * b, (a * b) >> width),
        _ => return,
    };
    let types: Vec<Type> = rewriter.module.results(op).map(|value| rewriter.module.ty(value)).collect();
    let [low_ty, high_ty] = types.as_slice() else { return };
    let low = rewriter.make_constant(op, Number::Int(wrap(low, width)), *low_ty);
    let high = rewriter.make_constant(op, Number::Int(high), *high_ty);
    if let (Some(low), Some(high)) = (low, high) {
        rewriter.replace(op, &[low, high]);
    }
}

fn cmpi(rewriter: &mut Rewriter<'_>, op: Op) {
    let (lhs, rhs) = (rewriter.operand(op, 0), rewriter.operand(op, 1));
    let Some(predicate) = rewriter.module.attr_i64(op, "predicate") else { return };
    let Some(width) = int_width(rewriter, rewriter.module.ty(lhs)) else { return };
    let (a, b) = (rewriter.int(lhs), rewriter.int(rhs));
    if let (Some(a), Some(b)) = (a, b) {
        if let Some(holds) = fold_cmpi(predicate, a, b, width) {
            rewriter.replace_by_bool(op, holds);
        }
        return;
    }
    if lhs == rhs {
        if let Some(holds) = cmpi_holds_on_equal(predicate) {
            rewriter.replace_by_bool(op, holds);
        }
        return;
    }
    if a.is_some() {
        rewriter.module.set_operand(op, 0, rhs);
        rewriter.module.set_operand(op, 1, lhs);
        let swapped = rewriter.module.i64_attr(swap_cmpi(predicate));
        rewriter.module.set_attr(op, "predicate", swapped);
        return rewriter.touched(op);
    }
    let Some(b) = b else { return };
    let (signed_min, signed_max) = (wrap(1 << (width - 1), width), wrap((1 << (width - 1)) - 1, width));
    let known = match predicate {
        2 if b == signed_min => Some(false), // x < least
        5 if b == signed_min => Some(true),
        3 if b == signed_max => Some(true), // x <= greatest
        4 if b == signed_max => Some(false),
        6 if b == 0 => Some(false),
        9 if b == 0 => Some(true),
        7 if b == -1 => Some(true),
        8 if b == -1 => Some(false),
        _ => None,
    };
    if let Some(holds) = known {
        return rewriter.replace_by_bool(op, holds);
    }
    // `cmpi ne, %bool, false` and `cmpi eq, %bool, true` are the bool itself.
    if width == 1 && ((predicate == 1 && b == 0) || (predicate == 0 && b == -1)) {
        rewriter.replace(op, &[lhs]);
    }
}

fn cmpf(rewriter: &mut Rewriter<'_>, op: Op) {
    let (lhs, rhs) = (rewriter.operand(op, 0), rewriter.operand(op, 1));
    let Some(predicate) = rewriter.module.attr_i64(op, "predicate") else { return };
    let Some(kind) = float_kind(rewriter, rewriter.module.ty(lhs)) else { return };
    match predicate {
        0 => return rewriter.replace_by_bool(op, false),
        15 => return rewriter.replace_by_bool(op, true),
        _ => {}
    }
    let number =
        |value| rewriter.constant(value).and_then(Number::float).and_then(|value| round_float(value, kind));
    if let (Some(a), Some(b)) = (number(lhs), number(rhs))
        && let Some(holds) = fold_cmpf(predicate, a, b)
    {
        rewriter.replace_by_bool(op, holds);
    }
}

fn select(rewriter: &mut Rewriter<'_>, op: Op) {
    let condition = rewriter.operand(op, 0);
    let (yes, no) = (rewriter.operand(op, 1), rewriter.operand(op, 2));
    if yes == no {
        return rewriter.replace(op, &[yes]);
    }
    if let Some(condition) = rewriter.int(condition) {
        return rewriter.replace(op, &[if condition & 1 != 0 { yes } else { no }]);
    }
    let bools = rewriter.module.ty(condition) == rewriter.module.ty(yes);
    if bools && rewriter.int(yes) == Some(-1) && rewriter.int(no) == Some(0) {
        return rewriter.replace(op, &[condition]);
    }
    // `select !c, a, b` is `select c, b, a`.
    if let Some((inner, one)) = rewriter.matched(condition, ArithOp::XOrI)
        && rewriter.int(one) == Some(-1)
    {
        rewriter.module.set_operand(op, 0, inner);
        rewriter.module.set_operand(op, 1, no);
        rewriter.module.set_operand(op, 2, yes);
        rewriter.touched(op);
        rewriter.push_definer(condition);
    }
}

fn cast(rewriter: &mut Rewriter<'_>, op: Op, arith: ArithOp) {
    let input = rewriter.operand(op, 0);
    let (from, to) = (rewriter.module.ty(input), rewriter.module.ty(rewriter.module.result(op, 0)));
    if from == to {
        return rewriter.replace(op, &[input]);
    }
    if let Some(number) = rewriter.constant(input) {
        if let Some(result) = fold_cast(rewriter, op, arith, number, from, to) {
            rewriter.replace_by_constant(op, result);
        }
        return;
    }
    let Some((inner_op, Opcode::Arith(inner))) = rewriter.definer(input) else { return };
    let Some(source) = rewriter.module.get_operand(inner_op, 0) else { return };
    let origin = rewriter.module.ty(source);
    // Through a type that holds every value of `origin` and back.
    let round_trip = match (inner, arith) {
        (ArithOp::ExtSI | ArithOp::ExtUI, ArithOp::TruncI)
        | (ArithOp::ExtF, ArithOp::TruncF)
        | (ArithOp::Bitcast, ArithOp::Bitcast) => true,
        (ArithOp::IndexCast, ArithOp::IndexCast) | (ArithOp::IndexCastUI, ArithOp::IndexCastUI) => {
            let width = |ty| int_width(rewriter, ty).unwrap_or(0);
            width(origin) <= width(from)
        }
        _ => false,
    };
    if round_trip && origin == to {
        return rewriter.replace(op, &[source]);
    }
    let same_kind_twice = inner == arith
        && matches!(
            arith,
            ArithOp::ExtSI | ArithOp::ExtUI | ArithOp::ExtF | ArithOp::TruncI | ArithOp::Bitcast
        );
    if same_kind_twice {
        rewriter.module.remove_attr(op, "overflowFlags");
        rewriter.set_operand(op, 0, source);
    }
}

/// A conversion of a constant.
fn fold_cast(
    rewriter: &Rewriter<'_>,
    op: Op,
    arith: ArithOp,
    number: Number,
    from: Type,
    to: Type,
) -> Option<Number> {
    let (from_width, to_width) = (int_width(rewriter, from), int_width(rewriter, to));
    let (from_float, to_float) = (float_kind(rewriter, from), float_kind(rewriter, to));
    match (arith, number) {
        (ArithOp::ExtSI | ArithOp::TruncI | ArithOp::IndexCast, Number::Int(value)) => {
            Some(Number::Int(wrap(value, to_width?)))
        }
        (ArithOp::ExtUI | ArithOp::IndexCastUI, Number::Int(value)) => {
            Some(Number::Int(wrap(unsigned(value, from_width?).cast_signed(), to_width?)))
        }
        (ArithOp::ExtF, Number::Float(value)) => {
            let exact = round_float(value, from_float?)?;
            (!exact.is_nan() && folds_float(to_float?)).then_some(Number::Float(exact))
        }
        (ArithOp::TruncF, Number::Float(value)) => {
            let nearest = rewriter.module.attr_i64(op, "roundingmode").is_none_or(|mode| mode == 0);
            let rounded = round_float(round_float(value, from_float?)?, to_float?)?;
            (nearest && !rounded.is_nan()).then_some(Number::Float(rounded))
        }
        (ArithOp::SIToFP, Number::Int(value)) => round_integer(value, to_float?).map(Number::Float),
        (ArithOp::UIToFP, Number::Int(value)) => {
            round_integer(unsigned(value, from_width?).cast_signed(), to_float?).map(Number::Float)
        }
        (ArithOp::FPToSI | ArithOp::FPToUI, Number::Float(value)) => {
            let value = round_float(value, from_float?)?.trunc();
            let width = to_width?;
            let (least, limit) = if arith == ArithOp::FPToSI {
                (-f64::powi(2.0, width.cast_signed() - 1), f64::powi(2.0, width.cast_signed() - 1))
            } else {
                (0.0, f64::powi(2.0, width.cast_signed()))
            };
            // What does not fit is undefined; NaN fails both comparisons.
            #[expect(clippy::cast_possible_truncation, reason = "it fits 65 bits")]
            (value >= least && value < limit).then(|| Number::Int(wrap(value as i128, width)))
        }
        _ => None,
    }
}

/// An integer rounded to nearest even. Integers of more than 53 bits would be rounded twice, so they are left alone.
fn round_integer(value: i128, kind: FloatKind) -> Option<f64> {
    if value.unsigned_abs() > 1 << 53 || !folds_float(kind) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 53 bits")]
    round_float(value as f64, kind)
}

pub(super) fn visit_math(rewriter: &mut Rewriter<'_>, op: Op, math: MathOp) {
    // Only what is exact: functions that the hardware approximates must give what the hardware gives.
    let exact: fn(f64) -> f64 = match math {
        MathOp::AbsF => f64::abs,
        MathOp::Ceil => f64::ceil,
        MathOp::Floor => f64::floor,
        _ => return,
    };
    let input = rewriter.operand(op, 0);
    let Some(kind) = float_kind(rewriter, rewriter.module.ty(input)) else { return };
    let number = rewriter.constant(input).and_then(Number::float);
    let value = number.and_then(|value| round_float(value, kind)).map(exact);
    if let Some(value) = value.filter(|value| !value.is_nan()) {
        rewriter.replace_by_constant(op, Number::Float(value));
    }
}
