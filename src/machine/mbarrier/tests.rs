//! One test for each rule of the module documentation.

use super::*;

fn live(count: u32) -> Mbarrier {
    let mut barrier = Mbarrier::new();
    barrier.init(count).unwrap();
    barrier
}

/// The operation fails with this error and leaves the barrier as it was.
#[track_caller]
fn refused<T: std::fmt::Debug>(
    barrier: &mut Mbarrier,
    operation: impl FnOnce(&mut Mbarrier) -> Result<T, MbarrierError>,
    error: MbarrierError,
) {
    let before = *barrier;
    assert_eq!(operation(barrier).unwrap_err(), error);
    assert_eq!(*barrier, before, "a misuse leaves the barrier as it was");
}

#[test]
fn is_small() {
    assert!(size_of::<Mbarrier>() <= 24);
}

#[test]
fn init_sets_all_counts() {
    let barrier = live(3);
    assert_eq!((barrier.phase(), barrier.expected(), barrier.pending(), barrier.tx_count()), (0, 3, 3, 0));
}

#[test]
fn init_count_range() {
    for count in [0, MAX_COUNT + 1, u32::MAX] {
        refused(&mut Mbarrier::new(), |b| b.init(count), MbarrierError::CountOutOfRange { count });
    }
    live(1);
    live(MAX_COUNT);
}

#[test]
fn init_over_live_and_again_after_inval() {
    let mut barrier = live(2);
    refused(&mut barrier, |b| b.init(2), MbarrierError::InitOverLive { expected: 2, phase: 0 });
    assert_eq!(barrier.inval(), Ok(None));
    barrier.init(5).unwrap();
    assert_eq!((barrier.expected(), barrier.phase()), (5, 0));
}

#[test]
fn dead_barriers_refuse_everything() {
    let token = live(2).arrive_no_complete(1).unwrap().token;
    let mut gone = live(2);
    gone.inval().unwrap();
    for (mut barrier, error) in
        [(Mbarrier::new(), MbarrierError::Uninitialised), (gone, MbarrierError::Invalidated { phase: 0 })]
    {
        refused(&mut barrier, |b| b.arrive(1), error);
        refused(&mut barrier, |b| b.arrive_no_complete(1), error);
        refused(&mut barrier, |b| b.arrive_drop(1), error);
        refused(&mut barrier, |b| b.arrive_drop_no_complete(1), error);
        refused(&mut barrier, |b| b.arrive_expect_tx(8), error);
        refused(&mut barrier, |b| b.expect_tx(8), error);
        refused(&mut barrier, |b| b.complete_tx(8), error);
        refused(&mut barrier, |b| b.add_pending(), error);
        refused(&mut barrier, |b| b.test_wait(token), error);
        refused(&mut barrier, |b| b.test_wait_parity(0), error);
        refused(&mut barrier, |b| b.inval(), error);
    }
}

#[test]
fn phase_completes_and_rearms() {
    let mut barrier = live(3);
    assert_eq!(barrier.arrive(2).unwrap().completed, None);
    assert_eq!(barrier.pending(), 1);
    let last = barrier.arrive(1).unwrap();
    assert_eq!((last.completed, last.token.phase(), last.token.pending()), (Some(0), 0, 1));
    assert_eq!((barrier.phase(), barrier.parity(), barrier.pending()), (1, 1, 3));
    assert_eq!(barrier.arrive(3).unwrap().completed, Some(1));
    assert_eq!((barrier.phase(), barrier.parity()), (2, 0));
}

#[test]
fn arrival_counts() {
    let mut barrier = live(2);
    refused(&mut barrier, |b| b.arrive(0), MbarrierError::CountOutOfRange { count: 0 });
    refused(&mut barrier, |b| b.arrive(1 << 20), MbarrierError::CountOutOfRange { count: 1 << 20 });
    refused(&mut barrier, |b| b.arrive(3), MbarrierError::OverArrival { count: 3, pending: 2, phase: 0 });
    // All arrived, bytes outstanding: the phase is not complete and takes no more arrivals.
    barrier.expect_tx(4).unwrap();
    barrier.arrive(2).unwrap();
    refused(&mut barrier, |b| b.arrive(1), MbarrierError::OverArrival { count: 1, pending: 0, phase: 0 });
}

