//! The sixteen named barriers of a block (`bar`, `barrier.cta`) as a state machine: no threads, no schedule,
//! no clocks.
//!
//! The rules, from PTX ISA 9.7.13.1:
//!
//! - A block has barriers 0 to 15. `sync`, `arrive` and `red` mark an arrival; `sync` and `red` then wait,
//!   `arrive` does not. When the expected arrivals are in, the barrier completes a **generation**, the
//!   waiting threads go on, and it is ready for the next generation at once. Generations count from 0.
//! - **Warps arrive, not threads**: a warp has arrived when all its non-exited threads have, and counts for
//!   32 threads then, whatever its number of lanes. The lanes may come one by one, unless the instruction is
//!   `.aligned` (`bar.*` always is): then they come together.
//! - **The count** is a multiple of 32, not 0, at most the block's warps x 32. `arrive` must state it. All
//!   arrivals of a generation state the same count. "No count" and a count which covers the whole block agree
//!   with each other.
//! - **Exited threads**: without a count, all threads of the block that have not exited are expected; an exit
//!   lowers the expectation and can be what completes the barrier. This is what sm_70 and later do: the
//!   barrier waits for "all non-exited threads". A stated count stays as stated: the barrier cannot know
//!   whether an exited warp would have come. Where both forms meet in one generation, the stated count holds.
//! - **`red`** reduces the predicates of the threads that arrived: `popc` counts the true ones, `and`, `or`.
//!   `red` is not mixed with `sync` or `arrive`, nor with another reduction, in one generation.
//! - **Misuse**, undefined in the ISA, is an error here and leaves the barrier as it was. A warp that arrives
//!   twice in one generation is one: the second arrival would stand for another warp's. So is a warp that
//!   begins to arrive where the warps that began already make up the count. An arrival *after* the last one
//!   is no error that a barrier can see: it opens the next generation.

mod error;

use smallvec::SmallVec;

use crate::lanes::{LaneError, WARP, Warps};

pub use error::{Expected, NamedError};

/// Named barriers in a block (PTX ISA 9.7.13.1).
pub const BARRIERS: u32 = 16;

/// The reduction of `barrier.red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedOp {
    /// How many predicates are true.
    Popc,
    /// Whether all are.
    And,
    /// Whether any is.
    Or,
}

/// Which of the barrier instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `barrier.sync`: arrives and waits.
    Sync,
    /// `barrier.arrive`: arrives only.
    Arrive,
    /// `barrier.red`: arrives, waits, and gets the reduction.
    Red(RedOp),
}

/// One execution of a barrier instruction by lanes of one warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The barrier, 0 to 15.
    pub id: u32,
    /// The expected threads, where the instruction states them.
    pub count: Option<u32>,
    /// Which instruction.
    pub kind: Kind,
    /// Whether all non-exited lanes of the warp must execute it together (`bar.*`, `.aligned`).
    pub aligned: bool,
    /// The warp within the block.
    pub warp: u32,
    /// The lanes that execute it, as a mask.
    pub lanes: u32,
    /// Their predicates, as a mask; only `red` looks at it.
    pub predicate: u32,
}

/// What an arrival did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The generation that it belongs to.
    pub generation: u64,
    /// The end of that generation, if this arrival was the last.
    pub completed: Option<Completion>,
}

/// The end of a generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The barrier.
    pub id: u32,
    /// The generation that is complete.
    pub generation: u64,
    /// Who took part, in the order in which their warps began to arrive.
    pub participants: SmallVec<[Participant; 8]>,
    /// What `red` gives to every waiting thread: the count, or 0 and 1 for false and true.
    pub reduction: Option<u32>,
}

/// The lanes of one warp in one generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The warp.
    pub warp: u32,
    /// Lanes that arrived.
    pub lanes: u32,
    /// Those of them that wait (`sync`, `red`) and go on when the generation completes.
    pub waiting: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Barrier {
    generation: u64,
    /// `None` while nobody has arrived.
    expected: Option<Expected>,
    /// The reduction, of a generation that reduces.
    red: Option<RedOp>,
    participants: SmallVec<[Participant; 8]>,
    predicates: u32,
    arrived: u32,
}

/// The named barriers of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBarriers {
    warps: Warps,
    barriers: [Barrier; BARRIERS as usize],
}

impl NamedBarriers {
    /// The barriers of a block of so many threads.
    ///
    /// # Errors
    /// [`LaneError::BlockOutOfRange`] (valid: 1 to 1024).
    pub fn new(threads: u32) -> Result<Self, LaneError> {
        Ok(Self { warps: Warps::new(threads)?, barriers: Default::default() })
    }

    /// The generation which a barrier is in: the number of those it has completed. `None` for no such
    /// barrier.
    pub fn generation(&self, id: u32) -> Option<u64> {
        self.barrier(id).map(|barrier| barrier.generation)
    }

    /// Who has arrived in the current generation of a barrier.
    pub fn participants(&self, id: u32) -> &[Participant] {
        self.barrier(id).map_or(&[], |barrier| &barrier.participants)
    }

    /// What the current generation of a barrier expects; `None` while nobody has arrived.
    pub fn expected(&self, id: u32) -> Option<Expected> {
        self.barrier(id).and_then(|barrier| barrier.expected)
    }

