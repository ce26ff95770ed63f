//! One test for each rule of the module documentation.

use super::*;

const ALL: u32 = u32::MAX;

fn warp(block: u32, warp: u32) -> ClusterLanes {
    ClusterLanes { block, warp, lanes: ALL, aligned: true }
}

fn some(block: u32, warp: u32, lanes: u32) -> ClusterLanes {
    ClusterLanes { block, warp, lanes, aligned: false }
}

fn arrives(barrier: &mut ClusterBarrier, who: ClusterLanes) -> bool {
    barrier.arrive(who).unwrap().completed
}

#[test]
fn generations() {
    let mut cluster = ClusterBarrier::new(2, 64).unwrap();
    for generation in 0..3 {
        assert_eq!(cluster.missing(), 128);
        assert!(!arrives(&mut cluster, warp(0, 0)));
        assert!(!arrives(&mut cluster, warp(1, 1)));
        assert!(!arrives(&mut cluster, warp(1, 0)));
        assert_eq!(cluster.missing_lanes().collect::<Vec<_>>(), [(0, 1, ALL)]);
        assert_eq!(cluster.wait(warp(0, 0)), Ok(ClusterWait::Pending { generation }));
        let last = cluster.arrive(warp(0, 1)).unwrap();
        assert_eq!(last, ClusterOutcome { generation, completed: true });
        for (block, index) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert_eq!(cluster.wait(warp(block, index)), Ok(ClusterWait::Passed { generation }));
        }
    }
    assert_eq!(cluster.generation(), 3);
}

#[test]
fn a_fast_warp_is_one_generation_ahead() {
    let mut cluster = ClusterBarrier::new(2, 32).unwrap();
    cluster.arrive(warp(0, 0)).unwrap();
    assert!(arrives(&mut cluster, warp(1, 0)));
    assert_eq!(cluster.wait(warp(0, 0)), Ok(ClusterWait::Passed { generation: 0 }));
    cluster.arrive(warp(0, 0)).unwrap();
    assert_eq!(cluster.wait(warp(0, 0)), Ok(ClusterWait::Pending { generation: 1 }));
    // The slow warp still passes the wait of its own generation.
    assert_eq!(cluster.wait(warp(1, 0)), Ok(ClusterWait::Passed { generation: 0 }));
    assert!(arrives(&mut cluster, warp(1, 0)));
    assert_eq!(cluster.wait(warp(0, 0)), Ok(ClusterWait::Passed { generation: 1 }));
}

#[test]
fn arrive_and_wait_alternate() {
    let mut cluster = ClusterBarrier::new(1, 64).unwrap();
    let (block, index, lanes) = (0, 0, ALL);
    let not = ClusterError::NotArrived { block, warp: index, lanes };
    let again = ClusterError::ArrivedAlready { block, warp: index, lanes };
    assert_eq!(cluster.wait(warp(0, 0)), Err(not));
    cluster.arrive(warp(0, 0)).unwrap();
    let before = cluster.clone();
    assert_eq!(cluster.arrive(warp(0, 0)), Err(again));
    assert_eq!(cluster, before);
    // Also after the generation has completed: the wait is still owed.
    assert!(arrives(&mut cluster, warp(0, 1)));
    assert_eq!(cluster.arrive(warp(0, 0)), Err(again));
    cluster.wait(warp(0, 0)).unwrap();
    assert_eq!(cluster.wait(warp(0, 0)), Err(not));
}

