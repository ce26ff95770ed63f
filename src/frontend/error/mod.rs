//! What the front end refuses: typed errors with the values at fault, the Rust line that caused each, and their form
//! as diagnostics.
//!
//! [`SpecError`] is about one spec, [`BuildError`] about one call of the builder (it can hold the former);
//! [`BuildErrors`] is everything that [`KernelBuilder::finish`](super::KernelBuilder::finish) found.

mod build;
mod site;
mod spec;

pub use build::{BuildError, BuildErrorKind, BuildErrors};
pub use site::Site;
pub use spec::{SpecError, SpecErrorKind};
