//! Reads PTX and runs it on [`tidegate_machine`]: no GPU, no LLVM.
//!
//! Text becomes an [`ast::Module`] by [`parse`], which becomes a [`program::Program`] by [`resolve`], which becomes
//! [`decode::Code`] by [`decode::decode`]. All report as many mistakes as they can find, each with its place;
//! [`source::Source`] turns places into lines. [`launch::Device`] runs kernels; [`manifest`] launches them from a description in JSON.

pub mod ast;
pub mod decode;
pub mod env;
mod error;
pub mod exec;
pub mod isa;
pub mod launch;
mod lexer;
pub mod manifest;
mod parse;
mod print;
pub mod program;
pub mod regs;
mod resolve;
pub mod source;
mod spans;
#[cfg(test)]
mod testing;

pub use error::{MAX_ERRORS, ParseError};
pub use parse::parse;
pub use resolve::resolve;
