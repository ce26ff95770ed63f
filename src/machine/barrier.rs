//! The barriers of a cluster in use: mbarriers with the knowledge that their phases collect.
//!
//! An arrival releases what its lanes know; the completion of an asynchronous operation adds that operation and those known to be complete when it was issued. A
//! wait that passes acquires what the phases up to it collected. Beside this a barrier keeps its *control* clock: all
//! that has to happen before its current phase can complete, the issuers of asynchronous operations included (`Knowledge::control`). Whoever
//! has seen phase `n` must be in the control clock when phase `n + 1` completes: else it might as well have looked too
//! late, and would wait for a phase of that parity to complete again (a lapped waiter).

use crate::clock::Comp;
use crate::engine::Op;
use crate::finding::{Code, Finding, Place};
use crate::hardware::{Actor, AgentId, Hardware, Owner, Stop};
use crate::mbarrier::{Arrival, Life, Mbarrier, MbarrierError, TestWait, Token};
use crate::memory::split_shared;
use crate::order::Knowledge;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// An mbarrier in shared memory.
pub struct Slot {
    /// Its state.
    pub state: Mbarrier,
    /// Where it was initialised, and by whom.
    pub init: (Place, AgentId),
    init_epoch: (Comp, u32, u32),
    inval: Option<Place>,
    pending: Knowledge,
    completed: Knowledge,
    observers: SmallVec<[Observer; 4]>,
    /// How many phases had completed when an agent's wait passed last.
    pub(crate) seen: SmallVec<[(AgentId, u64); 4]>,
    /// Who arrived so far, where, and how often: for the explanation of a hang.
    pub arrivals: Vec<Arrived>,
    /// Operations that completed on it so far: what, whose, where, bytes.
    pub paid: Vec<Arrived>,
}

/// Somebody who arrived on a barrier, or paid bytes on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The agent (of an operation: its issuer).
    pub agent: AgentId,
    /// Where.
    pub place: Place,
    /// Arrivals or bytes in all.
    pub total: u64,
}

#[derive(Clone, Copy, Debug)]
struct Observer {
    comp: Comp,
    lanes: u32,
    time: u32,
    place: Place,
    agent: AgentId,
}

/// The mbarriers of a block, by offset.
#[derive(Default)]
pub struct Barriers {
    slots: FxHashMap<u32, Slot>,
    low: u32,
    high: u32,
}

impl Barriers {
    /// The barrier at an offset.
    pub fn get(&self, offset: u32) -> Option<&Slot> {
        self.slots.get(&offset)
    }

    /// All, by offset.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Slot)> {
        let mut all: Vec<_> = self.slots.iter().map(|(&o, s)| (o, s)).collect();
        all.sort_by_key(|&(o, _)| o);
        all.into_iter()
    }

    /// A live barrier that shares bytes with the range.
    #[inline]
    pub(crate) fn overlapped(&self, offset: u32, len: u32) -> Option<u32> {
        if offset >= self.high || offset + len <= self.low {
            return None;
        }
        let first = offset & !7;
        (first..offset + len).step_by(8).find(|o| self.slots.get(o).is_some_and(|s| s.state.is_live()))
    }

    pub(crate) fn init_place(&self, offset: u32) -> Option<Place> {
        self.slots.get(&offset).map(|s| s.init.0)
    }
}

/// How an operation on a barrier orders memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// `.release` (the default of arrivals): what the lanes know goes to the waiters.
    Release,
    /// `.relaxed`: what they knew at their last fence.
    Relaxed,
}

/// What a wait asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The phase of this parity.
    Parity(u32),
    /// The phase of this token.
    Token(u64),
}

