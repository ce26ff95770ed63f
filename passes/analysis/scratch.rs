//! Scratch: shared memory that the lowering needs to move elements between the lanes of a thread.
//!
//! [`scratch_bytes`] says what one op needs, for one thread. A thread executes its ops one after the other and joins
//! its lanes around each use, so a thread needs the largest of them, aligned to [`SCRATCH_ALIGNMENT`]. Ops outside
//! roles belong to the kernel's threads, ops in a role to the role's threads ([`scope_of`]).
//!
//! `allocate-smem` writes the result as discardable attributes of each scope (`tg.kernel` or `tg.role`) that needs any:
//! `scratch_offset`, where the scratch of the scope's thread 0 begins in the block's shared memory, and
//! `scratch_bytes`, the bytes of each thread; that of thread t of the scope begins at
//! `scratch_offset + t * scratch_bytes`. Kernel and roles do not share bytes.
//!
//! | op | bytes |
//! |---|---|
//! | `vector.reduction` | one element for each warp of the thread, when there are several |
//! | `vector.multi_reduction`, `vector.transpose` | the source array, unless it is a splat |
//! | `vector.broadcast` of an array | the source array, unless it is a splat |
//! | an operand that is wanted in another layout | that array |

use tidegate_ir::ops::{ArithOp, Opcode, TgOp, VectorOp};
use tidegate_ir::{Module, Op, Value};

use super::layout::{Layout, WARP_LANES, array_elements, lanes_at, value_layout};

/// Scratch of each thread starts at a multiple of this.
pub const SCRATCH_ALIGNMENT: i64 = 16;

/// The bytes of scratch that a thread needs while it executes `op`; 0 for most.
pub fn scratch_bytes(module: &Module, op: Op) -> i64 {
    let own = match module.opcode(op) {
        Opcode::Vector(VectorOp::Reduction) => {
            let warps = lanes_at(module, op) / WARP_LANES;
            let elem = module.get_operand(op, 0).map(|source| module.types.elem_of(module.ty(source)));
            match elem {
                Some(elem) if warps > 1 => module.types.bytes_of(elem, 1).unwrap_or(8) * warps,
                _ => 0,
            }
        }
        Opcode::Vector(VectorOp::MultiReduction | VectorOp::Transpose | VectorOp::Broadcast) => {
            let source = module.get_operand(op, 0);
            source
                .filter(|&source| value_layout(module, source) != Some(Layout::Splat))
                .map_or(0, |source| array_bytes(module, source))
        }
        Opcode::Vector(VectorOp::ShapeCast)
        | Opcode::Builtin(_)
        | Opcode::Arith(_)
        | Opcode::Math(_)
        | Opcode::Scf(_)
        | Opcode::Tg(_)
        | Opcode::Opaque(_) => 0,
    };
    let converted = converted_operands(module, op).iter().map(|&value| array_bytes(module, value)).max();
    own.max(converted.unwrap_or(0))
}

/// The operands of an elementwise op, store or shape cast that lie in another strided layout than the op works in.
pub fn converted_operands(module: &Module, op: Op) -> Vec<Value> {
    let elementwise = match module.opcode(op) {
        Opcode::Arith(ArithOp::Constant) => false,
        Opcode::Arith(_) | Opcode::Math(_) | Opcode::Vector(VectorOp::ShapeCast) => true,
        Opcode::Vector(_) | Opcode::Builtin(_) | Opcode::Scf(_) | Opcode::Tg(_) | Opcode::Opaque(_) => false,
    };
    let wanted = module.results(op).next().and_then(|result| value_layout(module, result));
    let (true, Some(wanted @ Layout::Strided { .. })) = (elementwise, wanted) else { return Vec::new() };
    let differs = |value: &Value| matches!(value_layout(module, *value), Some(found @ Layout::Strided { .. }) if found != wanted);
    module.operands(op).filter(differs).collect()
}

fn array_bytes(module: &Module, value: Value) -> i64 {
    let Some(count) = array_elements(module, value) else { return 0 };
    module.types.bytes_of(module.types.elem_of(module.ty(value)), count).unwrap_or(i64::MAX)
}

/// The role or kernel whose threads execute `op`.
pub fn scope_of(module: &Module, op: Op) -> Option<Op> {
    module.ancestors(op).find(|&op| matches!(module.opcode(op), Opcode::Tg(TgOp::Role | TgOp::Kernel)))
}
