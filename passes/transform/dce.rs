//! `dce`: removes pure ops, and loops and branches of nothing else, whose results nobody uses.

use tidegate_ir::diag::Reported;
use tidegate_ir::{Module, Op};

use super::rewrite::{is_removable, is_unused};
use crate::pass::{Changed, OptionValues, PassContext};

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, _: &OptionValues, ctx: &mut PassContext<'_>) -> Result<Changed, Reported> {
    let removed = remove_dead(module);
    ctx.count("ops removed", removed);
    Ok((removed > 0).into())
}

/// Removes dead ops and returns their number, ops inside removed ones not counted.
pub fn remove_dead(module: &mut Module) -> u64 {
    let mut removed = 0;
    let mut worklist = module.all_ops();
    while let Some(op) = worklist.pop() {
        if !module.is_alive(op) || op == module.top() || !is_unused(module, op) || !is_removable(module, op) {
            continue;
        }
        let mut used: Vec<Op> = Vec::new();
        for inner in module.walk(op) {
            used.extend(module.operands(inner).filter_map(|value| module.defining_op(value)));
        }
        if module.erase(op).is_ok() {
            removed += 1;
            worklist.extend(used);
        }
    }
    removed
}
