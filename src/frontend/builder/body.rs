//! What a thread does with memory: loads, stores, asynchronous copies, views.

use super::array::{Array, IntoArray};
use super::core::{Core, Number};
use super::handle::{ArrayRef, GmemRef, Handle};
use super::index::{Idx, IntoIndices, Repr};
use super::math::{self, Arg};
use super::place::{AnyPlace, Found, IntoArrayPlace, IntoCopyBarrier, IntoPlace};
use super::registry::{self, KernelId, Raw};
use super::scalar::{IntoScalar, Scalar};
use crate::frontend::error::{BuildErrorKind, Site};
use crate::frontend::spec::{BlockDim, BlockSpec, GmemSpace, MemorySpace, SmemSpace};
use crate::frontend::{DType, IntoShape, Place, SpecErrorKind};
use crate::ir::Value;
use crate::ir::ops::TgOp;
use crate::ir::types::{DYNAMIC, RefType, TypeKind};

/// The code of one region: a method for each thing that a thread can do there.
///
/// Ops go to the end of the innermost region whose closure is running.
#[derive(Debug)]
pub struct Body {
    pub(super) id: KernelId,
}

impl Body {
    /// Runs `f` on the kernel, which is being built for as long as a body can be reached.
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut Core) -> R) -> Option<R> {
        registry::with(self.id, f)
    }
    pub(super) fn make(&self, f: impl FnOnce(&mut Core) -> Option<Value>) -> Raw {
        Raw::new(self.id, self.with(f).flatten())
    }

    // ---- values ----

    /// A number of that type.
    #[track_caller]
    pub fn scalar(&self, value: impl Into<Number>, dtype: DType) -> Scalar {
        let (site, value) = (Site::here(), value.into());
        Scalar::of(self.make(|core| core.constant(value, dtype, site)))
    }
    /// An array filled with a number.
    #[track_caller]
    pub fn full(&self, shape: impl IntoShape, value: impl Into<Number>, dtype: DType) -> Array {
        let (site, value, shape) = (Site::here(), value.into(), shape.into_shape());
        Array(self.make(|core| core.splat(value, &shape, dtype, site)))
    }
    /// An array filled with 0.
    #[track_caller]
    pub fn zeros(&self, shape: impl IntoShape, dtype: DType) -> Array {
        self.full(shape, 0, dtype)
    }
    /// The position of the block along the grid or cluster axis of that name, or of the thread along a thread axis.
    #[track_caller]
    pub fn axis_index(&self, axis: &str) -> Idx {
        let site = Site::here();
        let made = self.make(|core| {
            let known: Vec<String> = core
                .axes
                .iter()
                .map(|axis| axis.name.clone())
                .chain(core.role_axes().map(str::to_owned))
                .collect();
            if !known.iter().any(|name| name == axis) {
                let axis = axis.to_owned();
                core.error(BuildErrorKind::UnknownAxis { axis, available: known }, site);
                return None;
            }
            let made = core.result(site, TgOp::AxisIndex, |b| {
                let axis = b.module.attrs.str(axis);
                b.tg_axis_index(axis)
            });
            made.value.inspect(|&value| core.module.set_value_name(value, axis))
        });
        Idx(Repr::Value(made))
    }
    /// The extent of a dimension of an array; a number known now unless it is dynamic.
    #[track_caller]
    pub fn dim<S: MemorySpace>(&self, array: ArrayRef<S>, dim: usize) -> Idx {
        let site = Site::here();
        let shape = array.shape();
        if let Some(&extent) = shape.get(dim).filter(|&&extent| extent != DYNAMIC) {
            return Idx::from(extent);
        }
        let made = self.make(|core| {
            let value = core.value(array.raw(), site)?;
            let Some(number) = i64::try_from(dim).ok().filter(|_| dim < shape.len()) else {
                core.error(BuildErrorKind::Dimension { op: "dim", dim, rank: shape.len() }, site);
                return None;
            };
            let made = core.result(site, TgOp::Dim, |b| {
                let number = b.module.i64_attr(number);
                b.tg_dim(value, number)
            });
            made.value
        });
        Idx(Repr::Value(made))
    }

    // ---- arrays in memory ----

    /// Reads an array from global or shared memory.
    #[track_caller]
    pub fn load(&self, place: impl IntoArrayPlace) -> Array {
        let site = Site::here();
        Array(self.make(|core| load(core, &place.into_array_place(), site)))
    }
    /// Reads one number from global or shared memory.
    #[track_caller]
    pub fn load_scalar(&self, place: impl IntoArrayPlace) -> Scalar {
        let site = Site::here();
        let place = AnyPlace { sizes: Some(Vec::new()), ..place.into_array_place() };
        Scalar::of(self.make(|core| load(core, &place, site)))
    }
    /// Writes an array (or one number) to global or shared memory.
    #[track_caller]
    pub fn store(&self, value: impl IntoArray, place: impl IntoArrayPlace) {
        let site = Site::here();
        self.with(|core| store(core, value.into_arg(), &place.into_array_place(), site));
    }
    /// The part of an array behind leading indices, as a reference.
    #[track_caller]
    pub fn slice<S: MemorySpace>(&self, place: Place<S>) -> ArrayRef<S> {
        let site = Site::here();
        ArrayRef::from_raw(self.make(|core| {
            let found = place.into_place().find(core, site)?;
            let extents = found.extents(core, site)?;
            if !found.fits(core, &extents, "slice", false, site) {
                return None;
            }
            if found.is_sized() { subview(core, &found, &extents, site) } else { at(core, &found, site) }
        }))
    }
    /// The block of `array` that `spec` gives for these indices of a grid: a place to copy from or to.
    #[track_caller]
    pub fn block(&self, array: GmemRef, spec: &BlockSpec, grid: impl IntoIndices) -> Place<GmemSpace> {
        let site = Site::here();
        let grid = grid.into_indices();
        let block = match &spec.index_map {
            Some(map) => map.call(&grid),
            None => grid,
        };
        let nowhere =
            Place { target: ArrayRef::from_raw(Raw::poison(self.id)), indices: Vec::new(), sizes: None };
        if block.len() != spec.dims.len() {
            let kind = SpecErrorKind::IndexMapRank { found: block.len(), dims: spec.dims.len() };
            self.with(|core| core.error(kind, site));
            return nowhere;
        }
        if let Some(dtype) = array.dtype() {
            let window = super::super::ShapedArray { shape: array.shape(), dtype };
            if let Err(error) = spec.window(&window) {
                self.with(|core| core.error(*error.kind, site));
                return nowhere;
            }
        }
        let shape = array.shape();
        for (dim, ((index, entry), &extent)) in block.iter().zip(&spec.dims).zip(&shape).enumerate() {
            let blocks = match entry {
                BlockDim::Blocked(size) => extent.saturating_add(size - 1) / size,
                _ => extent,
            };
            // Windows that move by elements may start before the array.
            let free = matches!(entry, BlockDim::Element { .. });
            if let Some(index) =
                index.known().filter(|index| extent != DYNAMIC && !free && !(0..blocks).contains(index))
            {
                self.with(|core| {
                    let what =
                        core.value(array.raw(), site).map_or_else(String::new, |value| core.describe(value));
                    core.error(BuildErrorKind::BlockIndex { what, dim, index, blocks }, site);
                });
                return nowhere;
            }
        }
        let mut sizes = Vec::new();
        let offsets = block.into_iter().zip(&spec.dims).map(|(index, dim)| match dim {
            BlockDim::Blocked(size) => {
                sizes.push(*size);
                index * *size
            }
            BlockDim::Element { size, .. } => {
                sizes.push(*size);
                index
            }
            // A squeezed dimension between others is one element of the box.
            _ => {
                if !sizes.is_empty() {
                    sizes.push(1);
                }
                index
            }
        });
        let indices = offsets.collect();
        Place { target: array, indices, sizes: Some(sizes) }
    }

    // ---- asynchronous copies ----

    /// Starts a copy (TMA) of a box of global memory into shared memory. It announces the box's bytes on `barrier`
    /// and makes one arrival there, and pays the bytes when they have landed. The box is what `dest` is.
    #[track_caller]
    pub fn copy_gmem_to_smem(
        &self,
        source: impl IntoPlace<GmemSpace>,
        dest: impl IntoPlace<SmemSpace>,
        barrier: impl IntoCopyBarrier,
    ) {
        self.copy_gmem_to_smem_with(source, dest, barrier, CopyOptions::new());
    }
    /// [`Body::copy_gmem_to_smem`] with options.
    #[track_caller]
    pub fn copy_gmem_to_smem_with(
        &self,
        source: impl IntoPlace<GmemSpace>,
        dest: impl IntoPlace<SmemSpace>,
        barrier: impl IntoCopyBarrier,
        options: CopyOptions,
    ) {
        let site = Site::here();
        let (source, dest, barrier) = (source.into_place(), dest.into_place(), barrier.into_barrier());
        self.with(|core| {
            let predicate = options.predicate.map(|arg| condition(core, "copy_gmem_to_smem", arg, site));
            let barrier = barrier.find_own(core, "copy_gmem_to_smem", site);
            let (source, dest) = copied(core, &source, &dest, site)?;
            let (barrier, predicate) = (barrier?, predicate.map_or(Some(None), |found| found.map(Some))?);
            for axis in &options.collective {
                cluster_axis(core, axis, site)?;
            }
            core.op(site, TgOp::CopyGmemToSmem, |b| {
                let (source_indices, source_statics) = b.split_indices(&source.indices);
                let (dest_indices, dest_statics) = b.split_indices(&dest.indices);
                let (barrier_indices, barrier_statics) = b.split_indices(&barrier.indices);
                let raw = options.raw.then(|| b.module.attrs.unit());
                let multicast = options.multicast.as_ref().map(|ranks| b.module.i64s_attr(ranks));
                let collective = (!options.collective.is_empty())
                    .then(|| b.module.strs_attr(options.collective.iter().map(String::as_str)));
                b.tg_copy_gmem_to_smem(
                    source.value,
                    &source_indices,
                    dest.value,
                    &dest_indices,
                    barrier.value,
                    &barrier_indices,
                    predicate,
                    source_statics,
                    dest_statics,
                    barrier_statics,
                    raw,
                    multicast,
                    collective,
                )
            })
        });
    }
    /// Starts a copy (TMA) of shared memory into a box of global memory, and closes its group. What ordinary stores
    /// wrote to `source` must have been published by [`Body::commit_smem`].
    #[track_caller]
    pub fn copy_smem_to_gmem(&self, source: impl IntoPlace<SmemSpace>, dest: impl IntoPlace<GmemSpace>) {
        self.copy_smem_to_gmem_with(source, dest, CopyOptions::new());
    }
    /// [`Body::copy_smem_to_gmem`] with options; of them, `uncommitted` and `predicate` mean something here.
    #[track_caller]
    pub fn copy_smem_to_gmem_with(
        &self,
        source: impl IntoPlace<SmemSpace>,
        dest: impl IntoPlace<GmemSpace>,
        options: CopyOptions,
    ) {
        let site = Site::here();
        let (source, dest) = (source.into_place(), dest.into_place());
        self.with(|core| {
            let predicate = options.predicate.map(|arg| condition(core, "copy_smem_to_gmem", arg, site));
            let (dest, source) = copied(core, &dest, &source, site)?;
            let predicate = predicate.map_or(Some(None), |found| found.map(Some))?;
            core.op(site, TgOp::CopySmemToGmem, |b| {
                let (source_indices, source_statics) = b.split_indices(&source.indices);
                let (dest_indices, dest_statics) = b.split_indices(&dest.indices);
                let uncommitted = options.uncommitted.then(|| b.module.attrs.unit());
                b.tg_copy_smem_to_gmem(
                    source.value,
                    &source_indices,
                    dest.value,
                    &dest_indices,
                    predicate,
                    source_statics,
                    dest_statics,
                    uncommitted,
                )
            })
        });
    }
}

