//! The lives of barriers: from initialisation to invalidation or the end of the kernel.
//!
//! A barrier's state at a point is a set of what it can be there: not initialised, live, dead. Only what is certain is
//! an error: a use where it can only be not initialised, an initialisation where it can only be live. Where the order
//! depends on the schedule or on data, the simulator decides.

use rustc_hash::FxHashMap;
use tidegate_ir::diag::{Code, codes};
use tidegate_ir::ops::{Effect, IndexRef, Opcode, ScfOp, TgOp};
use tidegate_ir::{Block, Op, Value};

use super::context::{Verifier, count_of};
use super::kernel::KernelFacts;

const UNINIT: u8 = 1;
const LIVE: u8 = 2;
const DEAD: u8 = 4;
const ANY: u8 = UNINIT | LIVE | DEAD;

/// Control flow nested deeper than this is not followed.
const MAX_DEPTH: usize = 64;
/// Groups of more barriers than this are not followed one by one.
const MAX_ELEMENTS: i64 = 256;

/// The states of the barriers that are followed, root by root.
type States = Vec<Vec<u8>>;

/// Which barriers of a group an op acts on.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Which {
    /// So many from there on.
    Range(usize, usize),
    /// One that is known only at run time.
    Unknown,
}

/// What an op does to a barrier's life.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Event {
    Init,
    Inval,
    Use,
}

struct Lives<'a> {
    kernel: &'a KernelFacts,
    roots: FxHashMap<Value, usize>,
    found: Vec<(Op, Value, Code, String, String)>,
}

