#![doc = include_str!("../README.md")]
//!
//! # The crate
//!
//! ```text
//!  text ─┐                                    ┌─ PTX, cubin, manifest
//!        ├─> ir::Module ─> verify ─> passes ──┤  (feature `mlir`)
//!  Rust ─┘        │                           └─ text
//!                 └─> diagnostics: human, JSON, SARIF
//! ```
//!
//! [`frontend`] has specs, avals and the kernel builder; [`ir`] the module, the ops and the text form; [`passes`]
//! verification, transformation and lowering. [`ptx`] reads PTX and runs it on [`machine`], a model of the hardware.

#[cfg(feature = "mlir")]
pub mod driver;
pub mod frontend;
pub mod reference;

pub use tidegate_ir as ir;
pub use tidegate_machine as machine;
pub use tidegate_passes as passes;
pub use tidegate_ptx as ptx;
