//! Arrays in registers.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Sub};

use super::Idx;
use super::core::{Core, Number};
use super::math::{self, Arg, Binary, Compare, Reduction, Unary};
use super::registry::{self, Raw};
use super::scalar::{
    IntoScalar, Numeric, Scalar, literal_operators, number_methods, number_operators, shared_methods,
};
use crate::frontend::error::{BuildErrorKind, Site};
use crate::frontend::{DType, IntoShape};
use crate::ir::Value;
use crate::ir::ops::VectorOp;
use crate::ir::types::num_elements;

/// An array value, spread over the lanes of a thread; of rank 0, a number.
///
/// Operators and methods work element by element, with another array of the same shape, a [`Scalar`] or a literal.
#[derive(Copy, Clone, Debug)]
pub struct Array(pub(super) Raw);

impl Array {
    fn apply(args: &[Arg], f: impl FnOnce(&mut Core) -> Option<Value>) -> Option<Self> {
        math::on_kernel(args, f).map(Self)
    }
    #[track_caller]
    fn binary(op: Binary, left: Arg, right: Arg) -> Self {
        let site = Site::here();
        let made = Self::apply(&[left, right], |core| math::binary(core, op, left, right, site));
        made.unwrap_or_else(|| Self::lost(&[left, right]))
    }
    #[track_caller]
    fn unary(self, op: Unary) -> Self {
        let site = Site::here();
        let arg = self.arg();
        self.on(|core| math::unary(core, op, arg, site))
    }
    /// Runs `f` on the array's kernel.
    fn on(self, f: impl FnOnce(&mut Core) -> Option<Value>) -> Self {
        let value = registry::with(self.0.kernel, f).flatten();
        Self(Raw::new(self.0.kernel, value))
    }
    /// The outcome when the kernel is finished: poison of the same kernel.
    fn lost(args: &[Arg]) -> Self {
        let kernel = args.iter().find_map(|arg| match arg {
            Arg::Value(raw) => Some(raw.kernel),
            _ => None,
        });
        Self(Raw::poison(kernel.unwrap_or_default()))
    }
    pub(super) fn broadcast(arg: Arg, shape: &[i64], site: Site) -> Self {
        let made = Self::apply(&[arg], |core| {
            let value = math::resolve(core, arg, site)?;
            let (found, dtype) = core.array_of(value)?;
            if found == shape {
                return Some(value);
            }
            let fits = found.len() <= shape.len()
                && found.iter().rev().zip(shape.iter().rev()).all(|(&from, &to)| from == to || from == 1);
            if !fits {
                let (left, right) = (found, shape.to_vec());
                core.error(BuildErrorKind::ShapeMismatch { op: "broadcast_to", left, right }, site);
                return None;
            }
            let ty = core.value_type(shape, dtype, site)?;
            core.result(site, VectorOp::Broadcast, |b| b.vector_broadcast(value, ty)).value
        });
        made.unwrap_or_else(|| Self::lost(&[arg]))
    }

    /// The extents; empty for poison.
    pub fn shape(self) -> Vec<i64> {
        let shape = registry::with(self.0.kernel, |core| Some(core.array_of(self.0.value?)?.0));
        shape.flatten().unwrap_or_default()
    }
    /// The element type; `None` for poison.
    pub fn dtype(self) -> Option<DType> {
        registry::with(self.0.kernel, |core| Some(core.array_of(self.0.value?)?.1)).flatten()
    }

