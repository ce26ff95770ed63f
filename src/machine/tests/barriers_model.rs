//! The named barriers and the cluster's barrier against naive statements of their rules, thread by thread:
//! each thread has its own list of what it did, and every answer is worked out from all lists.

use proptest::prelude::*;
use tidegate_machine::cluster_barrier::{ClusterBarrier, ClusterError, ClusterLanes, ClusterWait};
use tidegate_machine::lanes::LaneError;
use tidegate_machine::named::{Arrival, Kind, NamedBarriers, NamedError, RedOp};

/// Threads of a block: two whole warps and one of two lanes.
const THREADS: u32 = 66;

/// The threads of a mask of one warp, counted in the block.
fn threads(warp: u32, lanes: u32) -> Vec<usize> {
    let all = (0..32_usize).filter(|lane| lanes >> lane & 1 == 1);
    all.map(|lane| warp as usize * 32 + lane).collect()
}

/// Often whole warps, sometimes few lanes.
fn masks() -> impl Strategy<Value = u32> {
    let half = prop_oneof![Just(0xffff), Just(0xffff_0000)];
    prop_oneof![6 => Just(u32::MAX), 4 => half, 1 => any::<u32>(), 2 => 0..8_u32]
}

/// `lanes` without what the warp lacks, except where `stray` asks for lanes that cannot be.
fn fit(warp: u32, lanes: u32, stray: bool) -> u32 {
    if warp == 2 && !stray { lanes & 3 } else { lanes }
}

/// The verdict on lanes, from a list of which threads have exited.
fn judge_lanes(exited: &[bool], warp: u32, lanes: u32, aligned: bool) -> Result<(), &'static str> {
    let who = threads(warp, lanes);
    let of_warp = threads(warp, u32::MAX);
    if who.iter().any(|&t| t >= exited.len()) {
        return Err("lanes");
    }
    if who.is_empty() || who.iter().any(|&t| exited[t]) {
        return Err("lanes");
    }
    let absent = of_warp.iter().any(|&t| t < exited.len() && !exited[t] && !who.contains(&t));
    if aligned && absent { Err("lanes") } else { Ok(()) }
}

#[derive(Clone, Copy, Debug)]
enum ClusterOp {
    Arrive,
    Wait,
    Exit,
}

fn cluster_ops() -> impl Strategy<Value = (ClusterOp, u32, u32, u32, bool, bool)> {
    let op =
        prop_oneof![10 => Just(ClusterOp::Arrive), 10 => Just(ClusterOp::Wait), 1 => Just(ClusterOp::Exit)];
    (op, 0..2_u32, 0..3_u32, masks(), prop::bool::weighted(0.2), prop::bool::weighted(0.05))
}

#[derive(Clone, Copy, Debug, Default)]
struct ClusterThread {
    arrivals: u64,
    waits: u64,
}

#[derive(Clone, Copy, Debug)]
struct NamedThread {
    thread: usize,
    kind: Kind,
    predicate: bool,
    count: Option<u32>,
}

fn named_kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        3 => Just(Kind::Sync),
        2 => Just(Kind::Arrive),
        1 => Just(Kind::Red(RedOp::Popc)),
        1 => Just(Kind::Red(RedOp::And)),
        1 => Just(Kind::Red(RedOp::Or)),
    ]
}

fn named_counts() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![
        6 => Just(None), 6 => Just(Some(96)), 6 => Just(Some(64)), 2 => Just(Some(32)),
        1 => Just(Some(128)), 1 => Just(Some(0)), 1 => Just(Some(40)),
    ]
}

/// The verdict on an arrival, given those of the generation so far: one entry for each thread.
fn judge_named(so_far: &[NamedThread], exited: &[bool], a: Arrival) -> Result<(), &'static str> {
    if a.id > 15 {
        return Err("id");
    }
    judge_lanes(exited, a.warp, a.lanes, a.aligned)?;
    match a.count {
        None if a.kind == Kind::Arrive => return Err("missing"),
        Some(n) if n == 0 || n % 32 != 0 => return Err("warps"),
        Some(n) if n > 96 => return Err("block"),
        _ => {}
    }
    if so_far.iter().any(|e| e.count.unwrap_or(96) != a.count.unwrap_or(96)) {
        return Err("mismatch");
    }
    let red = |kind| matches!(kind, Kind::Red(_));
    if so_far.iter().any(|e| (red(e.kind) || red(a.kind)) && e.kind != a.kind) {
        return Err("mixed");
    }
    if threads(a.warp, a.lanes).iter().any(|t| so_far.iter().any(|e| e.thread == *t)) {
        return Err("already");
    }
    let mut warps: Vec<usize> = so_far.iter().map(|e| e.thread / 32).collect();
    warps.push(a.warp as usize);
    warps.sort_unstable();
    warps.dedup();
    let stated = so_far.iter().map(|e| e.count).chain([a.count]).flatten().next();
    match stated {
        Some(n) if warps.len() * 32 > n as usize => Err("over"),
        _ => Ok(()),
    }
}

