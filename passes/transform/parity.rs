//! `assign-parity`: turns `tg.barrier_wait` into `tg.barrier_wait_parity`.
//!
//! A thread waits for the next completion it has not yet seen, so the parity of a wait is the number of waits on the
//! same barrier that the thread has executed before, modulo 2. Three ways to know it, the cheapest that fits:
//!
//! - **constant** (`count`): the number of earlier waits is known modulo 2 at compile time;
//! - **ring** (`ring`): the only wait on a ring of barriers that the loop around it visits in turn; the parity is
//!   the lap, `i / n & 1`, and needs no register of its own;
//! - **mask** (`mask`): one bit for each barrier of the group, carried in registers through the control flow: an `i1`
//!   for one barrier, one `i32` for each 32 of a larger group.
//!
//! Each role keeps its own count, and so does each of its threads, since they execute the same ops on their own
//! registers. A role starts with what the kernel's waits before `tg.warp_specialize` have seen. `tg.init_barrier`
//! starts a barrier's count anew. Waits that the author wrote with a parity are the author's, and count for nothing.

mod count;
mod mask;
mod ring;
mod slot;

use rustc_hash::FxHashMap;
use tidegate_ir::attr::AttrKind;
use tidegate_ir::builder::OpBuilder;
use tidegate_ir::diag::{Diagnostic, Reported, codes};
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::{Module, Op, Value};

use crate::pass::{Changed, OptionValues, PassContext};
use count::{Counts, Parity};
use slot::Slot;

/// Runs the pass.
///
/// # Errors
/// When a wait's barrier or its earlier waits cannot be followed.
pub fn run(module: &mut Module, _: &OptionValues, ctx: &mut PassContext<'_>) -> Result<Changed, Reported> {
    let kernels: Vec<Op> =
        module.all_ops().into_iter().filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::Kernel)).collect();
    let before = ctx.diags.error_count();
    let mut changed = false;
    for kernel in kernels {
        changed |= assign(module, kernel, ctx);
    }
    ctx.diags.check_since(before)?;
    Ok(changed.into())
}

/// A wait and what it waits on.
#[derive(Clone, Debug)]
struct Wait {
    op: Op,
    /// The `tg.alloc_barrier` it leads back to.
    root: Value,
    slot: Slot,
    /// The role around it, or the kernel.
    scope: Op,
}

/// The waits of a kernel.
struct Waits {
    kernel: Op,
    list: Vec<Wait>,
    by_op: FxHashMap<Op, usize>,
    /// `tg.init_barrier`: the barrier, and the slot unless it is the whole group.
    inits: FxHashMap<Op, (Value, Option<Slot>)>,
}

fn assign(module: &mut Module, kernel: Op, ctx: &mut PassContext<'_>) -> bool {
    let Some(waits) = gather(module, kernel, ctx) else { return false };
    if waits.list.is_empty() {
        return false;
    }
    let counts = Counts::new(module, &waits);
    for &op in &counts.lost {
        report(
            module,
            op,
            ctx,
            "not every thread has seen the same completions here, or control flow is unknown",
        );
    }
    if !counts.lost.is_empty() {
        return false;
    }
    let mut groups: Vec<mask::Group> = Vec::new();
    let mut constants = 0;
    let mut plans: Vec<(Op, ring::Plan)> = Vec::new();
    // Waits of unknown parity, by scope, barrier group, and barrier when all of them name one.
    for (scope, root) in scopes_and_roots(&waits) {
        let unknown: Vec<&Wait> = waits
            .list
            .iter()
            .filter(|wait| {
                wait.scope == scope && wait.root == root && counts.parity(wait.op) == Parity::Unknown
            })
            .collect();
        // Also a dynamic wait of known parity leaves the count of every barrier unknown.
        let dynamic = waits.list.iter().any(|wait| {
            wait.root == root
                && wait.slot.constant().is_none()
                && (wait.scope == scope || wait.scope == kernel)
        });
        let mut slots: Vec<Option<i64>> = match (dynamic, unknown.is_empty()) {
            (_, true) => Vec::new(),
            (true, false) => vec![None],
            (false, false) => unknown.iter().map(|wait| wait.slot.constant()).collect(),
        };
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let members: Vec<&Wait> = unknown
                .iter()
                .copied()
                .filter(|wait| slot.is_none() || wait.slot.constant() == slot)
                .collect();
            if let [wait] = members.as_slice()
                && let Some(plan) = ring::plan(module, &waits, &counts, wait)
            {
                plans.push((wait.op, plan));
                continue;
            }
            groups.push(mask::Group::new(module, &waits, &counts, scope, root, slot));
        }
    }
    let masked: Vec<Op> = mask::members(module, &waits, &groups);
    for wait in &waits.list {
        let known = match counts.parity(wait.op) {
            Parity::Unknown => continue,
            Parity::Even => false,
            Parity::Odd => true,
        };
        if !masked.contains(&wait.op) {
            replace(module, wait.op, |builder| bool_constant(builder, known));
            constants += 1;
        }
    }
    // A mask that begins with the kernel counts all waits on its barriers.
    plans.retain(|(op, _)| !masked.contains(op));
    let rings = plans.len() as u64;
    for (op, plan) in plans {
        replace(module, op, |builder| plan.emit(builder));
    }
    ctx.count("waits of constant parity", constants);
    ctx.count("waits on rings", rings);
    ctx.count("waits by mask", masked.len() as u64);
    mask::thread(module, &waits, groups);
    true
}

