//! How many completions a thread has seen, modulo 2, where that is known at compile time: an abstract interpretation
//! of the kernel with one of even, odd, unknown for each barrier.

use rustc_hash::{FxHashMap, FxHashSet};
use tidegate_ir::ops::{Opcode, ScfOp, TgOp};
use tidegate_ir::{Block, Module, Op, Value};

use super::Waits;

/// The number of completions seen, modulo 2.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Parity {
    Even,
    Odd,
    Unknown,
}

impl Parity {
    fn next(self) -> Self {
        match self {
            Self::Even => Self::Odd,
            Self::Odd => Self::Even,
            Self::Unknown => Self::Unknown,
        }
    }
    fn join(self, other: Self) -> Self {
        if self == other { self } else { Self::Unknown }
    }
}

/// One entry for each barrier of each group that is waited on.
pub(super) type State = FxHashMap<Value, Vec<Parity>>;

/// What is known.
pub(super) struct Counts {
    /// Before each wait, of its barrier.
    parities: FxHashMap<Op, Parity>,
    /// On entry to each loop that is in no other loop, and to each role.
    pub(super) entries: FxHashMap<Op, State>,
    /// Behind each `tg.warp_specialize`.
    pub(super) exits: FxHashMap<Op, State>,
    /// Waits of which not even a mask keeps count: behind roles that have seen different numbers of completions, or in
    /// control flow that is not structured.
    pub(super) lost: Vec<Op>,
}

impl Counts {
    pub(super) fn new(module: &Module, waits: &Waits) -> Self {
        let mut state = State::default();
        for wait in &waits.list {
            let group = module.types.as_barrier(module.ty(wait.root));
            let count = group.map_or(1, |group| usize::try_from(group.num_barriers()).unwrap_or(1));
            state.entry(wait.root).or_insert_with(|| vec![Parity::Even; count]);
        }
        let mut flow = Flow {
            module,
            waits,
            active: active_ops(module, waits),
            counts: Self {
                parities: FxHashMap::default(),
                entries: FxHashMap::default(),
                exits: FxHashMap::default(),
                lost: Vec::new(),
            },
            loops: 0,
            split: FxHashSet::default(),
        };
        flow.counts.entries.insert(waits.kernel, state.clone());
        flow.regions_once(waits.kernel, &mut state);
        let mut lost = std::mem::take(&mut flow.counts.lost);
        lost.sort_unstable();
        lost.dedup();
        flow.counts.lost = lost;
        flow.counts
    }
    /// What is known of the completions seen before a wait.
    pub(super) fn parity(&self, wait: Op) -> Parity {
        self.parities.get(&wait).copied().unwrap_or(Parity::Unknown)
    }
}

/// The ops that waits or initialisations stand in, and those themselves.
fn active_ops(module: &Module, waits: &Waits) -> FxHashSet<Op> {
    let mut active = FxHashSet::default();
    for &op in waits.by_op.keys().chain(waits.inits.keys()) {
        active.insert(op);
        active.extend(module.ancestors(op));
    }
    active
}

struct Flow<'a> {
    module: &'a Module,
    waits: &'a Waits,
    active: FxHashSet<Op>,
    counts: Counts,
    loops: usize,
    /// Groups of which the threads behind `tg.warp_specialize` have seen different numbers of completions.
    split: FxHashSet<Value>,
}

/// Fixpoints nest; beyond this depth all that a loop waits on is taken for unknown at once.
const MAX_NESTING: usize = 5;

