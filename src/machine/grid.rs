//! Runs the clusters of a grid: on all cores, or taking turns on one when they talk to each other.

use crate::cluster::{Cluster, Outcome, Program};
use crate::finding::{Code, Finding};
use crate::hardware::{Counts, Hardware};
use crate::schedule::{Record, Recorded, Schedule};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How to run a grid.
pub struct Options {
    /// Threads of the host; 1 runs clusters in turn, each to its end unless they wait for each other.
    pub threads: usize,
    /// Clusters may wait for each other through global memory: as many as fit take turns on one thread, so that the
    /// run is the same each time.
    pub communicating: bool,
    /// How many clusters are resident at once when they communicate.
    pub resident: usize,
    /// Stop at the first cluster with a finding that ends its run.
    pub stop_early: bool,
}

/// What a grid's run found and did.
#[derive(Debug, Default)]
pub struct Report {
    /// Findings, each with the record of its cluster's schedule.
    pub findings: Vec<(Finding, Record)>,
    /// Executed instructions.
    pub counts: Counts,
    /// Clusters that ran to their end.
    pub finished: u64,
}

/// Shared with whoever shows progress.
#[derive(Debug, Default)]
pub struct Gauge {
    /// Clusters done.
    pub done: AtomicU64,
    /// Warp instructions executed.
    pub instructions: AtomicU64,
}

/// Instructions between two looks at whether to stop, and of a turn of communicating clusters.
const SLICE: u64 = 1 << 20;
const TURN: u64 = 1 << 14;

struct Running<P> {
    cluster: Cluster<P>,
    schedule: Recorded<Box<dyn Schedule>>,
    counted: u64,
}

/// Runs `clusters` clusters, each made by `launch` from its index, under the schedule that `schedule` gives for it.
pub fn run<P: Program>(
    clusters: u64,
    options: &Options,
    gauge: &Gauge,
    launch: &(dyn Fn(u64) -> (Hardware, Vec<P>) + Sync),
    schedule: &(dyn Fn(u64) -> Box<dyn Schedule> + Sync),
) -> Report {
    let report = Mutex::new(Report::default());
    // The first cluster that a finding stopped: those before it run to their end, so that each run finds the same.
    let stop = AtomicU64::new(u64::MAX);
    let start = |index: u64| {
        let (hw, programs) = launch(index);
        Running { cluster: Cluster::new(hw, programs), schedule: Recorded::new(schedule(index)), counted: 0 }
    };
    if options.communicating {
        run_in_turns(clusters, options, gauge, &start, &report);
    } else {
        let next = AtomicU64::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= clusters || index > stop.load(Ordering::Relaxed) {
                    return;
                }
                let mut running = start(index);
                let outcome = loop {
                    let outcome = running.cluster.run(&mut running.schedule, SLICE);
                    count(&mut running, gauge);
                    if outcome != Outcome::Slice || index > stop.load(Ordering::Relaxed) {
                        break outcome;
                    }
                };
                if outcome == Outcome::Polling {
                    // Nobody outside can change what it polls: clusters do not communicate.
                    running.cluster.report_hang();
                }
                if outcome == Outcome::Stopped && options.stop_early {
                    stop.fetch_min(index, Ordering::Relaxed);
                }
                finish(running, outcome, gauge, &report);
            }
        };
        let threads = options.threads.clamp(1, 256).min(usize::try_from(clusters).unwrap_or(256).max(1));
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
    }
    let mut report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.findings.retain(|(f, _)| f.cluster <= stop.load(Ordering::Relaxed));
    report.findings.sort_by_key(|(f, _)| (f.cluster, f.code));
    once_for_all_clusters(&mut report.findings);
    report
}

