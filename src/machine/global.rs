//! Global memory as all clusters of a grid see it, with who touched it.
//!
//! Within a cluster accesses are ordered by the cluster's clocks. Between clusters nothing is ordered but by global
//! memory itself: a release of one cluster that another acquires. That order is kept for whole clusters (all that a
//! cluster did before its release), which may hide a race between clusters, and never invents one. Of each line of
//! 128 bytes the last two clusters that wrote and that read are remembered. Memory that kernels may only read is left out.

use crate::clock::Comp;
use crate::memory::Global;
use crate::shadow::{Epoch, Nature, Shadow};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard};

/// See the module.
#[derive(Debug, Default)]
pub struct GlobalState {
    /// The bytes.
    pub memory: Global,
    /// The grid is one cluster: there are no others to conflict with.
    pub alone: bool,
    tracks: Vec<Mutex<Track>>,
    order: Mutex<ClusterOrder>,
}

/// Who touched an allocation: of each cluster its own shadow, and the clusters by lines.
#[derive(Debug, Default)]
pub(crate) struct Track {
    pub(crate) shadows: FxHashMap<u64, Shadow>,
    pages: Vec<Option<Box<[Line; LINES]>>>,
}

/// Bytes of a line.
const LINE: u64 = 128;
/// Lines of a page.
const LINES: usize = 32;

/// The last two clusters that wrote to a line, and the last two that read from it.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    writes: [Option<Touch>; 2],
    reads: [Option<Touch>; 2],
}

impl Line {
    /// Keeps an access: with those of its cluster at its time, or in place of the oldest.
    fn keep(list: &mut [Option<Touch>; 2], touch: Touch) {
        let same = |t: &Option<Touch>| t.is_none_or(|t| t.cluster == touch.cluster);
        if same(&list[0]) {
            let old = list[0].filter(|t| t.time == touch.time).map_or(0, |t| t.bytes);
            list[0] = Some(Touch { bytes: old | touch.bytes, ..touch });
        } else {
            list.swap(0, 1);
            let old =
                list[0].filter(|t| t.cluster == touch.cluster && t.time == touch.time).map_or(0, |t| t.bytes);
            list[0] = Some(Touch { bytes: old | touch.bytes, ..touch });
        }
    }
}

/// An access of another cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Which cluster.
    pub cluster: u64,
    /// Its time: how often it has released.
    pub time: u64,
    /// The access.
    pub epoch: Epoch,
    /// Which bytes of the line.
    pub bytes: u128,
}

#[derive(Debug, Default)]
struct ClusterOrder {
    time: FxHashMap<u64, u64>,
    knows: FxHashMap<u64, FxHashMap<u64, u64>>,
    /// What a cluster knew at its last fence.
    fenced: FxHashMap<u64, FxHashMap<u64, u64>>,
    /// What a cluster's relaxed loads have seen.
    observed: FxHashMap<u64, FxHashMap<u64, u64>>,
    /// What was released at an address.
    released: FxHashMap<u64, FxHashMap<u64, u64>>,
}

impl ClusterOrder {
    /// All that a cluster knows and did; its time goes on.
    fn now(&mut self, cluster: u64) -> FxHashMap<u64, u64> {
        let time = self.time.entry(cluster).or_insert(1);
        let mut all = self.knows.get(&cluster).cloned().unwrap_or_default();
        all.insert(cluster, *time);
        *time += 1;
        all
    }
}

