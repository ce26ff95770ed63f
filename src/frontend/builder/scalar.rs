//! Single numbers and truth values.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Sub};

use super::array::Array;
use super::core::{Core, Number};
use super::index::{Idx, Repr};
use super::math::{self, Arg, Binary, Compare, Unary};
use super::registry::{KernelId, Raw};
use crate::frontend::error::Site;
use crate::frontend::{DType, I1, INDEX};
use crate::ir::Value;

/// A number or a truth value (`i1`): a parameter of the kernel, a literal, or the outcome of a comparison, a
/// reduction, a conversion.
///
/// Arithmetic wants one type on both sides; literals take that of the other side.
#[derive(Copy, Clone, Debug)]
pub struct Scalar(pub(super) Arg);

impl Scalar {
    pub(super) fn of(raw: Raw) -> Self {
        Self(Arg::Value(raw))
    }
    /// A truth value known now.
    pub(super) fn truth(value: bool) -> Self {
        Self(Arg::Typed(Number::Int(i64::from(value)), I1))
    }
    /// What follows from an index that cannot be computed.
    pub(super) fn unknown(index: Idx) -> Self {
        Self::from(index)
    }
    /// A literal of that type.
    pub fn literal(value: impl Into<Number>, dtype: DType) -> Self {
        Self(Arg::Typed(value.into(), dtype))
    }
    pub(super) fn value(self, core: &mut Core, site: Site) -> Option<Value> {
        math::resolve(core, self.0, site)
    }

    fn apply(args: &[Arg], site: Site, f: impl FnOnce(&mut Core) -> Option<Value>) -> Self {
        math::on_kernel(args, f).map_or(Self(Arg::NoKernel(site)), Self::of)
    }
    #[track_caller]
    fn binary(op: Binary, left: Arg, right: Arg) -> Self {
        let site = Site::here();
        Self::apply(&[left, right], site, |core| math::binary(core, op, left, right, site))
    }
    #[track_caller]
    fn unary(self, op: Unary) -> Self {
        let site = Site::here();
        Self::apply(&[self.0], site, |core| math::unary(core, op, self.0, site))
    }

    /// The same number as another type.
    #[track_caller]
    #[must_use]
    pub fn astype(self, dtype: DType) -> Self {
        let site = Site::here();
        Self::apply(&[self.0], site, |core| math::convert(core, self.0, dtype, site))
    }
    /// The same number as a size or position.
    #[track_caller]
    #[must_use]
    pub fn to_index(self) -> Idx {
        if let Arg::Typed(Number::Int(value), INDEX) = self.0 {
            return Idx::from(value);
        }
        match self.astype(INDEX).0 {
            Arg::Value(raw) => Idx(Repr::Value(raw)),
            Arg::DivisionByZero(op, site) => Idx(Repr::DivisionByZero(op, site)),
            Arg::Typed(..) | Arg::Literal(_) | Arg::NoKernel(_) => {
                Idx(Repr::Value(Raw::poison(KernelId::default())))
            }
        }
    }
    /// An array of that shape, filled with the number.
    #[track_caller]
    #[must_use]
    pub fn broadcast_to(self, shape: impl crate::frontend::IntoShape) -> Array {
        Array::broadcast(self.0, &shape.into_shape(), Site::here())
    }
    /// Where this holds `yes`, else `no`: a number or an array, whole.
    #[track_caller]
    #[must_use]
    pub fn select<T: Numeric>(self, yes: T, no: T) -> T {
        let site = Site::here();
        let args = [self.0, yes.arg(), no.arg()];
        let made = math::on_kernel(&args, |core| math::select(core, args[0], args[1], args[2], site));
        T::from_raw(made.unwrap_or(Raw::poison(KernelId::default())))
    }
    /// `self * b + c` with one rounding.
    #[track_caller]
    #[must_use]
    pub fn fma(self, b: impl IntoScalar, c: impl IntoScalar) -> Self {
        let site = Site::here();
        let args = [self.0, b.into_arg(), c.into_arg()];
        Self::apply(&args, site, |core| math::fma(core, args[0], args[1], args[2], site))
    }
    /// Names the value in the printed IR.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        if let Arg::Value(raw) = self.0 {
            super::handle::set_name(raw, name);
        }
        self
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<Idx> for Scalar {
    fn from(index: Idx) -> Self {
        Self(match index.0 {
            Repr::Const(value) => Arg::Typed(Number::Int(value), INDEX),
            Repr::Value(raw) => Arg::Value(raw),
            Repr::DivisionByZero(op, site) => Arg::DivisionByZero(op, site),
        })
    }
}
impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Self::truth(value)
    }
}

/// What goes with a [`Scalar`]: another one, an index, a truth value or a literal.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number",
    label = "a number, an index, a truth value or a literal is wanted"
)]
pub trait IntoScalar {
    /// As an operand.
    #[doc(hidden)]
    fn into_arg(self) -> Arg;
}
#[diagnostic::do_not_recommend]
impl IntoScalar for Scalar {
    fn into_arg(self) -> Arg {
        self.0
    }
}
#[diagnostic::do_not_recommend]
impl IntoScalar for Idx {
    fn into_arg(self) -> Arg {
        Scalar::from(self).0
    }
}
#[diagnostic::do_not_recommend]
impl IntoScalar for i64 {
    fn into_arg(self) -> Arg {
        Arg::Literal(Number::Int(self))
    }
}
#[diagnostic::do_not_recommend]
impl IntoScalar for f64 {
    fn into_arg(self) -> Arg {
        Arg::Literal(Number::Float(self))
    }
}
#[diagnostic::do_not_recommend]
impl IntoScalar for bool {
    fn into_arg(self) -> Arg {
        Scalar::truth(self).0
    }
}