/// Keeps of findings with the same places the one of the first cluster, and says in how many others it is.
fn once_for_all_clusters(findings: &mut Vec<(Finding, Record)>) {
    let places = |f: &Finding| (f.code, f.labels.iter().map(|l| l.place).collect::<Vec<_>>());
    let mut kept: Vec<(Finding, Record, u32)> = Vec::new();
    for (finding, record) in findings.drain(..) {
        let same =
            kept.iter_mut().find(|(k, ..)| k.cluster != finding.cluster && places(k) == places(&finding));
        match same {
            Some((.., more)) => *more += 1,
            None => kept.push((finding, record, 0)),
        }
    }
    findings.extend(kept.into_iter().map(|(finding, record, more)| match more {
        0 => (finding, record),
        1 => (finding.note("the same in one more cluster"), record),
        n => (finding.note(format!("the same in {n} more clusters")), record),
    }));
}

fn run_in_turns<P: Program>(
    clusters: u64,
    options: &Options,
    gauge: &Gauge,
    start: &dyn Fn(u64) -> Running<P>,
    report: &Mutex<Report>,
) {
    let mut next = 0;
    let mut resident: VecDeque<Running<P>> = VecDeque::new();
    // Turns in a row in which every resident cluster only polled.
    let mut idle = 0;
    loop {
        while resident.len() < options.resident.max(1) && next < clusters {
            resident.push_back(start(next));
            next += 1;
        }
        let Some(mut running) = resident.pop_front() else { return };
        let outcome = running.cluster.run(&mut running.schedule, TURN);
        count(&mut running, gauge);
        match outcome {
            Outcome::Slice => {
                idle = 0;
                resident.push_back(running);
            }
            Outcome::Polling => {
                idle += 1;
                if idle > 3 * (resident.len() + 1) {
                    running.cluster.report_hang();
                    finish(running, Outcome::Stopped, gauge, report);
                    while let Some(mut other) = resident.pop_front() {
                        other.cluster.report_hang();
                        finish(other, Outcome::Stopped, gauge, report);
                    }
                    return;
                }
                resident.push_back(running);
            }
            Outcome::Finished | Outcome::Stopped => {
                idle = 0;
                let stop = outcome == Outcome::Stopped && options.stop_early;
                finish(running, outcome, gauge, report);
                if stop {
                    return;
                }
            }
        }
    }
}

fn count<P: Program>(running: &mut Running<P>, gauge: &Gauge) {
    let now = running.cluster.hw.counts.instructions;
    gauge.instructions.fetch_add(now - running.counted, Ordering::Relaxed);
    running.counted = now;
}

fn finish<P: Program>(mut running: Running<P>, outcome: Outcome, gauge: &Gauge, report: &Mutex<Report>) {
    gauge.done.fetch_add(1, Ordering::Relaxed);
    running.cluster.hw.global.forget(running.cluster.hw.cluster);
    if outcome == Outcome::Finished {
        end_of_life(&mut running.cluster.hw);
    }
    let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
    report.counts.instructions += running.cluster.hw.counts.instructions;
    report.counts.lanes += running.cluster.hw.counts.lanes;
    report.finished += u64::from(outcome == Outcome::Finished);
    let record = Arc::new(running.schedule.record);
    for finding in running.cluster.hw.findings {
        report.findings.push((finding, (*record).clone()));
    }
}

/// A cluster has ended: bytes of a phase that came and were never expected are a fault that nobody waited for.
fn end_of_life(hw: &mut Hardware) {
    let mut found = Vec::new();
    for (rank, block) in hw.blocks.iter().enumerate() {
        for (offset, slot) in block.barriers.iter() {
            if slot.state.is_live() && slot.state.tx_count() != 0 {
                let name = hw.barrier_name(crate::memory::shared_address(rank as u32, offset));
                let tx = slot.state.tx_count();
                let text = if tx > 0 {
                    format!("{name} still expects {tx} bytes when the kernel ends")
                } else {
                    format!("{} bytes came on {name} that nobody has expected when the kernel ends", -tx)
                };
                found.push(Finding::new(Code::Bytes, text).at(slot.init.0, "initialised here"));
            }
        }
    }
    for finding in found {
        hw.report(finding);
    }
}
