//! The barrier of a cluster (`barrier.cluster.arrive`, `barrier.cluster.wait`) as a state machine: no
//! threads, no schedule, no clocks.
//!
//! The rules, from PTX ISA 9.7.13.3:
//!
//! - A cluster has one barrier. `arrive` marks an arrival and does not wait; `wait` waits until all
//!   non-exited threads of the cluster have arrived. Then a **generation** is complete and the next begins at
//!   once; generations count from 0.
//! - Each thread arrives once in a generation: it must `wait` before it arrives again, and `wait` only after
//!   it has arrived. So no thread is ever more than one generation ahead of another.
//! - Exited threads count as arrived; an exit can be what completes a generation. A generation in which
//!   nobody has arrived is not completed by exits.
//! - `.aligned` forms are executed by all non-exited threads of a warp together.
//!
//! What the ISA leaves undefined is an error here, and the barrier stays as it was.

use thiserror::Error;

use crate::lanes::{LaneError, Warps};

/// The most blocks in a cluster, with the non-portable sizes of Hopper and Blackwell (CUDA programming
/// guide).
pub const MAX_BLOCKS: u32 = 16;

/// A misuse of the cluster's barrier: undefined behaviour in PTX ISA 9.7.13.3. The barrier stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ClusterError {
    /// A cluster of no blocks or of too many.
    #[error("a cluster of {blocks} blocks; it has 1 to 16")]
    ClusterOutOfRange {
        /// Blocks found.
        blocks: u32,
    },
    /// A block that the cluster does not have.
    #[error("block {block} does not exist; the cluster has {blocks}")]
    NoSuchBlock {
        /// The block's rank found.
        block: u32,
        /// Blocks of the cluster.
        blocks: u32,
    },
    /// Lanes that cannot execute this.
    #[error("at the barrier of the cluster: {0}")]
    Lanes(#[from] LaneError),
    /// A second arrival without a wait after the first.
    #[error(
        "lanes {lanes:#010x} of warp {warp} of block {block} arrive at the cluster's barrier again without having waited; put barrier.cluster.wait between the two"
    )]
    ArrivedAlready {
        /// The block's rank.
        block: u32,
        /// The warp.
        warp: u32,
        /// The lanes, as a mask.
        lanes: u32,
    },
    /// A wait without an arrival before it.
    #[error(
        "lanes {lanes:#010x} of warp {warp} of block {block} wait at the cluster's barrier without having arrived; put barrier.cluster.arrive before it"
    )]
    NotArrived {
        /// The block's rank.
        block: u32,
        /// The warp.
        warp: u32,
        /// The lanes, as a mask.
        lanes: u32,
    },
}

/// Lanes of one warp of one block that execute an instruction of the cluster's barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterLanes {
    /// The block's rank in the cluster.
    pub block: u32,
    /// The warp within the block.
    pub warp: u32,
    /// The lanes, as a mask.
    pub lanes: u32,
    /// Whether all non-exited lanes of the warp must execute it together (`.aligned`).
    pub aligned: bool,
}

/// What an arrival did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterOutcome {
    /// The generation that it belongs to.
    pub generation: u64,
    /// Whether it was the last of that generation.
    pub completed: bool,
}

/// The answer to a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterWait {
    /// The generation in which the lanes arrived is complete; they may arrive again.
    Passed {
        /// That generation.
        generation: u64,
    },
    /// Some threads of the cluster have not arrived; nothing has changed: ask again after the generation
    /// completes.
    Pending {
        /// The generation whose completion lets the wait pass.
        generation: u64,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct WarpState {
    /// Lanes that arrived in the current generation.
    arrived: u32,
    /// Lanes that arrived, in the current generation or the one before, and have not waited since.
    owing: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    warps: Warps,
    states: Vec<WarpState>,
}

impl Block {
    fn state(&mut self, warp: u32) -> Option<&mut WarpState> {
        usize::try_from(warp).ok().and_then(|index| self.states.get_mut(index))
    }
}

/// The barrier of one cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterBarrier {
    blocks: Vec<Block>,
    generation: u64,
    /// Non-exited threads that have not arrived in the current generation.
    missing: u32,
    /// Whether any thread has arrived in it.
    begun: bool,
}

impl ClusterBarrier {
    /// The barrier of a cluster of so many blocks of so many threads each.
    ///
    /// # Errors
    /// [`ClusterError::ClusterOutOfRange`] (valid: 1 to 16), [`LaneError::BlockOutOfRange`] (valid: 1 to
    /// 1024).
    pub fn new(blocks: u32, threads: u32) -> Result<Self, ClusterError> {
        if blocks == 0 || blocks > MAX_BLOCKS {
            return Err(ClusterError::ClusterOutOfRange { blocks });
        }
        let warps = Warps::new(threads)?;
        let states = warps.iter().map(|_| WarpState::default()).collect();
        let block = Block { warps, states };
        let all = (0..blocks).map(|_| block.clone()).collect();
        Ok(Self { blocks: all, generation: 0, missing: blocks * threads, begun: false })
    }

