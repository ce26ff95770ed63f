//! Sums of indices: a number known now, and the rest computed at run time in as few bits as will do.

use melior::ir::{Value as Mlir, ValueLike};
use tidegate_ir::Op;

use super::{Lower, Lowering};
use crate::lower::{mlir::emit::Emitter, plan::views::Sum};

/// `constant + value`; not negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expr<'c, 'a> {
    /// The part known now.
    pub(super) constant: i64,
    /// The rest, an `i32` or an `i64`.
    pub(super) value: Option<Mlir<'c, 'a>>,
    /// The most that `value` can be, as far as is known.
    pub(super) high: i64,
    /// What divides `value`.
    pub(super) multiple: i64,
}

impl<'c, 'a> Expr<'c, 'a> {
    /// The number `constant`.
    pub(super) fn number(constant: i64) -> Self {
        Self { constant, value: None, high: 0, multiple: 0 }
    }

    /// A value of at most `high`, a multiple of `multiple`.
    pub(super) fn value(value: Mlir<'c, 'a>, high: i64, multiple: i64) -> Self {
        Self { constant: 0, value: Some(value), high, multiple }
    }

    /// Whether the whole fits 31 bits.
    fn is_narrow(&self) -> bool {
        self.constant.saturating_add(self.high) <= i64::from(i32::MAX)
    }

    /// What divides the whole.
    pub(super) fn divisor(&self) -> i64 {
        crate::lower::plan::ranges::gcd(self.constant, self.multiple)
    }

    pub(super) fn add(self, e: &Emitter<'c, 'a>, other: Self) -> Lower<Self> {
        let constant = self.constant.saturating_add(other.constant);
        let high = self.high.saturating_add(other.high);
        let multiple = crate::lower::plan::ranges::gcd(self.multiple, other.multiple);
        let value = match (self.value, other.value) {
            (None, value) | (value, None) => value,
            (Some(a), Some(b)) => {
                let narrow = high <= i64::from(i32::MAX);
                let ty = if narrow { e.types().i32 } else { e.types().i64 };
                Some(e.add(e.to_integer(a, ty)?, e.to_integer(b, ty)?)?)
            }
        };
        Ok(Self { constant, value, high, multiple })
    }

    pub(super) fn mul(self, e: &Emitter<'c, 'a>, factor: i64) -> Lower<Self> {
        let high = self.high.saturating_mul(factor);
        let value = match self.value {
            Some(value) if factor != 1 => {
                let ty = if high <= i64::from(i32::MAX) { value.r#type() } else { e.types().i64 };
                let value = e.to_integer(value, ty)?;
                Some(e.mul(value, e.integer(ty, factor)?)?)
            }
            value => value,
        };
        Ok(Self {
            constant: self.constant.saturating_mul(factor),
            value: value.filter(|_| factor != 0),
            high,
            multiple: self.multiple.saturating_mul(factor),
        })
    }

    /// Quotient by and remainder of a number.
    pub(super) fn div_rem(self, e: &Emitter<'c, 'a>, divisor: i64) -> Lower<(Self, Self)> {
        if divisor == 1 {
            return Ok((self, Self::number(0)));
        }
        let Some(value) = self.value else {
            return Ok((Self::number(self.constant / divisor), Self::number(self.constant % divisor)));
        };
        if self.constant < 0 {
            let high = self.high.saturating_add(self.constant);
            return Self::value(self.materialize(e)?, high, self.divisor()).div_rem(e, divisor);
        }
        let (quotient, rest) = (self.constant / divisor, self.constant % divisor);
        // The constant's own rest goes with the value, unless the value is a multiple, or both stay below the divisor.
        if self.multiple % divisor == 0 && self.multiple != 0 {
            let value = e.binary("arith.divui", value, e.integer(value.r#type(), divisor)?)?;
            let quotient = Self {
                constant: quotient,
                value: Some(value),
                high: self.high / divisor,
                multiple: self.multiple / divisor,
            };
            return Ok((quotient, Self::number(rest)));
        }
        if self.high.saturating_add(rest) < divisor {
            return Ok((Self::number(quotient), Self { constant: rest, ..self }));
        }
        let whole = match rest {
            0 => value,
            rest => e.add(value, e.integer(value.r#type(), rest)?)?,
        };
        let high = self.high.saturating_add(rest);
        let number = e.integer(value.r#type(), divisor)?;
        let (q, r) = (e.binary("arith.divui", whole, number)?, e.binary("arith.remui", whole, number)?);
        let multiple =
            crate::lower::plan::ranges::gcd(crate::lower::plan::ranges::gcd(self.multiple, rest), divisor);
        Ok((
            Self { constant: quotient, value: Some(q), high: high / divisor, multiple: 1 },
            Self { constant: 0, value: Some(r), high: high.min(divisor - 1), multiple },
        ))
    }

    /// The whole as a value of 32 bits, or of 64 where it may not fit.
    pub(super) fn materialize(self, e: &Emitter<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        let ty = if self.is_narrow() { e.types().i32 } else { e.types().i64 };
        let Some(value) = self.value else { return Ok(e.integer(ty, self.constant)?) };
        let value = e.to_integer(value, ty)?;
        match self.constant {
            0 => Ok(value),
            constant => Ok(e.add(value, e.integer(ty, constant)?)?),
        }
    }
}

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// The sum, computed at `e`.
    pub(super) fn sum(&self, e: &Emitter<'c, 'a>, op: Op, sum: &Sum) -> Lower<Expr<'c, 'a>> {
        let mut total = Expr::number(sum.constant);
        for term in &sum.terms {
            let range = self.plan.ranges.get(term.index);
            let value = self.number(op, term.index)?;
            let high = if range.low >= 0 { range.high } else { i64::MAX };
            total = total.add(e, Expr::value(value, high, range.multiple).mul(e, term.factor)?)?;
        }
        Ok(total)
    }
}
