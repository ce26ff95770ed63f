//! The mbarrier object as an exact state machine: counts, bytes, phases, tokens. No threads, no schedule, no
//! clocks.
//!
//! Whoever drives it holds one [`Mbarrier`] for each address and calls one method for each operation; the
//! methods say what happened ([`Outcome`]) or what was wrong ([`MbarrierError`]). The rules, with the
//! sections of the PTX ISA (9.0; the same numbers in 8.x):
//!
//! - **Size** (9.7.13.15.1): 8 bytes in shared memory at an address that is a multiple of 8 ([`BYTES`],
//!   [`ALIGN`]); the contents are opaque.
//! - **Contents** (9.7.13.15.2): the current phase; the pending arrivals of the current phase, 0 to 2^20 - 1;
//!   the expected arrivals of the next phase, 1 to 2^20 - 1; the tx-count of the current phase, -(2^20 - 1)
//!   to 2^20 - 1.
//! - **Lifecycle** (9.7.13.15.3): `init` makes a barrier, `inval` ends it. Only `init` may meet memory that
//!   holds no barrier, and it may not meet a live one.
//! - **Phase** (9.7.13.15.4): phases count from 0; the parity of a phase is its lowest bit.
//! - **Transactions** (9.7.13.15.5): expect-tx adds to the tx-count, complete-tx subtracts from it. Bytes may
//!   arrive before they are expected: then the tx-count is negative for a while, which is legal.
//! - **Completion** (9.7.13.15.6): a phase completes as soon as pending arrivals and tx-count are both zero;
//!   at once the next phase begins with pending = expected. Any operation that makes both zero completes: an
//!   arrival, a complete-tx, and also an expect-tx which meets a negative tx-count.
//! - **Arrival** (9.7.13.15.7, .13): subtracts `count` from the pending arrivals. More arrivals than are
//!   pending are an error. The result is the state *before* the arrival.
//! - **`.noComplete`** (9.7.13.15.13, .14): such an arrival must not complete the phase. An arrival which
//!   makes pending zero while bytes are outstanding does not complete it, so it is legal here.
//! - **`arrive_drop`** (9.7.13.15.14): subtracts `count` from the expected arrivals of all later phases, then
//!   arrives. The last expected arrival cannot be dropped: the least expected count is 1.
//! - **`arrive.expect_tx`** (9.7.13.15.13, .14): expect-tx, then the arrival, as one operation: the arrival
//!   belongs to the phase which the instruction met, so it is an over-arrival when nothing is pending in that
//!   phase.
//! - **`cp.async.mbarrier.arrive`** (9.7.13.15.15): without `.noinc` it adds one pending arrival, which its
//!   own arrival takes away later ([`Mbarrier::add_pending`]).
//! - **Waits** (9.7.13.15.16): `test_wait` and `try_wait` ask for the phase of a token, which must be the
//!   current or the immediately preceding one, or for a parity, which names whichever of those two has it. On
//!   a fresh barrier parity 1 passes: it names the phase before the first.
//! - **`pending_count`** (9.7.13.15.17): the pending arrivals before the arrival which returned the token;
//!   only tokens of `.noComplete` arrivals have one.
//!
//! The ISA leaves undefined what a misuse does. Here a misuse is an error value and **the barrier stays
//! exactly as it was**, so that a run may go on and report more.

mod error;
mod token;

pub use error::MbarrierError;
pub use token::Token;

/// Bytes of shared memory that an mbarrier object occupies (PTX ISA 9.7.13.15.1).
pub const BYTES: u64 = 8;

/// Alignment of an mbarrier object in bytes (PTX ISA 9.7.13.15.1).
pub const ALIGN: u64 = 8;

/// The largest arrival count, expected or pending (PTX ISA 9.7.13.15.2).
pub const MAX_COUNT: u32 = (1 << 20) - 1;

/// The largest magnitude of the tx-count, in bytes (PTX ISA 9.7.13.15.2).
pub const MAX_TX: u32 = (1 << 20) - 1;

/// Where a barrier is in its life (PTX ISA 9.7.13.15.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Life {
    /// No `mbarrier.init` has met this memory.
    #[default]
    Uninitialised,
    /// Between `mbarrier.init` and `mbarrier.inval`.
    Live,
    /// After `mbarrier.inval`.
    Invalidated,
}

/// One mbarrier object. `Default` is memory that holds none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mbarrier {
    phase: u64,
    expected: u32,
    pending: u32,
    tx: i32,
    life: Life,
}