impl Hardware {
    /// `mbarrier.init` at a shared address of the actor's own block.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: misaligned or outside of shared memory, a live barrier, a count out of range.
    pub fn mbarrier_init(&mut self, actor: Actor, address: u32, count: u32) -> Result<(), Stop> {
        let (rank, offset) = self.barrier_place(actor, "mbarrier.init", address)?;
        let agent = self.agent_mut(actor.agent);
        agent.inits.1 += 1;
        let epoch = (agent.inits.0, actor.lanes, agent.inits.1);
        // Program order: the initialiser knows of it; the async proxy does not yet.
        agent.order.learn_generic(actor.lanes, epoch.0, epoch.1, epoch.2);
        let block = &mut self.blocks[rank as usize];
        let old = block.barriers.slots.get(&offset);
        let mut state = old.map_or_else(Mbarrier::new, |s| s.state);
        let before = old.map(|s| s.init);
        if let Err(e) = state.init(count) {
            return self.misuse(actor, "mbarrier.init", address, e, before);
        }
        let slot = Slot {
            state,
            init: (actor.place, actor.agent),
            init_epoch: epoch,
            inval: None,
            pending: Knowledge::default(),
            completed: Knowledge::default(),
            observers: SmallVec::new(),
            seen: SmallVec::new(),
            arrivals: Vec::new(),
            paid: Vec::new(),
        };
        block.shared.written.set(offset as usize, 8);
        let barriers = &mut block.barriers;
        barriers.slots.insert(offset, slot);
        if barriers.high == 0 {
            barriers.low = offset;
        }
        (barriers.low, barriers.high) = (barriers.low.min(offset), barriers.high.max(offset + 8));
        self.version += 1;
        Ok(())
    }

    /// `mbarrier.inval`.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: no live barrier.
    pub fn mbarrier_inval(&mut self, actor: Actor, address: u32) -> Result<(), Stop> {
        let slot = self.barrier(actor, "mbarrier.inval", address)?;
        match slot.state.inval() {
            Ok(_) => {
                slot.inval = Some(actor.place);
                let (rank, offset) = split_shared(address);
                // What the bytes held is nobody's any more.
                self.blocks[rank as usize].shared.written.set(offset as usize, 8);
                Ok(())
            }
            Err(e) => self.misuse(actor, "mbarrier.inval", address, e, None),
        }
    }

    /// An arrival by each of the actor's lanes, in any of its forms; the tokens' bits, by lane.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: no live barrier, more arrivals than are pending, counts out of range.
    pub fn mbarrier_arrive(
        &mut self,
        actor: Actor,
        address: u32,
        arrival: Arrival,
        release: Release,
    ) -> Result<[u64; 32], Stop> {
        const WHAT: &str = "mbarrier.arrive";
        self.barrier_use(actor, WHAT, address)?;
        let mut tokens = [0; 32];
        let total = u64::from(arrival.count) * u64::from(actor.lanes.count_ones());
        {
            let slot = self.barrier(actor, WHAT, address)?;
            remember(&mut slot.arrivals, actor, total);
        }
        // Lanes that arrive after the one that completes the phase release into the next.
        let mut left = actor.lanes;
        let mut now = self.until_completion(address, arrival, left);
        self.release_into(Actor { lanes: now, ..actor }, address, release);
        for lane in (0..32).filter(|l| actor.lanes >> l & 1 == 1) {
            if now >> lane & 1 == 0 {
                now = self.until_completion(address, arrival, left);
                self.release_into(Actor { lanes: now, ..actor }, address, release);
            }
            left &= !(1 << lane);
            let slot = self.barrier(actor, WHAT, address)?;
            match slot.state.arrive_on(arrival) {
                Ok(outcome) => {
                    tokens[lane] = outcome.token.bits();
                    if outcome.completed.is_some() {
                        self.phase_completed(actor.place, address);
                    }
                }
                Err(e) => return self.misuse(actor, WHAT, address, e, None),
            }
        }
        Ok(tokens)
    }

    /// Those of the lanes, in order, whose arrivals belong to the current phase: all, unless one completes it.
    fn until_completion(&self, address: u32, arrival: Arrival, lanes: u32) -> u32 {
        let (rank, offset) = split_shared(address);
        let slot = self.blocks.get(rank as usize).and_then(|b| b.barriers.get(offset));
        let Some(mut state) = slot.map(|s| s.state).filter(|_| self.config.races && lanes.count_ones() > 1)
        else {
            return lanes;
        };
        for lane in (0..32).filter(|l| lanes >> l & 1 == 1) {
            match state.arrive_on(arrival) {
                Ok(outcome) if outcome.completed.is_none() => {}
                _ => return lanes & (u32::MAX >> (31 - lane)),
            }
        }
        lanes
    }

