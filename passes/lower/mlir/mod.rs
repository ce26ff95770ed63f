//! Everything that touches MLIR and LLVM: a context that keeps its diagnostics, builders for the ops we emit, and the
//! way from `nvgpu` to PTX, all in this process.
//!
//! | file | what |
//! |---|---|
//! | `session` | the MLIR context with just the dialects needed, and every diagnostic as a value |
//! | `location` | which op of ours an MLIR location stands for |
//! | `emit` | ops by name: `arith`, `scf`, `llvm`, `nvvm`, `nvgpu` |
//! | `pipeline` | `nvgpu` to `nvvm` to LLVM IR to PTX, with the text of each stage |
//! | `rewrite` | what MLIR's passes leave to be done between them |
//! | `codegen` | LLVM: translation, convergence, optimisation, PTX |
//!
//! No call here aborts the process or prints: each failure is a [`MlirError`] with all that MLIR said.

mod codegen;
pub mod emit;
mod error;
mod location;
mod message;
mod pipeline;
mod rewrite;
mod session;

pub use error::MlirError;
pub use location::{OpTag, SourceLine};
pub use message::{MlirMessage, MlirSeverity};
pub use pipeline::{Pipeline, Stage, Timings};
pub use session::Session;
