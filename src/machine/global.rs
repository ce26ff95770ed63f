//! Global memory as all clusters of a grid see it, with who touched it.
//!
//! Within a cluster accesses are ordered by the cluster's clocks. Between clusters nothing is ordered but by global
//! memory itself: a release of one cluster that another acquires. That order is kept for whole clusters (all that a
//! cluster did before its release), which may hide a race between clusters, and never invents one.

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
    tracks: Vec<Mutex<Track>>,
    order: Mutex<ClusterOrder>,
}

/// Who touched an allocation: of each cluster its own shadow, and the clusters by words.
#[derive(Debug, Default)]
pub(crate) struct Track {
    pub(crate) shadows: FxHashMap<u64, Shadow>,
    clusters: FxHashMap<u64, Cell>,
}

/// The last cluster that wrote a word, and the last two that read it.
#[derive(Clone, Copy, Debug)]
struct Cell {
    write: Option<Touch>,
    read: [Option<Touch>; 2],
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
    /// Which bytes of the word.
    pub bytes: u8,
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
        GlobalState { memory, tracks, order: Mutex::default() }
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
        for word in offset / 8..end.div_ceil(8) {
            let from = offset.max(word * 8) - word * 8;
            let to = end.min(word * 8 + 8) - word * 8;
            let bytes = ((1u16 << to) - (1u16 << from)) as u8;
            let touch = Touch { cluster, time, epoch, bytes };
            let cell = track.clusters.entry(word).or_insert(Cell { write: None, read: [None; 2] });
            let mut check = |earlier: &Option<Touch>| {
                if let Some(t) = earlier
                    && t.bytes & bytes != 0
                    && !ordered(t)
                    && found.is_none()
                {
                    found = Some((*t, word * 8 + from));
                }
            };
            check(&cell.write);
            if write {
                cell.read.iter().for_each(check);
                // Bytes that this write leaves alone keep no writer of another cluster: conflicts in a word that
                // two clusters share by bytes are found for one of them.
                cell.write = match cell.write {
                    Some(w) if w.cluster == cluster && w.time == time => {
                        Some(Touch { bytes: w.bytes | bytes, ..touch })
                    }
                    _ => Some(touch),
                };
            } else {
                let place = cell.read.iter_mut().find(|r| r.is_none_or(|r| r.cluster == cluster));
                match place {
                    Some(r) => {
                        let old = r.filter(|r| r.time == time).map_or(0, |r| r.bytes);
                        *r = Some(Touch { bytes: old | bytes, ..touch });
                    }
                    None => cell.read[1] = Some(touch),
                }
            }
        }
        found
    }
}

/// No epoch: of the host.
pub(crate) const HOST: Comp = Comp::NONE;
