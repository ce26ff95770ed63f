//! Abstract values: what is known of a reference, and of the array behind it, before anything runs.
//!
//! A [`RefAval`] describes a reference. The array behind it is a [`ShapedArray`], if there is one:
//! [`RefAval::array`] answers with an error for barriers, cluster barriers and semaphores.

use std::fmt;

use super::dtype::DType;
use super::error::{SpecError, SpecErrorKind};
use super::shape::join;
use crate::ir::Type;
use crate::ir::types::{RefType, Space, TypeKind, TypeTable};

/// What is known of a barrier ref: the shape of its group, the arrivals to a phase, and the cluster axes along which
/// arrivals go. There is no element type, and no memory space to choose.
pub use crate::ir::types::BarrierRefType as BarrierAval;

/// An array without its values: extents and element type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShapedArray {
    /// Extents, the outermost first; [`DYN`](super::DYN) for those known at launch only.
    pub shape: Vec<i64>,
    /// The element type.
    pub dtype: DType,
}

impl ShapedArray {
    /// An array of that shape and element type.
    pub fn new(shape: impl super::IntoShape, dtype: DType) -> Self {
        Self { shape: shape.into_shape(), dtype }
    }
}

/// `f32[2, 128]`, as array shapes are usually written.
impl fmt::Display for ShapedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = self
            .shape
            .iter()
            .map(|&dim| if dim == super::DYN { "?".to_owned() } else { dim.to_string() })
            .collect();
        write!(f, "{}[{}]", self.dtype, dims.join(", "))
    }
}

/// A reference to an array in global, shared or tensor memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayRefAval {
    /// The array.
    pub array: ShapedArray,
    /// Where it lives.
    pub space: Space,
    /// Distances in elements along each dimension, for refs that are not dense.
    pub strides: Option<Vec<i64>>,
    /// The tile that the trailing dimensions are cut into (shared memory).
    pub tile: Option<Vec<i64>>,
    /// The swizzle's span in bytes (shared memory).
    pub swizzle: Option<u32>,
    /// Several narrow elements to a column (tensor memory).
    pub packed: bool,
    /// Shared by two blocks of a cluster (tensor memory).
    pub collective: bool,
    /// A named layout (tensor memory).
    pub layout: Option<String>,
}

impl ArrayRefAval {
    /// A dense reference without transforms.
    pub fn new(array: ShapedArray, space: Space) -> Self {
        Self {
            array,
            space,
            strides: None,
            tile: None,
            swizzle: None,
            packed: false,
            collective: false,
            layout: None,
        }
    }
    /// The IR's description, with `elem` for the element type.
    pub fn to_ref_type(&self, elem: Type) -> RefType {
        RefType {
            strides: self.strides.as_deref().map(Into::into),
            tile: self.tile.as_deref().map(Into::into),
            swizzle: self.swizzle,
            packed: self.packed,
            collective: self.collective,
            layout: self.layout.as_deref().map(Into::into),
            ..RefType::new(&self.array.shape, elem, self.space)
        }
    }
}

/// What is known of a reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RefAval {
    /// A reference to an array.
    Array(ArrayRefAval),
    /// A tensor-core accumulator in registers.
    Acc(ShapedArray),
    /// A reference to a group of barriers, or cluster barriers, in shared memory.
    Barrier(BarrierAval),
    /// A reference to a group of semaphores in global memory.
    Semaphore {
        /// The group's shape.
        shape: Vec<i64>,
    },
    /// References that share their memory.
    Union(Vec<RefAval>),
}

impl RefAval {
    /// Whether it is a barrier or cluster barrier.
    pub fn is_barrier(&self) -> bool {
        matches!(self, Self::Barrier(_))
    }
    /// The barrier that it is, if it is one.
    pub fn barrier(&self) -> Option<&BarrierAval> {
        match self {
            Self::Barrier(barrier) => Some(barrier),
            _ => None,
        }
    }
    /// The memory it refers to; `None` for an accumulator, which is in registers.
    pub fn space(&self) -> Option<Space> {
        match self {
            Self::Array(array) => Some(array.space),
            Self::Acc(_) => None,
            Self::Barrier(_) => Some(Space::Smem),
            Self::Semaphore { .. } => Some(Space::Gmem),
            Self::Union(members) => members.first().and_then(Self::space),
        }
    }
    /// The array behind the reference.
    ///
    /// # Errors
    /// When there is none: barriers, cluster barriers and semaphores are not arrays, and a union is several.
    #[track_caller]
    pub fn array(&self) -> Result<ShapedArray, SpecError> {
        self.array_or_reason().map_err(SpecError::here)
    }
    pub(crate) fn array_or_reason(&self) -> Result<ShapedArray, SpecErrorKind> {
        match self {
            Self::Array(array) => Ok(array.array.clone()),
            Self::Acc(array) => Ok(array.clone()),
            Self::Barrier(barrier) if barrier.is_cluster() => {
                Err(SpecErrorKind::ClusterBarrierIsNoArray { aval: barrier.clone() })
            }
            Self::Barrier(barrier) => Err(SpecErrorKind::BarrierIsNoArray { aval: barrier.clone() }),
            Self::Semaphore { shape } => Err(SpecErrorKind::SemaphoreIsNoArray { shape: shape.clone() }),
            Self::Union(members) => Err(SpecErrorKind::UnionIsNoArray { members: members.len() }),
        }
    }
    /// The reference's type in the IR.
    ///
    /// # Errors
    /// When the description breaks a rule of its kind; a union has no type of its own.
    pub fn intern(&self, types: &mut TypeTable) -> Result<Type, SpecErrorKind> {
        let kind = match self {
            Self::Array(array) => {
                let elem = array.array.dtype.intern(types)?;
                TypeKind::Ref(array.to_ref_type(elem))
            }
            Self::Acc(array) => {
                let elem = array.dtype.intern(types)?;
                let &[rows, columns] = array.shape.as_slice() else {
                    return Err(SpecErrorKind::AccRank { shape: array.shape.clone() });
                };
                TypeKind::Acc { shape: [rows, columns], elem }
            }
            Self::Barrier(barrier) => TypeKind::BarrierRef(barrier.clone()),
            Self::Semaphore { shape } => TypeKind::SemaphoreRef { shape: shape.as_slice().into() },
            Self::Union(members) => {
                return Err(SpecErrorKind::UnionHasNoType { members: members.len() });
            }
        };
        Ok(types.intern(kind)?)
    }
    /// The reference in words: "a reference to 4 barriers in shared memory".
    pub fn describe(&self) -> String {
        match self {
            Self::Array(array) => {
                format!("a reference to an array {} in {}", array.array, array.space.long_name())
            }
            Self::Acc(array) => format!("an accumulator {array} in registers"),
            Self::Barrier(barrier) => barrier.describe(),
            Self::Semaphore { shape } => {
                format!("a reference to {} semaphore(s) in global memory", join(shape))
            }
            Self::Union(members) => format!("a union of {} references", members.len()),
        }
    }
}

/// The text of the reference's type, `!tg.barrier_ref<2, arrivals = 1>`.
impl fmt::Display for RefAval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut types = TypeTable::default();
        match self.intern(&mut types) {
            Ok(ty) => f.write_str(&types.display(ty)),
            Err(_) => f.write_str(&self.describe()),
        }
    }
}
