//! One test for each rule of the module documentation.

use super::*;

const ALL: u32 = u32::MAX;

fn at(id: u32, count: Option<u32>, kind: Kind, warp: u32) -> Arrival {
    Arrival { id, count, kind, aligned: true, warp, lanes: ALL, predicate: 0 }
}

fn sync(id: u32, count: Option<u32>, warp: u32) -> Arrival {
    at(id, count, Kind::Sync, warp)
}

fn lanes(arrival: Arrival, lanes: u32) -> Arrival {
    Arrival { aligned: false, lanes, ..arrival }
}

#[track_caller]
fn refused(barriers: &mut NamedBarriers, arrival: Arrival, error: NamedError) {
    let before = barriers.clone();
    assert_eq!(barriers.arrive(arrival), Err(error));
    assert_eq!(*barriers, before, "a misuse leaves the barriers as they were");
}

#[test]
fn whole_block() {
    let mut block = NamedBarriers::new(96).unwrap();
    for generation in 0..3 {
        assert_eq!(block.arrive(sync(0, None, 2)).unwrap(), Outcome { generation, completed: None });
        assert_eq!(block.arrive(sync(0, None, 0)).unwrap(), Outcome { generation, completed: None });
        let done = block.arrive(sync(0, None, 1)).unwrap().completed.unwrap();
        let who: Vec<_> = done.participants.iter().map(|p| (p.warp, p.lanes, p.waiting)).collect();
        assert_eq!(who, [(2, ALL, ALL), (0, ALL, ALL), (1, ALL, ALL)]);
        assert_eq!((done.id, done.generation, done.reduction), (0, generation, None));
        assert_eq!(block.generation(0), Some(generation + 1));
        assert_eq!((block.participants(0), block.expected(0)), (&[][..], None));
    }
    assert_eq!(block.generation(16), None);
}

#[test]
fn producers_arrive_and_consumers_sync() {
    let mut block = NamedBarriers::new(128).unwrap();
    block.arrive(at(3, Some(64), Kind::Arrive, 0)).unwrap();
    assert_eq!(block.expected(3), Some(Expected::Threads(64)));
    let done = block.arrive(sync(3, Some(64), 3)).unwrap().completed.unwrap();
    assert_eq!(done.participants.iter().map(|p| p.waiting).collect::<Vec<_>>(), [0, ALL]);
    assert_eq!(block.generation(4), Some(0), "barriers are independent");
}

#[test]
fn last_warp_may_be_partial() {
    let mut block = NamedBarriers::new(48).unwrap();
    let half = Arrival { lanes: 0xffff, ..sync(0, None, 1) };
    assert_eq!(block.arrive(half).unwrap().completed, None);
    assert!(block.arrive(sync(0, None, 0)).unwrap().completed.is_some());
    block.arrive(Arrival { count: Some(64), ..half }).unwrap();
    assert!(block.arrive(sync(0, Some(64), 0)).unwrap().completed.is_some());
    let error = LaneError::NoSuchLanes { warp: 1, lanes: 0x1_0000 };
    refused(&mut block, lanes(sync(0, None, 1), 0x1_0001), error.into());
}

#[test]
fn lanes_gather_until_the_warp_is_in() {
    let mut block = NamedBarriers::new(64).unwrap();
    block.arrive(sync(0, None, 0)).unwrap();
    assert_eq!(block.arrive(lanes(sync(0, None, 1), 0xff)).unwrap().completed, None);
    let error = NamedError::ArrivedAlready { id: 0, generation: 0, warp: 1, lanes: 0x80 };
    refused(&mut block, lanes(sync(0, None, 1), 0x180), error);
    let done = block.arrive(lanes(sync(0, None, 1), !0xff)).unwrap().completed.unwrap();
    assert_eq!(done.participants[1], Participant { warp: 1, lanes: ALL, waiting: ALL });
}

#[test]
fn aligned_needs_the_whole_warp() {
    let mut block = NamedBarriers::new(64).unwrap();
    let error = LaneError::Diverged { warp: 0, missing: !1 };
    refused(&mut block, Arrival { lanes: 1, ..sync(0, None, 0) }, error.into());
    block.exit(0, !1).unwrap();
    block.arrive(Arrival { lanes: 1, ..sync(0, None, 0) }).unwrap();
}

#[test]
fn operands_out_of_range() {
    let mut block = NamedBarriers::new(64).unwrap();
    refused(&mut block, sync(16, None, 0), NamedError::IdOutOfRange { id: 16 });
    refused(&mut block, at(1, None, Kind::Arrive, 0), NamedError::CountMissing { id: 1 });
    for count in [0, 1, 33] {
        refused(&mut block, sync(1, Some(count), 0), NamedError::CountNotWarps { id: 1, count });
    }
    refused(&mut block, sync(1, Some(96), 0), NamedError::CountBeyondBlock { id: 1, count: 96, block: 64 });
    refused(&mut block, sync(1, None, 2), LaneError::NoSuchWarp { warp: 2, warps: 2 }.into());
    refused(&mut block, lanes(sync(1, None, 0), 0), LaneError::NoLanes { warp: 0 }.into());
    for threads in [0, 1025, u32::MAX] {
        assert_eq!(NamedBarriers::new(threads), Err(LaneError::BlockOutOfRange { threads }));
    }
}

