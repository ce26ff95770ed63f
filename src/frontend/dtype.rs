//! Element types as kernels name them.

use std::fmt;

use crate::ir::Type;
use crate::ir::types::{FloatKind, Signedness, TypeError, TypeKind, TypeTable};

/// The type of one number.
///
/// The constants [`F32`], [`BF16`], [`I32`] and so on are the usual way to name one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum DType {
    /// `index`: sizes and positions; 64 bits when lowered.
    Index,
    /// A signless integer of so many bits.
    Int(u32),
    /// A floating-point format.
    Float(FloatKind),
}

macro_rules! dtypes {
    ($($name:ident = $value:expr, $doc:literal;)*) => {
        $(#[doc = $doc] pub const $name: DType = $value;)*
    };
}

dtypes! {
    INDEX = DType::Index, "`index`: sizes and positions.";
    I1 = DType::Int(1), "`i1`: a truth value.";
    I8 = DType::Int(8), "`i8`.";
    I16 = DType::Int(16), "`i16`.";
    I32 = DType::Int(32), "`i32`.";
    I64 = DType::Int(64), "`i64`.";
    F16 = DType::Float(FloatKind::F16), "`f16`.";
    BF16 = DType::Float(FloatKind::BF16), "`bf16`.";
    F32 = DType::Float(FloatKind::F32), "`f32`.";
    F64 = DType::Float(FloatKind::F64), "`f64`.";
    F8E4M3FN = DType::Float(FloatKind::F8E4M3FN), "`f8E4M3FN`.";
    F8E5M2 = DType::Float(FloatKind::F8E5M2), "`f8E5M2`.";
}

impl DType {
    /// Bits of one element; `index` has 64.
    pub fn bits(self) -> u32 {
        match self {
            Self::Index => 64,
            Self::Int(width) => width,
            Self::Float(kind) => kind.bits(),
        }
    }
    /// Whether it is a floating-point format.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }
    /// The IR's type.
    ///
    /// # Errors
    /// When an integer's width is out of range.
    pub fn intern(self, types: &mut TypeTable) -> Result<Type, TypeError> {
        match self {
            Self::Index => Ok(types.index()),
            Self::Int(width) => types.intern(TypeKind::Integer { width, signedness: Signedness::Signless }),
            Self::Float(kind) => Ok(types.float(kind)),
        }
    }
    /// The element type that `ty` is, if it is one that kernels can name.
    pub fn of(types: &TypeTable, ty: Type) -> Option<Self> {
        match types.kind(ty) {
            TypeKind::Index => Some(Self::Index),
            TypeKind::Integer { width, signedness: Signedness::Signless } => Some(Self::Int(*width)),
            TypeKind::Float(kind) => Some(Self::Float(*kind)),
            _ => None,
        }
    }
}

impl From<FloatKind> for DType {
    fn from(kind: FloatKind) -> Self {
        Self::Float(kind)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index => f.write_str("index"),
            Self::Int(width) => write!(f, "i{width}"),
            Self::Float(kind) => write!(f, "{kind}"),
        }
    }
}
