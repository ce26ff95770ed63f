//! How many warps and threads the parts of a kernel have.

use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::{Module, Op};

/// Warps of a warpgroup.
pub const WARPGROUP_WARPS: i64 = 4;

/// The warps that run `role`: four times its threads, unless `warps` says otherwise.
pub fn role_warps(module: &Module, role: Op) -> i64 {
    let threads = module.attr_i64(role, "num_threads").unwrap_or(1).max(1);
    match module.attr_i64(role, "warps") {
        Some(warps) => warps.max(1),
        None => threads.saturating_mul(WARPGROUP_WARPS),
    }
}

/// The threads of `role`: its warpgroups, or the one warp of a smaller role.
pub fn role_threads(module: &Module, role: Op) -> i64 {
    (role_warps(module, role) / WARPGROUP_WARPS).max(1)
}

/// The roles of `kernel`, in order.
pub fn roles(module: &Module, kernel: Op) -> Vec<Op> {
    let Some(body) = module.region_block(kernel, 0) else { return Vec::new() };
    let is = |op: Op, kind: TgOp| module.opcode(op) == Opcode::Tg(kind);
    let splits = module.block_ops(body).filter(|&op| is(op, TgOp::WarpSpecialize));
    let blocks = splits.filter_map(|split| module.region_block(split, 0));
    blocks.flat_map(|block| module.block_ops(block)).filter(|&op| is(op, TgOp::Role)).collect()
}

/// The warps of a block of `kernel`.
pub fn kernel_warps(module: &Module, kernel: Op) -> i64 {
    let roles = roles(module, kernel);
    if roles.is_empty() {
        let threads = module.attr_i64(kernel, "num_threads").unwrap_or(1).max(1);
        return threads.saturating_mul(WARPGROUP_WARPS);
    }
    roles.iter().fold(0i64, |sum, &role| sum.saturating_add(role_warps(module, role)))
}

/// The threads that execute ops directly in `scope`, a `tg.role` or `tg.kernel`.
pub fn scope_threads(module: &Module, scope: Op) -> i64 {
    if module.opcode(scope) == Opcode::Tg(TgOp::Role) {
        return role_threads(module, scope);
    }
    (kernel_warps(module, scope) / WARPGROUP_WARPS).max(1)
}