impl Flow<'_> {
    fn block(&mut self, block: Block, state: &mut State) {
        for op in self.module.block_ops(block) {
            if self.active.contains(&op) {
                self.op(op, state);
            }
        }
    }

    fn op(&mut self, op: Op, state: &mut State) {
        let module = self.module;
        match module.opcode(op) {
            Opcode::Tg(TgOp::BarrierWait) => self.wait(op, state),
            Opcode::Tg(TgOp::InitBarrier) => self.init(op, state),
            Opcode::Tg(TgOp::WarpSpecialize) => self.roles(op, state),
            Opcode::Scf(ScfOp::If) => {
                let mut otherwise = state.clone();
                match (module.region_block(op, 0), module.region_block(op, 1)) {
                    (Some(then_block), else_block) => {
                        self.block(then_block, state);
                        if let Some(block) = else_block {
                            self.block(block, &mut otherwise);
                        }
                    }
                    (None, _) => self.give_up(op, state),
                }
                join(state, &otherwise);
            }
            Opcode::Scf(ScfOp::For) => self.looping(op, state),
            Opcode::Scf(ScfOp::While) => self.looping(op, state),
            _ => self.give_up(op, state),
        }
    }

    fn wait(&mut self, op: Op, state: &mut State) {
        let Some(&index) = self.waits.by_op.get(&op) else { return };
        let wait = &self.waits.list[index];
        if self.split.contains(&wait.root) {
            self.counts.lost.push(op);
        }
        let Some(parities) = state.get_mut(&wait.root) else { return };
        let slot = wait.slot.constant().map(usize::try_from);
        let found = match slot {
            Some(Ok(slot)) if slot < parities.len() => {
                let found = parities[slot];
                parities[slot] = found.next();
                found
            }
            // A group of one has one slot, whatever the index says.
            None if parities.len() == 1 => {
                let found = parities[0];
                parities[0] = found.next();
                found
            }
            _ => {
                // All barriers alike: whichever it is, its count is known.
                let first = parities.first().copied().unwrap_or(Parity::Unknown);
                let found = parities.iter().fold(first, |all, &parity| all.join(parity));
                parities.fill(Parity::Unknown);
                found
            }
        };
        self.counts.parities.insert(op, found);
    }

    fn init(&mut self, op: Op, state: &mut State) {
        let Some((root, slot)) = self.waits.inits.get(&op) else { return };
        let Some(parities) = state.get_mut(root) else { return };
        match slot.as_ref().map(|slot| slot.constant().and_then(|slot| usize::try_from(slot).ok())) {
            None => parities.fill(Parity::Even),
            Some(Some(slot)) if slot < parities.len() => parities[slot] = Parity::Even,
            Some(_) => {
                for parity in parities {
                    *parity = parity.join(Parity::Even);
                }
            }
        }
    }

    fn looping(&mut self, op: Op, state: &mut State) {
        let module = self.module;
        if self.loops == 0 {
            self.counts.entries.insert(op, state.clone());
        }
        let (Some(first), second) = (module.region_block(op, 0), module.region_block(op, 1)) else {
            return self.give_up(op, state);
        };
        if self.loops >= MAX_NESTING {
            self.forget(op, state);
        }
        self.loops += 1;
        loop {
            let entry = state.clone();
            let mut after = state.clone();
            self.block(first, &mut after);
            let exit = after.clone();
            if let Some(second) = second {
                self.block(second, &mut after);
            }
            join(state, &after);
            if *state == entry {
                // `scf.for` ends before its body, `scf.while` behind its first region.
                if second.is_some() {
                    *state = exit;
                }
                break;
            }
        }
        self.loops -= 1;
    }

    fn roles(&mut self, op: Op, state: &mut State) {
        let module = self.module;
        let Some(block) = module.region_block(op, 0) else { return self.give_up(op, state) };
        let entry = state.clone();
        let mut ends: Vec<State> = Vec::new();
        for role in module.block_ops(block) {
            if module.opcode(role) == Opcode::Tg(TgOp::Role) {
                let mut own = entry.clone();
                self.counts.entries.insert(role, own.clone());
                self.regions_once(role, &mut own);
                ends.push(own);
            }
        }
        let Some((first, others)) = ends.split_first() else { return };
        *state = first.clone();
        for other in others {
            join(state, other);
        }
        // The registers of a role end with it, so behind it only what is known of all of them is known.
        for root in self.waited_inside(op) {
            if state.get(&root).is_some_and(|parities| parities.contains(&Parity::Unknown)) {
                self.split.insert(root);
            }
        }
        self.counts.exits.insert(op, state.clone());
    }

    fn waited_inside(&self, op: Op) -> Vec<Value> {
        let index = |inner: Op| self.waits.by_op.get(&inner).map(|&index| self.waits.list[index].root);
        self.module.walk(op).into_iter().filter_map(index).collect()
    }

    /// The regions of a kernel or role, which are executed once.
    fn regions_once(&mut self, op: Op, state: &mut State) {
        match self.module.region_block(op, 0) {
            Some(block) => self.block(block, state),
            None => self.give_up(op, state),
        }
    }

    /// Control flow that is not understood: its waits are lost.
    fn give_up(&mut self, op: Op, state: &mut State) {
        self.forget(op, state);
        self.counts
            .lost
            .extend(self.module.walk(op).into_iter().filter(|op| self.waits.by_op.contains_key(op)));
    }

    /// Makes unknown all that is waited on inside `op`.
    fn forget(&self, op: Op, state: &mut State) {
        for inner in self.module.walk(op) {
            if let Some(&index) = self.waits.by_op.get(&inner)
                && let Some(parities) = state.get_mut(&self.waits.list[index].root)
            {
                parities.fill(Parity::Unknown);
            }
        }
    }
}

fn join(state: &mut State, other: &State) {
    for (root, parities) in state.iter_mut() {
        for (parity, &other) in parities.iter_mut().zip(other.get(root).into_iter().flatten()) {
            *parity = parity.join(other);
        }
    }
}
