//! Reads PTX and runs it on [`tidegate_machine`]: no GPU, no LLVM.
//!
//! Text becomes an [`ast::Module`] by [`parse`], which becomes a [`program::Program`] by [`resolve`]. Both report as
//! many mistakes as they can find, each with its place; [`source::Source`] turns places into lines.

pub mod ast;
mod error;
mod lexer;
mod parse;
mod print;
pub mod program;
mod resolve;
pub mod source;
mod spans;

pub use error::{MAX_ERRORS, ParseError};
pub use parse::parse;
pub use resolve::resolve;