/// A number or an array: what a [`Scalar::select`] chooses between.
pub trait Numeric: Copy {
    /// As an operand.
    #[doc(hidden)]
    fn arg(self) -> Arg;
    /// From an operation's result.
    #[doc(hidden)]
    fn from_raw(raw: Raw) -> Self;
}
impl Numeric for Scalar {
    fn arg(self) -> Arg {
        self.0
    }
    fn from_raw(raw: Raw) -> Self {
        Self::of(raw)
    }
}
impl Numeric for Idx {
    fn arg(self) -> Arg {
        Scalar::from(self).0
    }
    fn from_raw(raw: Raw) -> Self {
        Self(Repr::Value(raw))
    }
}

macro_rules! shared_methods {
    ($Type:ident, $Into:ident: $($(#[$doc:meta])* $method:ident = $op:ident;)*; $($(#[$bdoc:meta])* $binary:ident = $bop:expr;)*) => {
        impl $Type {
            $(
                $(#[$doc])*
                #[track_caller]
                #[must_use]
                pub fn $method(self) -> Self {
                    self.unary(Unary::$op)
                }
            )*
            $(
                $(#[$bdoc])*
                #[track_caller]
                #[must_use]
                pub fn $binary(self, other: impl $Into) -> Self {
                    Self::binary($bop, self.arg(), other.into_arg())
                }
            )*
        }
    };
}

macro_rules! number_methods {
    ($Type:ident, $Into:ident) => {
        shared_methods! {
            $Type, $Into:
            /// Absolute value.
            abs = Abs;
            /// e to this power.
            exp = Exp;
            /// 2 to this power.
            exp2 = Exp2;
            /// Natural logarithm.
            log = Log;
            /// Logarithm to base 2.
            log2 = Log2;
            /// Square root.
            sqrt = Sqrt;
            /// 1 divided by the square root.
            rsqrt = Rsqrt;
            /// Sine of an angle in radians.
            sin = Sin;
            /// Cosine of an angle in radians.
            cos = Cos;
            /// Hyperbolic tangent.
            tanh = Tanh;
            /// The error function.
            erf = Erf;
            /// Rounded down.
            floor = Floor;
            /// Rounded up.
            ceil = Ceil;
            /// Rounded to the nearest whole number, halves to even.
            round = Round;
            ;
            /// The larger one; NaN when either is NaN.
            max = Binary::Max;
            /// The smaller one; NaN when either is NaN.
            min = Binary::Min;
            /// Whether both are equal.
            eq = Binary::Compare(Compare::Eq);
            /// Whether they differ; true on NaN.
            ne = Binary::Compare(Compare::Ne);
            /// Whether this one is smaller, as signed numbers; false on NaN.
            lt = Binary::Compare(Compare::Lt);
            /// Whether this one is smaller or equal, as signed numbers; false on NaN.
            le = Binary::Compare(Compare::Le);
            /// Whether this one is larger, as signed numbers; false on NaN.
            gt = Binary::Compare(Compare::Gt);
            /// Whether this one is larger or equal, as signed numbers; false on NaN.
            ge = Binary::Compare(Compare::Ge);
        }

        impl Neg for $Type {
            type Output = $Type;
            #[track_caller]
            fn neg(self) -> $Type {
                self.unary(Unary::Neg)
            }
        }
        impl Not for $Type {
            type Output = $Type;
            #[track_caller]
            fn not(self) -> $Type {
                self.unary(Unary::Not)
            }
        }
    };
}

macro_rules! number_operators {
    ($Type:ident, $Into:ident: $($Trait:ident $method:ident $op:ident;)*) => {$(
        impl<R: $Into> $Trait<R> for $Type {
            type Output = $Type;
            #[track_caller]
            fn $method(self, other: R) -> $Type {
                <$Type>::binary(Binary::$op, self.arg(), other.into_arg())
            }
        }
    )*};
}

macro_rules! literal_operators {
    ($($Literal:ty, $Type:ident: [$($Trait:ident $method:ident $op:ident;)*])*) => {$($(
        impl $Trait<$Type> for $Literal {
            type Output = $Type;
            #[track_caller]
            fn $method(self, other: $Type) -> $Type {
                <$Type>::binary(Binary::$op, IntoScalar::into_arg(self), other.arg())
            }
        }
    )*)*};
}
pub(super) use {literal_operators, number_methods, number_operators, shared_methods};

number_methods!(Scalar, IntoScalar);
number_operators! {
    Scalar, IntoScalar:
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
    i64, Scalar: [
        Add add Add;
        Sub sub Sub;
        Mul mul Mul;
        Div div Div;
    ]
    f64, Scalar: [
        Add add Add;
        Sub sub Sub;
        Mul mul Mul;
        Div div Div;
    ]
}
