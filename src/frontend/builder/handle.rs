//! Handles of references: what a spec becomes in a kernel.
//!
//! A handle's type says what it refers to. [`BarrierRef`] and [`ClusterBarrierRef`] are no [`ArrayRef`]s: what takes
//! an array does not take them, and the compiler says so.

use std::marker::PhantomData;

use super::index::IntoIndices;
use super::place::{BarrierPlace, Place};
use super::registry::{self, Raw};
use crate::frontend::spec::{
    Acc, ArraySpec, Barrier, BlockWindow, ClusterBarrier, GmemSpace, MemorySpace, RefSpec, SmemSpace,
    TmemSpace,
};
use crate::frontend::{DType, Idx};
use crate::ir::types::TypeKind;

/// A reference to an array in the memory space `S`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayRef<S: MemorySpace> {
    pub(super) raw: Raw,
    space: PhantomData<S>,
}

/// A reference to an array in global memory: a parameter of the kernel.
pub type GmemRef = ArrayRef<GmemSpace>;
/// A reference to an array in shared memory.
pub type SmemRef = ArrayRef<SmemSpace>;
/// A reference to an array in tensor memory.
pub type TmemRef = ArrayRef<TmemSpace>;

/// A tensor-core accumulator in registers.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct AccRef {
    pub(super) raw: Raw,
}

/// A reference to a group of barriers in shared memory. It is no array: there is nothing to load, store or compute
/// with. Wait for its phases, arrive on it, hand it to an asynchronous copy.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct BarrierRef {
    pub(super) raw: Raw,
}

/// A reference to a group of cluster barriers in shared memory: arrivals reach the blocks along its axes. It is no
/// array, and no copy completes on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClusterBarrierRef {
    pub(super) raw: Raw,
}

/// Any reference.
pub trait Handle: Copy {
    /// The value.
    #[doc(hidden)]
    fn raw(self) -> Raw;
    /// From a value.
    #[doc(hidden)]
    fn from_raw(raw: Raw) -> Self;

    /// Names the reference in the printed IR.
    #[must_use]
    fn named(self, name: &str) -> Self {
        set_name(self.raw(), name);
        self
    }
}

impl<S: MemorySpace> Handle for ArrayRef<S> {
    fn raw(self) -> Raw {
        self.raw
    }
    fn from_raw(raw: Raw) -> Self {
        Self { raw, space: PhantomData }
    }
}

macro_rules! handles {
    ($($Handle:ident)*) => {$(
        impl Handle for $Handle {
            fn raw(self) -> Raw {
                self.raw
            }
            fn from_raw(raw: Raw) -> Self {
                Self { raw }
            }
        }
    )*};
}
handles!(AccRef BarrierRef ClusterBarrierRef);

impl<S: MemorySpace> ArrayRef<S> {
    /// The place at these indices. A dimension without an index, and one that [`Place::sized`] gives an extent, is
    /// taken whole or in part; an indexed one is a single element and no dimension of what is read.
    pub fn at(self, indices: impl IntoIndices) -> Place<S> {
        Place { target: self, indices: indices.into_indices(), sizes: None }
    }
    /// The extents, with [`DYN`](crate::frontend::DYN) for those known at launch only; empty for poison.
    pub fn shape(self) -> Vec<i64> {
        shape(self.raw)
    }
    /// The element type; `None` for poison.
    pub fn dtype(self) -> Option<DType> {
        let dtype = registry::with(self.raw.kernel, |core| {
            let types = &core.module.types;
            DType::of(types, types.elem_of(core.module.ty(self.raw.value?)))
        });
        dtype.flatten()
    }
}

impl BarrierRef {
    /// One barrier of the group.
    pub fn at(self, indices: impl IntoIndices) -> BarrierPlace<Self> {
        BarrierPlace { target: self, indices: indices.into_indices(), peer: None }
    }
    /// The group's shape; empty for poison.
    pub fn shape(self) -> Vec<i64> {
        shape(self.raw)
    }
    /// The same barrier of another block of the cluster.
    pub fn peer(self, rank: impl Into<Idx>) -> BarrierPlace<Self> {
        self.at(()).peer(rank)
    }
}

impl ClusterBarrierRef {
    /// One barrier of the group.
    pub fn at(self, indices: impl IntoIndices) -> BarrierPlace<Self> {
        BarrierPlace { target: self, indices: indices.into_indices(), peer: None }
    }
    /// The group's shape; empty for poison.
    pub fn shape(self) -> Vec<i64> {
        shape(self.raw)
    }
}

fn shape(raw: Raw) -> Vec<i64> {
    let shape = registry::with(raw.kernel, |core| match core.module.types.kind(core.module.ty(raw.value?)) {
        TypeKind::Ref(reference) => Some(reference.shape.to_vec()),
        TypeKind::BarrierRef(barrier) => Some(barrier.shape.to_vec()),
        _ => None,
    });
    shape.flatten().unwrap_or_default()
}

/// Names a value in the printed IR, when its kernel is still being built.
pub(super) fn set_name(raw: Raw, name: &str) {
    registry::with(raw.kernel, |core| {
        if let Some(value) = raw.value {
            core.module.set_value_name(value, name);
        }
    });
}

/// A spec that can be allocated, and what it becomes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be allocated as scratch memory",
    note = "scratch is `Smem`, `Tmem`, `Acc`, `Barrier` or `ClusterBarrier`; arrays in global memory are parameters"
)]
pub trait Scratch: RefSpec {
    /// The handle.
    type Handle: Handle;
}

#[diagnostic::do_not_recommend]
impl Scratch for ArraySpec<SmemSpace> {
    type Handle = SmemRef;
}
#[diagnostic::do_not_recommend]
impl Scratch for ArraySpec<TmemSpace> {
    type Handle = TmemRef;
}
#[diagnostic::do_not_recommend]
impl Scratch for BlockWindow {
    type Handle = SmemRef;
}
#[diagnostic::do_not_recommend]
impl Scratch for Acc {
    type Handle = AccRef;
}
#[diagnostic::do_not_recommend]
impl Scratch for Barrier {
    type Handle = BarrierRef;
}
#[diagnostic::do_not_recommend]
impl Scratch for ClusterBarrier {
    type Handle = ClusterBarrierRef;
}