/// How an asynchronous copy is done, where it differs from the usual.
#[derive(Clone, Debug, Default)]
pub struct CopyOptions {
    raw: bool,
    multicast: Option<Vec<i64>>,
    collective: Vec<String>,
    uncommitted: bool,
    predicate: Option<Arg>,
}

impl CopyOptions {
    /// The usual way.
    pub fn new() -> Self {
        Self::default()
    }
    /// Announces no bytes and makes no arrival: it only pays the bytes when they have landed.
    #[must_use]
    pub fn raw(mut self) -> Self {
        self.raw = true;
        self
    }
    /// Writes the box to the same place in these blocks of the cluster, and pays on the barrier of each.
    #[must_use]
    pub fn multicast(mut self, ranks: impl IntoShape) -> Self {
        self.multicast = Some(ranks.into_shape());
        self
    }
    /// Executed by all blocks along a cluster axis together: each fetches its part and writes it to all of them.
    #[must_use]
    pub fn collective(mut self, axis: impl Into<String>) -> Self {
        self.collective.push(axis.into());
        self
    }
    /// Leaves the group of copies open (to global memory).
    #[must_use]
    pub fn uncommitted(mut self) -> Self {
        self.uncommitted = true;
        self
    }
    /// Copies only when the condition holds.
    #[must_use]
    pub fn predicate(mut self, condition: impl IntoScalar) -> Self {
        self.predicate = Some(condition.into_arg());
        self
    }
}