    /// The same elements as another type: rounded to nearest even when floats are narrowed, towards zero when they
    /// become integers.
    #[track_caller]
    #[must_use]
    pub fn astype(self, dtype: DType) -> Self {
        let site = Site::here();
        self.on(|core| math::convert(core, self.arg(), dtype, site))
    }
    /// The array repeated along new leading dimensions and along dimensions of extent 1.
    #[track_caller]
    #[must_use]
    pub fn broadcast_to(self, shape: impl IntoShape) -> Self {
        Self::broadcast(self.arg(), &shape.into_shape(), Site::here())
    }
    /// The same elements in row-major order, in another shape.
    #[track_caller]
    #[must_use]
    pub fn reshape(self, shape: impl IntoShape) -> Self {
        let site = Site::here();
        let shape = shape.into_shape();
        self.on(|core| {
            let value = core.value(self.0, site)?;
            let (found, dtype) = core.array_of(value)?;
            if found == shape {
                return Some(value);
            }
            if num_elements(&found) != num_elements(&shape) || found.is_empty() || shape.is_empty() {
                core.error(BuildErrorKind::ShapeMismatch { op: "reshape", left: found, right: shape }, site);
                return None;
            }
            let ty = core.value_type(&shape, dtype, site)?;
            core.result(site, VectorOp::ShapeCast, |b| b.vector_shape_cast(value, ty)).value
        })
    }
    /// The array with its dimensions permuted: dimension `i` of the result is dimension `permutation[i]` of this one.
    #[track_caller]
    #[must_use]
    pub fn transpose(self, permutation: impl IntoIterator<Item = usize>) -> Self {
        let site = Site::here();
        let permutation: Vec<usize> = permutation.into_iter().collect();
        self.on(|core| {
            let value = core.value(self.0, site)?;
            let (found, dtype) = core.array_of(value)?;
            let rank = found.len();
            let complete = permutation.len() == rank && (0..rank).all(|dim| permutation.contains(&dim));
            if !complete {
                core.error(BuildErrorKind::Permutation { permutation, rank }, site);
                return None;
            }
            let shape: Vec<i64> = permutation.iter().filter_map(|&dim| found.get(dim).copied()).collect();
            let numbers: Vec<i64> = permutation.iter().filter_map(|&dim| i64::try_from(dim).ok()).collect();
            let ty = core.value_type(&shape, dtype, site)?;
            let made = core.result(site, VectorOp::Transpose, |b| {
                let numbers = b.module.i64s_attr(&numbers);
                b.vector_transpose(value, numbers, ty)
            });
            made.value
        })
    }
    /// The sums of the elements along these dimensions, which the result does not have.
    #[track_caller]
    #[must_use]
    pub fn reduce_sum(self, dims: impl IntoIterator<Item = usize>) -> Self {
        self.reduce(Reduction::Sum, dims.into_iter().collect(), Site::here())
    }
    /// The largest elements along these dimensions.
    #[track_caller]
    #[must_use]
    pub fn reduce_max(self, dims: impl IntoIterator<Item = usize>) -> Self {
        self.reduce(Reduction::Max, dims.into_iter().collect(), Site::here())
    }
    /// The smallest elements along these dimensions.
    #[track_caller]
    #[must_use]
    pub fn reduce_min(self, dims: impl IntoIterator<Item = usize>) -> Self {
        self.reduce(Reduction::Min, dims.into_iter().collect(), Site::here())
    }
    /// The sum of all elements.
    #[track_caller]
    #[must_use]
    pub fn sum(self) -> Scalar {
        let all = (0..self.shape().len()).collect();
        Scalar::of(self.reduce(Reduction::Sum, all, Site::here()).0)
    }
    fn reduce(self, kind: Reduction, dims: Vec<usize>, site: Site) -> Self {
        self.on(|core| math::reduce(core, kind, self.0, &dims, site))
    }
    /// Element by element: where this holds that of `yes`, else that of `no`.
    #[track_caller]
    #[must_use]
    pub fn select(self, yes: impl IntoArray, no: impl IntoArray) -> Self {
        let site = Site::here();
        let (yes, no) = (yes.into_arg(), no.into_arg());
        self.on(|core| math::select(core, self.arg(), yes, no, site))
    }
    /// `self * b + c` with one rounding.
    #[track_caller]
    #[must_use]
    pub fn fma(self, b: impl IntoArray, c: impl IntoArray) -> Self {
        let site = Site::here();
        let (b, c) = (b.into_arg(), c.into_arg());
        self.on(|core| math::fma(core, self.arg(), b, c, site))
    }
    /// Names the value in the printed IR.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        super::handle::set_name(self.0, name);
        self
    }
}

impl Numeric for Array {
    fn arg(self) -> Arg {
        Arg::Value(self.0)
    }
    fn from_raw(raw: Raw) -> Self {
        Self(raw)
    }
}

/// What goes with an [`Array`]: another one, a number or a literal.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array and no number",
    label = "an array value, a number or a literal is wanted",
    note = "a reference to an array is read with `load`; a barrier is a reference and never an array, and has nothing to read"
)]
pub trait IntoArray {
    /// As an operand.
    #[doc(hidden)]
    fn into_arg(self) -> Arg;
}
#[diagnostic::do_not_recommend]
impl IntoArray for Array {
    fn into_arg(self) -> Arg {
        Arg::Value(self.0)
    }
}
#[diagnostic::do_not_recommend]
impl IntoArray for Scalar {
    fn into_arg(self) -> Arg {
        self.0
    }
}
#[diagnostic::do_not_recommend]
impl IntoArray for Idx {
    fn into_arg(self) -> Arg {
        Scalar::from(self).0
    }
}
#[diagnostic::do_not_recommend]
impl IntoArray for i64 {
    fn into_arg(self) -> Arg {
        Arg::Literal(Number::Int(self))
    }
}
#[diagnostic::do_not_recommend]
impl IntoArray for f64 {
    fn into_arg(self) -> Arg {
        Arg::Literal(Number::Float(self))
    }
}

number_methods!(Array, IntoArray);
number_operators! {
    Array, IntoArray:
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
    Rem rem Rem;
    BitAnd bitand And;
    BitOr bitor Or;
    BitXor bitxor Xor;
}
literal_operators! {
    i64, Array: [
        Add add Add;
        Sub sub Sub;
        Mul mul Mul;
        Div div Div;
    ]
    f64, Array: [
        Add add Add;
        Sub sub Sub;
        Mul mul Mul;
        Div div Div;
    ]
    Scalar, Array: [
        Add add Add;
        Sub sub Sub;
        Mul mul Mul;
        Div div Div;
    ]
}