    /// `mbarrier.expect_tx` by each of the actor's lanes.
    ///
    /// # Errors
    ///
    /// As [`Hardware::mbarrier_arrive`].
    pub fn mbarrier_expect(&mut self, actor: Actor, address: u32, bytes: u32) -> Result<(), Stop> {
        self.barrier_use(actor, "mbarrier.expect_tx", address)?;
        self.release_into(actor, address, Release::Relaxed);
        for _ in 0..actor.lanes.count_ones() {
            let slot = self.barrier(actor, "mbarrier.expect_tx", address)?;
            match slot.state.expect_tx(bytes) {
                Ok(o) if o.completed.is_some() => self.phase_completed(actor.place, address),
                Ok(_) => {}
                Err(e) => return self.misuse(actor, "mbarrier.expect_tx", address, e, None),
            }
        }
        Ok(())
    }

    /// `mbarrier.complete_tx` by each of the actor's lanes (the instruction; operations complete through
    /// [`crate::engine::Done`]).
    ///
    /// # Errors
    ///
    /// As [`Hardware::mbarrier_arrive`].
    pub fn mbarrier_complete(&mut self, actor: Actor, address: u32, bytes: u32) -> Result<(), Stop> {
        self.barrier_use(actor, "mbarrier.complete_tx", address)?;
        self.release_into(actor, address, Release::Relaxed);
        for _ in 0..actor.lanes.count_ones() {
            let slot = self.barrier(actor, "mbarrier.complete_tx", address)?;
            remember(&mut slot.paid, actor, u64::from(bytes));
            match slot.state.complete_tx(bytes) {
                Ok(o) if o.completed.is_some() => self.phase_completed(actor.place, address),
                Ok(_) => {}
                Err(e) => return self.misuse(actor, "mbarrier.complete_tx", address, e, None),
            }
        }
        Ok(())
    }

    /// One pending arrival more in the current phase, for `cp.async.mbarrier.arrive` without `.noinc`.
    ///
    /// # Errors
    ///
    /// As [`Hardware::mbarrier_arrive`].
    pub fn mbarrier_add_pending(&mut self, actor: Actor, address: u32) -> Result<(), Stop> {
        self.barrier_use(actor, "cp.async.mbarrier.arrive", address)?;
        for _ in 0..actor.lanes.count_ones() {
            let slot = self.barrier(actor, "cp.async.mbarrier.arrive", address)?;
            if let Err(e) = slot.state.add_pending() {
                return self.misuse(actor, "cp.async.mbarrier.arrive", address, e, None);
            }
        }
        Ok(())
    }

    /// `test_wait`, `try_wait`: `None` when the phase has completed; else the phase to wait for. When it has
    /// completed and `acquire` is set, the lanes know what the barrier collected.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: no live barrier, a token of a phase long past.
    pub fn mbarrier_test(
        &mut self,
        actor: Actor,
        address: u32,
        phase: Phase,
        acquire: bool,
    ) -> Result<Option<u64>, Stop> {
        const WHAT: &str = "mbarrier wait";
        self.barrier_use(actor, WHAT, address)?;
        let slot = self.barrier(actor, WHAT, address)?;
        let answer = match phase {
            Phase::Parity(parity) => slot.state.test_wait_parity(parity),
            Phase::Token(bits) => Token::from_bits(bits).and_then(|token| slot.state.test_wait(token)),
        };
        match answer {
            Ok(TestWait::Pending { phase }) => Ok(Some(phase)),
            Ok(TestWait::Passed { .. }) => {
                self.observe(actor, address, acquire);
                Ok(None)
            }
            Err(e) => self.misuse(actor, WHAT, address, e, None),
        }
    }

    /// `mbarrier.pending_count` of a token.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: not a token of a `.noComplete` arrival.
    pub fn mbarrier_pending_count(&mut self, actor: Actor, token: u64) -> Result<u32, Stop> {
        match Token::from_bits(token).and_then(Token::pending_count) {
            Ok(count) => Ok(count),
            Err(e) => {
                let message = format!("mbarrier.pending_count: {e}");
                self.fail(Finding::new(Code::InvalidOperand, message).at(actor.place, "here"))
            }
        }
    }