/// A condition's value.
pub(super) fn condition(core: &mut Core, op: &'static str, arg: Arg, site: Site) -> Option<Value> {
    let value = math::resolve(core, arg, site)?;
    match core.array_of(value) {
        Some((shape, DType::Int(1))) if shape.is_empty() => Some(value),
        Some((shape, _)) if !shape.is_empty() => {
            core.error(BuildErrorKind::ShapeMismatch { op, left: shape, right: Vec::new() }, site);
            None
        }
        Some((_, found)) => {
            core.error(BuildErrorKind::NumberKind { op, wanted: "a truth value (`i1`)", found }, site);
            None
        }
        None => None,
    }
}

/// An axis of the cluster.
pub(super) fn cluster_axis(core: &mut Core, axis: &str, site: Site) -> Option<()> {
    if core.axes.iter().any(|known| known.kind == "cluster" && known.name == axis) {
        return Some(());
    }
    let other = core.axes.iter().find(|known| known.name == axis).map(|known| known.kind);
    let available = core.axes.iter().filter(|known| known.kind == "cluster");
    let available = available.map(|known| known.name.clone()).collect();
    core.error(SpecErrorKind::UnknownClusterAxis { axis: axis.to_owned(), available, other }, site);
    None
}

pub(super) fn load(core: &mut Core, place: &AnyPlace, site: Site) -> Option<Value> {
    let found = place.find(core, site)?;
    let extents = found.extents(core, site)?;
    if !found.fits(core, &extents, "load", false, site) {
        return None;
    }
    let ty = core.value_type(&extents, found.dtype, site)?;
    let made = core.result(site, TgOp::Load, |b| {
        let (indices, statics) = b.split_indices(&found.indices);
        b.tg_load(found.value, &indices, statics, ty)
    });
    made.value
}