/// What an operation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The state before the operation: what `mbarrier.arrive` returns. Its phase is the phase that the
    /// operation met.
    pub token: Token,
    /// The phase which this operation completed, if it did; the barrier is then in the phase after it.
    pub completed: Option<u64>,
}

/// One arrive-on operation in any of its forms (PTX ISA 9.7.13.15.13 and .14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// How many arrivals, 1 to 2^20 - 1.
    pub count: u32,
    /// Bytes to expect first (`.expect_tx`), 0 to 2^20 - 1.
    pub expect_tx: Option<u32>,
    /// Whether later phases expect `count` arrivals fewer (`mbarrier.arrive_drop`).
    pub drop: bool,
    /// Whether the author promises that this arrival completes no phase (`.noComplete`).
    pub no_complete: bool,
}

impl Default for Arrival {
    /// Plain `mbarrier.arrive`: one arrival.
    fn default() -> Self {
        Self { count: 1, expect_tx: None, drop: false, no_complete: false }
    }
}

/// The answer to a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestWait {
    /// The phase that was asked for has completed. `None` is the phase before the first, which parity 1 names
    /// on a fresh barrier: no operation completed it, so there is nothing to acquire.
    Passed {
        /// The completed phase.
        phase: Option<u64>,
    },
    /// The phase that was asked for is the current one.
    Pending {
        /// The phase whose completion lets the wait pass.
        phase: u64,
    },
}

impl TestWait {
    /// The predicate that `mbarrier.test_wait` returns.
    pub fn passed(self) -> bool {
        matches!(self, TestWait::Passed { .. })
    }
}

/// What `mbarrier.inval` cut short. Legal per the ISA (9.7.13.15.10), but seldom meant: no wait for this
/// phase can pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalNote {
    /// The phase that will never complete.
    pub phase: u64,
    /// Its expected arrivals.
    pub expected: u32,
    /// The arrivals still missing when it was invalidated.
    pub pending: u32,
    /// The bytes still outstanding (negative: bytes that came and were never expected).
    pub tx: i32,
}

impl Mbarrier {
    /// Memory that holds no barrier yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where the barrier is in its life.
    pub fn life(&self) -> Life {
        self.life
    }

    /// Whether it is between `init` and `inval`.
    pub fn is_live(&self) -> bool {
        self.life == Life::Live
    }

    /// The current, incomplete phase; also the number of phases completed since `init`.
    pub fn phase(&self) -> u64 {
        self.phase
    }

    /// The parity of the current phase, 0 or 1 (PTX ISA 9.7.13.15.4).
    pub fn parity(&self) -> u32 {
        u32::from(self.phase & 1 == 1)
    }

    /// Arrivals that the next phase will expect.
    pub fn expected(&self) -> u32 {
        self.expected
    }

    /// Arrivals still missing in the current phase.
    pub fn pending(&self) -> u32 {
        self.pending
    }

    /// The tx-count of the current phase in bytes: positive, bytes outstanding; negative, bytes not yet
    /// expected.
    pub fn tx_count(&self) -> i32 {
        self.tx
    }

    /// `mbarrier.init` (PTX ISA 9.7.13.15.9): phase 0, expected = pending = `count`, tx-count 0.
    ///
    /// # Errors
    /// [`MbarrierError::InitOverLive`], [`MbarrierError::CountOutOfRange`] (valid: 1 to 2^20 - 1).
    pub fn init(&mut self, count: u32) -> Result<(), MbarrierError> {
        if self.is_live() {
            return Err(MbarrierError::InitOverLive { expected: self.expected, phase: self.phase });
        }
        check_count(count)?;
        *self = Self { phase: 0, expected: count, pending: count, tx: 0, life: Life::Live };
        Ok(())
    }

    /// `mbarrier.inval` (PTX ISA 9.7.13.15.10). Answers with a note when the phase was under way: some of its
    /// arrivals made, or bytes unbalanced.
    ///
    /// # Errors
    /// [`MbarrierError::Uninitialised`], [`MbarrierError::Invalidated`].
    pub fn inval(&mut self) -> Result<Option<InvalNote>, MbarrierError> {
        self.check_live()?;
        let note = (self.pending != self.expected || self.tx != 0).then_some(InvalNote {
            phase: self.phase,
            expected: self.expected,
            pending: self.pending,
            tx: self.tx,
        });
        self.life = Life::Invalidated;
        Ok(note)
    }

    /// `mbarrier.arrive` with a count (PTX ISA 9.7.13.15.13).
    ///
    /// # Errors
    /// As [`Mbarrier::arrive_on`].
    pub fn arrive(&mut self, count: u32) -> Result<Outcome, MbarrierError> {
        self.arrive_on(Arrival { count, ..Arrival::default() })
    }

