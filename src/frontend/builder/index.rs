//! Sizes and positions: numbers, or values of type `index`.

use std::ops::{Add, Div, Mul, Rem, Sub};

use super::core::{Core, Number};
use super::registry::{self, Raw};
use super::scalar::Scalar;
use crate::frontend::error::{BuildErrorKind, Site};
use crate::frontend::{DType, INDEX};
use crate::ir::Value;
use crate::ir::ops::{ArithOp, IndexRef};

/// A size or a position: a number known now, or an `index` value of the kernel.
///
/// `+`, `-`, `*`, `/` and `%` work on it and on `i64`, in either order; numbers known now are computed at once.
/// Division and remainder take both sides as unsigned, since positions are; comparisons
/// ([`lt`](Idx::lt), [`ge`](Idx::ge), …) as signed, so that a difference may be negative.
#[derive(Copy, Clone, Debug)]
pub struct Idx(pub(super) Repr);

#[derive(Copy, Clone, Debug)]
pub(super) enum Repr {
    Const(i64),
    Value(Raw),
    /// Division of two numbers known now, by 0; noted when it is used.
    DivisionByZero(&'static str, Site),
}

impl From<i64> for Idx {
    fn from(value: i64) -> Self {
        Self(Repr::Const(value))
    }
}
impl From<&Idx> for Idx {
    fn from(index: &Idx) -> Self {
        *index
    }
}

#[derive(Copy, Clone, Debug)]
enum IndexOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
}

impl IndexOp {
    fn fold(self, left: i64, right: i64) -> Result<i64, &'static str> {
        let (a, b) = (left.cast_unsigned(), right.cast_unsigned());
        Ok(match self {
            Self::Add => left.wrapping_add(right),
            Self::Sub => left.wrapping_sub(right),
            Self::Mul => left.wrapping_mul(right),
            Self::Div => a.checked_div(b).ok_or("division")?.cast_signed(),
            Self::Rem => a.checked_rem(b).ok_or("remainder")?.cast_signed(),
            Self::Min => left.min(right),
            Self::Max => left.max(right),
        })
    }
    fn build(self, core: &mut Core, left: Value, right: Value, site: Site) -> Raw {
        match self {
            Self::Add => core.result(site, ArithOp::AddI, |b| b.arith_addi(left, right, None)),
            Self::Sub => core.result(site, ArithOp::SubI, |b| b.arith_subi(left, right, None)),
            Self::Mul => core.result(site, ArithOp::MulI, |b| b.arith_muli(left, right, None)),
            Self::Div => core.result(site, ArithOp::DivUI, |b| b.arith_divui(left, right, None)),
            Self::Rem => core.result(site, ArithOp::RemUI, |b| b.arith_remui(left, right)),
            Self::Min => core.result(site, ArithOp::MinSI, |b| b.arith_minsi(left, right)),
            Self::Max => core.result(site, ArithOp::MaxSI, |b| b.arith_maxsi(left, right)),
        }
    }
}

impl Idx {
    /// The number, when it is known now.
    pub fn known(self) -> Option<i64> {
        match self.0 {
            Repr::Const(value) => Some(value),
            Repr::Value(_) | Repr::DivisionByZero(..) => None,
        }
    }
    pub(super) fn raw(self) -> Option<Raw> {
        match self.0 {
            Repr::Value(raw) => Some(raw),
            Repr::Const(_) | Repr::DivisionByZero(..) => None,
        }
    }
    /// As an operand.
    pub(super) fn value(self, core: &mut Core, site: Site) -> Option<Value> {
        match self.0 {
            Repr::Const(value) => core.constant(Number::Int(value), INDEX, site),
            Repr::Value(raw) => core.value(raw, site),
            Repr::DivisionByZero(op, at) => {
                core.error(BuildErrorKind::DivisionByZero { op }, at);
                None
            }
        }
    }
    /// As an entry of an index list.
    pub(super) fn entry(self, core: &mut Core, site: Site) -> Option<IndexRef> {
        match self.0 {
            Repr::Const(value) => Some(IndexRef::Const(value)),
            Repr::Value(_) | Repr::DivisionByZero(..) => self.value(core, site).map(IndexRef::Value),
        }
    }

    #[track_caller]
    fn binary(self, op: IndexOp, other: Self) -> Self {
        let site = Site::here();
        if let (Repr::Const(left), Repr::Const(right)) = (self.0, other.0) {
            return Self(match op.fold(left, right) {
                Ok(value) => Repr::Const(value),
                Err(name) => Repr::DivisionByZero(name, site),
            });
        }
        let Some(raw) = self.raw().or(other.raw()) else {
            // A division by zero among numbers known now.
            return if matches!(self.0, Repr::DivisionByZero(..)) { self } else { other };
        };
        let made = registry::with(raw.kernel, |core| {
            if let (IndexOp::Div | IndexOp::Rem, Repr::Const(0)) = (op, other.0) {
                let name = if matches!(op, IndexOp::Div) { "division" } else { "remainder" };
                core.error(BuildErrorKind::DivisionByZero { op: name }, site);
                return core.poison();
            }
            let (left, right) = (self.value(core, site), other.value(core, site));
            match (left, right) {
                (Some(left), Some(right)) => op.build(core, left, right, site),
                _ => core.poison(),
            }
        });
        Self(Repr::Value(made.unwrap_or(Raw::poison(raw.kernel))))
    }

