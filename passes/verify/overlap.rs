//! Barriers that share bytes of shared memory with something else while they live, on a given layout.
//!
//! Time is counted in ops of the kernel's body: what happens inside a loop, branch or role happens at the op that holds
//! it. A barrier lives from the start (from its first `tg.init_barrier`, when it is `uninitialized`) to the end, or to a
//! `tg.inval_barrier` of the whole group in the body itself. Two lives may use the same bytes one after the other when
//! all threads of the block join in between.

use rustc_hash::FxHashMap;
use tidegate_ir::diag::codes;
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::{Op, Value};

use super::context::Verifier;
use super::kernel::KernelFacts;
use crate::analysis::smem_layout::BARRIER_BYTES;

/// An allocation with a place, and when it is in use.
struct Life {
    op: Op,
    value: Value,
    bytes: std::ops::Range<i64>,
    /// First and last moment; `i64::MAX` for the end of the kernel.
    from: i64,
    to: i64,
    is_barrier: bool,
}

pub(super) fn check(v: &mut Verifier<'_>, facts: &KernelFacts) {
    let placed = |op: &Op| v.m.attr_i64(*op, "offset").is_some();
    if !facts.barriers.iter().any(placed) {
        return;
    }
    let Some(body) = v.m.region_block(facts.op, 0) else { return };
    let mut moments: FxHashMap<Op, i64> = FxHashMap::default();
    let mut joins = Vec::new();
    for (moment, op) in (1i64..).zip(v.m.block_ops(body)) {
        moments.insert(op, moment);
        if matches!(v.m.opcode(op), Opcode::Tg(TgOp::BlockSync | TgOp::ClusterSync)) {
            joins.push(moment);
        }
    }
    let mut lives: Vec<Life> = Vec::new();
    for &op in facts.barriers.iter().chain(&facts.arrays) {
        lives.extend(life(v, &moments, facts.op, op));
    }
    lives.sort_by_key(|life| (life.bytes.start, life.from));
    for (index, life) in lives.iter().enumerate() {
        let others = lives[index + 1..].iter().take_while(|other| other.bytes.start < life.bytes.end);
        let clash = others
            .filter(|other| life.is_barrier || other.is_barrier)
            .find(|other| !apart(life, other, &joins) && !apart(other, life, &joins));
        if let Some(other) = clash {
            let (barrier, other) = if life.is_barrier { (life, other) } else { (other, life) };
            report(v, barrier, other);
            return;
        }
    }
}

/// Whether all threads join between the end of `first` and the start of `second`.
fn apart(first: &Life, second: &Life, joins: &[i64]) -> bool {
    let after = joins.partition_point(|&join| join <= first.to);
    joins.get(after).is_some_and(|&join| join < second.from)
}

fn life(v: &Verifier<'_>, moments: &FxHashMap<Op, i64>, kernel: Op, op: Op) -> Option<Life> {
    let value = v.m.results(op).next()?;
    let offset = v.m.attr_i64(op, "offset")?;
    let barrier = v.barrier(value);
    let bytes = match barrier {
        Some(group) => group.num_barriers().checked_mul(BARRIER_BYTES)?,
        None => v.m.types.ref_bytes(v.m.ty(value))?,
    };
    let bytes = offset..offset.checked_add(bytes)?;
    let is_barrier = barrier.is_some();
    let always = is_barrier && !v.m.has_attr(op, "uninitialized");
    let (mut from, mut to) = (i64::MAX, if is_barrier { i64::MAX } else { 0 });
    let mut stack = vec![value];
    while let Some(part) = stack.pop() {
        for used in v.m.uses(part) {
            let kind = v.m.opcode(used.op);
            if matches!(kind, Opcode::Tg(TgOp::At | TgOp::Subview)) {
                stack.extend(v.m.results(used.op));
                continue;
            }
            let moment = moment(v, moments, kernel, used.op);
            if is_barrier {
                match kind {
                    Opcode::Tg(TgOp::InitBarrier) => from = from.min(moment),
                    Opcode::Tg(TgOp::InvalBarrier)
                        if part == value
                            && v.m.num_operands(used.op) == 1
                            && moments.contains_key(&used.op)
                            && v.static_indices(used.op, "indices").is_none_or(<[i64]>::is_empty) =>
                    {
                        to = to.min(moment);
                    }
                    _ => {}
                }
            } else {
                (from, to) = (from.min(moment), to.max(moment));
            }
        }
    }
    if always {
        from = 0;
    }
    // What is never initialised or never used takes part in nothing.
    (from != i64::MAX).then_some(Life { op, value, bytes, from, to, is_barrier })
}

/// When `op` happens: the moment of the op of the kernel's body that holds it.
fn moment(v: &Verifier<'_>, moments: &FxHashMap<Op, i64>, kernel: Op, op: Op) -> i64 {
    let around = std::iter::once(op).chain(v.m.ancestors(op).take_while(|&op| op != kernel));
    around.last().and_then(|op| moments.get(&op)).copied().unwrap_or(0)
}

fn report(v: &mut Verifier<'_>, barrier: &Life, other: &Life) {
    let (name, other_name) = (v.name(barrier.value), v.name(other.value));
    let what = if other.is_barrier { "barriers" } else { "the barrier" };
    let message = format!(
        "{what} {name} and {}{other_name} overlap in shared memory: bytes {} to {} and {} to {}",
        if other.is_barrier { "" } else { "the array " },
        barrier.bytes.start,
        barrier.bytes.end - 1,
        other.bytes.start,
        other.bytes.end - 1
    );
    // The later of two barriers is at fault; an array was most likely placed first.
    let (at, seen) = if other.is_barrier { (other, barrier) } else { (barrier, other) };
    let label = format!("{name} lives from its initialisation until it is invalidated or the kernel ends");
    let here = if other.is_barrier { format!("{name} is live while this is used") } else { label.clone() };
    let there = if other.is_barrier { label } else { "this is used in that time".to_owned() };
    let mut error = v.error(at.op, codes::BARRIER_OVERLAP, message, here);
    *error = error
        .label(v.m.span(seen.op), there)
        .help("leave the placement to `allocate-smem`, which keeps them apart")
        .help("or invalidate the one (`tg.inval_barrier`), join all threads (`tg.block_sync`), and only then initialise the other");
    v.report(at.op, *error);
}
