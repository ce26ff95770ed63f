//! Programs with known verdicts, written against the machine's interface: mbarriers, TMA, groups, named barriers,
//! fences and clusters.
//!
//! The programs restate public ones: most are those of ConSan's tests (Triton), some of CUTracer, Weft and bug reports.
//! Each runs under many schedules. A clean one has no finding under any; a faulty one has the finding that is expected
//! under each (`always`), or, where timing decides which of two faults shows, under at least one (`some`).

mod programs;
mod script;

use script::Case;
use std::collections::BTreeSet;
use tidegate_machine::finding::Code;
use tidegate_machine::schedule::{Eager, HoldBack, Random, Record, Recorded, Replay, RoundRobin, Schedule};

fn schedules() -> Vec<(String, Box<dyn Schedule>)> {
    let mut out: Vec<(String, Box<dyn Schedule>)> = vec![
        ("round robin".to_owned(), Box::new(RoundRobin::default())),
        ("hold back 0".to_owned(), Box::new(HoldBack::new(0))),
        ("hold back 1".to_owned(), Box::new(HoldBack::new(1))),
        ("hold back 2".to_owned(), Box::new(HoldBack::new(2))),
        ("eager".to_owned(), Box::new(Eager::default())),
    ];
    for seed in 0..20 {
        out.push((format!("random {seed}"), Box::new(Random::new(seed))));
    }
    out
}

/// The case has no finding under any schedule.
fn clean(case: &Case) {
    for (name, schedule) in schedules() {
        let findings = case.run(schedule);
        assert!(findings.is_empty(), "under {name}: {findings:#?}");
    }
}

/// The case has a finding of the code: with `always`, under each schedule.
fn finds(case: &Case, code: Code, always: bool) {
    let mut all = BTreeSet::new();
    let mut quiet = Vec::new();
    for (name, schedule) in schedules() {
        let codes: Vec<Code> = case.run(schedule).iter().map(|f| f.code).collect();
        if !codes.contains(&code) {
            quiet.push((name, codes.clone()));
        }
        all.extend(codes);
    }
    assert!(all.contains(&code), "found {all:?}, not {code}");
    assert!(!always || quiet.is_empty(), "{code} is not found under {quiet:?}");
}

#[test]
fn a_finding_replays() {
    let case = programs::ws_store_wait_load(false);
    let mut recorded = Recorded::new(Random::new(7));
    let first = case.run_with(&mut recorded);
    assert!(!first.is_empty());
    let record = Record::parse(&recorded.record.to_string()).unwrap();
    assert_eq!(case.run_with(&mut Replay::new(&record)), first);
}

