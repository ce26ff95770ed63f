//! Asynchronous operations: agents of their own, with an issue, an effect (their accesses), and a completion.
//!
//! Two operations have no order unless one is stated: operations of one *pipe* (WGMMAs of a warp, tensor-core work
//! of a thread) happen in the order of their issue, and an operation may name others that must be done before it.
//! Waiting for *groups* (bulk copies, `cp.async`, WGMMA) is by the lane that committed them.

use crate::clock::Comp;
use crate::finding::Place;
use crate::hardware::{AgentId, Hardware, Stop};
use crate::order::Knowledge;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The number of an operation, in the order of issue.
pub type OpId = u64;

/// The accesses of an operation that the hardware does by itself.
pub type Accesses = Box<dyn FnOnce(&mut Hardware, &Op) -> Result<(), Stop> + Send>;

/// What the accesses of an operation are.
pub enum Effect {
    /// None: only the completion counts (a commit).
    None,
    /// Memory is read and written by this.
    Run(Accesses),
    /// The issuing program does it (registers take part): it is called with this number.
    Program(u64),
}

/// What an operation does when it completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// Pays bytes on a barrier, by its shared address.
    Bytes {
        /// The barrier.
        barrier: u32,
        /// How many.
        bytes: u32,
    },
    /// Arrives on a barrier.
    Arrive {
        /// The barrier.
        barrier: u32,
        /// How often.
        count: u32,
    },
}

/// Which clock component an operation's accesses count for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Track {
    /// One of its own: completed in any order, known through a barrier.
    Own,
    /// A pipe of the issuing agent, completed in the order of issue.
    Pipe(Pipe),
    /// Groups of the issuing lanes: waited for in the order of their commits.
    Groups(Groups),
}

/// Pipes whose operations happen in the order of their issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pipe {
    /// `wgmma.mma_async` of a warp.
    Wgmma,
    /// `tcgen05.mma`, `tcgen05.cp`, `tcgen05.shift`, `tcgen05.commit` of a thread.
    Tcgen05,
    /// `tcgen05.ld` and `tcgen05.st` of a warp: the names of their components; they are no operations.
    TensorAccess,
}

/// Kinds of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Groups {
    /// `cp.async.commit_group`
    CpAsync,
    /// `cp.async.bulk.commit_group`
    Bulk,
    /// `wgmma.commit_group`
    Wgmma,
}

/// What to issue.
pub struct Issue {
    /// By whom.
    pub agent: AgentId,
    /// By which of its lanes.
    pub lanes: u32,
    /// Where.
    pub place: Place,
    /// What it is, for messages: "TMA load".
    pub what: &'static str,
    /// How its completion is known.
    pub track: Track,
    /// Also a member of the lanes' open group of this kind (for pipes that have groups: WGMMA).
    pub group: Option<Groups>,
    /// Operations that must be done before it happens.
    pub after: SmallVec<[OpId; 4]>,
    /// Its accesses.
    pub effect: Effect,
    /// Its completion.
    pub done: SmallVec<[Done; 2]>,
    /// Its accesses are those of the generic proxy (`cp.async`).
    pub generic: bool,
}

/// An operation in flight.
pub struct Op {
    /// Its number.
    pub id: OpId,
    /// How many operations of its track the agent had issued with it.
    pub seq: u64,
    /// Who issued it.
    pub agent: AgentId,
    /// Which lanes.
    pub lanes: u32,
    /// Where.
    pub place: Place,
    /// What it is.
    pub what: &'static str,
    /// What it starts from.
    pub knowledge: Knowledge,
    /// Reads count for this component, at this time.
    pub reads: (Comp, u32),
    /// Writes count for this component, at this time.
    pub writes: (Comp, u32),
    /// Lanes of the components.
    pub comp_lanes: u32,
    /// Accesses are those of the generic proxy.
    pub generic: bool,
    pub(crate) track: Track,
    pub(crate) after: SmallVec<[OpId; 4]>,
    pub(crate) effect: Option<Effect>,
    pub(crate) done: SmallVec<[Done; 2]>,
}

/// What a group remembers of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) id: OpId,
    /// Of a warp's part of a WGMMA: how many it had issued with it.
    pub(crate) seq: u64,
    pub(crate) lanes: u32,
    pub(crate) reads: (Comp, u32),
    pub(crate) writes: (Comp, u32),
}

/// The groups of lanes that committed the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    pub(crate) open: Vec<Member>,
    pub(crate) committed: VecDeque<Vec<Member>>,
}

/// The groups of one kind of an agent, by lanes.
#[derive(Clone, Debug)]
pub(crate) struct LaneGroups {
    pub(crate) parts: SmallVec<[(u32, Queue); 1]>,
}

impl Default for LaneGroups {
    fn default() -> LaneGroups {
        LaneGroups { parts: SmallVec::from_iter([(u32::MAX, Queue::default())]) }
    }
}

impl LaneGroups {
    /// The queues of exactly these lanes.
    pub(crate) fn of(&mut self, lanes: u32) -> impl Iterator<Item = &mut Queue> {
        for i in 0..self.parts.len() {
            let (inside, outside) = (self.parts[i].0 & lanes, self.parts[i].0 & !lanes);
            if inside != 0 && outside != 0 {
                self.parts[i].0 = inside;
                let other = self.parts[i].1.clone();
                self.parts.push((outside, other));
            }
        }
        self.parts.iter_mut().filter(move |(l, _)| l & lanes != 0).map(|(_, q)| q)
    }
}

/// All operations in flight, in the order of issue.
#[derive(Default)]
pub struct Engine {
    pub(crate) ops: VecDeque<Op>,
    pub(crate) next: OpId,
    /// Components of completed operations, to be used again by issuers that know of the completion.
    pub(crate) own: Vec<(Comp, u32)>,
}

impl Engine {
    /// Operations in flight.
    pub fn in_flight(&self) -> impl Iterator<Item = &Op> {
        self.ops.iter()
    }

    fn index(&self, id: OpId) -> Result<usize, usize> {
        self.ops.binary_search_by_key(&id, |op| op.id)
    }

    /// Whether an operation's accesses have happened.
    pub fn effected(&self, id: OpId) -> bool {
        self.index(id).is_err() || self.index(id).is_ok_and(|i| self.ops[i].effect.is_none())
    }

    /// Whether it is complete.
    pub fn is_done(&self, id: OpId) -> bool {
        self.index(id).is_err()
    }

    pub(crate) fn get_mut(&mut self, id: OpId) -> Option<&mut Op> {
        let index = self.index(id).ok()?;
        self.ops.get_mut(index)
    }

    pub(crate) fn remove(&mut self, id: OpId) -> Option<Op> {
        let index = self.index(id).ok()?;
        self.ops.remove(index)
    }

    /// What can move: effects, then completions, in the order of issue.
    pub(crate) fn choices(&self, out: &mut Vec<crate::schedule::Choice>) {
        use crate::schedule::Choice;
        let mut blocked: SmallVec<[(AgentId, Pipe); 8]> = SmallVec::new();
        for op in &self.ops {
            if let Track::Pipe(pipe) = op.track {
                // Only the first of a pipe moves.
                if blocked.contains(&(op.agent, pipe)) {
                    continue;
                }
                blocked.push((op.agent, pipe));
            }
            if !op.after.iter().all(|&id| self.is_done(id)) {
                continue;
            }
            out.push(if op.effect.is_some() { Choice::Effect(op.id) } else { Choice::Complete(op.id) });
        }
    }
}
