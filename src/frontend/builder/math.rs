//! Arithmetic on numbers and arrays: what [`Scalar`](super::Scalar) and [`Array`](super::Array) share.
//!
//! Operands of an operation have one element type; a literal takes that of the other side. A number and an array go
//! together: the number is broadcast. Arrays have one shape.

use super::core::{Core, Number, word_attr};
use super::registry::{self, Raw};
use crate::frontend::DType;
use crate::frontend::error::{BuildErrorKind, Site};
use crate::ir::attr::AttrKind;
use crate::ir::builder::OpBuilder;
use crate::ir::ops::{ArithOp, MathOp, Opcode, VectorOp};
use crate::ir::types::FloatKind;
use crate::ir::{Op, Value};

/// An operand before its type is known.
#[derive(Copy, Clone, Debug)]
pub enum Arg {
    /// A value of the kernel.
    Value(Raw),
    /// A literal of a type.
    Typed(Number, DType),
    /// A literal that takes the type of the other side.
    Literal(Number),
    /// A division by zero among numbers known now; noted when it is used.
    DivisionByZero(&'static str, Site),
    /// Arithmetic on literals while no kernel was being built; noted when it is used.
    NoKernel(Site),
}

impl Arg {
    fn raw(self) -> Option<Raw> {
        match self {
            Self::Value(raw) => Some(raw),
            Self::Typed(..) | Self::Literal(_) | Self::DivisionByZero(..) | Self::NoKernel(_) => None,
        }
    }
}

/// An operation on two operands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Max,
    Min,
    And,
    Or,
    Xor,
    Compare(Compare),
}

/// A comparison.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Compare {
    fn of_ints(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Lt => "slt",
            Self::Le => "sle",
            Self::Gt => "sgt",
            Self::Ge => "sge",
        }
    }
    /// False on NaN, except for "not equal".
    fn of_floats(self) -> &'static str {
        match self {
            Self::Eq => "oeq",
            Self::Ne => "une",
            Self::Lt => "olt",
            Self::Le => "ole",
            Self::Gt => "ogt",
            Self::Ge => "oge",
        }
    }
}

/// An operation on one operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Neg,
    Not,
    Abs,
    Exp,
    Exp2,
    Log,
    Log2,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Tanh,
    Erf,
    Floor,
    Ceil,
    Round,
}

impl Unary {
    fn name(self) -> &'static str {
        match self {
            Self::Neg => "negation",
            Self::Not => "`!`",
            Self::Abs => "abs",
            Self::Exp => "exp",
            Self::Exp2 => "exp2",
            Self::Log => "log",
            Self::Log2 => "log2",
            Self::Sqrt => "sqrt",
            Self::Rsqrt => "rsqrt",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tanh => "tanh",
            Self::Erf => "erf",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Round => "round",
        }
    }
    fn build(self, b: &mut OpBuilder<'_>, x: Value) -> Op {
        match self {
            Self::Neg | Self::Not => b.arith_negf(x, None),
            Self::Abs => b.math_absf(x, None),
            Self::Exp => b.math_exp(x, None),
            Self::Exp2 => b.math_exp2(x, None),
            Self::Log => b.math_log(x, None),
            Self::Log2 => b.math_log2(x, None),
            Self::Sqrt => b.math_sqrt(x, None),
            Self::Rsqrt => b.math_rsqrt(x, None),
            Self::Sin => b.math_sin(x, None),
            Self::Cos => b.math_cos(x, None),
            Self::Tanh => b.math_tanh(x, None),
            Self::Erf => b.math_erf(x, None),
            Self::Floor => b.math_floor(x, None),
            Self::Ceil => b.math_ceil(x, None),
            Self::Round => b.math_roundeven(x, None),
        }
    }
}

impl Binary {
    fn name(self) -> &'static str {
        match self {
            Self::Add => "`+`",
            Self::Sub => "`-`",
            Self::Mul => "`*`",
            Self::Div => "`/`",
            Self::Rem => "`%`",
            Self::Max => "max",
            Self::Min => "min",
            Self::And => "`&`",
            Self::Or => "`|`",
            Self::Xor => "`^`",
            Self::Compare(_) => "comparison",
        }
    }
}

/// Any opcode of a dialect whose ops are allowed wherever values are: they are pure.
const PURE: Opcode = Opcode::Arith(ArithOp::AddI);

/// Runs `f` on the kernel that one of the operands belongs to.
pub(super) fn on_kernel(args: &[Arg], f: impl FnOnce(&mut Core) -> Option<Value>) -> Option<Raw> {
    let kernel = args.iter().find_map(|arg| arg.raw()).map(|raw| raw.kernel).or_else(registry::latest)?;
    let value = registry::with(kernel, f).flatten();
    Some(Raw::new(kernel, value))
}

