//! Where the lanes of a thread have to be joined.
//!
//! The IR's unit is the thread; the hardware's is the lane. Between two ops of one thread the lanes need a join when
//! one lane relies on what another has done:
//!
//! - one lane acts for all (starts a copy, arrives elected) and the others have loaded, stored or waited since the last
//!   join: the action must not come before what they do;
//! - one lane has waited for copies to global memory, and others go on to memory;
//! - an array is loaded whose elements other lanes have stored, or stored over elements that others have accessed. Not
//!   when both ops touch the same part in the same layout: then each lane meets its own elements only. A number is stored
//!   by one lane and loaded by all.
//!
//! The analysis goes through the code once, loop bodies twice: first to see what an iteration leaves for the next.

use rustc_hash::FxHashSet;
use tidegate_ir::ops::{Opcode, ScfOp, TgOp};
use tidegate_ir::{Block, Module, Op, Value};

use super::{
    arrivals::{ArrivalPlan, Counting, on_cluster_barrier},
    shape::Crew,
    views::View,
};
use crate::analysis::{
    layout::{Layout, value_layout},
    scratch::scratch_bytes,
};

/// Where joins go.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Joins {
    /// Before these ops.
    pub before: FxHashSet<Op>,
    /// At the end of these blocks, before the terminator.
    pub at_end: FxHashSet<Block>,
}

/// An access that other lanes may not have finished, or seen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Access {
    /// The allocation or parameter; `None` for the scratch of the thread.
    root: Option<Value>,
    /// Which part, and how its elements go to lanes; `None` for any.
    part: Option<(View, Option<Layout>)>,
    write: bool,
    /// Whether one lane does it for all: a number is stored by one, and loaded by each.
    elected: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    /// Whether lanes may still be in a wait.
    waited: bool,
    /// Whether the elected lane has waited for copies, and the others have not heard of it.
    behind: bool,
    /// Whether the elected lane has acted for all.
    acted: bool,
    accesses: Vec<Access>,
}

impl State {
    fn touched(&self) -> bool {
        self.waited || !self.accesses.is_empty()
    }

    fn merge(&mut self, other: &Self) {
        self.waited |= other.waited;
        self.behind |= other.behind;
        self.acted |= other.acted;
        for access in &other.accesses {
            self.add(access.clone());
        }
    }

    fn add(&mut self, access: Access) {
        if !self.accesses.contains(&access) {
            self.accesses.push(access);
        }
    }

    /// The state at the start of another iteration, where the same names stand for other values.
    fn forget_values(mut self) -> Self {
        for access in &mut self.accesses {
            let constant = |view: &View| view.starts.iter().all(|start| start.terms.is_empty());
            if access.part.as_ref().is_some_and(|(view, _)| !constant(view)) {
                access.part = None;
            }
        }
        let accesses = std::mem::take(&mut self.accesses);
        for access in accesses {
            self.add(access);
        }
        self
    }

    fn conflicts(&self, new: &Access) -> bool {
        self.accesses.iter().any(|old| {
            if old.root != new.root || !(old.write || new.write) {
                return false;
            }
            match (&old.part, &new.part) {
                (Some((a, a_layout)), Some((b, b_layout))) => {
                    let own = a == b && a_layout == b_layout && old.elected == new.elected;
                    !(own || a.is_apart_from(b))
                }
                _ => true,
            }
        })
    }
}

struct Walk<'m> {
    module: &'m Module,
    /// How barriers count; without a plan, as if all lanes always arrived.
    plan: Option<&'m ArrivalPlan>,
    joins: Joins,
    /// The ops before which lanes may have touched memory.
    touched: FxHashSet<Op>,
    /// Whether what is found counts.
    recording: bool,
}

/// The joins that the code of `crew` needs.
pub fn joins(module: &Module, plan: &ArrivalPlan, crew: &Crew) -> Joins {
    if plan.is_single(crew) {
        return Joins::default();
    }
    walk(module, Some(plan), crew).joins
}

/// The ops of `crew` before which its lanes may have loaded, stored or waited since the last join, whatever barriers
/// do.
pub(super) fn touched_before(module: &Module, crew: &Crew) -> FxHashSet<Op> {
    walk(module, None, crew).touched
}

fn walk<'m>(module: &'m Module, plan: Option<&'m ArrivalPlan>, crew: &Crew) -> Walk<'m> {
    let mut walk =
        Walk { module, plan, joins: Joins::default(), touched: FxHashSet::default(), recording: true };
    if let Some(body) = module.region_block(crew.op, 0) {
        walk.block(body, State::default(), false);
    }
    walk
}

