//! What is known to differ between the threads of a block, or between the blocks of a cluster.
//!
//! A value varies when it follows, by ops that this analysis sees through, from the position on an axis, or from
//! whether a barrier's phase has completed by now. What comes out of memory is taken for uniform: the answer is "varies
//! for certain", and is meant for errors.

use rustc_hash::FxHashSet;
use tidegate_ir::ops::{Opcode, ScfOp, TgOp};
use tidegate_ir::{Module, Op, Value, ValueDef};

/// Among whom a value may differ.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Among {
    /// The threads of a block.
    Threads,
    /// The threads of all blocks of a cluster.
    Cluster,
}

/// The value that makes `value` differ: a position, or the answer of a `tg.barrier_test`.
pub fn variation(module: &Module, kernel: Op, value: Value, among: Among) -> Option<Value> {
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        if !seen.insert(value) {
            continue;
        }
        match module.def(value) {
            ValueDef::Undefined => {}
            ValueDef::Arg { block, .. } => {
                if let Some(parent) = module.block_parent(block)
                    && matches!(module.opcode(parent), Opcode::Scf(_))
                {
                    through_region_op(module, parent, &mut stack);
                }
            }
            ValueDef::Result { op, .. } => match module.opcode(op) {
                Opcode::Tg(TgOp::AxisIndex) => {
                    if axis_varies(module, kernel, op, among) {
                        return Some(value);
                    }
                }
                Opcode::Tg(TgOp::BarrierTest) => return Some(value),
                Opcode::Arith(_) | Opcode::Math(_) | Opcode::Vector(_) => stack.extend(module.operands(op)),
                Opcode::Scf(_) => through_region_op(module, op, &mut stack),
                Opcode::Tg(_) | Opcode::Builtin(_) | Opcode::Opaque(_) => {}
            },
        }
    }
    None
}

/// All that results and arguments of a structured op follow from.
fn through_region_op(module: &Module, op: Op, stack: &mut Vec<Value>) {
    stack.extend(module.operands(op));
    for &region in module.regions(op) {
        for &block in module.region_blocks(region) {
            if let Some(last) = module.terminator(block) {
                stack.extend(module.operands(last));
            }
        }
    }
}

/// What decides how often, or whether, the regions of a structured op run.
pub fn conditions(module: &Module, op: Op) -> Vec<Value> {
    match module.opcode(op) {
        Opcode::Scf(ScfOp::For) => module.operands(op).take(3).collect(),
        Opcode::Scf(ScfOp::If) => module.operands(op).take(1).collect(),
        Opcode::Scf(ScfOp::While) => {
            let before = module.region_block(op, 0).and_then(|block| module.terminator(block));
            before.and_then(|last| module.get_operand(last, 0)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn axis_varies(module: &Module, kernel: Op, op: Op, among: Among) -> bool {
    let Some(axis) = module.attr_str(op, "axis") else { return false };
    let extent_of = |names: &str, sizes: &str| {
        let names = module.attr_strs(kernel, names)?;
        let index = names.iter().position(|&name| name == axis)?;
        module.attr_ints(kernel, sizes)?.get(index).copied()
    };
    let grid = extent_of("grid_names", "grid");
    let cluster = extent_of("cluster_names", "cluster");
    match (grid, cluster) {
        // Blocks of one cluster are neighbours in the grid, so they differ there only in as much as the cluster does.
        (Some(_), _) => false,
        (None, Some(extent)) => among == Among::Cluster && extent > 1,
        (None, None) => {
            let scopes = module.ancestors(op).chain(Some(kernel));
            let threads = scopes
                .filter(|&scope| module.attr_str(scope, "thread_name") == Some(axis))
                .find_map(|scope| module.attr_i64(scope, "num_threads"));
            threads.is_some_and(|threads| threads > 1)
        }
    }
}