pub(super) fn store(core: &mut Core, value: Arg, place: &AnyPlace, site: Site) -> Option<()> {
    let found = place.find(core, site);
    let value = match (value, &found) {
        // A literal becomes an array of what is written.
        (Arg::Literal(number), Some(found)) => {
            let extents = found.extents(core, site)?;
            core.splat(number, &extents, found.dtype, site)
        }
        (Arg::Literal(_), None) => None,
        (value, _) => math::resolve(core, value, site),
    };
    let (found, value) = (found?, value?);
    let (shape, dtype) = core.array_of(value)?;
    if dtype != found.dtype {
        core.error(BuildErrorKind::DTypeMismatch { op: "store", left: dtype, right: found.dtype }, site);
        return None;
    }
    if let Some(sizes) = found.is_sized().then(|| found.extents(core, site)).flatten()
        && sizes != shape
    {
        core.error(BuildErrorKind::ShapeMismatch { op: "store", left: shape, right: sizes }, site);
        return None;
    }
    if !found.fits(core, &shape, "store", false, site) {
        return None;
    }
    core.op(site, TgOp::Store, |b| {
        let (indices, statics) = b.split_indices(&found.indices);
        b.tg_store(value, found.value, &indices, statics)
    })
    .map(|_| ())
}

/// Both sides of a copy: global memory, then shared memory, which says how large the box is.
fn copied(core: &mut Core, global: &AnyPlace, shared: &AnyPlace, site: Site) -> Option<(Found, Found)> {
    let (global, shared) = (global.find(core, site), shared.find(core, site));
    let (global, mut shared) = (global?, shared?);
    if global.dtype != shared.dtype {
        let (source_dtype, dest_dtype) = (global.dtype, shared.dtype);
        core.error(BuildErrorKind::CopyElements { source_dtype, dest_dtype }, site);
        return None;
    }
    let extents = shared.extents(core, site)?;
    if !shared.fits(core, &extents, "copy", false, site) {
        return None;
    }
    if shared.is_sized() {
        // A part of a dimension is a view of its own.
        let view = subview(core, &shared, &extents, site)?;
        shared = AnyPlace { raw: core.raw(view), indices: Vec::new(), sizes: None }.find(core, site)?;
    }
    let copied = extents;
    let mismatch =
        || BuildErrorKind::CopyShape { copied: copied.clone(), global: global.reference.shape.to_vec() };
    if copied.len() > global.reference.rank() {
        core.error(mismatch(), site);
        return None;
    }
    if global.is_sized() {
        let wanted = global.extents(core, site)?;
        let trimmed =
            |shape: &[i64]| shape.iter().copied().skip_while(|&extent| extent == 1).collect::<Vec<_>>();
        if trimmed(&wanted) != trimmed(&copied) {
            let error = BuildErrorKind::ShapeMismatch { op: "copy", left: wanted, right: copied };
            core.error(error, site);
            return None;
        }
    }
    global.fits(core, &copied, "copy", true, site).then_some((global, shared))
}