    fn observe(&mut self, actor: Actor, address: u32, acquire: bool) {
        let (rank, offset) = split_shared(address);
        let Some(slot) = self.blocks[rank as usize].barriers.slots.get_mut(&offset) else { return };
        let completed = slot.state.phase();
        match slot.seen.iter_mut().find(|s| s.0 == actor.agent) {
            Some(s) => s.1 = completed,
            None => slot.seen.push((actor.agent, completed)),
        }
        if !self.config.races {
            return;
        }
        let order = &mut self.agents[actor.agent.0 as usize].order;
        if acquire {
            order.acquire(actor.lanes, &slot.completed);
        }
        let (comp, time) = (order.comp, order.time);
        let seen = Observer { comp, lanes: actor.lanes, time, place: actor.place, agent: actor.agent };
        let same = |o: &&mut Observer| o.comp == comp && o.lanes & actor.lanes != 0;
        match slot.observers.iter_mut().find(same) {
            Some(o) => *o = Observer { lanes: o.lanes | actor.lanes, ..seen },
            None => slot.observers.push(seen),
        }
    }

    fn release_into(&mut self, actor: Actor, address: u32, release: Release) {
        if !self.config.races {
            return;
        }
        let (rank, offset) = split_shared(address);
        let Some(slot) = self.blocks[rank as usize].barriers.slots.get_mut(&offset) else { return };
        let order = &mut self.agents[actor.agent.0 as usize].order;
        let mut all = Knowledge::default();
        match release {
            Release::Release => {
                order.release(actor.lanes, &mut all);
                slot.pending.join(&all);
            }
            Release::Relaxed => order.release_fenced(actor.lanes, &mut slot.pending),
        }
    }

    /// An operation completes on a barrier.
    pub(crate) fn pay(
        &mut self,
        op: &Op,
        address: u32,
        bytes: Option<u32>,
        arrivals: u32,
    ) -> Result<(), Stop> {
        let actor = Actor { agent: op.agent, lanes: op.lanes, place: op.place };
        let what = op.what;
        self.barrier_use_by(op, actor, address, bytes.is_some())?;
        self.release_complete(op, address);
        let races = self.config.races;
        let slot = self.barrier(actor, what, address)?;
        if races {
            slot.pending.learn(op.reads.0, op.comp_lanes, op.reads.1);
            slot.pending.learn(op.writes.0, op.comp_lanes, op.writes.1);
            slot.pending.join_control(&op.knowledge.control);
        }
        let outcome = match bytes {
            Some(bytes) => {
                remember(&mut slot.paid, actor, u64::from(bytes));
                slot.state.complete_tx(bytes)
            }
            None => {
                remember(&mut slot.arrivals, actor, u64::from(arrivals));
                slot.state.arrive(arrivals)
            }
        };
        match outcome {
            Ok(o) if o.completed.is_some() => self.phase_completed(op.place, address),
            Ok(_) => {}
            Err(e) => return self.misuse(actor, what, address, e, None),
        }
        Ok(())
    }

    /// What its issuer wrote itself is not released by a completion. But operations that were known to be complete at
    /// the issue were complete before this one: a copy that a `tcgen05.mma` waited for is known with the mma.
    fn release_complete(&mut self, op: &Op, address: u32) {
        if !self.config.races {
            return;
        }
        let owners = &self.owners;
        let complete = |comp: Comp| owners.get(usize::from(comp.0)).is_some_and(Owner::is_operation);
        let (rank, offset) = split_shared(address);
        let block = self.blocks.get_mut(rank as usize);
        let Some(slot) = block.and_then(|b| b.barriers.slots.get_mut(&offset)) else { return };
        let k = &mut slot.pending;
        Arc::make_mut(&mut k.generic).join_of(&op.knowledge.generic, complete);
        Arc::make_mut(&mut k.proxied).join_of(&op.knowledge.proxied, complete);
    }

