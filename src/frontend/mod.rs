//! The front end: specs, avals, and the kernel builder.
//!
//! - [`spec`]: what a kernel asks for ([`Barrier`], [`Smem`], [`BlockSpec`], …), each with a [`RefAval`] and, unless
//!   it is a barrier, a [`ShapedArray`];
//! - [`builder`]: [`KernelBuilder`], whose typed handles make it a compile error to take a barrier for an array;
//! - [`error`]: every refusal as a variant with the values at fault and the Rust line.
//!
//! Nothing here panics on what a user asks for: the builder collects errors and gives them back from
//! [`KernelBuilder::finish`].

pub mod aval;
pub mod builder;
mod dtype;
pub mod error;
mod shape;
pub mod spec;

pub use aval::{ArrayRefAval, BarrierAval, RefAval, ShapedArray};
pub use builder::*;
pub use dtype::*;
pub use error::{BuildError, BuildErrorKind, BuildErrors, Site, SpecError, SpecErrorKind};
pub use shape::{DYN, IntoShape};
pub use spec::{
    Acc, ArraySpec, Barrier, BlockDim, BlockSpec, BlockWindow, ClusterBarrier, Gmem, IndexMap,
    IntoClusterAxes, MemorySpace, PipelineMode, RefSpec, RefUnion, Semaphore, Smem, Spec, Tmem,
};
