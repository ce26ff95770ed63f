//! The route for code that is generic over specs: what typed handles make a compile error is an error value here.

use super::array::{Array, IntoArray};
use super::body::{self, Body};
use super::handle::{AccRef, BarrierRef, ClusterBarrierRef, GmemRef, Handle, SmemRef, TmemRef};
use super::index::IntoIndices;
use super::kernel::{KernelBuilder, allocate};
use super::place::{AnyBarrier, AnyPlace};
use super::registry::{self, Raw};
use super::sync;
use crate::frontend::aval::RefAval;
use crate::frontend::error::{BuildError, BuildErrorKind, Site};
use crate::frontend::spec::{RefSpec, Spec};
use crate::ir::types::Space;

/// A reference of whichever kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum RefHandle {
    /// An array in global memory.
    Gmem(GmemRef),
    /// An array in shared memory.
    Smem(SmemRef),
    /// An array in tensor memory.
    Tmem(TmemRef),
    /// An accumulator.
    Acc(AccRef),
    /// Barriers.
    Barrier(BarrierRef),
    /// Cluster barriers.
    ClusterBarrier(ClusterBarrierRef),
}

macro_rules! ref_handles {
    ($($Variant:ident($Handle:ident) = $found:literal;)*) => {
        impl RefHandle {
            fn raw(self) -> Raw {
                match self { $(Self::$Variant(handle) => handle.raw(),)* }
            }
            fn noun(self) -> &'static str {
                match self { $(Self::$Variant(_) => $found,)* }
            }
        }
        $(impl From<$Handle> for RefHandle {
            fn from(handle: $Handle) -> Self {
                Self::$Variant(handle)
            }
        })*
    };
}
ref_handles! {
    Gmem(GmemRef) = "in global memory";
    Smem(SmemRef) = "in shared memory";
    Tmem(TmemRef) = "in tensor memory";
    Acc(AccRef) = "an accumulator in registers";
    Barrier(BarrierRef) = "a barrier";
    ClusterBarrier(ClusterBarrierRef) = "a cluster barrier";
}

impl RefHandle {
    /// Whether it is a barrier or cluster barrier.
    pub fn is_barrier(self) -> bool {
        matches!(self, Self::Barrier(_) | Self::ClusterBarrier(_))
    }
    fn what(self) -> String {
        let raw = self.raw();
        let named = registry::with(raw.kernel, |core| raw.value.map(|value| core.describe(value)));
        named.flatten().unwrap_or_else(|| "the reference".to_owned())
    }
    fn wrong_space(self, op: &'static str, space: Space) -> BuildErrorKind {
        if self.is_barrier() {
            BuildErrorKind::BarrierForArray { op, what: self.what() }
        } else {
            BuildErrorKind::WrongSpace { op, what: self.what(), space, found: self.noun() }
        }
    }
    /// The array in global memory that it is.
    ///
    /// # Errors
    /// When it is something else.
    #[track_caller]
    pub fn gmem(self) -> Result<GmemRef, BuildError> {
        match self {
            Self::Gmem(handle) => Ok(handle),
            other => Err(BuildError::new(other.wrong_space("this", Space::Gmem), Site::here())),
        }
    }
    /// The array in shared memory that it is.
    ///
    /// # Errors
    /// When it is something else.
    #[track_caller]
    pub fn smem(self) -> Result<SmemRef, BuildError> {
        match self {
            Self::Smem(handle) => Ok(handle),
            other => Err(BuildError::new(other.wrong_space("this", Space::Smem), Site::here())),
        }
    }
    /// The barrier that it is.
    ///
    /// # Errors
    /// When it is something else.
    #[track_caller]
    pub fn barrier(self) -> Result<BarrierRef, BuildError> {
        match self {
            Self::Barrier(handle) => Ok(handle),
            Self::ClusterBarrier(_) => {
                let kind = BuildErrorKind::ClusterBarrierForCopy { op: "a copy", what: self.what() };
                Err(BuildError::new(kind, Site::here()))
            }
            other => {
                let kind = BuildErrorKind::ArrayForBarrier { op: "this", what: other.what() };
                Err(BuildError::new(kind, Site::here()))
            }
        }
    }
    fn readable(self, op: &'static str, site: Site) -> Result<Raw, BuildError> {
        let kind = match self {
            Self::Gmem(_) | Self::Smem(_) => return Ok(self.raw()),
            Self::Barrier(_) | Self::ClusterBarrier(_) if op == "load" => {
                BuildErrorKind::BarrierLoaded { what: self.what() }
            }
            Self::Barrier(_) | Self::ClusterBarrier(_) => BuildErrorKind::BarrierStored { what: self.what() },
            Self::Tmem(_) | Self::Acc(_) => {
                let (what, found) = (self.what(), self.noun());
                BuildErrorKind::WrongSpace { op, what, space: Space::Smem, found }
            }
        };
        Err(BuildError::new(kind, site))
    }
    fn any_barrier(
        self,
        op: &'static str,
        indices: impl IntoIndices,
        site: Site,
    ) -> Result<AnyBarrier, BuildError> {
        if self.is_barrier() {
            return Ok(AnyBarrier { raw: self.raw(), indices: indices.into_indices(), peer: None });
        }
        Err(BuildError::new(BuildErrorKind::ArrayForBarrier { op, what: self.what() }, site))
    }
}

