//! Places in memory: a reference with indices.

use super::core::Core;
use super::handle::{ArrayRef, BarrierRef, ClusterBarrierRef, Handle};
use super::index::Idx;
use super::registry::Raw;
use crate::frontend::error::{BuildErrorKind, Site};
use crate::frontend::spec::{GmemSpace, MemorySpace, SmemSpace};
use crate::frontend::{DType, IntoShape};
use crate::ir::Value;
use crate::ir::ops::IndexRef;
use crate::ir::types::{BarrierRefType, DYNAMIC, RefType};

/// A part of an array in memory: where it starts and, after [`Place::sized`], how much it is.
#[derive(Clone, Debug)]
pub struct Place<S: MemorySpace> {
    pub(super) target: ArrayRef<S>,
    pub(super) indices: Vec<Idx>,
    pub(super) sizes: Option<Vec<i64>>,
}

impl<S: MemorySpace> Place<S> {
    /// Sets how much is accessed: extents of the trailing dimensions; those in front are single elements.
    #[must_use]
    pub fn sized(mut self, shape: impl IntoShape) -> Self {
        self.sizes = Some(shape.into_shape());
        self
    }
}

/// One barrier of a group, of this block or, after [`BarrierPlace::peer`], of another block of the cluster.
#[derive(Clone, Debug)]
pub struct BarrierPlace<B> {
    pub(super) target: B,
    pub(super) indices: Vec<Idx>,
    pub(super) peer: Option<Idx>,
}

impl<B> BarrierPlace<B> {
    /// The same barrier of the block of that rank in the cluster.
    #[must_use]
    pub fn peer(mut self, rank: impl Into<Idx>) -> Self {
        self.peer = Some(rank.into());
        self
    }
}

/// A place, whatever its space.
#[derive(Clone, Debug)]
pub struct AnyPlace {
    pub(super) raw: Raw,
    pub(super) indices: Vec<Idx>,
    pub(super) sizes: Option<Vec<i64>>,
}

/// A barrier, of whichever kind.
#[derive(Clone, Debug)]
pub struct AnyBarrier {
    pub(super) raw: Raw,
    pub(super) indices: Vec<Idx>,
    pub(super) peer: Option<Idx>,
}

/// An array in the memory space `S`, whole or a part of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array in the memory that is wanted here (`{S}`)",
    label = "an array reference of `{S}` is wanted",
    note = "a barrier is a reference to mbarriers and never an array: in a copy it stands last, after source and destination"
)]
pub trait IntoPlace<S: MemorySpace> {
    /// The place.
    #[doc(hidden)]
    fn into_place(self) -> AnyPlace;
}
#[diagnostic::do_not_recommend]
impl<S: MemorySpace> IntoPlace<S> for ArrayRef<S> {
    fn into_place(self) -> AnyPlace {
        AnyPlace { raw: self.raw, indices: Vec::new(), sizes: None }
    }
}
#[diagnostic::do_not_recommend]
impl<S: MemorySpace> IntoPlace<S> for Place<S> {
    fn into_place(self) -> AnyPlace {
        AnyPlace { raw: self.target.raw, indices: self.indices, sizes: self.sizes }
    }
}
#[diagnostic::do_not_recommend]
impl<S: MemorySpace, P: IntoPlace<S> + Clone> IntoPlace<S> for &P {
    fn into_place(self) -> AnyPlace {
        self.clone().into_place()
    }
}

/// An array that a thread can read and write: in global or shared memory, whole or a part of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array that can be read or written",
    label = "an array in global or shared memory is wanted",
    note = "a barrier is a reference to mbarriers and never an array: wait for its phase with `barrier_wait`, arrive with `barrier_arrive`, and load or store the array that it guards"
)]
pub trait IntoArrayPlace {
    /// The place.
    #[doc(hidden)]
    fn into_array_place(self) -> AnyPlace;
}

