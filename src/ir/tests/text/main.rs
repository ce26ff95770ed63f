//! Tests of the text form: what is printed reads back to the same module, whatever the module; what is read never
//! makes the reader panic or run away.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on panics")]
#![allow(clippy::print_stdout, reason = "a test says that it was skipped")]

mod garbage;
mod generate;
mod jax;
mod lit_files;
mod mlir_opt;
mod mutation;
mod parse_errors;
mod round_trip;