    fn phase_completed(&mut self, place: Place, address: u32) {
        self.version += 1;
        if !self.config.races {
            return;
        }
        let (rank, offset) = split_shared(address);
        let Some(slot) = self.blocks[rank as usize].barriers.slots.get_mut(&offset) else { return };
        let pending = slot.pending.clone();
        slot.completed.join(&pending);
        let seen = std::mem::take(&mut slot.observers);
        let control = Arc::clone(&slot.pending.control);
        let phase = slot.state.phase().wrapping_sub(1);
        // A warp runs as one between its branches: when one of its lanes is known to have looked, the others have.
        let known =
            |o: &Observer| (0..32).any(|l| o.lanes >> l & 1 == 1 && control.knows(o.comp, 1 << l, o.time));
        for (i, o) in seen.iter().enumerate() {
            let first = seen.iter().position(|other| other.comp == o.comp) == Some(i);
            if first && !seen.iter().any(|other| other.comp == o.comp && known(other)) {
                let who = self.who(o.agent, o.lanes);
                let name = self.barrier_name(address);
                let before = phase.wrapping_sub(1);
                let asked = if phase == 0 {
                    "the phase before the first".to_owned()
                } else {
                    format!("phase {before}")
                };
                let message = format!(
                    "phase {phase} of {name} may complete before {who} has seen {asked}: it would then wait for another phase of that parity"
                );
                let finding = Finding::new(Code::Lapped, message)
                    .at(o.place, format!("{who} waits for {asked} here"))
                    .at(place, format!("phase {phase} completes here, not ordered after that wait"))
                    .help("whoever fills the next phase has to know that all waiters have seen the last: a second barrier from the waiters back, on which each of them arrives");
                self.report(finding);
            }
        }
    }

    /// "the mbarrier at offset 163872 (rank 0)".
    pub fn barrier_name(&self, address: u32) -> String {
        let (rank, offset) = split_shared(address);
        let at = offset.saturating_sub(crate::memory::RESERVED);
        match self.blocks.len() {
            1 => format!("the mbarrier at byte {at} of shared memory"),
            _ => format!("the mbarrier at byte {at} of the shared memory of rank {rank}"),
        }
    }

    fn barrier_place(&mut self, actor: Actor, what: &str, address: u32) -> Result<(u32, u32), Stop> {
        let (rank, offset) = split_shared(address);
        if !address.is_multiple_of(8) {
            let who = self.who(actor.agent, actor.lanes);
            let message = format!(
                "{what} by {who} at shared address {address:#x}: an mbarrier lies at a multiple of 8"
            );
            return self.fail(Finding::new(Code::Misaligned, message).at(actor.place, "here"));
        }
        let there = self.blocks.get(rank as usize).is_some_and(|b| b.shared.get(offset, 8).is_some());
        if !there {
            return self.outside(actor, what, crate::access::Address::Shared(address), 8);
        }
        Ok((rank, offset))
    }

    fn barrier(&mut self, actor: Actor, what: &str, address: u32) -> Result<&mut Slot, Stop> {
        let (rank, offset) = self.barrier_place(actor, what, address)?;
        if !self.blocks[rank as usize].barriers.slots.contains_key(&offset) {
            return self.misuse(actor, what, address, MbarrierError::Uninitialised, None);
        }
        match self.blocks[rank as usize].barriers.slots.get_mut(&offset) {
            Some(slot) => Ok(slot),
            None => Err(Stop),
        }
    }

    /// Checks that a barrier is live for its user: initialised before, by the order of accesses too.
    fn barrier_use(&mut self, actor: Actor, what: &str, address: u32) -> Result<(), Stop> {
        let (rank, _) = self.barrier_place(actor, what, address)?;
        let races = self.config.races;
        let slot = self.barrier(actor, what, address)?;
        let (comp, lanes, time) = slot.init_epoch;
        let init = slot.init;
        if races {
            let known = (0..32)
                .filter(|l| actor.lanes >> l & 1 == 1)
                .all(|lane| self.agent(actor.agent).order.knowledge(lane).generic.knows(comp, lanes, time));
            if !known {
                self.unordered_init(actor, what, address, init);
            }
        }
        if rank != self.agent(actor.agent).rank {
            let order = &self.agent(actor.agent).order;
            self.reach(actor, rank, Some((order.comp, actor.lanes, order.time)))?;
        }
        Ok(())
    }