    /// `mbarrier.arrive.noComplete` (PTX ISA 9.7.13.15.13).
    ///
    /// # Errors
    /// As [`Mbarrier::arrive_on`].
    pub fn arrive_no_complete(&mut self, count: u32) -> Result<Outcome, MbarrierError> {
        self.arrive_on(Arrival { count, no_complete: true, ..Arrival::default() })
    }

    /// `mbarrier.arrive.expect_tx`: expects `bytes`, then arrives once (PTX ISA 9.7.13.15.13).
    ///
    /// # Errors
    /// As [`Mbarrier::arrive_on`].
    pub fn arrive_expect_tx(&mut self, bytes: u32) -> Result<Outcome, MbarrierError> {
        self.arrive_on(Arrival { expect_tx: Some(bytes), ..Arrival::default() })
    }

    /// `mbarrier.arrive_drop` with a count (PTX ISA 9.7.13.15.14).
    ///
    /// # Errors
    /// As [`Mbarrier::arrive_on`].
    pub fn arrive_drop(&mut self, count: u32) -> Result<Outcome, MbarrierError> {
        self.arrive_on(Arrival { count, drop: true, ..Arrival::default() })
    }

    /// `mbarrier.arrive_drop.noComplete` (PTX ISA 9.7.13.15.14).
    ///
    /// # Errors
    /// As [`Mbarrier::arrive_on`].
    pub fn arrive_drop_no_complete(&mut self, count: u32) -> Result<Outcome, MbarrierError> {
        self.arrive_on(Arrival { count, drop: true, no_complete: true, ..Arrival::default() })
    }

    /// An arrive-on operation in any of its forms (PTX ISA 9.7.13.15.7). When several rules are broken, the
    /// first of the list below is reported.
    ///
    /// # Errors
    /// [`MbarrierError::Uninitialised`], [`MbarrierError::Invalidated`], [`MbarrierError::CountOutOfRange`],
    /// [`MbarrierError::TxOperandOutOfRange`], [`MbarrierError::OverArrival`],
    /// [`MbarrierError::TxOutOfRange`], [`MbarrierError::DropsLast`], [`MbarrierError::NoCompleteCompletes`].
    pub fn arrive_on(&mut self, arrival: Arrival) -> Result<Outcome, MbarrierError> {
        let Arrival { count, expect_tx, drop, no_complete } = arrival;
        self.check_live()?;
        check_count(count)?;
        let bytes = expect_tx.unwrap_or(0);
        check_tx_operand(bytes)?;
        if count > self.pending {
            return Err(MbarrierError::OverArrival { count, pending: self.pending, phase: self.phase });
        }
        let mut next = *self;
        next.tx = self.tx_after(i64::from(bytes))?;
        if drop {
            if count >= self.expected {
                return Err(MbarrierError::DropsLast { count, expected: self.expected });
            }
            next.expected -= count;
        }
        next.pending -= count;
        let completed = next.settle();
        if let (true, Some(phase)) = (no_complete, completed) {
            return Err(MbarrierError::NoCompleteCompletes { count, phase });
        }
        let token = Token::new(self.phase, self.pending, no_complete);
        *self = next;
        Ok(Outcome { token, completed })
    }

    /// `mbarrier.expect_tx` (PTX ISA 9.7.13.15.11): the current phase expects `bytes` more.
    ///
    /// # Errors
    /// [`MbarrierError::Uninitialised`], [`MbarrierError::Invalidated`],
    /// [`MbarrierError::TxOperandOutOfRange`], [`MbarrierError::TxOutOfRange`].
    pub fn expect_tx(&mut self, bytes: u32) -> Result<Outcome, MbarrierError> {
        self.add_tx(bytes, 1)
    }

    /// `mbarrier.complete_tx`, and the complete-tx that an asynchronous copy performs (PTX ISA 9.7.13.15.12
    /// and 9.7.13.15.5.2): `bytes` of the current phase have come.
    ///
    /// # Errors
    /// [`MbarrierError::Uninitialised`], [`MbarrierError::Invalidated`],
    /// [`MbarrierError::TxOperandOutOfRange`], [`MbarrierError::TxOutOfRange`].
    pub fn complete_tx(&mut self, bytes: u32) -> Result<Outcome, MbarrierError> {
        self.add_tx(bytes, -1)
    }