impl Walk<'_> {
    fn block(&mut self, block: Block, mut state: State, inner: bool) -> State {
        for op in self.module.block_ops(block) {
            if self.recording && state.touched() {
                self.touched.insert(op);
            }
            state = self.op(op, state);
        }
        if inner && state.behind {
            if self.recording {
                self.joins.at_end.insert(block);
            }
            return State::default();
        }
        state
    }

    fn join(&mut self, op: Op, state: &mut State) {
        if self.recording {
            self.joins.before.insert(op);
        }
        *state = State::default();
    }

    fn region(&mut self, op: Op, index: usize, state: State) -> State {
        match self.module.region_block(op, index) {
            Some(block) => self.block(block, state, true),
            None => state,
        }
    }

    fn op(&mut self, op: Op, mut state: State) -> State {
        match self.module.opcode(op) {
            Opcode::Scf(ScfOp::If) => {
                let mut after = self.region(op, 0, state.clone());
                after.merge(&self.region(op, 1, state));
                after
            }
            Opcode::Scf(ScfOp::For) => self.repeat(state, &|walk, state| walk.region(op, 0, state)),
            Opcode::Scf(ScfOp::While) => self.repeat(state, &|walk, state| {
                let between = walk.region(op, 0, state);
                let mut after = walk.region(op, 1, between.clone());
                after.merge(&between);
                after
            }),
            Opcode::Tg(tg) => self.tg(tg, op, state),
            Opcode::Scf(ScfOp::Condition | ScfOp::Yield) => state,
            Opcode::Arith(_) | Opcode::Math(_) | Opcode::Vector(_) => {
                if scratch_bytes(self.module, op) > 0 {
                    let scratch = Access { root: None, part: None, write: true, elected: false };
                    if state.behind || state.conflicts(&scratch) {
                        self.join(op, &mut state);
                    }
                    // The op joins in between; then lanes read.
                    state = State { accesses: vec![scratch], ..State::default() };
                }
                state
            }
            Opcode::Builtin(_) | Opcode::Opaque(_) => state,
        }
    }

    fn repeat(&mut self, state: State, body: &dyn Fn(&mut Self, State) -> State) -> State {
        let recording = std::mem::replace(&mut self.recording, false);
        let mut entry = state.clone();
        // Each pass can only add to what the one before found; two are enough for what one iteration leaves to the
        // next, and what a join hides in the first pass.
        for _ in 0..3 {
            let after = body(self, entry.clone()).forget_values();
            let before = entry.clone();
            entry.merge(&after);
            if entry == before {
                break;
            }
        }
        self.recording = recording;
        let mut after = body(self, entry).forget_values();
        after.merge(&state);
        after
    }

    fn tg(&mut self, tg: TgOp, op: Op, mut state: State) -> State {
        match tg {
            TgOp::Load => self.access(op, &mut state, "source", false),
            TgOp::Store => self.access(op, &mut state, "dest", true),
            TgOp::BarrierWait | TgOp::BarrierWaitParity => {
                if self
                    .plan
                    .and_then(|plan| plan.used_by(self.module, op))
                    .is_some_and(|plan| plan.rendezvous)
                {
                    state = State::default();
                }
                state.waited = true;
            }
            TgOp::BarrierTest => state.waited = true,
            // Several lanes arrive, each at one block, for all that their thread has done.
            TgOp::BarrierArrive if on_cluster_barrier(self.module, op) => {
                if state.touched() || state.acted || state.behind {
                    self.join(op, &mut state);
                }
                state.acted = true;
            }
            TgOp::BarrierArrive => match self.counting(op) {
                Counting::Elected => self.elected(op, &mut state),
                Counting::AllLanes => {
                    if state.behind {
                        self.join(op, &mut state);
                    }
                }
            },
            TgOp::BarrierArriveExpectTx | TgOp::InitBarrier | TgOp::InvalBarrier => {
                self.elected(op, &mut state)
            }
            TgOp::CopyGmemToSmem if self.module.has_attr(op, "raw") => {
                let write = Access { write: true, ..self.any_of(op, "dest") };
                let read = self.any_of(op, "source");
                if state.conflicts(&write) || state.conflicts(&read) {
                    self.join(op, &mut state);
                }
                state.acted = true;
            }
            TgOp::CopyGmemToSmem => self.elected(op, &mut state),
            TgOp::CopySmemToGmem => {
                let read = self.any_of(op, "source");
                let write = Access { write: true, ..self.any_of(op, "dest") };
                if state.conflicts(&read) || state.conflicts(&write) {
                    self.join(op, &mut state);
                }
                state.acted = true;
            }
            TgOp::BarrierExpectTx => state.acted = true,
            TgOp::WaitSmemToGmem => state.behind = true,
            TgOp::CommitSmem | TgOp::ThreadSync | TgOp::BlockSync | TgOp::ClusterSync => {
                state = State::default();
            }
            TgOp::Kernel
            | TgOp::Return
            | TgOp::AxisIndex
            | TgOp::Dim
            | TgOp::Alloc
            | TgOp::AllocBarrier
            | TgOp::At
            | TgOp::Subview
            | TgOp::WarpSpecialize
            | TgOp::Role
            | TgOp::CommitGroup
            | TgOp::SetMaxRegisters
            | TgOp::DebugPrint
            | TgOp::Assert => {}
        }
        state
    }

    /// One lane acts for all.
    fn elected(&mut self, op: Op, state: &mut State) {
        if state.touched() {
            self.join(op, state);
        }
        state.acted = true;
    }

    fn counting(&self, op: Op) -> Counting {
        let plan = self.plan.and_then(|plan| plan.used_by(self.module, op));
        plan.map_or(Counting::AllLanes, |plan| plan.counting)
    }

    fn access(&mut self, op: Op, state: &mut State, operand: &str, write: bool) {
        let value = match write {
            true => self.module.operand_named(op, "value"),
            false => self.module.results(op).next(),
        };
        let Some(value) = value else { return };
        let extents = self.module.types.as_vector(self.module.ty(value)).map(|(shape, _)| shape.to_vec());
        let elected = write && extents.is_none();
        let view = self.module.operand_named(op, operand).and_then(|place| View::of(self.module, place));
        let indices = self.module.index_list(op, "indices");
        let view = view.map(|view| view.access(&indices, &extents.unwrap_or_default()));
        let access = Access {
            root: view.as_ref().map(|view| view.root),
            part: view.map(|view| (view, value_layout(self.module, value))),
            write,
            elected,
        };
        if state.behind || state.conflicts(&access) {
            self.join(op, state);
        }
        state.add(access);
    }

    /// An access of any part of what operand `name` refers to.
    fn any_of(&self, op: Op, name: &str) -> Access {
        let view = self.module.operand_named(op, name).and_then(|value| View::of(self.module, value));
        Access { root: view.map(|view| view.root), part: None, write: false, elected: false }
    }
}