#[test]
fn counts_of_a_generation_agree() {
    let mut block = NamedBarriers::new(128).unwrap();
    block.arrive(sync(2, Some(64), 0)).unwrap();
    let (id, generation, earlier) = (2, 0, Expected::Threads(64));
    let error = NamedError::CountMismatch { id, generation, found: Expected::Threads(96), earlier };
    refused(&mut block, sync(2, Some(96), 1), error);
    let error = NamedError::CountMismatch { id, generation, found: Expected::Block, earlier };
    refused(&mut block, sync(2, None, 1), error);
    block.arrive(sync(2, Some(64), 1)).unwrap();
    block.arrive(sync(2, Some(96), 1)).unwrap();
    // A count that covers the block agrees with none, in either order.
    for counts in [[None, Some(128)], [Some(128), None]] {
        block.arrive(sync(5, counts[0], 0)).unwrap();
        block.arrive(sync(5, counts[1], 1)).unwrap();
        assert_eq!(block.expected(5), Some(Expected::Threads(128)));
        block.arrive(sync(5, None, 2)).unwrap();
        assert!(block.arrive(sync(5, Some(128), 3)).unwrap().completed.is_some());
    }
}

#[test]
fn a_warp_arrives_once() {
    let mut block = NamedBarriers::new(64).unwrap();
    let arrive = at(1, Some(64), Kind::Arrive, 0);
    block.arrive(arrive).unwrap();
    refused(&mut block, arrive, NamedError::ArrivedAlready { id: 1, generation: 0, warp: 0, lanes: ALL });
    block.arrive(sync(1, Some(64), 1)).unwrap();
    assert_eq!(block.arrive(arrive).unwrap().generation, 1);
}

#[test]
fn more_warps_than_expected() {
    let mut block = NamedBarriers::new(64).unwrap();
    block.arrive(lanes(sync(1, Some(32), 0), 1)).unwrap();
    let error = NamedError::OverArrival { id: 1, generation: 0, warp: 1, expected: 32 };
    refused(&mut block, sync(1, Some(32), 1), error);
}

#[test]
fn reductions() {
    for (op, masks, value) in [
        (RedOp::Popc, [0xff, 0x1], 9),
        (RedOp::Popc, [0, 0], 0),
        (RedOp::And, [ALL, ALL], 1),
        (RedOp::And, [ALL, ALL - 1], 0),
        (RedOp::Or, [0, 0x100], 1),
        (RedOp::Or, [0, 0], 0),
    ] {
        let mut block = NamedBarriers::new(64).unwrap();
        let red = |warp| at(0, None, Kind::Red(op), warp);
        block.arrive(Arrival { predicate: masks[0], ..red(0) }).unwrap();
        let done = block.arrive(Arrival { predicate: masks[1], ..red(1) }).unwrap().completed.unwrap();
        assert_eq!(done.reduction, Some(value), "{op:?} of {masks:?}");
    }
}

#[test]
fn reductions_take_only_lanes_that_arrive() {
    let mut block = NamedBarriers::new(32).unwrap();
    block.exit(0, 0xf).unwrap();
    let red = Arrival { lanes: !0xf, predicate: ALL, ..at(0, None, Kind::Red(RedOp::Popc), 0) };
    assert_eq!(block.arrive(red).unwrap().completed.unwrap().reduction, Some(28));
    let red = Arrival { predicate: !0xf, kind: Kind::Red(RedOp::And), ..red };
    assert_eq!(block.arrive(red).unwrap().completed.unwrap().reduction, Some(1));
}

#[test]
fn reductions_do_not_mix() {
    let mut block = NamedBarriers::new(96).unwrap();
    let (and, or) = (Some(RedOp::And), Some(RedOp::Or));
    block.arrive(at(0, None, Kind::Red(RedOp::And), 0)).unwrap();
    let mixed = |found, earlier| NamedError::MixedReduction { id: 0, generation: 0, found, earlier };
    refused(&mut block, sync(0, None, 1), mixed(None, and));
    refused(&mut block, at(0, None, Kind::Red(RedOp::Or), 1), mixed(or, and));
    let mut block = NamedBarriers::new(96).unwrap();
    block.arrive(sync(0, None, 0)).unwrap();
    refused(&mut block, at(0, None, Kind::Red(RedOp::Or), 1), mixed(or, None));
}

#[test]
fn exits_lower_what_the_block_expects() {
    let mut block = NamedBarriers::new(96).unwrap();
    assert!(block.exit(2, ALL).unwrap().is_empty());
    block.arrive(sync(0, None, 0)).unwrap();
    assert!(block.exit(1, 0xffff).unwrap().is_empty());
    let done = block.exit(1, ALL).unwrap();
    assert_eq!((done.len(), done[0].id, done[0].generation), (1, 0, 0));
    assert_eq!(done[0].participants.len(), 1);
    refused(&mut block, sync(0, None, 1), LaneError::Exited { warp: 1, lanes: ALL }.into());
    assert!(block.arrive(sync(0, None, 0)).unwrap().completed.is_some());
    assert_eq!(block.exit(3, 1), Err(LaneError::NoSuchWarp { warp: 3, warps: 3 }));
}

#[test]
fn exits_complete_a_gathering_warp() {
    let mut block = NamedBarriers::new(64).unwrap();
    block.arrive(lanes(sync(7, Some(32), 1), 0xff)).unwrap();
    let done = block.exit(1, !0xff).unwrap();
    assert_eq!(done[0].participants[0], Participant { warp: 1, lanes: 0xff, waiting: 0xff });
}

#[test]
fn exits_do_not_lower_a_stated_count() {
    let mut block = NamedBarriers::new(64).unwrap();
    block.arrive(sync(0, Some(64), 0)).unwrap();
    assert!(block.exit(1, ALL).unwrap().is_empty());
    assert_eq!(block.generation(0), Some(0));
    // A warp that arrived and then exited has arrived.
    let mut block = NamedBarriers::new(64).unwrap();
    block.arrive(at(0, Some(64), Kind::Arrive, 1)).unwrap();
    assert!(block.exit(1, ALL).unwrap().is_empty());
    assert!(block.arrive(sync(0, Some(64), 0)).unwrap().completed.is_some());
}
