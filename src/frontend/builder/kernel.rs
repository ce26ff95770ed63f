//! The kernel itself: its axes, parameters and memory.

use std::ops::Deref;

use super::body::{Body, cluster_axis};
use super::core::{Axis, Core, Region};
use super::handle::{GmemRef, Handle, Scratch};
use super::registry::{self, Raw, Shared};
use super::scalar::Scalar;
use crate::frontend::aval::RefAval;
use crate::frontend::error::{BuildErrorKind, BuildErrors, Site};
use crate::frontend::spec::{Barrier, ClusterBarrier, RefSpec};
use crate::frontend::{BarrierRef, DType, DYN, Gmem, IntoShape, SpecErrorKind};
use crate::ir::diag::Diagnostics;
use crate::ir::text::add_printed_source;
use crate::ir::{Module, Type};
use crate::passes::verify::verify;

/// What a kernel does with a parameter.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Reads it.
    In,
    /// Writes it.
    Out,
    /// Both.
    InOut,
}

impl Direction {
    fn word(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::InOut => "inout",
        }
    }
    fn noun(self) -> &'static str {
        match self {
            Self::In => "input",
            Self::Out => "output",
            Self::InOut => "parameter",
        }
    }
}

/// Builds a kernel. See [the module](super) for an example.
///
/// Declare axes first, then parameters and memory, then the code: as methods of [`Body`], which this is one of, or in
/// roles. [`finish`](KernelBuilder::finish) gives the module, or everything that was wrong.
#[derive(Debug)]
#[must_use = "a kernel is made by `finish`"]
pub struct KernelBuilder {
    body: Body,
    core: Shared,
}

impl Deref for KernelBuilder {
    type Target = Body;
    fn deref(&self) -> &Body {
        &self.body
    }
}

impl Drop for KernelBuilder {
    fn drop(&mut self) {
        registry::close(self.body.id);
    }
}

impl KernelBuilder {
    /// A kernel of that name, of one block of one warpgroup unless said otherwise.
    #[track_caller]
    pub fn new(name: &str) -> Self {
        let site = Site::here();
        let mut id = None;
        let core = registry::open(|fresh| {
            id = Some(fresh);
            Core::new(fresh, name, site)
        });
        let kernel = Self { body: Body { id: id.unwrap_or_default() }, core };
        if name.is_empty() {
            kernel.with(|core| core.error(BuildErrorKind::EmptyName { what: "kernel" }, site));
        }
        kernel
    }
    /// Sets the blocks along each axis of the grid, the last axis being x. [`DYN`] leaves an extent to the launch.
    #[track_caller]
    pub fn grid<N: Into<String>>(self, axes: impl IntoIterator<Item = (N, i64)>) -> Self {
        let site = Site::here();
        for (name, extent) in axes {
            let axis = name.into();
            self.with(|core| {
                if extent != DYN && !(1..=i64::from(i32::MAX)).contains(&extent) {
                    core.error(BuildErrorKind::GridExtent { axis: axis.clone(), found: extent }, site);
                }
                add_axis(core, "grid", axis, extent, site);
            });
        }
        self
    }
    /// Sets the blocks of a cluster along each of its axes.
    #[track_caller]
    pub fn cluster<N: Into<String>>(self, axes: impl IntoIterator<Item = (N, i64)>) -> Self {
        let site = Site::here();
        let mut extents = Vec::new();
        for (name, extent) in axes {
            extents.push(extent);
            self.with(|core| add_axis(core, "cluster", name.into(), extent, site));
        }
        let fits = extents.iter().all(|&extent| extent >= 1)
            && extents
                .iter()
                .try_fold(1i64, |size, &extent| size.checked_mul(extent))
                .is_some_and(|size| size <= 16);
        if !fits {
            self.with(|core| core.error(BuildErrorKind::ClusterSize { found: extents }, site));
        }
        self
    }
    /// Sets the warpgroups of a block, each a thread with its index on the axis of that name. For kernels without
    /// [`Body::warp_specialize`].
    #[track_caller]
    pub fn threads(self, axis: impl Into<String>, count: i64) -> Self {
        let site = Site::here();
        self.with(|core| {
            if !(1..=8).contains(&count) {
                core.error(BuildErrorKind::BlockThreads { found: count }, site);
            }
            if let Some(first) = core.axes.iter().find(|axis| axis.kind == "thread").map(|axis| axis.site) {
                core.error(BuildErrorKind::Again { what: "`threads`".to_owned(), first }, site);
                return;
            }
            add_axis(core, "thread", axis.into(), count, site);
        });
        self
    }

    // ---- parameters ----