macro_rules! array_places {
    ($($Space:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoArrayPlace for ArrayRef<$Space> {
            fn into_array_place(self) -> AnyPlace {
                self.into_place()
            }
        }
        #[diagnostic::do_not_recommend]
        impl IntoArrayPlace for Place<$Space> {
            fn into_array_place(self) -> AnyPlace {
                self.into_place()
            }
        }
    )*};
}
array_places!(GmemSpace, SmemSpace);
#[diagnostic::do_not_recommend]
impl<P: IntoArrayPlace + Clone> IntoArrayPlace for &P {
    fn into_array_place(self) -> AnyPlace {
        self.clone().into_array_place()
    }
}

/// One barrier or cluster barrier.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a barrier",
    label = "a barrier is wanted",
    note = "memory that holds an array is no barrier, whatever its elements: allocate one with `scratch(Barrier::new())`"
)]
pub trait IntoBarrier {
    /// The barrier.
    #[doc(hidden)]
    fn into_barrier(self) -> AnyBarrier;
}

macro_rules! barriers {
    ($($Barrier:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoBarrier for $Barrier {
            fn into_barrier(self) -> AnyBarrier {
                AnyBarrier { raw: self.raw(), indices: Vec::new(), peer: None }
            }
        }
        #[diagnostic::do_not_recommend]
        impl IntoBarrier for BarrierPlace<$Barrier> {
            fn into_barrier(self) -> AnyBarrier {
                AnyBarrier { raw: self.target.raw(), indices: self.indices, peer: self.peer }
            }
        }
    )*};
}
barriers!(BarrierRef, ClusterBarrierRef);
#[diagnostic::do_not_recommend]
impl<B: IntoBarrier + Clone> IntoBarrier for &B {
    fn into_barrier(self) -> AnyBarrier {
        self.clone().into_barrier()
    }
}

/// One barrier on which an asynchronous copy can complete: any but cluster barriers.
#[diagnostic::on_unimplemented(
    message = "no copy completes on `{Self}`",
    label = "a `BarrierRef`, or one barrier of its group, is wanted",
    note = "a copy announces its bytes on, and completes on, a barrier of its own block; cluster barriers and arrays are none"
)]
pub trait IntoCopyBarrier: IntoBarrier {}
#[diagnostic::do_not_recommend]
impl IntoCopyBarrier for BarrierRef {}
#[diagnostic::do_not_recommend]
impl IntoCopyBarrier for BarrierPlace<BarrierRef> {}
#[diagnostic::do_not_recommend]
impl<B: IntoCopyBarrier + Clone> IntoCopyBarrier for &B {}

// ---- places in a kernel ----

/// A place whose handles were found to be in order.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) value: Value,
    pub(super) indices: Vec<IndexRef>,
    pub(super) reference: RefType,
    pub(super) dtype: DType,
    pub(super) what: String,
    sizes: Option<Vec<i64>>,
}

impl AnyPlace {
    /// Checks handles, the number of indices, and constant ones.
    pub(super) fn find(&self, core: &mut Core, site: Site) -> Option<Found> {
        let entries: Option<Vec<IndexRef>> =
            self.indices.iter().map(|index| index.entry(core, site)).collect();
        let value = core.value(self.raw, site)?;
        let indices = entries?;
        let what = core.describe(value);
        let reference = core.module.types.as_ref(core.module.ty(value))?.clone();
        let dtype = DType::of(&core.module.types, reference.elem)?;
        let rank = reference.rank();
        if indices.len() > rank {
            core.error(BuildErrorKind::IndexCount { what, found: indices.len(), rank }, site);
            return None;
        }
        Some(Found { value, indices, reference, dtype, what, sizes: self.sizes.clone() })
    }
}

