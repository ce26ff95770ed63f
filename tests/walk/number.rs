//! Numbers of the walk: an integer as an `i64` that is sign-extended from its width, a float as the `f64` of the same
//! value. Every result is brought back to its element type, so that a value is always one that the type has.

use tidegate::ir::attr::float_from_bits;
use tidegate::ir::types::{FloatKind, TypeKind};
use tidegate::ir::{Module, Type};

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elem {
    /// An integer of so many bits; `index` is one of 64.
    Int(u32),
    /// A float.
    Float(FloatKind),
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Num {
    /// Of an integer type.
    I(i64),
    /// Of a float type.
    F(f64),
}

impl Elem {
    /// What a scalar type is to the walk.
    pub(crate) fn of(module: &Module, ty: Type) -> Result<Self, String> {
        match module.types.kind(ty) {
            TypeKind::Integer { width, .. } if *width <= 64 => Ok(Self::Int(*width)),
            TypeKind::Index => Ok(Self::Int(64)),
            TypeKind::Float(kind) if kind.bits() >= 8 => Ok(Self::Float(*kind)),
            _ => Err(format!("the walk has no elements of type {}", module.types.display(ty))),
        }
    }

    /// Bytes in memory; a truth value takes one.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Int(width) => width.div_ceil(8) as usize,
            Self::Float(kind) => kind.bits().div_ceil(8) as usize,
        }
    }

    /// An integer modulo 2^width, read as signed.
    pub(crate) fn int(self, value: i128) -> Num {
        let Self::Int(width) = self else { return self.float(value as f64) };
        // A truth value is 0 or 1 here; -1 and 1 are the same bit.
        if width == 1 {
            return Num::I((value & 1) as i64);
        }
        let shift = 128 - width;
        Num::I((value << shift >> shift) as i64)
    }

    /// A number of a float type: the nearest, ties to even.
    pub(crate) fn float(self, value: f64) -> Num {
        match self {
            Self::Float(kind) => Num::F(round_to(value, kind)),
            Self::Int(_) => self.int(value as i128),
        }
    }

    /// A number from its bytes in memory.
    pub(crate) fn decode(self, bytes: &[u8]) -> Num {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(all);
        match self {
            Self::Int(_) => self.int(i128::from(bits)),
            Self::Float(kind) => Num::F(float_from_bits(bits, kind)),
        }
    }

    /// A number as its bytes in memory.
    pub(crate) fn encode(self, number: Num) -> Vec<u8> {
        let bits = match (self, number) {
            (Self::Float(FloatKind::F64), Num::F(value)) => value.to_bits(),
            (Self::Float(kind), Num::F(value)) => float_bits(value, kind),
            (_, Num::I(value)) => value as u64,
            (Self::Int(_), Num::F(value)) => value as i64 as u64,
        };
        bits.to_le_bytes()[..self.bytes()].to_vec()
    }
}

impl Num {
    /// As a signed integer.
    pub(crate) fn i(self) -> i64 {
        match self {
            Self::I(value) => value,
            Self::F(value) => value as i64,
        }
    }
    /// As a float.
    pub(crate) fn f(self) -> f64 {
        match self {
            Self::I(value) => value as f64,
            Self::F(value) => value,
        }
    }
    /// As a truth value.
    pub(crate) fn is_true(self) -> bool {
        self.i() != 0
    }
}

/// The value of format `kind` nearest to `value`, ties to even (IEEE 754, 4.3.1). Formats without infinities saturate, as
/// MLIR's `arith.truncf` to them does on this hardware (`cvt.satfinite`).
pub(crate) fn round_to(value: f64, kind: FloatKind) -> f64 {
    if kind == FloatKind::F64 || value.is_nan() || value == 0.0 {
        return value;
    }
    if kind == FloatKind::F32 {
        return f64::from(value as f32);
    }
    let largest = kind.largest();
    // The 8-bit formats are made by conversions that saturate.
    let saturates = kind.bits() <= 8;
    if value.is_infinite() {
        return if saturates { largest.copysign(value) } else { value };
    }
    let bias = (1i32 << (kind.exponent_bits() - 1)) - 1;
    let mantissa = kind.mantissa_bits() as i32;
    // The exponent of the last place.
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(1 - bias);
    let unit = f64::powi(2.0, exponent - mantissa);
    // Exact: divisions by powers of two, of numbers that are far from the ends of f64's range.
    let rounded = (value / unit).round_ties_even() * unit;
    if rounded.abs() > largest {
        return if saturates { largest.copysign(value) } else { f64::INFINITY.copysign(value) };
    }
    rounded
}

/// The bits of a value that format `kind` has.
fn float_bits(value: f64, kind: FloatKind) -> u64 {
    if kind == FloatKind::F32 {
        return u64::from((value as f32).to_bits());
    }
    let (exponent_bits, mantissa_bits) = (kind.exponent_bits(), kind.mantissa_bits());
    let sign = u64::from(value.is_sign_negative()) << (exponent_bits + mantissa_bits);
    let top = ((1u64 << exponent_bits) - 1) << mantissa_bits;
    if value.is_nan() {
        let fraction = if kind.has_infinity() { 1 << (mantissa_bits - 1) } else { (1 << mantissa_bits) - 1 };
        return sign | top | fraction;
    }
    if value.is_infinite() {
        return sign | top;
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let magnitude = value.abs();
    let exponent = (magnitude.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    if magnitude == 0.0 || exponent < 1 - bias {
        let units = magnitude / f64::powi(2.0, 1 - bias - mantissa_bits as i32);
        return sign | units as u64;
    }
    let fraction = (magnitude / f64::powi(2.0, exponent) - 1.0) * f64::powi(2.0, mantissa_bits as i32);
    sign | ((exponent + bias) as u64) << mantissa_bits | fraction as u64
}