/// The values of two operands of one type, broadcast to one shape, with shape and element type.
fn unify(
    core: &mut Core,
    op: &'static str,
    args: &[Arg],
    site: Site,
) -> Option<(Vec<Value>, Vec<i64>, DType)> {
    let mut values: Vec<Option<Value>> = Vec::new();
    let mut dtype: Option<DType> = None;
    let mut shape: Vec<i64> = Vec::new();
    let mut fine = true;
    for &arg in args {
        let value = match arg {
            Arg::Literal(_) => None,
            other => match resolve(core, other, site) {
                Some(value) => Some(value),
                None => {
                    fine = false;
                    continue;
                }
            },
        };
        values.push(value);
        let Some(value) = value else { continue };
        let (found, elem) = core.array_of(value)?;
        match dtype {
            None => dtype = Some(elem),
            Some(known) if known == elem => {}
            Some(left) => {
                core.error(BuildErrorKind::DTypeMismatch { op, left, right: elem }, site);
                return None;
            }
        }
        if shape.is_empty() {
            shape = found;
        } else if !found.is_empty() && found != shape {
            core.error(BuildErrorKind::ShapeMismatch { op, left: shape, right: found }, site);
            return None;
        }
    }
    if !fine {
        return None;
    }
    let dtype = dtype.unwrap_or(DType::Index);
    let mut unified = Vec::new();
    for (&arg, value) in args.iter().zip(values) {
        let value = match (arg, value) {
            (Arg::Literal(number), _) => core.splat(number, &shape, dtype, site),
            (_, Some(value)) => broadcast(core, value, &shape, site),
            (_, None) => None,
        };
        unified.push(value?);
    }
    Some((unified, shape, dtype))
}

/// An operand's value; an untyped literal has none.
pub(super) fn resolve(core: &mut Core, arg: Arg, site: Site) -> Option<Value> {
    match arg {
        Arg::Value(raw) => core.value(raw, site),
        Arg::Typed(number, dtype) => core.constant(number, dtype, site),
        Arg::Literal(Number::Int(value)) => core.constant(Number::Int(value), DType::Index, site),
        Arg::Literal(number) => core.constant(number, crate::frontend::F32, site),
        Arg::DivisionByZero(op, at) => {
            core.error(BuildErrorKind::DivisionByZero { op }, at);
            None
        }
        Arg::NoKernel(at) => {
            core.error(BuildErrorKind::NoKernel, at);
            None
        }
    }
}

/// `value` as an array of `shape`, when it is a number and `shape` is not of rank 0.
fn broadcast(core: &mut Core, value: Value, shape: &[i64], site: Site) -> Option<Value> {
    let (found, dtype) = core.array_of(value)?;
    if found == shape {
        return Some(value);
    }
    let ty = core.value_type(shape, dtype, site)?;
    core.result(site, VectorOp::Broadcast, |b| b.vector_broadcast(value, ty)).value
}

pub(super) fn compare_ints(core: &mut Core, predicate: &str, left: Value, right: Value, site: Site) -> Raw {
    core.result(site, ArithOp::CmpI, |b| {
        let predicate = word_attr(b, ArithOp::CmpI, "predicate", predicate);
        b.arith_cmpi(left, right, predicate)
    })
}

/// An elementwise operation on two operands.
pub(super) fn binary(core: &mut Core, op: Binary, left: Arg, right: Arg, site: Site) -> Option<Value> {
    let (values, _, dtype) = unify(core, op.name(), &[left, right], site)?;
    let &[l, r] = values.as_slice() else { return None };
    if dtype.is_float() {
        if let Binary::Compare(compare) = op {
            let made = core.result(site, ArithOp::CmpF, |b| {
                let predicate = word_attr(b, ArithOp::CmpF, "predicate", compare.of_floats());
                b.arith_cmpf(l, r, predicate, None)
            });
            return made.value;
        }
        let build: fn(&mut OpBuilder<'_>, Value, Value) -> Op = match op {
            Binary::Add => |b, l, r| b.arith_addf(l, r, None),
            Binary::Sub => |b, l, r| b.arith_subf(l, r, None),
            Binary::Mul => |b, l, r| b.arith_mulf(l, r, None),
            Binary::Div => |b, l, r| b.arith_divf(l, r, None),
            Binary::Rem => |b, l, r| b.arith_remf(l, r, None),
            Binary::Max => |b, l, r| b.arith_maximumf(l, r, None),
            Binary::Min => |b, l, r| b.arith_minimumf(l, r, None),
            Binary::And | Binary::Or | Binary::Xor | Binary::Compare(_) => {
                let wanted = "integers and truth values";
                core.error(BuildErrorKind::NumberKind { op: op.name(), wanted, found: dtype }, site);
                return None;
            }
        };
        return core.result(site, PURE, |b| build(b, l, r)).value;
    }
    // Positions are unsigned, other integers signed.
    let unsigned = dtype == DType::Index;
    let build: fn(&mut OpBuilder<'_>, Value, Value) -> Op = match op {
        Binary::Add => |b, l, r| b.arith_addi(l, r, None),
        Binary::Sub => |b, l, r| b.arith_subi(l, r, None),
        Binary::Mul => |b, l, r| b.arith_muli(l, r, None),
        Binary::Div if unsigned => |b, l, r| b.arith_divui(l, r, None),
        Binary::Rem if unsigned => |b, l, r| b.arith_remui(l, r),
        Binary::Div => |b, l, r| b.arith_divsi(l, r, None),
        Binary::Rem => |b, l, r| b.arith_remsi(l, r),
        Binary::Max => |b, l, r| b.arith_maxsi(l, r),
        Binary::Min => |b, l, r| b.arith_minsi(l, r),
        Binary::And => |b, l, r| b.arith_andi(l, r),
        Binary::Or => |b, l, r| b.arith_ori(l, r),
        Binary::Xor => |b, l, r| b.arith_xori(l, r),
        Binary::Compare(compare) => return compare_ints(core, compare.of_ints(), l, r, site).value,
    };
    core.result(site, PURE, |b| build(b, l, r)).value
}