    #[track_caller]
    fn compare(self, predicate: &'static str, other: Self) -> Scalar {
        let site = Site::here();
        if let (Some(left), Some(right)) = (self.known(), other.known()) {
            return Scalar::truth(match predicate {
                "eq" => left == right,
                "ne" => left != right,
                "slt" => left < right,
                "sle" => left <= right,
                "sgt" => left > right,
                _ => left >= right,
            });
        }
        match self.raw().or(other.raw()) {
            Some(raw) => {
                let made = registry::with(raw.kernel, |core| {
                    match (self.value(core, site), other.value(core, site)) {
                        (Some(left), Some(right)) => {
                            super::math::compare_ints(core, predicate, left, right, site)
                        }
                        _ => core.poison(),
                    }
                });
                Scalar::of(made.unwrap_or(Raw::poison(raw.kernel)))
            }
            None => Scalar::unknown(if self.known().is_none() { self } else { other }),
        }
    }

    /// Whether both are equal.
    #[track_caller]
    #[must_use]
    pub fn eq(self, other: impl Into<Self>) -> Scalar {
        self.compare("eq", other.into())
    }
    /// Whether they differ.
    #[track_caller]
    #[must_use]
    pub fn ne(self, other: impl Into<Self>) -> Scalar {
        self.compare("ne", other.into())
    }
    /// Whether this one is smaller, as signed numbers.
    #[track_caller]
    #[must_use]
    pub fn lt(self, other: impl Into<Self>) -> Scalar {
        self.compare("slt", other.into())
    }
    /// Whether this one is smaller or equal, as signed numbers.
    #[track_caller]
    #[must_use]
    pub fn le(self, other: impl Into<Self>) -> Scalar {
        self.compare("sle", other.into())
    }
    /// Whether this one is larger, as signed numbers.
    #[track_caller]
    #[must_use]
    pub fn gt(self, other: impl Into<Self>) -> Scalar {
        self.compare("sgt", other.into())
    }
    /// Whether this one is larger or equal, as signed numbers.
    #[track_caller]
    #[must_use]
    pub fn ge(self, other: impl Into<Self>) -> Scalar {
        self.compare("sge", other.into())
    }
    /// The smaller one, as signed numbers.
    #[track_caller]
    #[must_use]
    pub fn min(self, other: impl Into<Self>) -> Self {
        self.binary(IndexOp::Min, other.into())
    }
    /// The larger one, as signed numbers.
    #[track_caller]
    #[must_use]
    pub fn max(self, other: impl Into<Self>) -> Self {
        self.binary(IndexOp::Max, other.into())
    }
    /// The same number as a value of an integer type, for arithmetic with arrays and other scalars.
    #[track_caller]
    #[must_use]
    pub fn astype(self, dtype: DType) -> Scalar {
        Scalar::from(self).astype(dtype)
    }
    /// Names the value in the printed IR.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        if let Some(raw) = self.raw() {
            super::handle::set_name(raw, name);
        }
        self
    }
}

macro_rules! index_operators {
    ($($Trait:ident $method:ident;)*) => {$(
        impl<R: Into<Idx>> $Trait<R> for Idx {
            type Output = Idx;
            #[track_caller]
            fn $method(self, other: R) -> Idx {
                self.binary(IndexOp::$Trait, other.into())
            }
        }
        impl $Trait<Idx> for i64 {
            type Output = Idx;
            #[track_caller]
            fn $method(self, other: Idx) -> Idx {
                Idx::from(self).binary(IndexOp::$Trait, other)
            }
        }
    )*};
}

index_operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
    Rem rem;
}

/// A list of indices: nothing, one index, an array, a slice or vector of them, or a tuple that mixes numbers and
/// values: `buf.at((slot, 0))`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of indices",
    label = "whole numbers and `Idx` values are wanted",
    note = "one index, an array of them, or a tuple that mixes numbers and values: `at((slot, 0))`"
)]
pub trait IntoIndices {
    /// The indices, the outermost first.
    fn into_indices(self) -> Vec<Idx>;
}

#[diagnostic::do_not_recommend]
impl IntoIndices for () {
    fn into_indices(self) -> Vec<Idx> {
        Vec::new()
    }
}
#[diagnostic::do_not_recommend]
impl IntoIndices for i64 {
    fn into_indices(self) -> Vec<Idx> {
        vec![self.into()]
    }
}
#[diagnostic::do_not_recommend]
impl IntoIndices for Idx {
    fn into_indices(self) -> Vec<Idx> {
        vec![self]
    }
}
#[diagnostic::do_not_recommend]
impl<T: Into<Idx>, const N: usize> IntoIndices for [T; N] {
    fn into_indices(self) -> Vec<Idx> {
        self.into_iter().map(Into::into).collect()
    }
}
#[diagnostic::do_not_recommend]
impl<T: Into<Idx>> IntoIndices for Vec<T> {
    fn into_indices(self) -> Vec<Idx> {
        self.into_iter().map(Into::into).collect()
    }
}
#[diagnostic::do_not_recommend]
impl IntoIndices for &[Idx] {
    fn into_indices(self) -> Vec<Idx> {
        self.to_vec()
    }
}

macro_rules! index_tuples {
    ($(($($T:ident $t:ident),+);)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($T: Into<Idx>),+> IntoIndices for ($($T,)+) {
            fn into_indices(self) -> Vec<Idx> {
                let ($($t,)+) = self;
                vec![$($t.into()),+]
            }
        }
    )*};
}

index_tuples! {
    (A a);
    (A a, B b);
    (A a, B b, C c);
    (A a, B b, C c, D d);
    (A a, B b, C c, D d, E e);
}