fn merge(mine: &mut FxHashMap<u64, u64>, theirs: &FxHashMap<u64, u64>) {
    for (&cluster, &time) in theirs {
        let old = mine.entry(cluster).or_default();
        *old = (*old).max(time);
    }
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl GlobalState {
    /// Of this memory; nothing is allocated later.
    pub fn new(memory: Global) -> GlobalState {
        let tracks = memory.allocations().iter().map(|_| Mutex::default()).collect();
        GlobalState { memory, alone: false, tracks, order: Mutex::default() }
    }

    pub(crate) fn track(&self, allocation: usize) -> Option<MutexGuard<'_, Track>> {
        self.tracks.get(allocation).map(lock)
    }

    /// A cluster releases at an address what it did so far.
    pub(crate) fn release(&self, cluster: u64, address: u64) {
        let mut order = lock(&self.order);
        let all = order.now(cluster);
        merge(order.released.entry(address & !7).or_default(), &all);
    }

    /// A cluster releases at an address what it had done at its last fence.
    pub(crate) fn release_fenced(&self, cluster: u64, address: u64) {
        let mut order = lock(&self.order);
        if let Some(all) = order.fenced.get(&cluster).cloned() {
            merge(order.released.entry(address & !7).or_default(), &all);
        }
    }

    /// A fence of a cluster.
    pub(crate) fn fence(&self, cluster: u64) {
        let mut order = lock(&self.order);
        let all = order.now(cluster);
        order.fenced.insert(cluster, all);
    }

    /// A cluster acquires what was released at an address.
    pub(crate) fn acquire(&self, cluster: u64, address: u64) {
        let mut order = lock(&self.order);
        if let Some(at) = order.released.get(&(address & !7)).cloned() {
            merge(order.knows.entry(cluster).or_default(), &at);
        }
    }

    /// A relaxed load of a cluster sees what was released at an address.
    pub(crate) fn observe(&self, cluster: u64, address: u64) {
        let mut order = lock(&self.order);
        if let Some(at) = order.released.get(&(address & !7)).cloned() {
            merge(order.observed.entry(cluster).or_default(), &at);
        }
    }

    /// A fence after relaxed loads.
    pub(crate) fn acquire_observed(&self, cluster: u64) {
        let mut order = lock(&self.order);
        if let Some(seen) = order.observed.remove(&cluster) {
            merge(order.knows.entry(cluster).or_default(), &seen);
        }
    }

    /// Checks an access against those of other clusters and keeps it. The first conflict is returned.
    pub(crate) fn between_clusters(
        &self,
        track: &mut Track,
        cluster: u64,
        (offset, len): (u64, u64),
        epoch: Epoch,
        write: bool,
    ) -> Option<(Touch, u64)> {
        if self.alone {
            return None;
        }
        let order = lock(&self.order);
        let time = order.time.get(&cluster).copied().unwrap_or(1);
        let knows = order.knows.get(&cluster);
        let ordered = |t: &Touch| {
            t.cluster == cluster
                || (t.epoch.nature == Nature::Atomic && epoch.nature == Nature::Atomic)
                || knows.and_then(|k| k.get(&t.cluster)).is_some_and(|&known| known >= t.time)
        };
        let mut found = None;
        let end = offset + len;
        for line in offset / LINE..end.div_ceil(LINE) {
            let from = offset.max(line * LINE) - line * LINE;
            let to = end.min((line + 1) * LINE) - line * LINE;
            let upto = if to == LINE { u128::MAX } else { (1 << to) - 1 };
            let bytes = upto & !((1u128 << from) - 1);
            let touch = Touch { cluster, time, epoch, bytes };
            let (page, at) = (line as usize / LINES, line as usize % LINES);
            if track.pages.len() <= page {
                track.pages.resize_with(page + 1, || None);
            }
            let cell = &mut track.pages[page].get_or_insert_with(|| Box::new([Line::default(); LINES]))[at];
            let mut check = |earlier: &Option<Touch>| {
                if let Some(t) = earlier
                    && t.bytes & bytes != 0
                    && !ordered(t)
                    && found.is_none()
                {
                    let byte = u64::from((t.bytes & bytes).trailing_zeros());
                    found = Some((*t, line * LINE + byte));
                }
            };
            cell.writes.iter().for_each(&mut check);
            if write {
                cell.reads.iter().for_each(check);
                Line::keep(&mut cell.writes, touch);
            } else {
                Line::keep(&mut cell.reads, touch);
            }
        }
        found
    }

    /// A cluster has ended: its own shadows are needed no more.
    pub(crate) fn forget(&self, cluster: u64) {
        for track in &self.tracks {
            lock(track).shadows.remove(&cluster);
        }
    }
}

/// No epoch: of the host.
pub(crate) const HOST: Comp = Comp::NONE;
