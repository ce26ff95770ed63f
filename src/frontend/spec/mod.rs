//! Specs: what a kernel asks for, before there is a kernel.
//!
//! | spec | [`ref_aval`](RefSpec::ref_aval) | [`array_aval`](RefSpec::array_aval) |
//! |---|---|---|
//! | [`Barrier`] | a barrier ref in shared memory | an error: barriers are not arrays |
//! | [`ClusterBarrier`] | a cluster barrier ref in shared memory | an error: cluster barriers are not arrays |
//! | [`Smem`], [`Gmem`], [`Tmem`], [`Acc`], [`BlockWindow`] | a ref | the array |
//! | [`Semaphore`] | a semaphore ref in global memory | an error |
//! | [`RefUnion`] | its members, in one memory | an error: it is several arrays |
//!
//! Specs are plain data and can be compared; making one checks nothing. Whoever asks for an aval gets the first rule
//! that the spec breaks, with the Rust line that asked.
//!
//! ```
//! use tidegate::frontend::*;
//!
//! let full = Barrier::new().num_barriers(2);
//! assert_eq!(full.ref_aval()?.to_string(), "!tg.barrier_ref<2, arrivals = 1>");
//! let error = full.array_aval().unwrap_err();
//! assert!(error.to_string().starts_with("barriers are not arrays: this is a reference to 2 barriers"));
//!
//! let buf = Spec::from(Smem::new([2, 128], F32));
//! assert_eq!(buf.array_aval()?.to_string(), "f32[2, 128]");
//! # Ok::<(), SpecError>(())
//! ```

mod barrier;
mod block;
mod memory;
#[cfg(test)]
mod tests;
mod union;

pub use barrier::{Barrier, ClusterBarrier, IntoClusterAxes, Semaphore};
pub use block::{BlockDim, BlockSpec, BlockWindow, IndexMap, PipelineMode};
pub use memory::{Acc, ArraySpec, Gmem, GmemSpace, MemorySpace, Smem, SmemSpace, Tmem, TmemSpace};
pub use union::RefUnion;

use super::aval::{RefAval, ShapedArray};
use super::error::{SpecError, SpecErrorKind};

/// What every spec can say about itself.
pub trait RefSpec {
    /// The reference's aval, or the first rule that the spec breaks. [`RefSpec::ref_aval`] adds the place.
    ///
    /// # Errors
    /// When the spec breaks a rule.
    fn check(&self) -> Result<RefAval, SpecErrorKind>;

    /// Whether it is a barrier or cluster barrier.
    fn is_barrier(&self) -> bool {
        false
    }

    /// What is known of the reference.
    ///
    /// # Errors
    /// When the spec breaks a rule.
    #[track_caller]
    fn ref_aval(&self) -> Result<RefAval, SpecError> {
        let site = super::Site::here();
        self.check().map_err(|kind| SpecError { kind: Box::new(kind), site })
    }

    /// What is known of the array behind the reference.
    ///
    /// # Errors
    /// When the spec breaks a rule, and when there is no array: see the table at [`spec`](self).
    #[track_caller]
    fn array_aval(&self) -> Result<ShapedArray, SpecError> {
        let site = super::Site::here();
        self.check()
            .and_then(|aval| aval.array_or_reason())
            .map_err(|kind| SpecError { kind: Box::new(kind), site })
    }
}

macro_rules! specs {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        /// Any spec. For code that is generic over what it allocates; a mistake that typed specs make impossible is
        /// an error value here.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Spec {
            $($(#[$doc])* $name($name),)*
        }

        $(impl From<$name> for Spec {
            fn from(spec: $name) -> Self {
                Self::$name(spec)
            }
        })*

        impl RefSpec for Spec {
            fn check(&self) -> Result<RefAval, SpecErrorKind> {
                match self { $(Self::$name(spec) => spec.check(),)* }
            }
            fn is_barrier(&self) -> bool {
                match self { $(Self::$name(spec) => spec.is_barrier(),)* }
            }
        }
    };
}

specs! {
    /// A group of barriers.
    Barrier;
    /// A group of cluster barriers.
    ClusterBarrier;
    /// An array in shared memory.
    Smem;
    /// An array in global memory.
    Gmem;
    /// An array in tensor memory.
    Tmem;
    /// An accumulator in registers.
    Acc;
    /// A window of an array.
    BlockWindow;
    /// A group of semaphores.
    Semaphore;
    /// Arrays that share their memory.
    RefUnion;
}
