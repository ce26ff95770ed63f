//! What can be wrong with a barrier instruction. The driver adds which block and where.

use std::fmt;

use thiserror::Error;

use super::RedOp;
use crate::lanes::LaneError;

/// What a generation of a barrier expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// All threads of the block that have not exited: no count was stated.
    Block,
    /// So many threads, a multiple of 32.
    Threads(u32),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Block => f.write_str("all threads of the block"),
            Expected::Threads(threads) => write!(f, "{threads} threads"),
        }
    }
}

/// A misuse of a named barrier: undefined behaviour in PTX ISA 9.7.13.1. The barrier stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NamedError {
    /// No such barrier.
    #[error("barrier {id} does not exist; a block has barriers 0 to 15")]
    IdOutOfRange {
        /// The barrier found.
        id: u32,
    },
    /// Lanes that cannot execute this.
    #[error("at a barrier of the block: {0}")]
    Lanes(#[from] LaneError),
    /// `arrive` without a count.
    #[error("barrier {id}: arrive states no thread count; it must")]
    CountMissing {
        /// The barrier.
        id: u32,
    },
    /// A count that is not made of warps.
    #[error("barrier {id}: a count of {count} threads; it must be a multiple of 32 and not 0")]
    CountNotWarps {
        /// The barrier.
        id: u32,
        /// The count found, in threads.
        count: u32,
    },
    /// A count that the block can never reach.
    #[error("barrier {id}: a count of {count} threads in a block whose warps hold {block}")]
    CountBeyondBlock {
        /// The barrier.
        id: u32,
        /// The count found, in threads.
        count: u32,
        /// The block's warps x 32.
        block: u32,
    },
    /// Arrivals of one generation that state different counts.
    #[error(
        "barrier {id}: this arrival expects {found}, earlier ones of generation {generation} expect {earlier}; all must state the same count, and uses by different groups need different barriers"
    )]
    CountMismatch {
        /// The barrier.
        id: u32,
        /// The generation.
        generation: u64,
        /// What this arrival states.
        found: Expected,
        /// What the earlier ones state.
        earlier: Expected,
    },
    /// `red` together with `sync`, `arrive` or another reduction.
    #[error(
        "barrier {id}: {} meets {} in generation {generation}; one generation reduces in one way or not at all", red_name(*.found), red_name(*.earlier)
    )]
    MixedReduction {
        /// The barrier.
        id: u32,
        /// The generation.
        generation: u64,
        /// The reduction of this arrival, if it has one.
        found: Option<RedOp>,
        /// The reduction of the earlier ones.
        earlier: Option<RedOp>,
    },
    /// Lanes that arrived before in the same generation.
    #[error(
        "barrier {id}: lanes {lanes:#010x} of warp {warp} arrive a second time in generation {generation}; wait for the generation to complete (sync) before arriving again"
    )]
    ArrivedAlready {
        /// The barrier.
        id: u32,
        /// The generation.
        generation: u64,
        /// The warp.
        warp: u32,
        /// The lanes that arrived before, as a mask.
        lanes: u32,
    },
    /// One warp more than the count allows.
    #[error(
        "barrier {id}: warp {warp} arrives in generation {generation}, which expects {expected} threads, all of them of warps that have begun to arrive; the count must cover every warp that takes part"
    )]
    OverArrival {
        /// The barrier.
        id: u32,
        /// The generation.
        generation: u64,
        /// The warp.
        warp: u32,
        /// The stated count, in threads.
        expected: u32,
    },
}

fn red_name(op: Option<RedOp>) -> &'static str {
    match op {
        None => "sync or arrive",
        Some(RedOp::Popc) => "red.popc",
        Some(RedOp::And) => "red.and",
        Some(RedOp::Or) => "red.or",
    }
}
