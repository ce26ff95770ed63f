//! `licm`: moves pure ops out of loops when they compute the same in every iteration.
//!
//! Not moved: convergent ops; divisions whose divisor may be zero, since a loop of no iterations would not have
//! divided; large arrays, since keeping one in registers for the length of a loop costs more than most ops on it.

use tidegate_ir::diag::Reported;
use tidegate_ir::ops::{ArithOp, Opcode, ScfOp, Traits, VectorOp};
use tidegate_ir::types::num_elements;
use tidegate_ir::{InsertionPoint, Module, Op};

use super::constants::int_constant;
use super::rewrite::is_outside;
use crate::pass::{Changed, OptionValues, PassContext};

/// Arrays of more elements stay in their loop: 8 registers of each lane.
const MAX_ELEMENTS: i64 = 1024;

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, _: &OptionValues, ctx: &mut PassContext<'_>) -> Result<Changed, Reported> {
    let moved = hoist(module);
    ctx.count("ops moved", moved);
    Ok((moved > 0).into())
}

/// Moves ops out of loops, inner loops first, and returns how often one was moved.
pub fn hoist(module: &mut Module) -> u64 {
    let mut moved = 0;
    for op in module.walk_post_order(module.top()) {
        if matches!(module.opcode(op), Opcode::Scf(ScfOp::For | ScfOp::While)) {
            moved += hoist_from(module, op);
        }
    }
    moved
}

fn hoist_from(module: &mut Module, looping: Op) -> u64 {
    let mut moved = 0;
    for region in module.regions(looping).to_vec() {
        for block in module.region_blocks(region).to_vec() {
            // One pass in order is enough: an op comes after what it uses.
            let ops: Vec<Op> = module.block_ops(block).collect();
            for op in ops {
                if may_move(module, op) && module.operands(op).all(|value| is_outside(module, value, looping))
                {
                    module.move_op(op, InsertionPoint::Before(looping));
                    moved += 1;
                }
            }
        }
    }
    moved
}

fn may_move(module: &Module, op: Op) -> bool {
    let opcode = module.opcode(op);
    opcode.is_pure()
        && !opcode.has(Traits::CONVERGENT)
        && module.regions(op).is_empty()
        && is_speculatable(module, op)
        && module.results(op).all(|value| match module.types.as_vector(module.ty(value)) {
            Some((shape, _)) => {
                let free = match opcode {
                    Opcode::Arith(ArithOp::Constant) => true,
                    Opcode::Vector(VectorOp::Broadcast) => module
                        .get_operand(op, 0)
                        .is_some_and(|source| module.types.is_scalar(module.ty(source))),
                    _ => false,
                };
                free || num_elements(shape).is_some_and(|count| count <= MAX_ELEMENTS)
            }
            None => true,
        })
}

/// Whether executing `op` where it would not have been executed does no harm.
pub(crate) fn is_speculatable(module: &Module, op: Op) -> bool {
    match module.opcode(op) {
        Opcode::Arith(ArithOp::DivUI | ArithOp::RemUI | ArithOp::CeilDivUI) => module
            .get_operand(op, 1)
            .and_then(|divisor| int_constant(module, divisor))
            .is_some_and(|divisor| divisor != 0),
        Opcode::Arith(ArithOp::DivSI | ArithOp::RemSI | ArithOp::CeilDivSI | ArithOp::FloorDivSI) => module
            .get_operand(op, 1)
            .and_then(|divisor| int_constant(module, divisor))
            .is_some_and(|divisor| divisor != 0 && divisor != -1),
        _ => true,
    }
}