/// Whether a generation with these arrivals is complete.
fn named_complete(entries: &[NamedThread], exited: &[bool]) -> bool {
    let here = |t: usize| entries.iter().any(|e| e.thread == t);
    let warp_in = |w: usize| (w * 32..w * 32 + 32).all(|t| t >= exited.len() || exited[t] || here(t));
    let begun = |w: usize| entries.iter().any(|e| e.thread / 32 == w);
    match entries.iter().filter_map(|e| e.count).next() {
        _ if entries.is_empty() => false,
        Some(n) => (0..3).filter(|&w| begun(w) && warp_in(w)).count() * 32 == n as usize,
        None => (0..3).all(warp_in),
    }
}

fn named_name(error: NamedError) -> &'static str {
    match error {
        NamedError::IdOutOfRange { .. } => "id",
        NamedError::Lanes(_) => "lanes",
        NamedError::CountMissing { .. } => "missing",
        NamedError::CountNotWarps { .. } => "warps",
        NamedError::CountBeyondBlock { .. } => "block",
        NamedError::CountMismatch { .. } => "mismatch",
        NamedError::MixedReduction { .. } => "mixed",
        NamedError::ArrivedAlready { .. } => "already",
        NamedError::OverArrival { .. } => "over",
    }
}

/// The value of a reduction, over the list.
fn named_value(entries: &[NamedThread]) -> Option<u32> {
    match entries.first()?.kind {
        Kind::Red(RedOp::Popc) => Some(entries.iter().filter(|e| e.predicate).map(|_| 1).sum()),
        Kind::Red(RedOp::And) => Some(u32::from(entries.iter().all(|e| e.predicate))),
        Kind::Red(RedOp::Or) => Some(u32::from(entries.iter().any(|e| e.predicate))),
        Kind::Sync | Kind::Arrive => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cluster_agrees_with_its_threads(ops in prop::collection::vec(cluster_ops(), 1..120)) {
        let mut cluster = ClusterBarrier::new(2, THREADS).unwrap();
        let size = THREADS as usize;
        let mut all = vec![vec![ClusterThread::default(); size]; 2];
        let mut exited = vec![vec![false; size]; 2];
        let mut generation = 0;
        for (op, block, warp, lanes, aligned, stray) in ops {
            let lanes = fit(warp, lanes, stray);
            let who = threads(warp, lanes);
            let rank = block as usize;
            let lanes_of = ClusterLanes { block, warp, lanes, aligned };
            let before = cluster.clone();
            let fit = judge_lanes(&exited[rank], warp, lanes, aligned);
            let mine = &mut all[rank];
            let expected = match op {
                ClusterOp::Exit if who.iter().any(|&t| t >= size) => Err("lanes"),
                ClusterOp::Exit => {
                    who.iter().for_each(|&t| exited[rank][t] = true);
                    Ok(true)
                }
                ClusterOp::Arrive => fit.and_then(|()| {
                    if who.iter().any(|&t| mine[t].arrivals > mine[t].waits) {
                        return Err("already");
                    }
                    who.iter().for_each(|&t| mine[t].arrivals += 1);
                    Ok(true)
                }),
                ClusterOp::Wait => fit.and_then(|()| {
                    if who.iter().any(|&t| mine[t].arrivals == mine[t].waits) {
                        return Err("not arrived");
                    }
                    let passes = who.iter().all(|&t| mine[t].arrivals <= generation);
                    who.iter().filter(|_| passes).for_each(|&t| mine[t].waits += 1);
                    Ok(passes)
                }),
            };
            let pairs = || all.iter().flatten().zip(exited.iter().flatten());
            let complete = pairs().all(|(t, out)| *out || t.arrivals > generation)
                && pairs().any(|(t, _)| t.arrivals > generation);
            let completed = complete.then_some(generation);
            generation += u64::from(complete);
            let found = match op {
                ClusterOp::Exit => cluster.exit(block, warp, lanes).map(|done| {
                    assert_eq!(done, completed);
                    true
                }),
                ClusterOp::Arrive => cluster.arrive(lanes_of).map(|outcome| outcome.completed == complete),
                ClusterOp::Wait => cluster.wait(lanes_of).map(|w| matches!(w, ClusterWait::Passed { .. })),
            };
            let found = found.map_err(|error| match error {
                ClusterError::ArrivedAlready { .. } => "already",
                ClusterError::NotArrived { .. } => "not arrived",
                ClusterError::Lanes(_) => "lanes",
                ClusterError::NoSuchBlock { .. } | ClusterError::ClusterOutOfRange { .. } => "block",
            });
            prop_assert_eq!(found, expected, "{:?} {:?}", op, lanes_of);
            if found.is_err() {
                prop_assert_eq!(&before, &cluster);
            }
            prop_assert_eq!(cluster.generation(), generation);
            let missing = all.iter().flatten().zip(exited.iter().flatten());
            let missing = missing.filter(|(t, out)| !**out && t.arrivals <= generation).count();
            prop_assert_eq!(cluster.missing() as usize, missing);
            let named: u32 = cluster.missing_lanes().map(|(_, _, lanes)| lanes.count_ones()).sum();
            prop_assert_eq!(named as usize, missing);
        }
    }

    #[test]
    fn named_agree_with_their_threads(
        usual in named_kinds(),
        ops in prop::collection::vec(
            (
                (
                    prop_oneof![10 => 0..2_u32, 1 => 14..17_u32],
                    named_counts(),
                    prop_oneof![4 => Just(None), 1 => named_kinds().prop_map(Some)],
                ),
                (0..3_u32, masks(), prop_oneof![any::<u32>(), Just(0), Just(u32::MAX)]),
                (prop::bool::weighted(0.3), prop::bool::weighted(0.05), prop::bool::weighted(0.05)),
            ),
            1..120,
        ),
    ) {
        let mut block = NamedBarriers::new(THREADS).unwrap();
        let mut exited = vec![false; THREADS as usize];
        let mut lists: Vec<Vec<NamedThread>> = vec![Vec::new(); 16];
        let mut generations = [0_u64; 16];
        for ((id, count, kind), (warp, lanes, predicate), (aligned, stray, exits)) in ops {
            let lanes = fit(warp, lanes, stray);
            let kind = kind.unwrap_or(usual);
            let before = block.clone();
            // The completions that this step brings, as (barrier, generation, value).
            let found: Result<Vec<_>, &str> = if exits {
                let done = block.exit(warp, lanes);
                done.map(|all| all.into_iter().collect()).map_err(|_: LaneError| "lanes")
            } else {
                let arrival = Arrival { id, count, kind, aligned, warp, lanes, predicate };
                block.arrive(arrival).map(|o| o.completed.into_iter().collect()).map_err(named_name)
            };
            let found = found.map(|all| {
                all.into_iter().map(|done| (done.id, done.generation, done.reduction)).collect::<Vec<_>>()
            });
            let verdict = if exits {
                let fits = threads(warp, lanes).iter().all(|&t| t < exited.len());
                if fits {
                    threads(warp, lanes).iter().for_each(|&t| exited[t] = true);
                    Ok(())
                } else {
                    Err("lanes")
                }
            } else {
                let place = (id as usize).min(15);
                let arrival = Arrival { id, count, kind, aligned, warp, lanes, predicate };
                judge_named(&lists[place], &exited, arrival).map(|()| {
                    lists[place].extend(threads(warp, lanes).into_iter().map(|thread| {
                        NamedThread { thread, kind, predicate: predicate >> (thread % 32) & 1 == 1, count }
                    }));
                })
            };
            let expected = verdict.map(|()| {
                let mut done = Vec::new();
                for (id, list) in (0_u32..).zip(&mut lists) {
                    if named_complete(list, &exited) {
                        let generation = &mut generations[id as usize];
                        done.push((id, *generation, named_value(list)));
                        *generation += 1;
                        list.clear();
                    }
                }
                done
            });
            prop_assert_eq!(&found, &expected, "{:?} {:?}", kind, (id, count, warp, lanes));
            if found.is_err() {
                prop_assert_eq!(&before, &block);
            }
        }
    }
}
