//! Types. A [`Type`] is an id into the module's [`TypeTable`]; equal types have equal ids.
//!
//! The only way to a `Type` is [`TypeTable::intern`], which refuses what is ill-formed: a barrier ref of no arrivals,
//! a swizzle of 48 bytes, a packed ref outside tensor memory. Code that holds a `Type` need not check again.
//!
//! Three families matter:
//! - **arrays** ([`TypeKind::Vector`]): values in registers, spread over the lanes of a thread;
//! - **array refs** ([`RefType`]): references to arrays in global, shared or tensor memory;
//! - **barrier refs** ([`BarrierRefType`]): references to a group of mbarriers, always in shared memory. They have
//!   no element type, no space and no transforms, so "a barrier in global memory" or "element 0 of a barrier"
//!   cannot be written down.

mod barrier;
mod error;
mod print;
mod reference;
mod scalar;

use rustc_hash::FxHashMap;

pub use barrier::{BARRIER_USES, BarrierRefType, ClusterAxes, ClusterScope, MAX_ARRIVALS, MAX_BARRIERS};
pub use error::TypeError;
pub use reference::{RefType, Space};
pub use scalar::{FloatKind, Signedness};

use crate::entity::Type;
use crate::intern::Interner;

/// A dimension whose extent is known only at run time, in [`RefType::shape`].
pub const DYNAMIC: i64 = i64::MIN;

/// What a [`Type`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `i32`, `si8`, `ui64`: `width` bits, 1 to 2²⁴ − 1 as in MLIR.
    Integer {
        /// Bits.
        width: u32,
        /// `i`, `si` or `ui`.
        signedness: Signedness,
    },
    /// `index`: an integer for sizes and positions; 64 bits when lowered.
    Index,
    /// A floating-point type.
    Float(FloatKind),
    /// `vector<128x64xf32>`: an array value in registers.
    Vector {
        /// Extents, each at least 1.
        shape: Box<[i64]>,
        /// A scalar type.
        elem: Type,
    },
    /// `(i32) -> f32`.
    Function {
        /// Argument types.
        inputs: Box<[Type]>,
        /// Result types.
        results: Box<[Type]>,
    },
    /// `none`.
    None,
    /// `!tg.ref<128x64xbf16, smem, ...>`: a reference to an array.
    Ref(RefType),
    /// `!tg.barrier_ref<4, arrivals = 2>`: a reference to a group of mbarriers.
    BarrierRef(BarrierRefType),
    /// `!tg.acc<64x128xf32>`: a WGMMA accumulator in registers.
    Acc {
        /// Rows and columns.
        shape: [i64; 2],
        /// `f32`, `f16` or `i32`.
        elem: Type,
    },
    /// `!tg.semaphore_ref<2>`: a group of semaphores in global memory.
    SemaphoreRef {
        /// The group's shape.
        shape: Box<[i64]>,
    },
    /// A type of a dialect that tidegate does not know, with its whole text: `!llvm.ptr`, `memref<4xf32>`.
    Opaque(Box<str>),
}

/// The interned types of a module.
#[derive(Clone, Debug)]
pub struct TypeTable {
    set: Interner<Type, TypeKind>,
    /// Text as read, to type: reading the same spelling again costs one lookup.
    spellings: FxHashMap<Box<str>, Type>,
    index: Type,
    i1: Type,
    none: Type,
}

impl Default for TypeTable {
    fn default() -> Self {
        let mut set = Interner::new();
        let index = set.intern(TypeKind::Index);
        let i1 = set.intern(TypeKind::Integer { width: 1, signedness: Signedness::Signless });
        let none = set.intern(TypeKind::None);
        Self { set, spellings: FxHashMap::default(), index, i1, none }
    }
}

impl TypeTable {
    /// The type of that description.
    ///
    /// # Errors
    /// A [`TypeError`] that names the field at fault when the description breaks a rule of its kind.
    pub fn intern(&mut self, kind: TypeKind) -> Result<Type, TypeError> {
        if let Some(known) = self.set.find(&kind) {
            return Ok(known);
        }
        self.check(&kind)?;
        Ok(self.set.intern(kind))
    }

    /// What `ty` is.
    #[inline]
    pub fn kind(&self, ty: Type) -> &TypeKind {
        self.set.get(ty)
    }

