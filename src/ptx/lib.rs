//! Reads PTX and runs it on [`tidegate_machine`]: no GPU, no LLVM.

pub mod ast;
pub mod program;
