//! `arith`: constants, and the integer arithmetic of addresses and phases.

use melior::ir::{
    Attribute, Type, Value, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
};

use super::{Emitted, Emitter};

/// How integers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Less, signed.
    Less,
    /// Less or equal, signed.
    LessOrEqual,
    /// Greater, signed.
    Greater,
    /// Greater or equal, signed.
    GreaterOrEqual,
    /// Less, unsigned.
    Below,
    /// Less or equal, unsigned.
    BelowOrEqual,
    /// Greater, unsigned.
    Above,
    /// Greater or equal, unsigned.
    AboveOrEqual,
}

/// How floats are compared; `true` of ordered ones only when neither is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum FloatComparison {
    /// Equal.
    Equal = 1,
    /// Greater.
    Greater = 2,
    /// Greater or equal.
    GreaterOrEqual = 3,
    /// Less.
    Less = 4,
    /// Less or equal.
    LessOrEqual = 5,
}

impl<'c, 'a> Emitter<'c, 'a> {
    /// The constant `value` of type `r#type`, an integer or `index`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn integer(&self, r#type: Type<'c>, value: i64) -> Emitted<Value<'c, 'a>> {
        self.constant(r#type, IntegerAttribute::new(r#type, value).into())
    }

    /// The constant `value` of type `i1`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn i1(&self, value: bool) -> Emitted<Value<'c, 'a>> {
        self.constant(self.types.i1, self.bool_attribute(value))
    }

    /// The constant `value` of type `i32`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn i32(&self, value: i64) -> Emitted<Value<'c, 'a>> {
        self.integer(self.types.i32, value)
    }

    /// The constant `value` of type `index`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn index(&self, value: i64) -> Emitted<Value<'c, 'a>> {
        self.integer(self.types.index, value)
    }

    /// The constant `value` of the float type `r#type`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn float(&self, r#type: Type<'c>, value: f64) -> Emitted<Value<'c, 'a>> {
        self.constant(r#type, FloatAttribute::new(self.session.context(), r#type, value).into())
    }

    /// The constant with this attribute.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn constant(&self, r#type: Type<'c>, value: Attribute<'c>) -> Emitted<Value<'c, 'a>> {
        self.value("arith.constant", &[], r#type, &[("value", value)])
    }

    /// An op of two operands and a result, all of one type: `arith.addi` and its like.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn binary(&self, name: &str, left: Value<'c, 'a>, right: Value<'c, 'a>) -> Emitted<Value<'c, 'a>> {
        self.value(name, &[left, right], left.r#type(), &[])
    }

    /// `left + right`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn add(&self, left: Value<'c, 'a>, right: Value<'c, 'a>) -> Emitted<Value<'c, 'a>> {
        self.binary("arith.addi", left, right)
    }

    /// `left * right`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn mul(&self, left: Value<'c, 'a>, right: Value<'c, 'a>) -> Emitted<Value<'c, 'a>> {
        self.binary("arith.muli", left, right)
    }

    /// `left` compared with `right`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn compare(
        &self,
        how: Comparison,
        left: Value<'c, 'a>,
        right: Value<'c, 'a>,
    ) -> Emitted<Value<'c, 'a>> {
        let predicate = self.integer_attribute(self.types.i64, how as i64);
        self.value("arith.cmpi", &[left, right], self.types.i1, &[("predicate", predicate)])
    }

    /// `left` compared with `right`, floats.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn compare_floats(
        &self,
        how: FloatComparison,
        left: Value<'c, 'a>,
        right: Value<'c, 'a>,
    ) -> Emitted<Value<'c, 'a>> {
        let predicate = self.integer_attribute(self.types.i64, how as i64);
        self.value("arith.cmpf", &[left, right], self.types.i1, &[("predicate", predicate)])
    }

    /// `condition ? yes : no`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn select(
        &self,
        condition: Value<'c, 'a>,
        yes: Value<'c, 'a>,
        no: Value<'c, 'a>,
    ) -> Emitted<Value<'c, 'a>> {
        self.value("arith.select", &[condition, yes, no], yes.r#type(), &[])
    }

    /// An op of one operand that makes `r#type` of it: `arith.trunci`, `arith.index_cast` and their like.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn convert(&self, name: &str, value: Value<'c, 'a>, r#type: Type<'c>) -> Emitted<Value<'c, 'a>> {
        self.value(name, &[value], r#type, &[])
    }

    /// `value`, an `index` or an unsigned integer, as an `i32`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn to_i32(&self, value: Value<'c, 'a>) -> Emitted<Value<'c, 'a>> {
        self.to_integer(value, self.types.i32)
    }

    /// `value`, an `index` or an unsigned integer, as an `index`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn to_index(&self, value: Value<'c, 'a>) -> Emitted<Value<'c, 'a>> {
        self.to_integer(value, self.types.index)
    }

    /// `value`, an `index` or an unsigned integer, as the integer type `r#type`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn to_integer(&self, value: Value<'c, 'a>, r#type: Type<'c>) -> Emitted<Value<'c, 'a>> {
        let from = value.r#type();
        if from == r#type {
            return Ok(value);
        }
        if from == self.types.index || r#type == self.types.index {
            return self.convert("arith.index_castui", value, r#type);
        }
        let width = |r#type: Type<'c>| {
            melior::ir::r#type::IntegerType::try_from(r#type).map_or(u32::MAX, |integer| integer.width())
        };
        let name = if width(from) < width(r#type) { "arith.extui" } else { "arith.trunci" };
        self.convert(name, value, r#type)
    }
}
