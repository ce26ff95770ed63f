//! The verifier: what every module keeps to before anything else looks at it.

mod access;
mod arith;
mod avals;
mod barrier;
mod constraints;
mod context;
mod control;
mod form;
mod kernel;
mod meaning;
mod vectors;
mod walk;

use tidegate_ir::Module;
use tidegate_ir::diag::{Diagnostics, Reported};

use crate::target::Target;
use context::Verifier;

/// Checks `module`, for `target` when one is given, and reports all that is wrong to `diags`.
///
/// # Errors
/// [`Reported`] when there was an error; warnings alone are none.
pub fn verify(module: &Module, target: Option<&Target>, diags: &mut Diagnostics) -> Result<(), Reported> {
    let before = diags.error_count();
    Verifier::new(module, target, diags).walk(module.top());
    diags.check_since(before)
}