#[test]
fn bytes_complete_the_phase() {
    let mut barrier = live(1);
    assert_eq!(barrier.arrive_expect_tx(96).unwrap().completed, None);
    assert_eq!(barrier.complete_tx(64).unwrap().completed, None);
    assert_eq!(barrier.tx_count(), 32);
    assert_eq!(barrier.complete_tx(32).unwrap().completed, Some(0));
    assert_eq!((barrier.phase(), barrier.pending(), barrier.tx_count()), (1, 1, 0));
    assert_eq!(barrier.arrive_expect_tx(0).unwrap().completed, Some(1));
}

#[test]
fn bytes_before_they_are_expected() {
    let mut barrier = live(1);
    assert_eq!(barrier.complete_tx(64).unwrap().completed, None);
    assert_eq!(barrier.tx_count(), -64);
    assert_eq!(barrier.arrive_expect_tx(64).unwrap().completed, Some(0));
    // An expectation can be what completes: all arrived, bytes came early.
    barrier.complete_tx(16).unwrap();
    assert_eq!(barrier.arrive(1).unwrap().completed, None);
    assert_eq!(barrier.expect_tx(16).unwrap().completed, Some(1));
}

#[test]
fn expectation_and_arrival_are_one_operation() {
    let mut barrier = live(1);
    barrier.complete_tx(16).unwrap();
    barrier.arrive(1).unwrap();
    let error = MbarrierError::OverArrival { count: 1, pending: 0, phase: 0 };
    refused(&mut barrier, |b| b.arrive_expect_tx(16), error);
}

#[test]
fn tx_range() {
    let mut barrier = live(1);
    let over = MbarrierError::TxOperandOutOfRange { bytes: MAX_TX + 1 };
    refused(&mut barrier, |b| b.expect_tx(MAX_TX + 1), over);
    refused(&mut barrier, |b| b.complete_tx(MAX_TX + 1), over);
    refused(&mut barrier, |b| b.arrive_expect_tx(MAX_TX + 1), over);
    barrier.expect_tx(MAX_TX).unwrap();
    let tx = MAX_TX.cast_signed();
    refused(&mut barrier, |b| b.expect_tx(1), MbarrierError::TxOutOfRange { tx, change: 1, phase: 0 });
    refused(&mut barrier, |b| b.arrive_expect_tx(2), MbarrierError::TxOutOfRange { tx, change: 2, phase: 0 });
    barrier.complete_tx(MAX_TX).unwrap();
    barrier.complete_tx(MAX_TX).unwrap();
    refused(
        &mut barrier,
        |b| b.complete_tx(1),
        MbarrierError::TxOutOfRange { tx: -tx, change: -1, phase: 0 },
    );
}

#[test]
fn no_complete() {
    let mut barrier = live(2);
    let outcome = barrier.arrive_no_complete(1).unwrap();
    assert_eq!((outcome.completed, outcome.token.pending_count()), (None, Ok(2)));
    let error = MbarrierError::NoCompleteCompletes { count: 1, phase: 0 };
    refused(&mut barrier, |b| b.arrive_no_complete(1), error);
    refused(&mut barrier, |b| b.arrive_drop_no_complete(1), error);
    // With bytes outstanding the same arrival completes nothing.
    barrier.expect_tx(4).unwrap();
    assert_eq!(barrier.arrive_no_complete(1).unwrap().completed, None);
    assert_eq!(barrier.complete_tx(4).unwrap().completed, Some(0));
}

#[test]
fn drop_lowers_later_phases() {
    let mut barrier = live(3);
    let token = barrier.arrive_drop_no_complete(1).unwrap().token;
    assert_eq!(token.pending_count(), Ok(3));
    assert_eq!((barrier.expected(), barrier.pending()), (2, 2));
    assert_eq!(barrier.arrive(1).unwrap().completed, None);
    assert_eq!(barrier.arrive_drop(1).unwrap().completed, Some(0));
    assert_eq!((barrier.expected(), barrier.pending()), (1, 1));
    refused(&mut barrier, |b| b.arrive_drop(1), MbarrierError::DropsLast { count: 1, expected: 1 });
    let with_bytes = Arrival { expect_tx: Some(8), drop: true, ..Arrival::default() };
    let mut barrier = live(2);
    barrier.arrive_on(with_bytes).unwrap();
    assert_eq!((barrier.expected(), barrier.pending(), barrier.tx_count()), (1, 1, 8));
}