macro_rules! cases {
    ($($name:ident: $case:expr => $verdict:tt $($code:ident)?;)*) => {
        $(#[test] fn $name() { verdict!($case, $verdict $($code)?); })*
    };
}
macro_rules! verdict {
    ($case:expr, clean) => {
        clean(&$case)
    };
    ($case:expr, always $code:ident) => {
        finds(&$case, Code::$code, true)
    };
    ($case:expr, some $code:ident) => {
        finds(&$case, Code::$code, false)
    };
}

cases! {
    async_tma_clean: programs::async_tma(true) => clean;
    async_tma_buggy: programs::async_tma(false) => always Race;
    two_buffers_one_barrier_clean: programs::two_buffers(true) => clean;
    two_buffers_one_barrier_buggy: programs::two_buffers(false) => always Race;
    expect_too_few: programs::expect_bytes(32752) => some Deadlock;
    expect_too_many: programs::expect_bytes(32784) => always Deadlock;
    two_loads_into_one_buffer: programs::two_loads_one_buffer(true) => always Race;
    wait_for_the_earlier_of_two: programs::two_loads_one_buffer(false) => always Race;
    tma_store_clean: programs::tma_store(true) => clean;
    tma_store_buggy: programs::tma_store(false) => always Race;
    async_copy_clean: programs::async_copy(1) => clean;
    async_copy_buggy: programs::async_copy(2) => always Race;
    warpgroup_mma_clean: programs::warpgroup_mma(true) => clean;
    warpgroup_mma_buggy: programs::warpgroup_mma(false) => always Race;
    wgmma_loop_three_slots: programs::wgmma_loop(3) => clean;
    wgmma_loop_two_slots: programs::wgmma_loop(2) => always Race;
    shared_store_expect_match: programs::st_async(512) => clean;
    shared_store_expect_mismatch: programs::st_async(516) => always Deadlock;
    multicast_clean: programs::multicast(true) => clean;
    multicast_buggy: programs::multicast(false) => always Race;
    multicast_reuse: programs::multicast_reuse() => clean;
    multicast_local_store: programs::multicast_local_store() => always Race;
    result_visible_after_wait: programs::launch_control(true) => clean;
    result_read_too_early: programs::launch_control(false) => always Race;
    two_results_in_one_place: programs::launch_control_twice() => always Race;
    ws_store_wait_load_clean: programs::ws_store_wait_load(true) => clean;
    ws_store_wait_load_buggy: programs::ws_store_wait_load(false) => always Race;
    ws_load_wait_store_clean: programs::ws_load_wait_store(true) => clean;
    ws_load_wait_store_buggy: programs::ws_load_wait_store(false) => always Race;
    two_loads_two_barriers: programs::two_loads_two_bars(None) => clean;
    two_loads_without_first: programs::two_loads_two_bars(Some(0)) => always Race;
    two_loads_without_second: programs::two_loads_two_bars(Some(1)) => always Race;
    loop_none_missing: programs::two_loads_loop(None) => clean;
    loop_bar_0_missing: programs::two_loads_loop(Some(0)) => always Race;
    loop_bar_1_missing: programs::two_loads_loop(Some(1)) => always Race;
    loop_bar_2_missing: programs::two_loads_loop(Some(2)) => some Race;
    loop_bar_3_missing: programs::two_loads_loop(Some(3)) => some Race;
    loop_bar_2_missing_laps: programs::two_loads_loop(Some(2)) => some Lapped;
    ws_groups_clean: programs::ws_groups(true) => clean;
    ws_groups_buggy: programs::ws_groups(false) => always Race;
    group_visibility_clean: programs::group_visibility(0) => clean;
    group_visibility_buggy: programs::group_visibility(1) => always Race;
    fence_missing: programs::fence_across(false, false) => always MissingFence;
    fence_by_the_producer: programs::fence_across(true, false) => clean;
    fence_by_the_consumer: programs::fence_across(false, true) => clean;
    deadlock_two_partitions: programs::deadlock_two() => always Deadlock;
    deadlock_padded: programs::deadlock_padded() => always Deadlock;
    deadlock_overarrival: programs::over_arrival() => always Deadlock;
    deadlock_underarrival: programs::under_arrival() => always Deadlock;
    no_deadlock_when_tma_signals: programs::tma_signals() => clean;
    barrier_underflow: programs::underflow() => always OverArrival;
    reinit_after_inval: programs::reinit(true) => clean;
    reinit_without_inval: programs::reinit(false) => always BarrierLife;
    wait_before_init: programs::without_init(0) => always BarrierLife;
    arrive_before_init: programs::without_init(1) => always BarrierLife;
    inval_before_init: programs::without_init(2) => always BarrierLife;
    expect_before_init: programs::without_init(3) => always BarrierLife;
    overlap_wait_missing: programs::overlap(true, false) => always Race;
    overlap_wait_present: programs::overlap(true, true) => clean;
    disjoint_wait_missing: programs::overlap(false, false) => clean;
    disjoint_wait_present: programs::overlap(false, true) => clean;
    tma_overwrites_a_store: programs::tma_overwrites() => clean;
    never_written: programs::never_written() => always Uninitialised;
    gemm_correct: programs::gemm(programs::Gemm::Correct) => clean;
    gemm_late_wait_on_a: programs::gemm(programs::Gemm::LateWaitOnA) => always Race;
    gemm_no_wait_on_b: programs::gemm(programs::Gemm::NoWaitOnB) => always Race;
    named_crossed: programs::named_crossed() => always Deadlock;
    named_different_counts: programs::named_different() => always NamedBarrier;
    pipeline_correct: programs::pipeline(true) => clean;
    pipeline_missing_arrive: programs::pipeline(false) => always Deadlock;
    circular: programs::circular() => always Deadlock;
    one_arrival_short: programs::one_short() => always Deadlock;
    leader_signals_early: programs::leader_early(false) => always Lapped;
    leader_signals_after_sync: programs::leader_early(true) => clean;
    mixed_wait: programs::mixed_wait() => always Deadlock;
    expect_in_one_block_only: programs::expect_in_one() => always Deadlock;
    no_back_pressure: programs::no_back_pressure(false) => always Lapped;
    back_pressure: programs::no_back_pressure(true) => clean;
    first_wait_with_parity_0: programs::starting_parity(0) => always Deadlock;
    first_wait_with_parity_1: programs::starting_parity(1) => clean;
    peer_leaves_too_early: programs::peer_leaves(false) => always PeerGone;
    peer_waits_at_the_end: programs::peer_leaves(true) => clean;
    store_in_flight_at_the_end: programs::exit_in_flight(false) => always ExitInFlight;
    store_read_before_the_end: programs::exit_in_flight(true) => clean;
    init_not_fenced_for_a_copy: programs::init_fence(false) => always MissingFence;
    init_fenced_for_a_copy: programs::init_fence(true) => clean;
    init_not_seen_by_the_peer: programs::peer_init(false) => always BarrierLife;
    init_seen_by_the_peer: programs::peer_init(true) => clean;
    one_lane_arrives_for_all: programs::elected_arrival(false) => always Race;
    lanes_join_before_the_arrival: programs::elected_arrival(true) => clean;
}
