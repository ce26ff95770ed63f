//! Why MLIR or LLVM gave no result.

use thiserror::Error;

use super::{
    message::{MlirMessage, summary},
    pipeline::Stage,
};

/// Why MLIR or LLVM gave no result. Each carries all messages that came with it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MlirError {
    /// A dialect that lowering needs is not in this build of MLIR.
    #[error("this build of MLIR has no dialect `{dialect}`, which lowering needs")]
    MissingDialect {
        /// The dialect.
        dialect: &'static str,
    },
    /// Text that is no module.
    #[error("MLIR cannot read the module: {}", summary(messages))]
    Parse {
        /// What MLIR said.
        messages: Vec<MlirMessage>,
    },
    /// A type that cannot be made: its dialect is absent, or a part of it does not fit.
    #[error("MLIR cannot make the type `{text}`: {}", summary(messages))]
    Type {
        /// The type.
        text: String,
        /// What MLIR said.
        messages: Vec<MlirMessage>,
    },
    /// An attribute that cannot be made.
    #[error("MLIR cannot make the attribute `{text}`: {}", summary(messages))]
    Attribute {
        /// The attribute.
        text: String,
        /// What MLIR said.
        messages: Vec<MlirMessage>,
    },
    /// An op that cannot be made.
    #[error("MLIR cannot make the op `{op}`: {}", summary(messages))]
    Op {
        /// Its name.
        op: String,
        /// What MLIR said.
        messages: Vec<MlirMessage>,
    },
    /// MLIR's verifier refuses what we made.
    #[error("MLIR's verifier refuses the {stage} module: {}", summary(messages))]
    Verify {
        /// The stage whose module it is.
        stage: Stage,
        /// What MLIR said.
        messages: Vec<MlirMessage>,
    },
    /// A pass fails.
    #[error("an MLIR pass on the way to {stage} fails: {}", summary(messages))]
    Pass {
        /// The stage it should lead to.
        stage: Stage,
        /// What MLIR said.
        messages: Vec<MlirMessage>,
    },
    /// The module holds no `gpu.module`.
    #[error("the module to compile holds no `gpu.module`")]
    NoKernel,
    /// LLVM's back end for NVIDIA is not in this build, or does not know the chip.
    #[error("LLVM cannot compile for {chip}: {reason}")]
    Target {
        /// The chip.
        chip: &'static str,
        /// What LLVM said.
        reason: String,
    },
    /// LLVM refuses the translated module, or cannot make PTX of it.
    #[error("LLVM cannot make PTX: {}", summary(messages))]
    Codegen {
        /// What LLVM said.
        messages: Vec<MlirMessage>,
    },
}

impl MlirError {
    /// All that MLIR or LLVM said.
    pub fn messages(&self) -> &[MlirMessage] {
        match self {
            Self::Parse { messages }
            | Self::Type { messages, .. }
            | Self::Attribute { messages, .. }
            | Self::Op { messages, .. }
            | Self::Verify { messages, .. }
            | Self::Pass { messages, .. }
            | Self::Codegen { messages } => messages,
            Self::MissingDialect { .. } | Self::NoKernel | Self::Target { .. } => &[],
        }
    }
}
