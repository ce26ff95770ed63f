//! Issue, effect and completion of asynchronous operations on the hardware, and waits for groups of them.

use crate::clock::{ALL_LANES, Comp};
use crate::engine::{Accesses, Done, Effect, Groups, Issue, Member, Op, OpId, Pipe, Track};
use crate::hardware::{Actor, AgentId, Hardware, Owner, Stop, WaitOn};
use crate::order::Knowledge;
use std::sync::Arc;

/// So many issues of WGMMAs of a warp are remembered for its siblings' waits.
const RECENT: usize = 128;

impl Hardware {
    /// Issues an operation; its number.
    pub fn issue(&mut self, issue: Issue) -> OpId {
        let id = self.engine.next;
        self.engine.next += 1;
        let mut knowledge = Knowledge::default();
        let (mut reads, mut writes) = ((Comp::NONE, 0), (Comp::NONE, 0));
        let mut comp_lanes = ALL_LANES;
        if self.config.races {
            knowledge = self.agent_mut(issue.agent).order.issue(issue.lanes);
            match issue.track {
                Track::Own => {
                    let own = self.own_component(&knowledge, issue.agent, issue.what);
                    (reads, writes) = (own, own);
                }
                Track::Pipe(_) => {
                    let next = self.next_of(issue.agent, issue.track, false, issue.what);
                    // Operations of a pipe happen in order: each knows those before it.
                    knowledge.learn(next.0, ALL_LANES, next.1 - 1);
                    (reads, writes) = (next, next);
                }
                Track::Groups(_) => {
                    reads = self.next_of(issue.agent, issue.track, true, issue.what);
                    writes = self.next_of(issue.agent, issue.track, false, issue.what);
                    comp_lanes = issue.lanes;
                }
            }
        }
        let seq = self.agent_mut(issue.agent).issued.entry(issue.track).or_default();
        *seq += 1;
        let seq = *seq;
        if issue.track == Track::Pipe(Pipe::Wgmma) && self.config.races {
            let control = Arc::clone(&knowledge.control);
            let recent = &mut self.agent_mut(issue.agent).wgmma_issues;
            if recent.len() == RECENT {
                recent.pop_front();
            }
            recent.push_back((seq, control));
        }
        let group = match issue.track {
            Track::Groups(kind) => Some(kind),
            _ => issue.group,
        };
        if let Some(kind) = group {
            let part = if issue.track == Track::Pipe(Pipe::Wgmma) { seq } else { 0 };
            let member = Member { id, seq: part, lanes: comp_lanes, reads, writes };
            let groups = self.agent_mut(issue.agent).groups.entry(kind).or_default();
            for queue in groups.of(issue.lanes) {
                queue.open.push(member);
            }
        }
        self.engine.ops.push_back(Op {
            id,
            seq,
            agent: issue.agent,
            lanes: issue.lanes,
            place: issue.place,
            what: issue.what,
            knowledge,
            reads,
            writes,
            comp_lanes,
            generic: issue.generic,
            track: issue.track,
            after: issue.after,
            effect: Some(issue.effect),
            done: issue.done,
        });
        id
    }

    fn own_component(&mut self, knowledge: &Knowledge, agent: AgentId, what: &'static str) -> (Comp, u32) {
        let free = self.engine.own.iter_mut().find(|(c, t)| knowledge.generic.knows(*c, ALL_LANES, *t));
        if let Some((comp, time)) = free {
            *time += 1;
            let own = (*comp, *time);
            if let Some(owner) = self.owners.get_mut(usize::from(own.0.0)) {
                *owner = Owner { agent, what };
            }
            return own;
        }
        let comp = self.component(agent, what);
        self.engine.own.push((comp, 1));
        (comp, 1)
    }

    pub(crate) fn next_of(
        &mut self,
        agent: AgentId,
        track: Track,
        reads: bool,
        what: &'static str,
    ) -> (Comp, u32) {
        if !self.agent(agent).tracks.contains_key(&(track, reads)) {
            let comp = self.component(agent, what);
            self.agent_mut(agent).tracks.insert((track, reads), (comp, 0));
        }
        match self.agent_mut(agent).tracks.get_mut(&(track, reads)) {
            Some(entry) => {
                entry.1 += 1;
                *entry
            }
            None => (Comp::NONE, 0),
        }
    }