impl Found {
    /// How much is accessed, dimension by dimension and then without the single elements in front: what
    /// [`Place::sized`] said, or whole dimensions where no index is given.
    pub(super) fn extents(&self, core: &mut Core, site: Site) -> Option<Vec<i64>> {
        if let Some(sizes) = &self.sizes {
            return Some(sizes.clone());
        }
        let rest = self.reference.shape.get(self.indices.len()..).unwrap_or_default();
        if let Some(dim) = rest.iter().position(|&extent| extent == DYNAMIC) {
            let dim = dim + self.indices.len();
            core.error(BuildErrorKind::DynamicExtent { what: self.what.clone(), dim }, site);
            return None;
        }
        Some(rest.to_vec())
    }
    /// Whether an access of `extents` fits: dimensions without an index are taken whole, and constant indices are in
    /// range. A copy may lead over the edge of global memory.
    pub(super) fn fits(
        &self,
        core: &mut Core,
        extents: &[i64],
        op: &'static str,
        over_edge: bool,
        site: Site,
    ) -> bool {
        let shape = &self.reference.shape;
        let rank = shape.len();
        let Some(front) = rank.checked_sub(extents.len()) else {
            let (left, right) = (extents.to_vec(), shape.to_vec());
            core.error(BuildErrorKind::ShapeMismatch { op, left, right }, site);
            return false;
        };
        for (dim, &extent) in shape.iter().enumerate() {
            let size = if dim < front { 1 } else { extents.get(dim - front).copied().unwrap_or(1) };
            let known = extent != DYNAMIC;
            match self.indices.get(dim) {
                None if known && size != extent => {
                    let (left, right) = (extents.to_vec(), shape.to_vec());
                    core.error(BuildErrorKind::ShapeMismatch { op, left, right }, site);
                    return false;
                }
                Some(&IndexRef::Const(index)) => {
                    let what = self.what.clone();
                    let inside = index >= 0 && (!known || index < extent);
                    if !inside && !over_edge {
                        core.error(BuildErrorKind::IndexRange { what, dim, index, extent }, site);
                        return false;
                    }
                    if known && !over_edge && index.saturating_add(size) > extent {
                        core.error(BuildErrorKind::AccessRange { what, dim, index, size, extent }, site);
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }
    /// Indices for every dimension, zeros where none is given.
    pub(super) fn offsets(&self) -> Vec<IndexRef> {
        let missing = self.reference.rank() - self.indices.len();
        self.indices.iter().copied().chain(std::iter::repeat_n(IndexRef::Const(0), missing)).collect()
    }
    /// Whether [`Place::sized`] was called.
    pub(super) fn is_sized(&self) -> bool {
        self.sizes.is_some()
    }
}

/// A barrier whose handles were found to be in order.
#[derive(Clone, Debug)]
pub(super) struct FoundBarrier {
    pub(super) value: Value,
    pub(super) indices: Vec<IndexRef>,
    pub(super) peer: Option<Value>,
}

impl AnyBarrier {
    /// Checks handles, that exactly one barrier is meant, and constant indices.
    pub(super) fn find(&self, core: &mut Core, site: Site) -> Option<FoundBarrier> {
        let entries: Option<Vec<IndexRef>> =
            self.indices.iter().map(|index| index.entry(core, site)).collect();
        let peer = match self.peer {
            Some(peer) => Some(peer.value(core, site)?),
            None => None,
        };
        let value = core.value(self.raw, site)?;
        let indices = entries?;
        let barrier: BarrierRefType = core.module.types.as_barrier(core.module.ty(value))?.clone();
        let shape = barrier.shape.to_vec();
        let what = core.describe(value);
        if indices.is_empty() {
            if barrier.num_barriers() != 1 {
                core.error(BuildErrorKind::GroupForOne { what, shape }, site);
                return None;
            }
        } else if indices.len() != shape.len() {
            core.error(BuildErrorKind::BarrierIndexCount { what, found: indices.len(), shape }, site);
            return None;
        }
        for (dim, (index, &extent)) in indices.iter().zip(&shape).enumerate() {
            if let &IndexRef::Const(index) = index
                && !(0..extent).contains(&index)
            {
                core.error(BuildErrorKind::BarrierIndexRange { what, dim, index, extent }, site);
                return None;
            }
        }
        Some(FoundBarrier { value, indices, peer })
    }
    /// The same where a peer's barrier cannot stand.
    pub(super) fn find_own(&self, core: &mut Core, op: &'static str, site: Site) -> Option<FoundBarrier> {
        let found = self.find(core, site)?;
        if found.peer.is_some() {
            core.error(BuildErrorKind::PeerNotAllowed { op }, site);
            return None;
        }
        Some(found)
    }
}