impl KernelBuilder {
    /// Memory for any spec.
    ///
    /// # Errors
    /// When the spec is refused, or is none that a kernel allocates.
    #[track_caller]
    pub fn scratch_dyn(&self, spec: &Spec) -> Result<RefHandle, BuildError> {
        let site = Site::here();
        let made = self.attempt(site, |core| {
            let raw = allocate(core, spec, false, site);
            raw.value.map(|_| raw)
        })?;
        Ok(match spec.check() {
            Ok(RefAval::Barrier(barrier)) if barrier.is_cluster() => ClusterBarrierRef::from_raw(made).into(),
            Ok(RefAval::Barrier(_)) => BarrierRef::from_raw(made).into(),
            Ok(RefAval::Acc(_)) => AccRef::from_raw(made).into(),
            Ok(RefAval::Array(array)) if array.space == Space::Tmem => TmemRef::from_raw(made).into(),
            _ => SmemRef::from_raw(made).into(),
        })
    }
}

impl Body {
    /// Runs `f`; the errors that it notes are taken back, and the first one is returned.
    fn attempt<R>(
        &self,
        site: Site,
        f: impl FnOnce(&mut super::core::Core) -> Option<R>,
    ) -> Result<R, BuildError> {
        let outcome = self.with(|core| {
            let before = core.errors.len();
            let made = f(core);
            let noted = core.errors.split_off(before).into_iter().next();
            (made, noted)
        });
        match outcome {
            Some((Some(made), None)) => Ok(made),
            Some((_, Some(error))) => Err(error),
            // Poison: the error is noted already, where it was made.
            _ => Err(BuildError::new(BuildErrorKind::Poison, site)),
        }
    }

    /// Reads an array from any reference.
    ///
    /// # Errors
    /// When it is a barrier, or an array that a thread cannot read.
    #[track_caller]
    pub fn load_dyn(&self, source: RefHandle, indices: impl IntoIndices) -> Result<Array, BuildError> {
        let site = Site::here();
        let raw = source.readable("load", site)?;
        let place = AnyPlace { raw, indices: indices.into_indices(), sizes: None };
        let made = self.attempt(site, |core| body::load(core, &place, site).map(|value| core.raw(value)))?;
        Ok(Array(made))
    }
    /// Writes an array to any reference.
    ///
    /// # Errors
    /// When it is a barrier, or an array that a thread cannot write.
    #[track_caller]
    pub fn store_dyn(
        &self,
        value: impl IntoArray,
        dest: RefHandle,
        indices: impl IntoIndices,
    ) -> Result<(), BuildError> {
        let site = Site::here();
        let raw = dest.readable("store", site)?;
        let place = AnyPlace { raw, indices: indices.into_indices(), sizes: None };
        self.attempt(site, |core| body::store(core, value.into_arg(), &place, site))
    }
    /// Copies global to shared memory, completing on a barrier; each may be any reference.
    ///
    /// # Errors
    /// When one of them is not what it has to be.
    #[track_caller]
    pub fn copy_gmem_to_smem_dyn(
        &self,
        source: (RefHandle, Vec<super::Idx>),
        dest: (RefHandle, Vec<super::Idx>),
        barrier: (RefHandle, Vec<super::Idx>),
    ) -> Result<(), BuildError> {
        let op = "copy_gmem_to_smem";
        let site = Site::here();
        let refused = |kind| BuildError::new(kind, site);
        let RefHandle::Gmem(from) = source.0 else {
            return Err(refused(source.0.wrong_space(op, Space::Gmem)));
        };
        let RefHandle::Smem(to) = dest.0 else { return Err(refused(dest.0.wrong_space(op, Space::Smem))) };
        let on = match barrier.0 {
            RefHandle::Barrier(on) => on,
            RefHandle::ClusterBarrier(_) => {
                return Err(refused(BuildErrorKind::ClusterBarrierForCopy { op, what: barrier.0.what() }));
            }
            other => return Err(refused(BuildErrorKind::ArrayForBarrier { op, what: other.what() })),
        };
        let before = self.with(|core| core.errors.len());
        self.copy_gmem_to_smem(from.at(source.1), to.at(dest.1), on.at(barrier.1));
        let noted =
            self.with(|core| core.errors.split_off(before.unwrap_or(core.errors.len())).into_iter().next());
        match noted.flatten() {
            Some(error) => Err(BuildError { site, ..error }),
            None => Ok(()),
        }
    }
    /// Arrives on any reference.
    ///
    /// # Errors
    /// When it is no barrier.
    #[track_caller]
    pub fn barrier_arrive_dyn(
        &self,
        barrier: RefHandle,
        indices: impl IntoIndices,
    ) -> Result<(), BuildError> {
        let site = Site::here();
        let barrier = barrier.any_barrier("barrier_arrive", indices, site)?;
        self.attempt(site, |core| sync::arrive(core, &barrier, None, site))
    }
    /// Waits on any reference.
    ///
    /// # Errors
    /// When it is no barrier.
    #[track_caller]
    pub fn barrier_wait_dyn(&self, barrier: RefHandle, indices: impl IntoIndices) -> Result<(), BuildError> {
        let site = Site::here();
        let barrier = barrier.any_barrier("barrier_wait", indices, site)?;
        self.attempt(site, |core| sync::wait(core, &barrier, site))
    }
}
