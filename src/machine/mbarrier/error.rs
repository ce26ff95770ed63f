//! What can be wrong with an operation on an mbarrier. The driver adds which barrier, which thread and where.

use thiserror::Error;

/// A misuse of an mbarrier: undefined behaviour in the PTX ISA. The barrier stays as it was before the
/// operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MbarrierError {
    /// An operation other than `init` on memory that holds no barrier (PTX ISA 9.7.13.15.3).
    #[error(
        "no mbarrier was initialised here; run mbarrier.init, and let all its users see it (fence, then a barrier of the block or cluster), before the first use"
    )]
    Uninitialised,
    /// An operation other than `init` on a barrier after `inval` (PTX ISA 9.7.13.15.3, .10).
    #[error(
        "the mbarrier was invalidated in its phase {phase}; mbarrier.inval must come after its last use, or mbarrier.init before this one"
    )]
    Invalidated {
        /// The phase it was in.
        phase: u64,
    },
    /// `init` of a barrier that is live (PTX ISA 9.7.13.15.9).
    #[error(
        "mbarrier.init over a live mbarrier (expected count {expected}, phase {phase}); invalidate it with mbarrier.inval first, or initialise it in one thread only"
    )]
    InitOverLive {
        /// Expected arrivals of the live barrier.
        expected: u32,
        /// Its current phase.
        phase: u64,
    },
    /// An arrival count outside its range, in `init` or in an arrival (PTX ISA 9.7.13.15.2).
    #[error("arrival count {count} is out of range; an mbarrier counts from 1 to 1048575")]
    CountOutOfRange {
        /// The count found.
        count: u32,
    },
    /// More arrivals than the phase still expects (PTX ISA 9.7.13.15.2, .7).
    #[error(
        "{count} arrivals at an mbarrier whose phase {phase} has {pending} pending; the count of mbarrier.init must cover every arrival of a phase, and none may come before the phase it belongs to"
    )]
    OverArrival {
        /// Arrivals of this operation.
        count: u32,
        /// Arrivals that the phase still waits for.
        pending: u32,
        /// The current phase.
        phase: u64,
    },
    /// More pending arrivals than the barrier can count, by `cp.async.mbarrier.arrive` (PTX ISA
    /// 9.7.13.15.15).
    #[error(
        "cp.async.mbarrier.arrive adds a pending arrival to {pending}, the most an mbarrier counts; use .noinc and count these arrivals in mbarrier.init"
    )]
    PendingOutOfRange {
        /// Pending arrivals found.
        pending: u32,
    },
    /// A byte count of expect-tx or complete-tx that no tx-count can hold (PTX ISA 9.7.13.15.2).
    #[error("{bytes} bytes are out of range; one operation counts 0 to 1048575 bytes on an mbarrier")]
    TxOperandOutOfRange {
        /// The bytes found.
        bytes: u32,
    },
    /// The tx-count would leave its range (PTX ISA 9.7.13.15.2).
    #[error(
        "the tx-count of phase {phase} would be {tx} {change:+} bytes; it holds -1048575 to 1048575: expect and complete the same bytes in each phase, in smaller portions"
    )]
    TxOutOfRange {
        /// The tx-count before, in bytes.
        tx: i32,
        /// What the operation adds, in bytes.
        change: i64,
        /// The current phase.
        phase: u64,
    },
    /// A `.noComplete` arrival which would complete the phase (PTX ISA 9.7.13.15.13, .14).
    #[error(
        "a .noComplete arrival of {count} would complete phase {phase}; leave .noComplete out where the arrival may be the last"
    )]
    NoCompleteCompletes {
        /// Arrivals of this operation.
        count: u32,
        /// The phase it would complete.
        phase: u64,
    },
    /// `arrive_drop` of all expected arrivals: the least expected count is 1 (PTX ISA 9.7.13.15.2, .14).
    #[error(
        "mbarrier.arrive_drop of {count} leaves no arrival of the {expected} expected; at least one must stay: arrive without dropping, or invalidate the mbarrier"
    )]
    DropsLast {
        /// Arrivals of this operation.
        count: u32,
        /// Arrivals that later phases expected.
        expected: u32,
    },
    /// A wait for a phase earlier than the immediately preceding one (PTX ISA 9.7.13.15.16).
    #[error(
        "the token is of phase {token} and the mbarrier is in phase {phase}; wait for a token in its own phase or in the one after"
    )]
    TokenTooOld {
        /// The token's phase, modulo 2^36.
        token: u64,
        /// The current phase.
        phase: u64,
    },
    /// A wait for a phase which has not begun: the token is of another barrier or of an earlier life of this
    /// one (PTX ISA 9.7.13.15.16).
    #[error(
        "the token is of phase {token} and the mbarrier has only come to phase {phase}; a token belongs to the mbarrier that returned it, until its mbarrier.inval"
    )]
    TokenOfFuture {
        /// The token's phase, modulo 2^36.
        token: u64,
        /// The current phase.
        phase: u64,
    },
    /// Bits that no arrival returned (PTX ISA 9.7.13.15.16, .17).
    #[error("{bits:#018x} is no mbarrier state; wait for the value that mbarrier.arrive returned, unchanged")]
    NotAToken {
        /// The bits found.
        bits: u64,
    },
    /// A parity that is neither 0 nor 1 (PTX ISA 9.7.13.15.16).
    #[error("phase parity {parity} is out of range; it is 0 for even and 1 for odd phases")]
    ParityOutOfRange {
        /// The parity found.
        parity: u32,
    },
    /// `pending_count` of a token that no `.noComplete` arrival returned (PTX ISA 9.7.13.15.17).
    #[error(
        "mbarrier.pending_count of a state that no .noComplete arrival returned; only mbarrier.arrive.noComplete and mbarrier.arrive_drop.noComplete give one"
    )]
    CountOfCompletingToken,
}