    /// Takes out the effect of an operation, to be run.
    pub(crate) fn take_effect(&mut self, id: OpId) -> Option<Effect> {
        self.engine.get_mut(id)?.effect.take()
    }

    /// Runs an effect that the hardware can run itself.
    pub(crate) fn run_effect(&mut self, id: OpId, effect: Accesses) -> Result<(), Stop> {
        self.version += 1;
        self.with_op(id, |hw, op| effect(hw, op)).unwrap_or(Ok(()))
    }

    /// Gives an operation in flight to somebody who also needs the hardware.
    pub fn with_op<T>(&mut self, id: OpId, f: impl FnOnce(&mut Hardware, &Op) -> T) -> Option<T> {
        // The operation is away from the queue meanwhile: nothing in an effect looks for operations.
        let index = self.engine.ops.binary_search_by_key(&id, |op| op.id).ok()?;
        let op = self.engine.ops.get_mut(index)?;
        let hollow = Op {
            id,
            seq: op.seq,
            agent: op.agent,
            lanes: op.lanes,
            place: op.place,
            what: op.what,
            knowledge: Knowledge::default(),
            reads: op.reads,
            writes: op.writes,
            comp_lanes: op.comp_lanes,
            generic: op.generic,
            track: op.track,
            after: Default::default(),
            effect: None,
            done: Default::default(),
        };
        let op = std::mem::replace(op, hollow);
        let out = f(self, &op);
        if let Some(place) = self.engine.get_mut(id) {
            *place = op;
        }
        Some(out)
    }

    /// An operation completes: pays and arrives on barriers.
    pub(crate) fn complete(&mut self, id: OpId) -> Result<(), Stop> {
        let Some(op) = self.engine.remove(id) else { return Ok(()) };
        self.version += 1;
        for done in &op.done {
            match *done {
                Done::Bytes { barrier, bytes } => self.pay(&op, barrier, Some(bytes), 0)?,
                Done::Arrive { barrier, count } => self.pay(&op, barrier, None, count)?,
            }
        }
        Ok(())
    }

    /// Commits the open group of the actor's lanes.
    pub fn commit_group(&mut self, actor: Actor, kind: Groups) {
        let groups = self.agent_mut(actor.agent).groups.entry(kind).or_default();
        for queue in groups.of(actor.lanes) {
            let open = std::mem::take(&mut queue.open);
            queue.committed.push_back(open);
        }
    }

    /// Waits until at most `allow` of the latest groups are pending (`reads`: are still reading). `None` when it is
    /// so: then the lanes know of those that are done. `open` counts operations that were not committed, too
    /// (`cp.async.wait_all`).
    pub fn wait_group(
        &mut self,
        actor: Actor,
        kind: Groups,
        allow: u32,
        reads: bool,
        open: bool,
    ) -> Option<WaitOn> {
        // A WGMMA is one operation of four warps: a group is done when it is done for all of them.
        let last = if kind == Groups::Wgmma { self.last_waited(actor, allow) } else { 0 };
        if last > 0 && !self.siblings_done(actor.agent, last) {
            return Some(WaitOn::Groups { kind, allow, reads, open });
        }
        let engine = &self.engine;
        let state = &mut self.agents[actor.agent.0 as usize];
        let groups = state.groups.get_mut(&kind)?;
        let races = self.config.races;
        let mut known = Vec::new();
        for queue in groups.of(actor.lanes) {
            let upto = queue.committed.len().saturating_sub(allow as usize);
            let mut finished = |m: &Member| {
                let ok = if reads { engine.effected(m.id) } else { engine.is_done(m.id) };
                if ok && races {
                    known.push((m.lanes, m.reads));
                    if !reads {
                        known.push((m.lanes, m.writes));
                    }
                }
                ok
            };
            let all = queue.committed.iter().take(upto).flatten().all(&mut finished)
                && (!open || queue.open.iter().all(&mut finished));
            if !all {
                return Some(WaitOn::Groups { kind, allow, reads, open });
            }
            if !reads {
                queue.committed.drain(..upto);
                if open {
                    queue.open.clear();
                }
            }
        }
        for (lanes, (comp, time)) in known {
            state.order.learn(actor.lanes, comp, lanes, time);
        }
        if last > 0 && races {
            self.learn_siblings(actor, last);
        }
        None
    }

