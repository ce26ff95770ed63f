//! Canonical forms of `vector` ops.

use tidegate_ir::attr::AttrKind;
use tidegate_ir::ops::{ArithOp, Opcode, VectorOp};
use tidegate_ir::types::{TypeKind, num_elements};
use tidegate_ir::{Op, Value};

use super::super::constants::{Number, fold_float, fold_int, round_float, wrap};
use super::Rewriter;

pub(super) fn visit(rewriter: &mut Rewriter<'_>, op: Op, vector: VectorOp) {
    match vector {
        VectorOp::Broadcast => broadcast(rewriter, op),
        VectorOp::Reduction => reduction(rewriter, op),
        VectorOp::MultiReduction => multi_reduction(rewriter, op),
        VectorOp::ShapeCast => shape_cast(rewriter, op),
        VectorOp::Transpose => transpose(rewriter, op),
    }
}

/// The number that all elements of `value` are copies of, when it is a broadcast of one.
fn splat_source(rewriter: &Rewriter<'_>, value: Value) -> Option<Value> {
    let (op, Opcode::Vector(VectorOp::Broadcast)) = rewriter.definer(value)? else { return None };
    let source = rewriter.module.get_operand(op, 0)?;
    rewriter.module.types.is_scalar(rewriter.module.ty(source)).then_some(source)
}

/// An op that only moves elements, of an array whose elements are all equal.
fn of_splat(rewriter: &mut Rewriter<'_>, op: Op, source: Value) -> bool {
    if let Some(number) = rewriter.constant(source) {
        rewriter.replace_by_constant(op, number);
        return true;
    }
    if let Some(scalar) = splat_source(rewriter, source) {
        let ty = rewriter.module.ty(rewriter.module.result(op, 0));
        let made = rewriter.build(op, |b| b.vector_broadcast(scalar, ty));
        let value = rewriter.module.result(made, 0);
        rewriter.replace(op, &[value]);
        return true;
    }
    false
}

fn broadcast(rewriter: &mut Rewriter<'_>, op: Op) {
    let source = rewriter.operand(op, 0);
    let same = rewriter.module.ty(source) == rewriter.module.ty(rewriter.module.result(op, 0));
    if same {
        return rewriter.replace(op, &[source]);
    }
    if let Some(number) = rewriter.constant(source) {
        return rewriter.replace_by_constant(op, number);
    }
    if let Some(scalar) = splat_source(rewriter, source) {
        rewriter.set_operand(op, 0, scalar);
    }
}

fn shape_cast(rewriter: &mut Rewriter<'_>, op: Op) {
    let source = rewriter.operand(op, 0);
    if rewriter.module.ty(source) == rewriter.module.ty(rewriter.module.result(op, 0)) {
        return rewriter.replace(op, &[source]);
    }
    if of_splat(rewriter, op, source) {
        return;
    }
    if let Some((inner, Opcode::Vector(VectorOp::ShapeCast))) = rewriter.definer(source) {
        let origin = rewriter.operand(inner, 0);
        rewriter.set_operand(op, 0, origin);
    }
}

fn transpose(rewriter: &mut Rewriter<'_>, op: Op) {
    let source = rewriter.operand(op, 0);
    let Some(permutation) = rewriter.module.attr_ints(op, "permutation").map(<[i64]>::to_vec) else { return };
    if permutation.iter().zip(0..).all(|(&to, from)| to == from) {
        return rewriter.replace(op, &[source]);
    }
    if of_splat(rewriter, op, source) {
        return;
    }
    if let Some((inner, Opcode::Vector(VectorOp::Transpose))) = rewriter.definer(source) {
        let Some(first) = rewriter.module.attr_ints(inner, "permutation").map(<[i64]>::to_vec) else {
            return;
        };
        let composed: Option<Vec<i64>> = permutation
            .iter()
            .map(|&to| usize::try_from(to).ok().and_then(|to| first.get(to)).copied())
            .collect();
        if let Some(composed) = composed {
            let attr = rewriter.module.i64s_attr(&composed);
            rewriter.module.set_attr(op, "permutation", attr);
            let origin = rewriter.operand(inner, 0);
            rewriter.set_operand(op, 0, origin);
        }
    }
}

/// The word of `#vector.kind<add>`.
pub(crate) fn kind_word(text: &str) -> &str {
    let inner = text.split_once('<').map_or(text, |(_, rest)| rest);
    inner.trim_end_matches('>').trim()
}

fn kind_of(rewriter: &Rewriter<'_>, op: Op) -> Option<ArithOp> {
    let text = match rewriter.module.attrs.kind(rewriter.module.attr(op, "kind")?) {
        AttrKind::Opaque(text) | AttrKind::Str(text) => kind_word(text),
        _ => return None,
    };
    let source = rewriter.module.get_operand(op, 0)?;
    let types = &rewriter.module.types;
    let float = matches!(types.kind(types.elem_of(rewriter.module.ty(source))), TypeKind::Float(_));
    Some(match (text, float) {
        ("add", false) => ArithOp::AddI,
        ("add", true) => ArithOp::AddF,
        ("mul", false) => ArithOp::MulI,
        ("mul", true) => ArithOp::MulF,
        ("minui", false) => ArithOp::MinUI,
        ("minsi", false) => ArithOp::MinSI,
        ("maxui", false) => ArithOp::MaxUI,
        ("maxsi", false) => ArithOp::MaxSI,
        ("and", false) => ArithOp::AndI,
        ("or", false) => ArithOp::OrI,
        ("xor", false) => ArithOp::XOrI,
        ("minnumf", true) => ArithOp::MinNumF,
        ("maxnumf", true) => ArithOp::MaxNumF,
        ("minimumf", true) => ArithOp::MinimumF,
        ("maximumf", true) => ArithOp::MaximumF,
        _ => return None,
    })
}