    /// The current generation: the number of those completed.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Non-exited threads of the cluster that have not arrived in the current generation.
    pub fn missing(&self) -> u32 {
        self.missing
    }

    /// The non-exited lanes of each warp that have not arrived in the current generation: (block, warp,
    /// lanes), only warps that have some. What an explanation of a hang names.
    pub fn missing_lanes(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        (0_u32..).zip(&self.blocks).flat_map(|(rank, block)| {
            let lanes = block.warps.iter().zip(&block.states);
            lanes.map(move |((warp, live), state)| (rank, warp, live & !state.arrived)).filter(|m| m.2 != 0)
        })
    }

    /// `barrier.cluster.arrive`.
    ///
    /// # Errors
    /// [`ClusterError::NoSuchBlock`], [`ClusterError::Lanes`], [`ClusterError::ArrivedAlready`].
    pub fn arrive(&mut self, who: ClusterLanes) -> Result<ClusterOutcome, ClusterError> {
        let ClusterLanes { block, warp, lanes, .. } = who;
        let state = self.state(who)?;
        if state.owing & lanes != 0 {
            return Err(ClusterError::ArrivedAlready { block, warp, lanes: state.owing & lanes });
        }
        state.arrived |= lanes;
        state.owing |= lanes;
        self.missing -= lanes.count_ones();
        self.begun = true;
        let generation = self.generation;
        Ok(ClusterOutcome { generation, completed: self.settle().is_some() })
    }

    /// `barrier.cluster.wait`; a wait that passes is over, one that is pending changes nothing and is to be
    /// asked again.
    ///
    /// # Errors
    /// [`ClusterError::NoSuchBlock`], [`ClusterError::Lanes`], [`ClusterError::NotArrived`].
    pub fn wait(&mut self, who: ClusterLanes) -> Result<ClusterWait, ClusterError> {
        let ClusterLanes { block, warp, lanes, .. } = who;
        let generation = self.generation;
        let state = self.state(who)?;
        if lanes & !state.owing != 0 {
            return Err(ClusterError::NotArrived { block, warp, lanes: lanes & !state.owing });
        }
        // Lanes of two generations in one wait pass together, when the later one is complete.
        if lanes & state.arrived != 0 {
            return Ok(ClusterWait::Pending { generation });
        }
        state.owing &= !lanes;
        Ok(ClusterWait::Passed { generation: generation.wrapping_sub(1) })
    }

    /// Lanes exit. Answers with the generation that this completes, if it does. Lanes that had exited before
    /// are left alone.
    ///
    /// # Errors
    /// [`ClusterError::NoSuchBlock`], [`LaneError::NoSuchWarp`], [`LaneError::NoSuchLanes`].
    pub fn exit(&mut self, block: u32, warp: u32, lanes: u32) -> Result<Option<u64>, ClusterError> {
        let block = self.block(block)?;
        block.warps.check_exist(warp, lanes)?;
        let leaving = block.warps.live(warp) & lanes;
        block.warps.exit(warp, lanes)?;
        let arrived = block.state(warp).map_or(0, |state| {
            state.owing &= !leaving;
            state.arrived
        });
        self.missing -= (leaving & !arrived).count_ones();
        Ok(self.settle())
    }

    fn block(&mut self, block: u32) -> Result<&mut Block, ClusterError> {
        let blocks = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
        let found = usize::try_from(block).ok().and_then(|index| self.blocks.get_mut(index));
        found.ok_or(ClusterError::NoSuchBlock { block, blocks })
    }

    /// The state of the warp, if these lanes may execute an instruction together.
    fn state(&mut self, who: ClusterLanes) -> Result<&mut WarpState, ClusterError> {
        let block = self.block(who.block)?;
        block.warps.check(who.warp, who.lanes, who.aligned)?;
        let warps = block.warps.count();
        let missing = LaneError::NoSuchWarp { warp: who.warp, warps };
        block.state(who.warp).ok_or(ClusterError::Lanes(missing))
    }

    /// Completes the generation if all are in.
    fn settle(&mut self) -> Option<u64> {
        if self.missing != 0 || !self.begun {
            return None;
        }
        let completed = self.generation;
        self.generation = completed.wrapping_add(1);
        self.begun = false;
        for block in &mut self.blocks {
            for ((_, live), state) in block.warps.iter().zip(&mut block.states) {
                state.arrived = 0;
                self.missing += live.count_ones();
            }
        }
        Some(completed)
    }
}

#[cfg(test)]
mod tests;