    /// An array in global memory that the kernel reads.
    #[track_caller]
    pub fn input(&self, name: &str, shape: impl IntoShape, dtype: DType) -> GmemRef {
        self.parameter(name, &Gmem::new(shape, dtype), Direction::In)
    }
    /// An array in global memory that the kernel writes.
    #[track_caller]
    pub fn output(&self, name: &str, shape: impl IntoShape, dtype: DType) -> GmemRef {
        self.parameter(name, &Gmem::new(shape, dtype), Direction::Out)
    }
    /// An array in global memory that the kernel reads and writes.
    #[track_caller]
    pub fn inout(&self, name: &str, shape: impl IntoShape, dtype: DType) -> GmemRef {
        self.parameter(name, &Gmem::new(shape, dtype), Direction::InOut)
    }
    /// A parameter described by a spec, which must be an array in global memory.
    ///
    /// Any spec can be given; that a barrier is none is noted as an error.
    #[track_caller]
    pub fn parameter(&self, name: &str, spec: &dyn RefSpec, direction: Direction) -> GmemRef {
        let site = Site::here();
        let raw = self.with(|core| {
            let aval = match spec.check() {
                Ok(aval) => aval,
                Err(kind) => {
                    core.error(kind, site);
                    return core.poison();
                }
            };
            let owned = name.to_owned();
            let refused = match &aval {
                RefAval::Array(array) if array.space == crate::ir::types::Space::Gmem => None,
                RefAval::Barrier(aval) if direction == Direction::In => {
                    Some(SpecErrorKind::BarrierAsInput { name: owned, aval: aval.clone() })
                }
                RefAval::Barrier(aval) => {
                    Some(SpecErrorKind::BarrierAsOutput { name: owned, aval: aval.clone() })
                }
                other => Some(SpecErrorKind::ParameterSpace { name: owned, found: other.describe() }),
            };
            if let Some(kind) = refused {
                core.error(kind, site);
                return core.poison();
            }
            match aval.intern(&mut core.module.types) {
                Ok(ty) => add_parameter(core, name, ty, direction.word(), direction.noun(), site),
                Err(kind) => {
                    core.error(kind, site);
                    core.poison()
                }
            }
        });
        GmemRef::from_raw(raw.unwrap_or(Raw::poison(self.id)))
    }
    /// A number that the kernel is given.
    #[track_caller]
    pub fn scalar_input(&self, name: &str, dtype: DType) -> Scalar {
        let site = Site::here();
        let raw = self.with(|core| match core.value_type(&[], dtype, site) {
            // A number is always read: it has no direction.
            Some(ty) => add_parameter(core, name, ty, "", Direction::In.noun(), site),
            None => core.poison(),
        });
        Scalar::of(raw.unwrap_or(Raw::poison(self.id)))
    }

    // ---- memory ----

    /// Memory for as long as the kernel runs. What it is follows from the spec: a [`Barrier`] gives a [`BarrierRef`],
    /// an [`Smem`](crate::frontend::Smem) an [`SmemRef`](super::SmemRef).
    #[track_caller]
    pub fn scratch<S: Scratch>(&self, spec: S) -> S::Handle {
        let site = Site::here();
        let raw = self.with(|core| allocate(core, &spec, false, site));
        S::Handle::from_raw(raw.unwrap_or(Raw::poison(self.id)))
    }
    /// Barriers whose life the kernel starts itself, with [`Body::init_barrier`].
    #[track_caller]
    pub fn scratch_uninitialized(&self, spec: Barrier) -> BarrierRef {
        let site = Site::here();
        let raw = self.with(|core| allocate(core, &spec, true, site));
        BarrierRef::from_raw(raw.unwrap_or(Raw::poison(self.id)))
    }
    /// Cluster barriers whose life the kernel starts itself, with [`Body::init_barrier`].
    #[track_caller]
    pub fn scratch_cluster_uninitialized(&self, spec: ClusterBarrier) -> super::ClusterBarrierRef {
        let site = Site::here();
        let raw = self.with(|core| allocate(core, &spec, true, site));
        super::ClusterBarrierRef::from_raw(raw.unwrap_or(Raw::poison(self.id)))
    }

    // ---- the end ----

    /// The module with the kernel.
    ///
    /// # Errors
    /// Everything that was refused while it was built; if nothing was, what the verifier finds.
    #[track_caller]
    pub fn finish(self) -> Result<Module, BuildErrors> {
        let site = Site::here();
        let made = self.with(|core| {
            if !core.errors.is_empty() {
                return Err(BuildErrors::of(std::mem::take(&mut core.errors)));
            }
            set_attributes(core);
            core.at(site, |b| b.tg_return(&[]));
            verified(std::mem::take(&mut core.module), &core.name)
        });
        registry::close(self.body.id);
        // The builder is on the list until now, so there is an answer.
        made.unwrap_or_else(|| Err(BuildErrors::of(Vec::new())))
    }
    /// How many errors there are so far.
    pub fn error_count(&self) -> usize {
        self.core.try_borrow().map_or(0, |core| core.errors.len())
    }
}

/// The module, when the verifier has nothing against it.
fn verified(mut module: Module, name: &str) -> Result<Module, BuildErrors> {
    let mut found = Diagnostics::new();
    if verify(&module, None, &mut found).is_ok() {
        return Ok(module);
    }
    // Once more with a text to point into.
    add_printed_source(&mut module, &format!("{name}.mlir"));
    let mut found = Diagnostics::new();
    let _ = verify(&module, None, &mut found);
    Err(BuildErrors { errors: Vec::new(), diagnostics: found.into_vec(), sources: module.sources })
}

