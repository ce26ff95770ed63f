//! Not yet.
use crate::pass::{Changed, OptionValues, PassContext};
use tidegate_ir::Module;
use tidegate_ir::diag::Reported;
/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(_: &mut Module, _: &OptionValues, _: &mut PassContext<'_>) -> Result<Changed, Reported> {
    Ok(Changed::No)
}