    /// `index`.
    pub fn index(&self) -> Type {
        self.index
    }
    /// `i1`.
    pub fn i1(&self) -> Type {
        self.i1
    }
    /// `none`.
    pub fn none(&self) -> Type {
        self.none
    }
    /// The signless integer type of `width` bits, for widths from 1 to 2²⁴ − 1; `i1` and `i(2²⁴ − 1)` stand for
    /// what lies beyond.
    pub fn int(&mut self, width: u32) -> Type {
        let width = width.clamp(1, scalar::MAX_INT_WIDTH);
        self.set.intern(TypeKind::Integer { width, signedness: Signedness::Signless })
    }
    /// A floating-point type.
    pub fn float(&mut self, kind: FloatKind) -> Type {
        self.set.intern(TypeKind::Float(kind))
    }
    /// The array type of `shape` and `elem`.
    ///
    /// # Errors
    /// When an extent is below 1 or `elem` is no scalar.
    pub fn vector(&mut self, shape: &[i64], elem: Type) -> Result<Type, TypeError> {
        self.intern(TypeKind::Vector { shape: shape.into(), elem })
    }
    /// The type of `other`'s shape with elements `elem`: a vector for a vector, `elem` itself for a scalar.
    pub fn with_elem(&mut self, other: Type, elem: Type) -> Type {
        match self.kind(other) {
            TypeKind::Vector { shape, .. } => {
                let shape = shape.clone();
                self.set.intern(TypeKind::Vector { shape, elem })
            }
            _ => elem,
        }
    }

    /// The type that the text `spelling` was last found to mean.
    pub(crate) fn spelled(&self, spelling: &str) -> Option<Type> {
        self.spellings.get(spelling).copied()
    }
    pub(crate) fn remember_spelling(&mut self, spelling: &str, ty: Type) {
        self.spellings.insert(spelling.into(), ty);
    }

    /// The barrier ref that `ty` is, if it is one.
    pub fn as_barrier(&self, ty: Type) -> Option<&BarrierRefType> {
        match self.kind(ty) {
            TypeKind::BarrierRef(barrier) => Some(barrier),
            _ => None,
        }
    }
    /// The array ref that `ty` is, if it is one.
    pub fn as_ref(&self, ty: Type) -> Option<&RefType> {
        match self.kind(ty) {
            TypeKind::Ref(reference) => Some(reference),
            _ => None,
        }
    }
    /// Shape and element type of an array value.
    pub fn as_vector(&self, ty: Type) -> Option<(&[i64], Type)> {
        match self.kind(ty) {
            TypeKind::Vector { shape, elem } => Some((shape, *elem)),
            _ => None,
        }
    }
    /// Shape and element type of an array value; a scalar counts as an array of rank 0.
    pub fn as_value_array(&self, ty: Type) -> Option<(&[i64], Type)> {
        match self.kind(ty) {
            TypeKind::Vector { shape, elem } => Some((shape, *elem)),
            TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_) => Some((&[], ty)),
            _ => None,
        }
    }
    /// The element type of an array, array ref or accumulator; a scalar is its own element.
    pub fn elem_of(&self, ty: Type) -> Type {
        match self.kind(ty) {
            TypeKind::Vector { elem, .. } | TypeKind::Acc { elem, .. } => *elem,
            TypeKind::Ref(reference) => reference.elem,
            _ => ty,
        }
    }
    /// Whether `ty` is an integer, `index` or float type.
    pub fn is_scalar(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_))
    }
    /// The width of a scalar in bits; `index` has 64. `None` for other types.
    pub fn bit_width(&self, ty: Type) -> Option<u32> {
        match self.kind(ty) {
            TypeKind::Integer { width, .. } => Some(*width),
            TypeKind::Index => Some(64),
            TypeKind::Float(kind) => Some(kind.bits()),
            _ => None,
        }
    }
    /// The bytes that `count` elements of type `elem` take in memory: dense for sub-byte types, one byte for `i1`.
    /// `None` when `elem` has no memory form or the product overflows.
    pub fn bytes_of(&self, elem: Type, count: i64) -> Option<i64> {
        let bits = match self.bit_width(elem)? {
            1 => 8,
            width => i64::from(width),
        };
        count.checked_mul(bits).map(|total| (total + 7) / 8)
    }
    /// The bytes of the array that an array ref refers to; `None` when its extents are dynamic or it is no array ref.
    pub fn ref_bytes(&self, ty: Type) -> Option<i64> {
        let reference = self.as_ref(ty)?;
        self.bytes_of(reference.elem, reference.num_elements()?)
    }
}

/// The product of extents, or `None` when one is dynamic or the product does not fit.
pub fn num_elements(shape: &[i64]) -> Option<i64> {
    shape.iter().try_fold(1i64, |total, &dim| if dim == DYNAMIC { None } else { total.checked_mul(dim) })
}