impl Verifier<'_> {
    pub(super) fn check_lifetimes(&mut self, facts: &KernelFacts) {
        let uninitialized = |op: &Op| self.m.has_attr(*op, "uninitialized");
        if facts.has_lifetimes || facts.barriers.iter().any(uninitialized) {
            self.check_states(facts);
        }
        super::overlap::check(self, facts);
        if !facts.has_errors {
            self.check_unused(facts);
        }
    }

    // ---- states ----

    fn check_states(&mut self, facts: &KernelFacts) {
        let Some(body) = self.m.region_block(facts.op, 0) else { return };
        let mut lives = Lives { kernel: facts, roots: FxHashMap::default(), found: Vec::new() };
        let mut states = States::new();
        for &op in &facts.barriers {
            let Some(root) = self.m.results(op).next() else { continue };
            let Some(group) = self.barrier(root) else { continue };
            let count = usize::try_from(group.num_barriers().clamp(1, MAX_ELEMENTS)).unwrap_or(1);
            let first = if self.m.has_attr(op, "uninitialized") { UNINIT } else { LIVE };
            let known = group.num_barriers() <= MAX_ELEMENTS;
            lives.roots.insert(root, states.len());
            states.push(vec![if known { first } else { ANY }; count]);
        }
        self.flow(&mut lives, body, &mut states, 0);
        for (op, root, code, message, label) in lives.found {
            let mut error = self.error(op, code, message, label);
            *error = error.label(self.m.value_span(root), "the barrier is declared here");
            if code == codes::BARRIER_USE_BEFORE_INIT {
                *error = error.help(
                    "`tg.init_barrier` initialises it; to announce bytes (`expect_tx`) initialises nothing",
                );
            }
            self.report(op, *error);
        }
    }

    fn flow(&self, lives: &mut Lives<'_>, block: Block, states: &mut States, depth: usize) {
        for op in self.m.block_ops(block) {
            if !self.m.regions(op).is_empty() {
                if depth >= MAX_DEPTH {
                    forget(states);
                } else {
                    self.flow_regions(lives, op, states, depth + 1);
                }
                continue;
            }
            match self.m.opcode(op) {
                Opcode::Opaque(_) => {
                    for value in self.m.operands(op) {
                        if let Some(&root) = lives.roots.get(&self.root(value)) {
                            states[root].fill(ANY);
                        }
                    }
                }
                Opcode::Tg(_) => {
                    if let Some((event, value, list)) = self.event(op) {
                        self.step(lives, op, event, value, list, states);
                    }
                }
                _ => {}
            }
        }
    }

    fn flow_regions(&self, lives: &mut Lives<'_>, op: Op, states: &mut States, depth: usize) {
        let blocks = [self.m.region_block(op, 0), self.m.region_block(op, 1)];
        match self.m.opcode(op) {
            Opcode::Scf(ScfOp::If) => {
                let before = states.clone();
                if let Some(block) = blocks[0] {
                    self.flow(lives, block, states, depth);
                }
                let mut other = before;
                if let Some(block) = blocks[1] {
                    self.flow(lives, block, &mut other, depth);
                }
                join(states, &other);
            }
            Opcode::Scf(ScfOp::For) => {
                let Some(block) = blocks[0] else { return };
                let before = states.clone();
                self.flow(lives, block, states, depth);
                let bounds =
                    [0, 1, 2].map(|index| self.m.get_operand(op, index).and_then(|v| self.constant(v)));
                let once =
                    matches!(bounds, [Some(from), Some(to), Some(step)] if from.saturating_add(step) >= to);
                if !once && lives.found.is_empty() {
                    // What the second pass starts with is what the first left.
                    self.flow(lives, block, &mut states.clone(), MAX_DEPTH.max(depth) - 1);
                }
                join(states, &before);
            }
            Opcode::Scf(ScfOp::While) => {
                if let Some(block) = blocks[0] {
                    self.flow(lives, block, states, depth);
                }
                let before = states.clone();
                if let Some(block) = blocks[1] {
                    self.flow(lives, block, states, depth);
                }
                join(states, &before);
            }
            Opcode::Tg(TgOp::WarpSpecialize) => self.flow_roles(lives, op, states, depth),
            _ => forget(states),
        }
    }

    /// Roles run at the same time: what one of them initialises or invalidates, the others find in any state.
    fn flow_roles(&self, lives: &mut Lives<'_>, split: Op, states: &mut States, depth: usize) {
        let roles = lives.kernel.roles.iter().filter(|&&role| self.m.parent_op(role) == Some(split));
        let bodies: Vec<Block> = roles.filter_map(|&role| self.m.region_block(role, 0)).collect();
        let mut changed_by: Vec<Option<usize>> = vec![None; states.len()];
        let mut changed_by_several = vec![false; states.len()];
        for (index, &body) in bodies.iter().enumerate() {
            for root in self.changed_in(lives, body) {
                changed_by_several[root] |= changed_by[root].is_some_and(|other| other != index);
                changed_by[root] = Some(index);
            }
        }
        let before = states.clone();
        for (index, &body) in bodies.iter().enumerate() {
            let mut own = before.clone();
            for (root, state) in own.iter_mut().enumerate() {
                if changed_by_several[root] || changed_by[root].is_some_and(|other| other != index) {
                    state.fill(ANY);
                }
            }
            self.flow(lives, body, &mut own, depth);
            for (root, state) in own.into_iter().enumerate() {
                if changed_by[root] == Some(index) {
                    states[root] = state;
                }
            }
        }
        for (root, several) in changed_by_several.into_iter().enumerate() {
            if several {
                states[root].fill(ANY);
            }
        }
    }

    fn changed_in(&self, lives: &Lives<'_>, block: Block) -> Vec<usize> {
        let mut found = Vec::new();
        let mut stack = vec![block];
        while let Some(block) = stack.pop() {
            for op in self.m.block_ops(block) {
                for &region in self.m.regions(op) {
                    stack.extend(self.m.region_blocks(region));
                }
                if let Some((Event::Init | Event::Inval, value, _)) = self.event(op)
                    && let Some(&root) = lives.roots.get(&self.root(value))
                {
                    found.push(root);
                }
            }
        }
        found
    }

    /// What `op` does to which barrier, and the name of the index list.
    fn event(&self, op: Op) -> Option<(Event, Value, &'static str)> {
        let def = self.def(op)?;
        let group = def.operands.iter().position(|operand| {
            operand
                .effects
                .iter()
                .any(|effect| matches!(effect, Effect::Init | Effect::Inval | Effect::Arrive | Effect::Wait))
        })?;
        let event = match def.operands[group].effects.first()? {
            Effect::Init => Event::Init,
            Effect::Inval => Event::Inval,
            Effect::Read | Effect::Write | Effect::Arrive | Effect::Wait => Event::Use,
        };
        let value = self.m.get_operand(op, self.m.operand_group(op, group).next()?)?;
        self.barrier(value)?;
        Some((
            event,
            value,
            if def.operands[group].name == "barrier" && group > 0 { "barrier_indices" } else { "indices" },
        ))
    }

    fn step(
        &self,
        lives: &mut Lives<'_>,
        op: Op,
        event: Event,
        value: Value,
        list: &'static str,
        states: &mut States,
    ) {
        let root = self.root(value);
        let Some(&index) = lives.roots.get(&root) else { return };
        let state = &mut states[index];
        let which = self.which(value, &self.indices(op, list));
        let (certain, touched) = match which {
            Which::Range(start, count) if start < state.len() => {
                let end = (start + count).min(state.len());
                (state[start..end].to_vec(), start..end)
            }
            _ => (state.clone(), 0..state.len()),
        };
        let known = matches!(which, Which::Range(..));
        let all = |bits: u8| {
            if known { certain.contains(&bits) } else { certain.iter().all(|&state| state == bits) }
        };
        let (name, op_name) = (self.name(value), self.m.op_name(op));
        let wrong = match event {
            Event::Use | Event::Inval if all(UNINIT) => Some((
                codes::BARRIER_USE_BEFORE_INIT,
                format!("`{op_name}` uses {name} before it is initialised"),
                "nothing has initialised it here",
            )),
            Event::Use | Event::Inval if all(DEAD) => Some((
                codes::BARRIER_LIFETIME,
                format!("`{op_name}` uses {name} after it was invalidated"),
                "it is dead here",
            )),
            Event::Init if all(LIVE) => Some((
                codes::BARRIER_LIFETIME,
                format!("`{op_name}` initialises {name}, which is live: it would forget who has arrived"),
                "it is live here",
            )),
            Event::Use | Event::Inval | Event::Init => None,
        };
        if let Some((code, message, label)) = wrong {
            let mut message = message;
            if event == Event::Init
                && !self.m.defining_op(root).is_some_and(|op| self.m.has_attr(op, "uninitialized"))
            {
                message.push_str("; `tg.alloc_barrier` without `uninitialized` has initialised it");
            }
            lives.found.push((op, root, code, message, label.to_owned()));
            state.fill(ANY);
            return;
        }
        let new = match event {
            Event::Use => return,
            Event::Init => LIVE,
            Event::Inval => DEAD,
        };
        for slot in &mut state[touched] {
            *slot = if known { new } else { *slot | new };
        }
    }

    /// The barriers of the root group that `value[indices]` is.
    fn which(&self, value: Value, indices: &[IndexRef]) -> Which {
        let Some(group) = self.barrier(value) else { return Which::Unknown };
        let Some(mut start) = self.linear(&group.shape, indices) else { return Which::Unknown };
        let count: i64 = group.shape.iter().skip(indices.len()).product();
        let mut value = value;
        while let Some(op) = self.m.defining_op(value) {
            let list = match self.m.opcode(op) {
                Opcode::Tg(TgOp::At) => "indices",
                Opcode::Tg(TgOp::Subview) => "offsets",
                _ => break,
            };
            let Some(source) = self.m.get_operand(op, 0).filter(|_| self.root(value) != value) else { break };
            let Some(shape) = self.barrier(source).map(|group| &group.shape) else { return Which::Unknown };
            let Some(offset) = self.linear(shape, &self.indices(op, list)) else { return Which::Unknown };
            start = start.saturating_add(offset);
            value = source;
        }
        match (usize::try_from(start), usize::try_from(count)) {
            (Ok(start), Ok(count)) => Which::Range(start, count),
            _ => Which::Unknown,
        }
    }

    fn linear(&self, shape: &[i64], indices: &[IndexRef]) -> Option<i64> {
        let mut at = 0i64;
        for (dim, extent) in shape.iter().enumerate() {
            let index = indices.get(dim).map_or(Some(0), |&index| self.constant_index(index))?;
            at = at.checked_mul(*extent)?.checked_add(index)?;
        }
        Some(at)
    }

    // ---- use ----

    /// Barriers that nobody uses, or that nobody waits for.
    fn check_unused(&mut self, facts: &KernelFacts) {
        for &op in &facts.barriers {
            let Some(root) = self.m.results(op).next() else { continue };
            let Some(group) = self.barrier(root) else { continue };
            let (mut waits, mut signals, mut first_signal) = (false, false, None);
            let mut stack = vec![root];
            while let Some(value) = stack.pop() {
                for used in self.m.uses(value) {
                    match self.m.opcode(used.op) {
                        Opcode::Tg(TgOp::At | TgOp::Subview) => stack.extend(self.m.results(used.op)),
                        Opcode::Tg(TgOp::InitBarrier | TgOp::InvalBarrier) => {}
                        Opcode::Tg(TgOp::BarrierWait | TgOp::BarrierWaitParity | TgOp::BarrierTest) => {
                            waits = true
                        }
                        Opcode::Tg(_) => {
                            signals = true;
                            first_signal = Some(used.op);
                        }
                        _ => (waits, signals) = (true, true),
                    }
                }
            }
            let name = self.name(root);
            let what = if group.num_barriers() == 1 {
                group.noun().to_owned()
            } else {
                format!("group of {}", count_of(group.num_barriers(), group.noun()))
            };
            let warning = match (waits, signals) {
                (true, _) => continue,
                (false, false) => tidegate_ir::diag::Diagnostic::warning(
                    codes::BARRIER_UNUSED,
                    format!("the {what} {name} is never used"),
                )
                .at(self.m.span(op), "declared here, and neither arrived on nor waited for"),
                (false, true) => {
                    let warning = tidegate_ir::diag::Diagnostic::warning(
                        codes::BARRIER_UNUSED,
                        format!("nobody ever waits on the {what} {name}"),
                    )
                    .at(self.m.span(op), "signalled, and never waited for");
                    let span = first_signal.map_or(tidegate_ir::diag::Span::NONE, |op| self.m.span(op));
                    warning
                        .label(span, "signalled here")
                        .help("wait for it before what it guards is used: `tg.barrier_wait`")
                }
            };
            self.warn(op, warning);
        }
    }
}

fn join(states: &mut States, other: &States) {
    for (state, other) in states.iter_mut().zip(other) {
        for (slot, &other) in state.iter_mut().zip(other) {
            *slot |= other;
        }
    }
}

fn forget(states: &mut States) {
    for state in states {
        state.fill(ANY);
    }
}