/// Scopes and barrier groups that have waits, in program order.
fn scopes_and_roots(waits: &Waits) -> Vec<(Op, Value)> {
    let mut found = Vec::new();
    for wait in &waits.list {
        if !found.contains(&(wait.scope, wait.root)) {
            found.push((wait.scope, wait.root));
        }
    }
    found
}

fn gather(module: &Module, kernel: Op, ctx: &mut PassContext<'_>) -> Option<Waits> {
    let mut waits =
        Waits { kernel, list: Vec::new(), by_op: FxHashMap::default(), inits: FxHashMap::default() };
    let mut complete = true;
    for op in module.walk(kernel) {
        match module.opcode(op) {
            Opcode::Tg(TgOp::BarrierWait) => {
                if module.operand_named(op, "peer").is_some() {
                    report(module, op, ctx, "a thread waits on barriers of its own block only");
                    complete = false;
                    continue;
                }
                let Some((root, slot)) = slot::resolve(module, op) else {
                    report(
                        module,
                        op,
                        ctx,
                        "the barrier comes from control flow, so it is not known which one it is",
                    );
                    complete = false;
                    continue;
                };
                let scope = module
                    .ancestors(op)
                    .find(|&outer| matches!(module.opcode(outer), Opcode::Tg(TgOp::Role | TgOp::Kernel)))
                    .unwrap_or(kernel);
                waits.by_op.insert(op, waits.list.len());
                waits.list.push(Wait { op, root, slot, scope });
            }
            Opcode::Tg(TgOp::InitBarrier) => {
                if let Some((root, slot)) = slot::resolve_init(module, op) {
                    waits.inits.insert(op, (root, slot));
                }
            }
            _ => {}
        }
    }
    complete.then_some(waits)
}

fn report(module: &Module, op: Op, ctx: &mut PassContext<'_>, why: &str) {
    let diagnostic =
        Diagnostic::error(codes::PASS_FAILED, format!("the parity of this wait cannot be assigned: {why}"))
            .at(module.span(op), "waits for the next completion that this thread has not seen")
            .help("keep the parity yourself and wait with `tg.barrier_wait_parity`");
    ctx.diags.emit(diagnostic);
}

/// Puts a wait with the parity that `parity` builds in place of `op`.
fn replace(module: &mut Module, op: Op, parity: impl FnOnce(&mut OpBuilder<'_>) -> Value) {
    let mut builder = OpBuilder::before(module, op);
    let parity = parity(&mut builder);
    let barrier = builder.module.operand_named(op, "barrier");
    let Some(barrier) = barrier else { return };
    let list = builder.module.index_list(op, "indices");
    let (indices, statics) = builder.split_indices(&list);
    let new = builder.tg_barrier_wait_parity(barrier, &indices, parity, statics);
    let (discardable, span) = (builder.module.discardable(op), builder.module.span(op));
    builder.module.set_discardable(new, discardable);
    builder.module.set_span(new, span);
    let erased = builder.module.erase(op);
    debug_assert!(erased.is_ok(), "a wait has no results");
}

fn bool_constant(builder: &mut OpBuilder<'_>, value: bool) -> Value {
    let ty = builder.module.types.i1();
    let attr = builder.module.attrs.intern(AttrKind::Bool(value));
    let op = builder.arith_constant(attr, ty);
    let result = builder.module.result(op, 0);
    builder.module.set_value_name(result, if value { "true" } else { "false" });
    result
}