    /// The increment of `cp.async.mbarrier.arrive` without `.noinc` (PTX ISA 9.7.13.15.15): one more pending
    /// arrival in the current phase only. The arrival that the copies trigger later takes it away
    /// ([`Mbarrier::arrive`]).
    ///
    /// # Errors
    /// [`MbarrierError::Uninitialised`], [`MbarrierError::Invalidated`],
    /// [`MbarrierError::PendingOutOfRange`].
    pub fn add_pending(&mut self) -> Result<Outcome, MbarrierError> {
        self.check_live()?;
        if self.pending >= MAX_COUNT {
            return Err(MbarrierError::PendingOutOfRange { pending: self.pending });
        }
        let token = Token::new(self.phase, self.pending, false);
        self.pending += 1;
        Ok(Outcome { token, completed: None })
    }

    /// `mbarrier.test_wait` / `try_wait` by token (PTX ISA 9.7.13.15.16): whether the token's phase has
    /// completed.
    ///
    /// # Errors
    /// [`MbarrierError::Uninitialised`], [`MbarrierError::Invalidated`], [`MbarrierError::TokenTooOld`],
    /// [`MbarrierError::TokenOfFuture`].
    pub fn test_wait(&self, token: Token) -> Result<TestWait, MbarrierError> {
        self.check_live()?;
        // Tokens keep the low bits of a phase, so phases are compared by how far the token lies behind,
        // modulo.
        match token.behind(self.phase) {
            0 => Ok(TestWait::Pending { phase: self.phase }),
            1 => Ok(TestWait::Passed { phase: self.phase.checked_sub(1) }),
            behind if behind > 0 => {
                Err(MbarrierError::TokenTooOld { token: token.phase(), phase: self.phase })
            }
            _ => Err(MbarrierError::TokenOfFuture { token: token.phase(), phase: self.phase }),
        }
    }

    /// `mbarrier.test_wait.parity` / `try_wait.parity` (PTX ISA 9.7.13.15.16): whether the phase of that
    /// parity, out of the current and the immediately preceding one, has completed.
    ///
    /// # Errors
    /// [`MbarrierError::Uninitialised`], [`MbarrierError::Invalidated`], [`MbarrierError::ParityOutOfRange`].
    pub fn test_wait_parity(&self, parity: u32) -> Result<TestWait, MbarrierError> {
        self.check_live()?;
        if parity > 1 {
            return Err(MbarrierError::ParityOutOfRange { parity });
        }
        if parity == self.parity() {
            Ok(TestWait::Pending { phase: self.phase })
        } else {
            Ok(TestWait::Passed { phase: self.phase.checked_sub(1) })
        }
    }

    fn check_live(&self) -> Result<(), MbarrierError> {
        match self.life {
            Life::Live => Ok(()),
            Life::Uninitialised => Err(MbarrierError::Uninitialised),
            Life::Invalidated => Err(MbarrierError::Invalidated { phase: self.phase }),
        }
    }

    fn add_tx(&mut self, bytes: u32, sign: i64) -> Result<Outcome, MbarrierError> {
        self.check_live()?;
        check_tx_operand(bytes)?;
        let tx = self.tx_after(sign * i64::from(bytes))?;
        let token = Token::new(self.phase, self.pending, false);
        self.tx = tx;
        Ok(Outcome { token, completed: self.settle() })
    }

    fn tx_after(&self, change: i64) -> Result<i32, MbarrierError> {
        let tx = i64::from(self.tx) + change;
        match i32::try_from(tx) {
            Ok(small) if small.unsigned_abs() <= MAX_TX => Ok(small),
            _ => Err(MbarrierError::TxOutOfRange { tx: self.tx, change, phase: self.phase }),
        }
    }

    /// Completes the phase if it is complete, and re-arms (PTX ISA 9.7.13.15.6). Expected is never 0, so one
    /// step is enough.
    fn settle(&mut self) -> Option<u64> {
        if self.pending != 0 || self.tx != 0 {
            return None;
        }
        let completed = self.phase;
        self.phase = self.phase.wrapping_add(1);
        self.pending = self.expected;
        Some(completed)
    }
}

fn check_count(count: u32) -> Result<(), MbarrierError> {
    if (1..=MAX_COUNT).contains(&count) { Ok(()) } else { Err(MbarrierError::CountOutOfRange { count }) }
}

fn check_tx_operand(bytes: u32) -> Result<(), MbarrierError> {
    if bytes <= MAX_TX { Ok(()) } else { Err(MbarrierError::TxOperandOutOfRange { bytes }) }
}

#[cfg(test)]
mod tests;