    /// The number of the last operation of the groups that a wait is for; 0 for none.
    fn last_waited(&self, actor: Actor, allow: u32) -> u64 {
        let Some(groups) = self.agent(actor.agent).groups.get(&Groups::Wgmma) else { return 0 };
        let queues = groups.parts.iter().filter(|(l, _)| l & actor.lanes != 0);
        let members = queues.flat_map(|(_, queue)| {
            let upto = queue.committed.len().saturating_sub(allow as usize);
            queue.committed.iter().take(upto).flatten()
        });
        members.map(|m| m.seq).max().unwrap_or(0)
    }

    /// The other warps of a warp's warpgroup.
    fn siblings(&self, agent: AgentId) -> impl Iterator<Item = usize> + use<'_> {
        let (rank, group) = (self.agent(agent).rank, self.agent(agent).index / 4);
        let near = agent.0.saturating_sub(3) as usize..=(agent.0 as usize + 3).min(self.agents.len() - 1);
        near.filter(move |&i| {
            i != agent.0 as usize && self.agents[i].rank == rank && self.agents[i].index / 4 == group
        })
    }

    /// Whether the other warps of the warpgroup have issued their parts of a WGMMA, and these are complete.
    fn siblings_done(&self, agent: AgentId, seq: u64) -> bool {
        let track = Track::Pipe(Pipe::Wgmma);
        self.siblings(agent).all(|i| {
            let state = &self.agents[i];
            state.issued.get(&track).is_some_and(|&n| n >= seq)
                && !self
                    .engine
                    .ops
                    .iter()
                    .any(|op| op.agent.0 as usize == i && op.track == track && op.seq <= seq)
        })
    }

    /// What the completion of a WGMMA shows of the other warps: their parts are done, and they came as far as its issue.
    fn learn_siblings(&mut self, actor: Actor, seq: u64) {
        let siblings: Vec<usize> = self.siblings(actor.agent).collect();
        for i in siblings {
            let comp = self.agents[i].tracks.get(&(Track::Pipe(Pipe::Wgmma), false)).map(|t| t.0);
            let control =
                self.agents[i].wgmma_issues.iter().rev().find(|(s, _)| *s <= seq).map(|(_, c)| Arc::clone(c));
            let order = &mut self.agents[actor.agent.0 as usize].order;
            if let Some(comp) = comp {
                order.learn(actor.lanes, comp, ALL_LANES, seq as u32);
            }
            if let Some(control) = control {
                order.learn_control(actor.lanes, &control);
            }
        }
    }

    /// Whether a wait for groups would pass, without its effects.
    pub(crate) fn groups_passed(
        &self,
        actor: Actor,
        kind: Groups,
        allow: u32,
        reads: bool,
        open: bool,
    ) -> bool {
        if kind == Groups::Wgmma {
            let last = self.last_waited(actor, allow);
            if last > 0 && !self.siblings_done(actor.agent, last) {
                return false;
            }
        }
        let Some(groups) = self.agent(actor.agent).groups.get(&kind) else { return true };
        groups.parts.iter().filter(|(l, _)| l & actor.lanes != 0).all(|(_, queue)| {
            let upto = queue.committed.len().saturating_sub(allow as usize);
            let open = queue.open.iter().take(if open { usize::MAX } else { 0 });
            let mut members = queue.committed.iter().take(upto).flatten().chain(open);
            members.all(|m| if reads { self.engine.effected(m.id) } else { self.engine.is_done(m.id) })
        })
    }

    /// The operations of the actor's lanes of a kind that are in flight: what `cp.async.mbarrier.arrive` and
    /// `tcgen05.commit` wait for.
    pub fn in_flight_of(&self, actor: Actor, track: Track) -> impl Iterator<Item = OpId> {
        self.engine
            .in_flight()
            .filter(move |op| op.agent == actor.agent && op.track == track && op.lanes & actor.lanes != 0)
            .map(|op| op.id)
    }
}