#[test]
fn cp_async_increment_is_of_its_phase_only() {
    let mut barrier = live(1);
    barrier.add_pending().unwrap();
    assert_eq!(barrier.arrive(1).unwrap().completed, None);
    assert_eq!(barrier.arrive(1).unwrap().completed, Some(0));
    assert_eq!(barrier.pending(), 1);
    refused(
        &mut live(MAX_COUNT),
        |b| b.add_pending(),
        MbarrierError::PendingOutOfRange { pending: MAX_COUNT },
    );
}

#[test]
fn waits_by_token() {
    let mut barrier = live(1);
    let mut other = live(2);
    let still = other.arrive(1).unwrap().token;
    assert_eq!(other.test_wait(still), Ok(TestWait::Pending { phase: 0 }));
    let first = barrier.arrive(1).unwrap().token;
    assert_eq!(barrier.test_wait(first), Ok(TestWait::Passed { phase: Some(0) }));
    let second = barrier.arrive(1).unwrap().token;
    assert_eq!(barrier.test_wait(first), Err(MbarrierError::TokenTooOld { token: 0, phase: 2 }));
    assert_eq!(other.test_wait(second), Err(MbarrierError::TokenOfFuture { token: 1, phase: 0 }));
}

#[test]
fn waits_by_parity() {
    let mut barrier = live(1);
    assert_eq!(barrier.test_wait_parity(1), Ok(TestWait::Passed { phase: None }));
    assert_eq!(barrier.test_wait_parity(0), Ok(TestWait::Pending { phase: 0 }));
    barrier.arrive(1).unwrap();
    assert_eq!(barrier.test_wait_parity(0), Ok(TestWait::Passed { phase: Some(0) }));
    assert_eq!(barrier.test_wait_parity(1), Ok(TestWait::Pending { phase: 1 }));
    assert_eq!(barrier.test_wait_parity(2), Err(MbarrierError::ParityOutOfRange { parity: 2 }));
    assert!(barrier.test_wait_parity(0).unwrap().passed());
}

#[test]
fn inval_notes_a_phase_cut_short() {
    let mut barrier = live(2);
    barrier.arrive(1).unwrap();
    assert_eq!(barrier.inval(), Ok(Some(InvalNote { phase: 0, expected: 2, pending: 1, tx: 0 })));
    let mut barrier = live(2);
    barrier.complete_tx(4).unwrap();
    assert_eq!(barrier.inval(), Ok(Some(InvalNote { phase: 0, expected: 2, pending: 2, tx: -4 })));
    assert_eq!(barrier.life(), Life::Invalidated);
}

#[test]
fn tokens_encode() {
    for phase in [0, 1, 77, (1 << 36) - 1] {
        for pending in [0, 1, MAX_COUNT] {
            let token = Token::new(phase, pending, true);
            assert_eq!(Token::from_bits(token.bits()), Ok(token));
            assert_eq!((token.phase(), token.pending_count()), (phase, Ok(pending)));
            assert_eq!(
                Token::new(phase, pending, false).pending_count(),
                Err(MbarrierError::CountOfCompletingToken)
            );
        }
    }
    for bits in [0, 1, u64::MAX, 0xdead_beef] {
        assert_eq!(Token::from_bits(bits), Err(MbarrierError::NotAToken { bits }));
    }
}

#[test]
fn token_phases_wrap() {
    // The phase before and after the token's 36 bits run over.
    let mut barrier = live(1);
    barrier.phase = (1 << 36) - 1;
    let token = barrier.arrive(1).unwrap().token;
    assert_eq!(barrier.test_wait(token), Ok(TestWait::Passed { phase: Some((1 << 36) - 1) }));
    barrier.arrive(1).unwrap();
    assert!(matches!(barrier.test_wait(token), Err(MbarrierError::TokenTooOld { .. })));
    barrier.phase = u64::MAX;
    assert_eq!(barrier.arrive(1).unwrap().completed, Some(u64::MAX));
}
