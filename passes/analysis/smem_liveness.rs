//! Which arrays in shared memory may lie on the same bytes, since they are never in use at the same time.
//!
//! The answer is "may" only where it is certain:
//!
//! - an array that an asynchronous copy reaches is in use from start to end: when the copy has landed is a matter of
//!   barriers, not of the order of ops; so is one that goes through control flow or into an op that is not known;
//! - of the others, one is used before the other in the order of the kernel's body, and all threads of the block join
//!   in between (`tg.block_sync`, `tg.cluster_sync`, the end of `tg.warp_specialize`); or both are used by the only
//!   thread of one role, whose lanes join in between (`tg.thread_sync`, `tg.commit_smem`).
//!
//! What happens in a loop or branch of that body happens at the op that holds it. Barriers never share bytes with
//! anything, used or not.

use rustc_hash::FxHashMap;
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::types::Space;
use tidegate_ir::{Block, Module, Op};

use super::threads::scope_threads;

/// The uses of the arrays of a kernel.
#[derive(Debug)]
pub struct SmemLiveness {
    arrays: FxHashMap<Op, Use>,
    /// Position of each op of a block in which uses are ordered, and of the joins in it.
    frames: FxHashMap<Op, Frame>,
    kernel: Op,
}

#[derive(Debug)]
struct Use {
    /// Whether the array is in use from start to end.
    always: bool,
    /// The ops that use it.
    ops: Vec<Op>,
    /// The role around all of them.
    role: Option<Op>,
    /// First and last position in the body of the kernel, and of that role.
    spans: FxHashMap<Op, (usize, usize)>,
}

#[derive(Debug, Default)]
struct Frame {
    position: FxHashMap<Op, usize>,
    /// Positions between whose two sides the threads have joined: before an op, or behind it.
    joins: Vec<Join>,
}

#[derive(Copy, Clone, Debug)]
struct Join {
    position: usize,
    /// Whether uses at the position itself are over: the join is the end of the op.
    at_end: bool,
}

impl SmemLiveness {
    /// Looks at all arrays of `kernel`.
    pub fn new(module: &Module, kernel: Op) -> Self {
        let mut liveness = Self { arrays: FxHashMap::default(), frames: FxHashMap::default(), kernel };
        let mut roles = Vec::new();
        let mut allocs = Vec::new();
        for op in module.walk(kernel) {
            match module.opcode(op) {
                Opcode::Tg(TgOp::Alloc) => {
                    let value = module.results(op).next();
                    let memory = value.and_then(|value| module.types.as_ref(module.ty(value)));
                    if memory.is_some_and(|memory| memory.space == Space::Smem) {
                        allocs.push(op);
                    }
                }
                Opcode::Tg(TgOp::Role) => roles.push(op),
                _ => {}
            }
        }
        for scope in std::iter::once(kernel).chain(roles) {
            if let Some(body) = module.region_block(scope, 0) {
                liveness.frames.insert(scope, frame(module, scope, body));
            }
        }
        for alloc in allocs {
            let found = liveness.find_uses(module, alloc);
            liveness.arrays.insert(alloc, found);
        }
        liveness
    }

    /// Whether the arrays of two `tg.alloc` may share bytes.
    pub fn may_share(&self, a: Op, b: Op) -> bool {
        let (Some(a), Some(b)) = (self.arrays.get(&a), self.arrays.get(&b)) else { return false };
        if a.always || b.always {
            return false;
        }
        self.comes_before(a, b) || self.comes_before(b, a)
    }

    fn comes_before(&self, first: &Use, second: &Use) -> bool {
        let frames = [Some(self.kernel), first.role.filter(|_| first.role == second.role)];
        frames.into_iter().flatten().any(|scope| {
            let (Some(frame), Some(&(_, end)), Some(&(start, _))) =
                (self.frames.get(&scope), first.spans.get(&scope), second.spans.get(&scope))
            else {
                return false;
            };
            frame.joins.iter().any(|join| {
                (join.position > end || (join.at_end && join.position == end)) && join.position < start
            })
        })
    }

    fn find_uses(&self, module: &Module, alloc: Op) -> Use {
        let mut found = Use { always: false, ops: Vec::new(), role: None, spans: FxHashMap::default() };
        let mut values: Vec<_> = module.results(alloc).collect();
        while let Some(value) = values.pop() {
            for used in module.uses(value) {
                match module.opcode(used.op) {
                    Opcode::Tg(TgOp::At | TgOp::Subview) => values.extend(module.results(used.op)),
                    Opcode::Tg(TgOp::Load | TgOp::Store) => found.ops.push(used.op),
                    Opcode::Tg(TgOp::Dim) => {}
                    _ => found.always = true,
                }
            }
        }
        let is_role = |op: Op| module.opcode(op) == Opcode::Tg(TgOp::Role);
        let role_of = |op: Op| module.ancestors(op).find(|&outer| is_role(outer));
        let mut roles = found.ops.iter().map(|&op| role_of(op));
        let first = roles.next().flatten();
        found.role = first.filter(|_| roles.all(|role| role == first));
        for scope in std::iter::once(self.kernel).chain(found.role) {
            let Some(frame) = self.frames.get(&scope) else { continue };
            let position = |op: Op| {
                std::iter::once(op)
                    .chain(module.ancestors(op))
                    .find_map(|op| frame.position.get(&op).copied())
            };
            let positions: Option<Vec<usize>> = found.ops.iter().map(|&op| position(op)).collect();
            if let Some(positions) = positions
                && let (Some(&first), Some(&last)) = (positions.iter().min(), positions.iter().max())
            {
                found.spans.insert(scope, (first, last));
            }
        }
        found
    }
}

fn frame(module: &Module, scope: Op, body: Block) -> Frame {
    let mut frame = Frame::default();
    let alone = scope_threads(module, scope) == 1;
    let kernel = module.opcode(scope) == Opcode::Tg(TgOp::Kernel);
    // Around roles the kernel's body is executed by all warps, however many threads that makes.
    let has_roles = module.block_ops(body).any(|op| module.opcode(op) == Opcode::Tg(TgOp::WarpSpecialize));
    let alone = alone && !(kernel && has_roles);
    for (position, op) in module.block_ops(body).enumerate() {
        frame.position.insert(op, position);
        let Opcode::Tg(tg) = module.opcode(op) else { continue };
        match tg {
            TgOp::BlockSync | TgOp::ClusterSync if kernel || alone => {
                frame.joins.push(Join { position, at_end: false });
            }
            TgOp::ThreadSync | TgOp::CommitSmem if alone => {
                frame.joins.push(Join { position, at_end: false })
            }
            TgOp::WarpSpecialize => frame.joins.push(Join { position, at_end: true }),
            _ => {}
        }
    }
    frame
}