#[test]
fn lanes_of_a_warp_arrive_one_by_one() {
    let mut cluster = ClusterBarrier::new(1, 32).unwrap();
    assert!(!arrives(&mut cluster, some(0, 0, 0xff)));
    let error = ClusterError::ArrivedAlready { block: 0, warp: 0, lanes: 0x80 };
    assert_eq!(cluster.arrive(some(0, 0, 0x180)), Err(error));
    let error = ClusterError::NotArrived { block: 0, warp: 0, lanes: 0x100 };
    assert_eq!(cluster.wait(some(0, 0, 0x180)), Err(error));
    assert!(arrives(&mut cluster, some(0, 0, !0xff)));
    assert_eq!(cluster.wait(some(0, 0, 1)), Ok(ClusterWait::Passed { generation: 0 }));
    cluster.arrive(some(0, 0, 1)).unwrap();
    // Lane 0 is of generation 1, lane 1 of generation 0.
    assert_eq!(cluster.wait(some(0, 0, 3)), Ok(ClusterWait::Pending { generation: 1 }));
    assert_eq!(cluster.wait(some(0, 0, 2)), Ok(ClusterWait::Passed { generation: 0 }));
}

#[test]
fn exited_threads_count_as_arrived() {
    let mut cluster = ClusterBarrier::new(2, 64).unwrap();
    assert_eq!(cluster.exit(1, 1, ALL), Ok(None));
    cluster.arrive(warp(0, 0)).unwrap();
    cluster.arrive(warp(0, 1)).unwrap();
    assert_eq!(cluster.exit(1, 0, 0xffff), Ok(None));
    assert_eq!(cluster.exit(1, 0, 0xffff), Ok(None), "exiting twice is once");
    assert_eq!(cluster.missing(), 16);
    assert_eq!(cluster.exit(1, 0, ALL), Ok(Some(0)));
    assert_eq!(cluster.wait(warp(0, 0)), Ok(ClusterWait::Passed { generation: 0 }));
    assert_eq!(cluster.missing(), 64);
    let error = LaneError::Exited { warp: 0, lanes: ALL };
    assert_eq!(cluster.arrive(warp(1, 0)), Err(error.into()));
}

#[test]
fn arrived_then_exited() {
    let mut cluster = ClusterBarrier::new(2, 32).unwrap();
    cluster.arrive(warp(0, 0)).unwrap();
    assert_eq!(cluster.exit(0, 0, ALL), Ok(None));
    assert_eq!(cluster.missing(), 32);
    assert!(arrives(&mut cluster, warp(1, 0)));
    assert_eq!(cluster.missing(), 32);
}

#[test]
fn exits_alone_complete_nothing() {
    let mut cluster = ClusterBarrier::new(1, 32).unwrap();
    assert_eq!(cluster.exit(0, 0, ALL), Ok(None));
    assert_eq!((cluster.generation(), cluster.missing()), (0, 0));
}

#[test]
fn who_cannot_be() {
    assert_eq!(ClusterBarrier::new(0, 32), Err(ClusterError::ClusterOutOfRange { blocks: 0 }));
    assert_eq!(ClusterBarrier::new(17, 32), Err(ClusterError::ClusterOutOfRange { blocks: 17 }));
    let error = LaneError::BlockOutOfRange { threads: 2048 };
    assert_eq!(ClusterBarrier::new(1, 2048), Err(error.into()));
    let mut cluster = ClusterBarrier::new(2, 48).unwrap();
    assert_eq!(cluster.arrive(warp(2, 0)), Err(ClusterError::NoSuchBlock { block: 2, blocks: 2 }));
    let error = LaneError::NoSuchWarp { warp: 2, warps: 2 };
    assert_eq!(cluster.wait(warp(0, 2)), Err(error.into()));
    assert_eq!(cluster.exit(0, 2, 1), Err(error.into()));
    let error = LaneError::Diverged { warp: 1, missing: 0xfffe };
    assert_eq!(cluster.arrive(ClusterLanes { aligned: true, ..some(0, 1, 1) }), Err(error.into()));
    assert_eq!(cluster.arrive(some(0, 1, 0)), Err(LaneError::NoLanes { warp: 1 }.into()));
    let error = LaneError::NoSuchLanes { warp: 1, lanes: 0xffff_0000 };
    assert_eq!(cluster.arrive(some(0, 1, ALL)), Err(error.into()));
}
