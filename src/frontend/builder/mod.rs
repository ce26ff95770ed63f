//! Kernels from Rust.
//!
//! [`KernelBuilder`] declares the kernel and its memory; [`Body`] has a method for each thing a thread can do, and
//! the builder is one for the kernel's own body. Regions are closures. Handles are small and `Copy`:
//!
//! - references: [`GmemRef`], [`SmemRef`], [`TmemRef`] (arrays), [`BarrierRef`], [`ClusterBarrierRef`], [`AccRef`];
//! - values: [`Array`], [`Scalar`], [`Idx`].
//!
//! A barrier has no `load`, and what takes an array does not take a barrier:
//!
//! ```compile_fail
//! use tidegate::frontend::*;
//! let k = KernelBuilder::new("k");
//! let full = k.scratch(Barrier::new());
//! k.load(full); // error: a barrier is a reference and never an array
//! ```
//!
//! Every op carries the Rust line that made it. A call that is refused is noted with its line, and gives a *poison*
//! handle, of which nothing more is said; [`KernelBuilder::finish`] returns all that was noted.
//!
//! ```
//! use tidegate::frontend::*;
//!
//! let k = KernelBuilder::new("double").grid([("i", 4)]);
//! let x = k.input("x", [512], F32);
//! let y = k.output("y", [512], F32);
//! let i = k.axis_index("i");
//! let v = k.load(x.at(i * 128).sized([128]));
//! k.store(v * 2.0, y.at(i * 128));
//! let module = k.finish()?;
//! assert_eq!(module.op_name(module.first_op(module.body()).unwrap()), "tg.kernel");
//! # Ok::<(), BuildErrors>(())
//! ```

mod array;
mod body;
mod control;
mod core;
mod dynamic;
mod handle;
mod index;
mod kernel;
mod math;
mod place;
mod registry;
mod roles;
mod scalar;
mod sync;

pub use array::{Array, IntoArray};
pub use body::{Body, CopyOptions};
pub use control::Carry;
pub use core::Number;
pub use dynamic::RefHandle;
pub use handle::{
    AccRef, ArrayRef, BarrierRef, ClusterBarrierRef, GmemRef, Handle, Scratch, SmemRef, TmemRef,
};
pub use index::{Idx, IntoIndices};
pub use kernel::{Direction, KernelBuilder};
pub use place::{BarrierPlace, IntoArrayPlace, IntoBarrier, IntoCopyBarrier, IntoPlace, Place};
pub use registry::KernelId;
pub use roles::{Role, Roles};
pub use scalar::{IntoScalar, Numeric, Scalar};
pub use sync::Registers;
