//! The front end: specs, avals, and the kernel builder.
//!
//! - [`spec`]: what a kernel asks for ([`Barrier`], [`Smem`], [`BlockSpec`], …), each with a [`RefAval`] and, unless
//!   it is a barrier, a [`ShapedArray`];
//! - [`builder`]: [`KernelBuilder`], whose typed handles make it a compile error to take a barrier for an array;
//! - [`error`]: every refusal as a variant with the values at fault and the Rust line.
//!
//! A ring of two slots: one warp fills it by TMA, a warpgroup doubles what comes.
//!
//! ```
//! use tidegate::frontend::*;
//!
//! let k = KernelBuilder::new("double").grid([("i", 4)]);
//! let x = k.input("x", [4096], F32);
//! let y = k.output("y", [4096], F32);
//! let buf = k.scratch(Smem::new([2, 128], F32)).named("buf");
//! let full = k.scratch(Barrier::new().num_barriers(2)).named("full"); // a BarrierRef, not an ArrayRef
//! let empty = k.scratch(Barrier::new().num_barriers(2)).named("empty");
//! let base = k.axis_index("i") * 1024;
//! k.warp_specialize(|ws| {
//!     ws.role(Role::new("producer").warps(1), |b| {
//!         b.for_range(0, 8, 1, |b, step| {
//!             let slot = step % 2;
//!             b.when(step.ge(2), |b| b.barrier_wait(empty.at(slot))); // the first lap finds every slot free
//!             b.copy_gmem_to_smem(x.at(base + step * 128), buf.at(slot), full.at(slot));
//!         });
//!     });
//!     ws.role("consumer", |b| {
//!         b.for_range(0, 8, 1, |b, step| {
//!             let slot = step % 2;
//!             b.barrier_wait(full.at(slot));
//!             let tile = b.load(buf.at(slot));
//!             b.barrier_arrive(empty.at(slot));
//!             b.store(tile * 2.0, y.at(base + step * 128));
//!         });
//!     });
//! });
//! let module = k.finish()?;
//! # assert!(module.num_ops() > 30);
//! # Ok::<(), BuildErrors>(())
//! ```
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
