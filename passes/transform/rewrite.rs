//! What several transformations need to change a module.

use tidegate_ir::ops::{Opcode, ScfOp};
use tidegate_ir::{Block, CloneMap, InsertionPoint, Module, Op, OpSpec, Type, Value};

/// Whether removing `op` changes nothing when its results are unused: it and everything in it is pure, and it ends.
pub(crate) fn is_removable(module: &Module, op: Op) -> bool {
    match module.opcode(op) {
        Opcode::Scf(ScfOp::For | ScfOp::If) => {}
        // A loop without end is an effect.
        Opcode::Scf(ScfOp::While | ScfOp::Condition | ScfOp::Yield) => return false,
        opcode => return opcode.is_pure() && module.regions(op).is_empty(),
    }
    module.walk(op).into_iter().skip(1).all(|inner| match module.opcode(inner) {
        Opcode::Scf(ScfOp::For | ScfOp::If | ScfOp::Yield) => true,
        Opcode::Scf(ScfOp::While | ScfOp::Condition) => false,
        opcode => opcode.is_pure() && module.regions(inner).is_empty(),
    })
}

/// Whether nothing uses a result of `op`.
pub(crate) fn is_unused(module: &Module, op: Op) -> bool {
    module.results(op).all(|value| !module.has_uses(value))
}

/// Whether `inner` is `outer` or inside it.
pub(crate) fn is_inside(module: &Module, inner: Op, outer: Op) -> bool {
    inner == outer || module.ancestors(inner).any(|op| op == outer)
}

/// Whether `value` is defined outside of `op`: neither by it nor in one of its regions.
pub(crate) fn is_outside(module: &Module, value: Value, op: Op) -> bool {
    let Some(block) = module.defining_block(value) else { return true };
    match (module.defining_op(value), module.block_parent(block)) {
        (Some(definer), _) => !is_inside(module, definer, op),
        (None, Some(parent)) => !is_inside(module, parent, op),
        (None, None) => true,
    }
}

/// Moves the ops of `from` except its terminator to just before `op`, and returns the terminator's operands. The
/// terminator is erased; arguments of `from` must have been replaced before.
pub(crate) fn inline_before(module: &mut Module, from: Block, op: Op) -> Vec<Value> {
    let end = module.terminator(from);
    let ops: Vec<Op> = module.block_ops(from).filter(|&inner| Some(inner) != end).collect();
    for inner in ops {
        module.move_op(inner, InsertionPoint::Before(op));
    }
    let Some(end) = end else { return Vec::new() };
    let values = module.operands(end).collect();
    let erased = module.erase(end);
    debug_assert!(erased.is_ok(), "terminators have no results");
    values
}

/// Makes a new op in front of `op` like it, with other operands and result types, and moves the ops of its regions
/// over. `keep(region, index)` says whether argument `index` of the first block of a region stays; a dropped argument
/// must be unused. `extra` are the types of the arguments appended in each region. Results of `op` are not replaced.
pub(crate) fn rebuild(
    module: &mut Module,
    op: Op,
    operands: &[Value],
    results: &[Type],
    keep: &dyn Fn(usize, usize) -> bool,
    extra: &[Vec<Type>],
) -> Op {
    let regions = module.regions(op).to_vec();
    let spec = OpSpec::new(module.opcode(op))
        .operands(operands.iter().copied())
        .results(results.iter().copied())
        .inherent(module.inherent(op))
        .discardable(module.discardable(op))
        .regions(regions.len())
        .loc(module.loc(op))
        .span(module.span(op));
    let new = module.insert(InsertionPoint::Before(op), spec);
    let mut map = CloneMap::default();
    for (region_index, (&old_region, new_region)) in
        regions.iter().zip(module.regions(new).to_vec()).enumerate()
    {
        for (block_index, &old_block) in module.region_blocks(old_region).to_vec().iter().enumerate() {
            let new_block = module.append_block(new_region);
            module.set_block_span(new_block, module.block_span(old_block));
            map.blocks.insert(old_block, new_block);
            for (index, old) in module.block_args(old_block).to_vec().into_iter().enumerate() {
                if block_index == 0 && !keep(region_index, index) {
                    continue;
                }
                let arg = module.append_arg(new_block, module.ty(old));
                copy_names(module, old, arg);
                module.replace_all_uses(old, arg);
            }
            if block_index == 0 {
                for &ty in extra.get(region_index).map_or(&[][..], Vec::as_slice) {
                    module.append_arg(new_block, ty);
                }
            }
            module.splice(old_block, new_block);
        }
    }
    new
}

/// Gives `new` the name and place that `old` has.
pub(crate) fn copy_names(module: &mut Module, old: Value, new: Value) {
    if let Some(name) = module.value_name(old).map(str::to_owned) {
        module.set_value_name(new, &name);
    }
    if let Some(loc) = module.own_value_loc(old) {
        module.set_value_loc(new, loc);
    }
    module.set_value_span(new, module.value_span(old));
}