fn at(core: &mut Core, found: &Found, site: Site) -> Option<Value> {
    let dropped = found.indices.len();
    if dropped == 0 {
        return Some(found.value);
    }
    let reference = RefType {
        shape: found.reference.shape.get(dropped..)?.into(),
        strides: found.reference.strides.as_ref().and_then(|strides| strides.get(dropped..)).map(Into::into),
        ..found.reference.clone()
    };
    let ty = intern(core, reference, site)?;
    let made = core.result(site, TgOp::At, |b| {
        let (indices, statics) = b.split_indices(&found.indices);
        b.tg_at(found.value, &indices, statics, ty)
    });
    made.value
}

fn subview(core: &mut Core, found: &Found, extents: &[i64], site: Site) -> Option<Value> {
    let source = &found.reference;
    let front = source.rank().checked_sub(extents.len())?;
    let shape: Vec<i64> = std::iter::repeat_n(1, front).chain(extents.iter().copied()).collect();
    let mut reference = RefType { shape: shape.as_slice().into(), ..source.clone() };
    if source.tile.is_none() {
        let strides = source.element_strides();
        let dense = RefType { strides: None, ..reference.clone() }.element_strides();
        // A dimension of one element can have any stride.
        let same =
            shape.iter().zip(strides.iter().zip(&dense)).all(|(&extent, (a, b))| extent == 1 || a == b);
        reference.strides = (!same).then(|| strides.iter().map(|stride| stride.unwrap_or(DYNAMIC)).collect());
    }
    let ty = intern(core, reference, site)?;
    let offsets = found.offsets();
    let made = core.result(site, TgOp::Subview, |b| {
        let (offsets, statics) = b.split_indices(&offsets);
        let sizes = b.module.i64s_attr(&shape);
        b.tg_subview(found.value, &offsets, sizes, statics, None, ty)
    });
    made.value
}

fn intern(core: &mut Core, reference: RefType, site: Site) -> Option<crate::ir::Type> {
    match core.module.types.intern(TypeKind::Ref(reference)) {
        Ok(ty) => Some(ty),
        Err(error) => {
            core.error(SpecErrorKind::Type(error), site);
            None
        }
    }
}