fn add_axis(core: &mut Core, kind: &'static str, name: String, extent: i64, site: Site) {
    if name.is_empty() {
        core.error(BuildErrorKind::EmptyName { what: "axis" }, site);
    }
    if let Some(first) = core.axes.iter().find(|axis| axis.name == name).map(|axis| axis.site) {
        core.error(BuildErrorKind::Again { what: format!("axis \"{name}\""), first }, site);
        return;
    }
    core.axes.push(Axis { kind, name, extent, site });
}

/// Whether a declaration is allowed here.
fn declares(core: &mut Core, what: &'static str, site: Site) -> Option<()> {
    if core.region() != Region::Kernel {
        let region = core.region().name();
        core.error(BuildErrorKind::DeclarationInRegion { what, region }, site);
        return None;
    }
    if core.roles.is_some() {
        core.error(BuildErrorKind::DeclarationAfterRoles { what }, site);
        return None;
    }
    Some(())
}

fn add_parameter(
    core: &mut Core,
    name: &str,
    ty: Type,
    direction: &'static str,
    noun: &'static str,
    site: Site,
) -> Raw {
    if declares(core, noun, site).is_none() {
        return core.poison();
    }
    if name.is_empty() {
        core.error(BuildErrorKind::EmptyName { what: noun }, site);
    }
    if let Some(&(_, _, first)) = core.params.iter().find(|known| known.0 == name) {
        core.error(BuildErrorKind::Again { what: format!("parameter \"{name}\""), first }, site);
        return core.poison();
    }
    core.params.push((name.to_owned(), direction, site));
    let body = core.body();
    let value = core.module.append_arg(body, ty);
    let loc = crate::ir::builder::caller_loc(&mut core.module, site.location());
    core.module.set_value_loc(value, loc);
    core.module.set_value_name(value, name);
    core.raw(value)
}

/// Allocates what `spec` describes, in the body of the kernel.
pub(super) fn allocate(core: &mut Core, spec: &dyn RefSpec, uninitialized: bool, site: Site) -> Raw {
    let made = (|| {
        let aval = match spec.check() {
            Ok(aval) => aval,
            Err(kind) => {
                core.error(kind, site);
                return None;
            }
        };
        declares(core, "scratch memory", site)?;
        match &aval {
            RefAval::Array(array) if array.space == crate::ir::types::Space::Gmem => {
                core.error(SpecErrorKind::ScratchSpace { found: aval.describe() }, site);
                return None;
            }
            RefAval::Semaphore { .. } => {
                core.error(BuildErrorKind::SemaphoreScratch, site);
                return None;
            }
            RefAval::Barrier(barrier) => {
                let axes = barrier.cluster.iter().flat_map(|cluster| cluster.axes.iter());
                let names: Vec<String> = axes.flat_map(|axes| axes.names().map(str::to_owned)).collect();
                for axis in names {
                    cluster_axis(core, &axis, site)?;
                }
            }
            RefAval::Array(_) | RefAval::Acc(_) | RefAval::Union(_) => {}
        }
        let ty = match aval.intern(&mut core.module.types) {
            Ok(ty) => ty,
            Err(kind) => {
                core.error(kind, site);
                return None;
            }
        };
        let op = core.at(site, |b| {
            if aval.is_barrier() {
                let uninitialized = uninitialized.then(|| b.module.attrs.unit());
                b.tg_alloc_barrier(uninitialized, None, ty)
            } else {
                b.tg_alloc(None, None, ty)
            }
        });
        core.module.results(op).next()
    })();
    Raw::new(core.id, made)
}

fn set_attributes(core: &mut Core) {
    let kernel = core.kernel;
    for kind in ["grid", "cluster"] {
        let (names, extents): (Vec<String>, Vec<i64>) = core
            .axes
            .iter()
            .filter(|axis| axis.kind == kind)
            .map(|axis| (axis.name.clone(), axis.extent))
            .unzip();
        if names.is_empty() {
            continue;
        }
        let names = core.module.strs_attr(names.iter().map(String::as_str));
        let extents = core.module.i64s_attr(&extents);
        core.module.set_attr(kernel, &format!("{kind}_names"), names);
        core.module.set_attr(kernel, kind, extents);
    }
    if let Some(axis) = core.axes.iter().find(|axis| axis.kind == "thread").cloned() {
        let (name, count) = (core.module.attrs.str(&axis.name), core.module.i64_attr(axis.extent));
        core.module.set_attr(kernel, "thread_name", name);
        core.module.set_attr(kernel, "num_threads", count);
    }
    if core.params.iter().any(|param| !param.1.is_empty()) {
        let words: Vec<&str> = core.params.iter().map(|param| param.1).collect();
        let words = core.module.strs_attr(words);
        core.module.set_attr(kernel, "directions", words);
    }
}