/// An elementwise operation on one operand.
pub(super) fn unary(core: &mut Core, op: Unary, arg: Arg, site: Site) -> Option<Value> {
    let (values, shape, dtype) = unify(core, op.name(), &[arg], site)?;
    let &[x] = values.as_slice() else { return None };
    match (op, dtype) {
        (Unary::Not, DType::Int(_)) => {
            let ones =
                core.splat(Number::Int(if dtype == DType::Int(1) { 1 } else { -1 }), &shape, dtype, site)?;
            core.result(site, PURE, |b| b.arith_xori(x, ones)).value
        }
        (Unary::Neg, DType::Int(_) | DType::Index) => {
            let zero = core.splat(Number::Int(0), &shape, dtype, site)?;
            core.result(site, PURE, |b| b.arith_subi(zero, x, None)).value
        }
        (Unary::Abs, DType::Int(_) | DType::Index) => {
            core.result(site, MathOp::AbsI, |b| b.math_absi(x)).value
        }
        (Unary::Not, _) | (_, DType::Int(_) | DType::Index) => {
            let wanted =
                if op == Unary::Not { "integers and truth values" } else { "floating-point numbers" };
            core.error(BuildErrorKind::NumberKind { op: op.name(), wanted, found: dtype }, site);
            None
        }
        (_, DType::Float(_)) => core.result(site, PURE, |b| op.build(b, x)).value,
    }
}

/// `a * b + c` with one rounding.
pub(super) fn fma(core: &mut Core, a: Arg, b: Arg, c: Arg, site: Site) -> Option<Value> {
    let (values, _, dtype) = unify(core, "fma", &[a, b, c], site)?;
    let &[a, b, c] = values.as_slice() else { return None };
    if !dtype.is_float() {
        let wanted = "floating-point numbers";
        core.error(BuildErrorKind::NumberKind { op: "fma", wanted, found: dtype }, site);
        return None;
    }
    core.result(site, MathOp::Fma, |builder| builder.math_fma(a, b, c, None)).value
}

/// One of two values, by a condition or an array of conditions.
pub(super) fn select(core: &mut Core, condition: Arg, yes: Arg, no: Arg, site: Site) -> Option<Value> {
    let condition = resolve(core, condition, site);
    let chosen = unify(core, "select", &[yes, no], site);
    let (condition, (mut values, shape, _)) = (condition?, chosen?);
    let (of, kind) = core.array_of(condition)?;
    if kind != DType::Int(1) {
        core.error(
            BuildErrorKind::NumberKind { op: "select", wanted: "truth values (`i1`)", found: kind },
            site,
        );
        return None;
    }
    if shape.is_empty() && !of.is_empty() {
        for value in &mut values {
            *value = broadcast(core, *value, &of, site)?;
        }
    } else if !of.is_empty() && of != shape {
        core.error(BuildErrorKind::ShapeMismatch { op: "select", left: of, right: shape }, site);
        return None;
    }
    let &[yes, no] = values.as_slice() else { return None };
    core.result(site, ArithOp::Select, |b| b.arith_select(condition, yes, no)).value
}

