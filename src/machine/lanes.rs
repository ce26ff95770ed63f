//! Which lanes of which warps exist and still run: what the barriers of a block and of a cluster count by.

use thiserror::Error;

/// Threads in a warp.
pub const WARP: u32 = 32;

/// The most threads a block has (CUDA programming guide, compute capabilities 5.0 to 12.0).
pub const MAX_BLOCK: u32 = 1024;

/// A set of lanes that cannot execute the instruction, or a block that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LaneError {
    /// A block of no threads or of too many.
    #[error("a block of {threads} threads; it has 1 to 1024")]
    BlockOutOfRange {
        /// Threads found.
        threads: u32,
    },
    /// A warp that the block does not have.
    #[error("warp {warp} does not exist; the block has {warps}")]
    NoSuchWarp {
        /// The warp found.
        warp: u32,
        /// Warps of the block.
        warps: u32,
    },
    /// No lane at all.
    #[error("an instruction of no lanes of warp {warp}")]
    NoLanes {
        /// The warp.
        warp: u32,
    },
    /// Lanes beyond the block's threads, in its last warp.
    #[error("lanes {lanes:#010x} of warp {warp} do not exist in this block")]
    NoSuchLanes {
        /// The warp.
        warp: u32,
        /// The lanes that do not exist, as a mask.
        lanes: u32,
    },
    /// Lanes that have exited.
    #[error("lanes {lanes:#010x} of warp {warp} have exited")]
    Exited {
        /// The warp.
        warp: u32,
        /// The exited lanes, as a mask.
        lanes: u32,
    },
    /// An `.aligned` instruction without some non-exited lanes of its warp.
    #[error(
        "an .aligned instruction without lanes {missing:#010x} of warp {warp}; all threads of a warp that have not exited must execute it together: move it out of the divergent code, or use the form without .aligned"
    )]
    Diverged {
        /// The warp.
        warp: u32,
        /// The lanes that are missing, as a mask.
        missing: u32,
    },
}

/// The non-exited lanes of each warp of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Warps {
    threads: u32,
    live: Vec<u32>,
}

impl Warps {
    pub(crate) fn new(threads: u32) -> Result<Self, LaneError> {
        if threads == 0 || threads > MAX_BLOCK {
            return Err(LaneError::BlockOutOfRange { threads });
        }
        let live = (0..threads.div_ceil(WARP)).map(|warp| existing(threads, warp)).collect();
        Ok(Self { threads, live })
    }

    /// Warps of the block, exited ones too.
    pub(crate) fn count(&self) -> u32 {
        self.threads.div_ceil(WARP)
    }

    /// Non-exited lanes of a warp; none for a warp that does not exist.
    pub(crate) fn live(&self, warp: u32) -> u32 {
        usize::try_from(warp).ok().and_then(|index| self.live.get(index)).copied().unwrap_or(0)
    }

    /// Each warp with its non-exited lanes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0_u32..).zip(self.live.iter().copied())
    }

    /// Whether these lanes exist.
    pub(crate) fn check_exist(&self, warp: u32, lanes: u32) -> Result<(), LaneError> {
        if warp >= self.count() {
            return Err(LaneError::NoSuchWarp { warp, warps: self.count() });
        }
        match lanes & !existing(self.threads, warp) {
            0 => Ok(()),
            lanes => Err(LaneError::NoSuchLanes { warp, lanes }),
        }
    }

    /// Whether these lanes may execute one instruction together.
    pub(crate) fn check(&self, warp: u32, lanes: u32, aligned: bool) -> Result<(), LaneError> {
        self.check_exist(warp, lanes)?;
        let live = self.live(warp);
        if lanes == 0 {
            return Err(LaneError::NoLanes { warp });
        }
        if lanes & !live != 0 {
            return Err(LaneError::Exited { warp, lanes: lanes & !live });
        }
        if aligned && lanes != live {
            return Err(LaneError::Diverged { warp, missing: live & !lanes });
        }
        Ok(())
    }

    /// Takes lanes out; those that had exited before stay so.
    pub(crate) fn exit(&mut self, warp: u32, lanes: u32) -> Result<(), LaneError> {
        self.check_exist(warp, lanes)?;
        if let Some(live) = usize::try_from(warp).ok().and_then(|index| self.live.get_mut(index)) {
            *live &= !lanes;
        }
        Ok(())
    }
}

/// The lanes that a warp of a block of `threads` threads has.
fn existing(threads: u32, warp: u32) -> u32 {
    let lanes = threads.saturating_sub(warp.saturating_mul(WARP)).min(WARP);
    u32::MAX.checked_shr(WARP - lanes).unwrap_or(0)
}