    fn barrier_use_by(&mut self, op: &Op, actor: Actor, address: u32, copy: bool) -> Result<(), Stop> {
        let (rank, _) = self.barrier_place(actor, op.what, address)?;
        let races = self.config.races;
        let slot = self.barrier(actor, op.what, address)?;
        let (comp, lanes, time) = slot.init_epoch;
        let init = slot.init;
        if races && !op.knowledge.generic.knows(comp, lanes, time) {
            self.unordered_init(actor, op.what, address, init);
        } else if races && copy && !op.generic && !op.knowledge.proxied.knows(comp, lanes, time) {
            self.unfenced_init(actor, op.what, address, init);
        }
        if rank != self.agent(op.agent).rank {
            self.reach(actor, rank, Some((op.writes.0, op.comp_lanes, op.writes.1)))?;
        }
        Ok(())
    }

    fn unordered_init(&mut self, actor: Actor, what: &str, address: u32, init: (Place, AgentId)) {
        let name = self.barrier_name(address);
        let who = self.who(actor.agent, actor.lanes);
        let by = self.agent(init.1).name.clone();
        let message = format!("{what} by {who} on {name} is not ordered after its initialisation by {by}");
        let finding = Finding::new(Code::BarrierLife, message)
            .at(actor.place, "used here")
            .at(init.0, "initialised here")
            .help("between the two: fence.mbarrier_init and a barrier of all users (bar.sync; of the cluster: barrier.cluster.arrive, .wait)");
        self.report(finding);
    }

    /// An operation of the async proxy uses a barrier that the generic proxy initialised (CUDA C++ programming guide,
    /// asynchronous data copies: the initialisation has to be made visible to the async proxy).
    fn unfenced_init(&mut self, actor: Actor, what: &str, address: u32, init: (Place, AgentId)) {
        let name = self.barrier_name(address);
        let by = self.agent(init.1).name.clone();
        let message = format!(
            "{what} on {name}, which {by} initialised through the generic proxy, with no fence that makes it visible to the async proxy"
        );
        let finding = Finding::new(Code::MissingFence, message)
            .at(actor.place, "used here")
            .at(init.0, "initialised here")
            .help("fence.mbarrier_init.release.cluster (or fence.proxy.async) by whoever initialised it, before the barrier of all users");
        self.report(finding);
    }

    /// Turns a misuse of the state machine into a finding.
    fn misuse<T>(
        &mut self,
        actor: Actor,
        what: &str,
        address: u32,
        error: MbarrierError,
        before: Option<(Place, AgentId)>,
    ) -> Result<T, Stop> {
        let name = self.barrier_name(address);
        let who = self.who(actor.agent, actor.lanes);
        let code = match error {
            MbarrierError::OverArrival { .. } => Code::OverArrival,
            MbarrierError::TxOutOfRange { .. } => Code::Bytes,
            MbarrierError::Uninitialised
            | MbarrierError::Invalidated { .. }
            | MbarrierError::InitOverLive { .. } => Code::BarrierLife,
            _ => Code::InvalidOperand,
        };
        let mut finding =
            Finding::new(code, format!("{what} by {who} on {name}: {error}")).at(actor.place, "here");
        let (rank, offset) = split_shared(address);
        let slot = self.blocks.get(rank as usize).and_then(|b| b.barriers.get(offset));
        if let Some((place, _)) = before.or(slot.map(|s| s.init)) {
            finding = finding.at(place, "initialised here");
        }
        if let Some(place) = slot.and_then(|s| s.inval) {
            finding = finding.at(place, "invalidated here");
        }
        if let Some(slot) = slot.filter(|_| code == Code::OverArrival) {
            for a in slot.arrivals.iter().take(4) {
                finding = finding
                    .at(a.place, format!("{} arrivals so far by {}", a.total, self.agent(a.agent).name));
            }
        }
        self.fail(finding)
    }

    /// Whether a phase of a barrier has completed (or the barrier is no more: the waiter will see).
    pub(crate) fn phase_passed(&self, address: u32, phase: u64) -> bool {
        let (rank, offset) = split_shared(address);
        let slot = self.blocks.get(rank as usize).and_then(|b| b.barriers.get(offset));
        slot.is_none_or(|s| s.state.life() != Life::Live || s.state.phase() != phase)
    }
}

fn remember(list: &mut Vec<Arrived>, actor: Actor, total: u64) {
    if let Some(a) = list.iter_mut().find(|a| a.agent == actor.agent && a.place == actor.place) {
        a.total += total;
    } else if list.len() < 64 {
        list.push(Arrived { agent: actor.agent, place: actor.place, total });
    }
}