/// `x op x op ... op x`, `count` times, where that is exact. Sums of floats depend on the order and are left alone.
fn repeated(rewriter: &Rewriter<'_>, kind: ArithOp, x: Number, count: i64, source: Value) -> Option<Number> {
    let types = &rewriter.module.types;
    let elem = types.elem_of(rewriter.module.ty(source));
    let width = types.bit_width(elem)?;
    match (kind, x) {
        (ArithOp::AddI, Number::Int(x)) => {
            fold_int(ArithOp::MulI, x, wrap(i128::from(count), width), width).map(Number::Int)
        }
        (ArithOp::MulI, Number::Int(x)) if width <= 64 => {
            // By squaring, modulo 2^width.
            let (mut result, mut square, mut left) = (1i128, x, count);
            while left > 0 {
                if left & 1 != 0 {
                    result = wrap(result.wrapping_mul(square), width);
                }
                square = wrap(square.wrapping_mul(square), width);
                left >>= 1;
            }
            Some(Number::Int(wrap(result, width)))
        }
        (ArithOp::XOrI, x @ Number::Int(_)) => Some(if count % 2 == 0 { Number::Int(0) } else { x }),
        (kind, x) if is_idempotent(kind) => Some(x),
        _ => None,
    }
}

fn is_idempotent(kind: ArithOp) -> bool {
    matches!(
        kind,
        ArithOp::AndI
            | ArithOp::OrI
            | ArithOp::MinUI
            | ArithOp::MinSI
            | ArithOp::MaxUI
            | ArithOp::MaxSI
            | ArithOp::MinNumF
            | ArithOp::MaxNumF
            | ArithOp::MinimumF
            | ArithOp::MaximumF
    )
}

fn reduction(rewriter: &mut Rewriter<'_>, op: Op) {
    let source = rewriter.operand(op, 0);
    let acc = rewriter.module.get_operand(op, 1);
    let Some(kind) = kind_of(rewriter, op) else { return };
    let shape =
        rewriter.module.types.as_vector(rewriter.module.ty(source)).map(|(shape, _)| num_elements(shape));
    let Some(Some(count)) = shape else { return };
    if let Some(x) = rewriter.constant(source) {
        let Some(all) = repeated(rewriter, kind, x, count, source) else { return };
        let combined = match acc {
            None => Some(all),
            Some(acc) => {
                let Some(acc) = rewriter.constant(acc) else { return };
                combine(rewriter, kind, acc, all, source)
            }
        };
        if let Some(number) = combined {
            rewriter.replace_by_constant(op, number);
        }
        return;
    }
    if let (Some(scalar), true, None) = (splat_source(rewriter, source), is_idempotent(kind), acc) {
        rewriter.replace(op, &[scalar]);
    }
}

fn combine(rewriter: &Rewriter<'_>, kind: ArithOp, a: Number, b: Number, source: Value) -> Option<Number> {
    let types = &rewriter.module.types;
    let elem = types.elem_of(rewriter.module.ty(source));
    match (a, b, types.kind(elem)) {
        (Number::Float(a), Number::Float(b), TypeKind::Float(format)) => {
            let (a, b) = round_float(a, *format).zip(round_float(b, *format))?;
            fold_float(kind, a, b, *format).map(Number::Float)
        }
        (Number::Int(a), Number::Int(b), _) => fold_int(kind, a, b, types.bit_width(elem)?).map(Number::Int),
        _ => None,
    }
}

fn multi_reduction(rewriter: &mut Rewriter<'_>, op: Op) {
    let (source, acc) = (rewriter.operand(op, 0), rewriter.operand(op, 1));
    let Some(kind) = kind_of(rewriter, op) else { return };
    let Some(dims) = rewriter.module.attr_ints(op, "reduction_dims").map(<[i64]>::to_vec) else { return };
    let Some((shape, _)) = rewriter.module.types.as_vector(rewriter.module.ty(source)) else { return };
    let extents: Option<Vec<i64>> =
        dims.iter().map(|&dim| usize::try_from(dim).ok().and_then(|dim| shape.get(dim)).copied()).collect();
    let Some(count) = extents.and_then(|extents| num_elements(&extents)) else { return };
    let (Some(x), Some(start)) = (rewriter.constant(source), rewriter.constant(acc)) else { return };
    let all = repeated(rewriter, kind, x, count, source);
    if let Some(number) = all.and_then(|all| combine(rewriter, kind, start, all, source)) {
        rewriter.replace_by_constant(op, number);
    }
}