/// The value converted to another element type.
pub(super) fn convert(core: &mut Core, arg: Arg, to: DType, site: Site) -> Option<Value> {
    let value = resolve(core, arg, site)?;
    let (shape, from) = core.array_of(value)?;
    if from == to {
        return Some(value);
    }
    // Steps between which a single op goes.
    let via = match (from, to) {
        (DType::Index, DType::Float(_)) | (DType::Float(_), DType::Index) => Some(DType::Int(64)),
        (DType::Float(a), DType::Float(b)) if width(a) == width(b) => Some(crate::frontend::F32),
        _ => None,
    };
    if let Some(step) = via {
        let middle = convert(core, Arg::Value(core.raw(value)), step, site)?;
        return convert(core, Arg::Value(core.raw(middle)), to, site);
    }
    let ty = core.value_type(&shape, to, site)?;
    let made = core.result(site, PURE, |b| match (from, to) {
        (DType::Float(a), DType::Float(b_kind)) if width(a) < width(b_kind) => b.arith_extf(value, None, ty),
        (DType::Float(_), DType::Float(_)) => b.arith_truncf(value, None, None, ty),
        (DType::Float(_), _) => b.arith_fptosi(value, ty),
        (DType::Int(1), DType::Float(_)) => b.arith_uitofp(value, ty),
        (_, DType::Float(_)) => b.arith_sitofp(value, ty),
        (DType::Int(1), DType::Index) => b.arith_index_castui(value, ty),
        (DType::Index, _) | (_, DType::Index) => b.arith_index_cast(value, ty),
        (DType::Int(1), DType::Int(_)) => b.arith_extui(value, ty),
        (DType::Int(a), DType::Int(w)) if a < w => b.arith_extsi(value, ty),
        (DType::Int(_), DType::Int(_)) => b.arith_trunci(value, None, ty),
    });
    made.value
}

/// Bits that count, by which MLIR orders formats: `tf32` has 19.
fn width(kind: FloatKind) -> u32 {
    if kind == FloatKind::TF32 { 19 } else { kind.bits() }
}

/// How elements are combined.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    Sum,
    Max,
    Min,
}

impl Reduction {
    fn word(self, float: bool) -> &'static str {
        match (self, float) {
            (Self::Sum, _) => "add",
            (Self::Max, true) => "maximumf",
            (Self::Max, false) => "maxsi",
            (Self::Min, true) => "minimumf",
            (Self::Min, false) => "minsi",
        }
    }
    /// What changes no result.
    fn neutral(self, dtype: DType) -> Number {
        match (self, dtype) {
            (Self::Sum, DType::Float(_)) => Number::Float(0.0),
            (Self::Sum, _) => Number::Int(0),
            (Self::Max, DType::Float(_)) => Number::Float(f64::NEG_INFINITY),
            (Self::Min, DType::Float(_)) => Number::Float(f64::INFINITY),
            (Self::Max, DType::Int(width)) => Number::Int(-1i64 << (width.clamp(1, 64) - 1)),
            (Self::Min, DType::Int(width)) => Number::Int(!(-1i64 << (width.clamp(1, 64) - 1))),
            (Self::Max, DType::Index) => Number::Int(i64::MIN),
            (Self::Min, DType::Index) => Number::Int(i64::MAX),
        }
    }
}

/// The elements along `dims` combined.
pub(super) fn reduce(
    core: &mut Core,
    kind: Reduction,
    raw: Raw,
    dims: &[usize],
    site: Site,
) -> Option<Value> {
    let value = core.value(raw, site)?;
    let (shape, dtype) = core.array_of(value)?;
    let rank = shape.len();
    if let Some(&dim) = dims.iter().find(|&&dim| dim >= rank) {
        core.error(BuildErrorKind::Dimension { op: "reduction", dim, rank }, site);
        return None;
    }
    let mut sorted: Vec<usize> = dims.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.is_empty() {
        return Some(value);
    }
    let word = format!("#vector.kind<{}>", kind.word(dtype.is_float()));
    if rank == 1 {
        let made = core.result(site, VectorOp::Reduction, |b| {
            let word = b.module.attrs.intern(AttrKind::Opaque(word.into()));
            b.vector_reduction(value, None, word, None)
        });
        return made.value;
    }
    let kept = |dim: &usize| !sorted.contains(dim);
    let rest: Vec<i64> = (0..rank).filter(kept).filter_map(|dim| shape.get(dim).copied()).collect();
    let start = core.splat(kind.neutral(dtype), &rest, dtype, site)?;
    let numbers: Vec<i64> = sorted.iter().filter_map(|&dim| i64::try_from(dim).ok()).collect();
    let made = core.result(site, VectorOp::MultiReduction, |b| {
        let word = b.module.attrs.intern(AttrKind::Opaque(word.into()));
        let dims = b.module.i64s_attr(&numbers);
        b.vector_multi_reduction(value, start, word, dims)
    });
    made.value
}
