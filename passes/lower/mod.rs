//! Lowering to the GPU: from tidegate IR through MLIR and LLVM to PTX, and by NVIDIA's own tools to a cubin.
//!
//! ```text
//! tidegate IR --lower-to-nvgpu--> nvgpu --mlir::Pipeline--> nvvm --> LLVM IR --> PTX --tools::Ptxas--> cubin
//!                                                                                     --tools::Nvdisasm--> SASS
//! ```
//!
//! [`mlir`] (feature `mlir`) holds all that touches MLIR and LLVM. [`target`] and [`tools`] need neither.

#[cfg(feature = "mlir")]
pub mod mlir;
#[cfg(feature = "mlir")]
pub mod nvgpu;
pub mod plan;
pub mod target;
pub mod tools;