    /// One barrier instruction of lanes of one warp.
    ///
    /// # Errors
    /// [`NamedError`], any; the first in the order of its variants.
    pub fn arrive(&mut self, arrival: Arrival) -> Result<Outcome, NamedError> {
        let Arrival { id, count, kind, aligned, warp, lanes, predicate } = arrival;
        let warps = &self.warps;
        let Some(barrier) = usize::try_from(id).ok().and_then(|index| self.barriers.get_mut(index)) else {
            return Err(NamedError::IdOutOfRange { id });
        };
        warps.check(warp, lanes, aligned)?;
        let stated = stated_count(id, count, kind, warps.count() * WARP)?;
        let expected = barrier.agree(id, stated, warps.count() * WARP)?;
        let red = if let Kind::Red(op) = kind { Some(op) } else { None };
        let generation = barrier.generation;
        if !barrier.participants.is_empty() && red != barrier.red {
            return Err(NamedError::MixedReduction { id, generation, found: red, earlier: barrier.red });
        }
        let place = barrier.participants.iter().position(|participant| participant.warp == warp);
        let earlier = place.and_then(|place| barrier.participants.get(place)).map_or(0, |p| p.lanes);
        if earlier & lanes != 0 {
            return Err(NamedError::ArrivedAlready { id, generation, warp, lanes: earlier & lanes });
        }
        let begun = u32::try_from(barrier.participants.len()).unwrap_or(u32::MAX);
        if let (None, Expected::Threads(threads)) = (place, expected)
            && begun.saturating_mul(WARP) >= threads
        {
            return Err(NamedError::OverArrival { id, generation, warp, expected: threads });
        }
        let waiting = if kind == Kind::Arrive { 0 } else { lanes };
        match place.and_then(|place| barrier.participants.get_mut(place)) {
            Some(participant) => {
                participant.lanes |= lanes;
                participant.waiting |= waiting;
            }
            None => barrier.participants.push(Participant { warp, lanes, waiting }),
        }
        barrier.expected = Some(expected);
        barrier.red = red;
        barrier.arrived += lanes.count_ones();
        barrier.predicates += (lanes & predicate).count_ones();
        Ok(Outcome { generation, completed: barrier.settle(id, warps) })
    }

    /// Lanes of a warp exit. Answers with the generations that this completes. Lanes that had exited before
    /// are left alone.
    ///
    /// # Errors
    /// [`LaneError::NoSuchWarp`], [`LaneError::NoSuchLanes`].
    pub fn exit(&mut self, warp: u32, lanes: u32) -> Result<SmallVec<[Completion; 1]>, LaneError> {
        self.warps.exit(warp, lanes)?;
        let warps = &self.warps;
        Ok((0..).zip(&mut self.barriers).filter_map(|(id, barrier)| barrier.settle(id, warps)).collect())
    }

    fn barrier(&self, id: u32) -> Option<&Barrier> {
        usize::try_from(id).ok().and_then(|index| self.barriers.get(index))
    }
}

impl Barrier {
    /// What the generation expects once an arrival that states `stated` is in it.
    fn agree(&self, id: u32, stated: Expected, block: u32) -> Result<Expected, NamedError> {
        let whole = Expected::Threads(block);
        match self.expected {
            None => Ok(stated),
            Some(expected) if expected == stated => Ok(stated),
            Some(Expected::Block) if stated == whole => Ok(whole),
            Some(expected) if expected == whole && stated == Expected::Block => Ok(whole),
            Some(earlier) => {
                let generation = self.generation;
                Err(NamedError::CountMismatch { id, generation, found: stated, earlier })
            }
        }
    }

    /// Completes the generation if all are in.
    fn settle(&mut self, id: u32, warps: &Warps) -> Option<Completion> {
        let expected = self.expected?;
        let is_in = |participant: &Participant| warps.live(participant.warp) & !participant.lanes == 0;
        let complete = match expected {
            Expected::Threads(threads) => {
                let warps_in = self.participants.iter().filter(|p| is_in(p)).count();
                u32::try_from(warps_in).unwrap_or(u32::MAX).saturating_mul(WARP) >= threads
            }
            Expected::Block => warps.iter().all(|(warp, live)| {
                live == 0 || self.participants.iter().any(|p| p.warp == warp && is_in(p))
            }),
        };
        if !complete {
            return None;
        }
        let reduction = self.red.map(|op| match op {
            RedOp::Popc => self.predicates,
            RedOp::And => u32::from(self.predicates == self.arrived),
            RedOp::Or => u32::from(self.predicates > 0),
        });
        let done = std::mem::replace(
            self,
            Barrier { generation: self.generation.wrapping_add(1), ..Barrier::default() },
        );
        Some(Completion { id, generation: done.generation, participants: done.participants, reduction })
    }
}

/// The expectation which an instruction states.
fn stated_count(id: u32, count: Option<u32>, kind: Kind, block: u32) -> Result<Expected, NamedError> {
    match count {
        None if kind == Kind::Arrive => Err(NamedError::CountMissing { id }),
        None => Ok(Expected::Block),
        Some(count) if count == 0 || !count.is_multiple_of(WARP) => {
            Err(NamedError::CountNotWarps { id, count })
        }
        Some(count) if count > block => Err(NamedError::CountBeyondBlock { id, count, block }),
        Some(count) => Ok(Expected::Threads(count)),
    }
}

#[cfg(test)]
mod tests;
