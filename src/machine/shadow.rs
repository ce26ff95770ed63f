//! Who touched a byte last: the state by which races are found (FastTrack, Flanagan and Freund 2009, with the
//! readers of a byte kept apart while they are unordered).
//!
//! A page covers 128 bytes, by words of 4 bytes until somebody touches a part of a word, and by bytes from then on.
//! Two accesses conflict when they share a byte and one writes; two atomic accesses do not.

use crate::clock::Comp;
use crate::finding::Place;
use crate::order::Knowledge;
use smallvec::SmallVec;

/// The nature of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// An ordinary load or store, by the generic proxy.
    Generic,
    /// A strong access (`.relaxed`, `.acquire`, `.volatile`, an atomic): does not race with its like.
    Atomic,
    /// By the async proxy: bulk copies, tensor cores.
    Async,
    /// Asynchronous, but by the generic proxy: `cp.async`.
    AsyncGeneric,
}

/// The last access of somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// Who.
    pub comp: Comp,
    /// Which lanes.
    pub lanes: u32,
    /// When, by its own time.
    pub time: u32,
    /// Where.
    pub place: Place,
    /// How.
    pub nature: Nature,
}

const NONE: Epoch =
    Epoch { comp: Comp::NONE, lanes: 0, time: 0, place: Place::NONE, nature: Nature::Generic };
/// In place of a reader: the readers are several; `time` is the index of their set.
const MANY: Comp = Comp(u16::MAX - 1);

#[derive(Clone, Copy, Debug)]
struct Cell {
    write: Epoch,
    read: Epoch,
}

const CELL: Cell = Cell { write: NONE, read: NONE };

const PAGE: u32 = 128;

#[derive(Clone, Debug)]
enum Page {
    Empty,
    Words(Box<[Cell; PAGE as usize / 4]>),
    Bytes(Box<[Cell; PAGE as usize]>),
}

/// Which two accesses are unordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// A read of what another writes.
    ReadAfterWrite,
    /// A write of what another reads.
    WriteAfterRead,
    /// Two writes.
    WriteAfterWrite,
}

/// A conflict: the earlier access, and whether only a proxy fence is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The kind.
    pub conflict: Conflict,
    /// The earlier access.
    pub earlier: Epoch,
    /// Ordered, but a generic write that the async proxy does not see.
    pub only_fence: bool,
    /// The first byte of the conflict.
    pub offset: u32,
}

impl Hit {
    /// Whether an access that writes what is there already may be unordered with the earlier one: the same instruction
    /// wrote it. Compilers let all warps of a block store one value; a race of equal sizes is defined (ISA 8.7.2), and
    /// whichever store comes last, the memory is the same. Of different instructions equal values are rather chance.
    pub(crate) fn harmless(&self, place: Place) -> bool {
        self.conflict == Conflict::WriteAfterWrite && !self.only_fence && self.earlier.place == place
    }
}

/// An access that is checked and recorded.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// Who, when, how.
    pub epoch: Epoch,
    /// What it knows.
    pub knowledge: &'a Knowledge,
    /// Whether it writes.
    pub write: bool,
    /// Several lanes access the same bytes, each by itself: what one of them did is not known to the others.
    pub apart: bool,
}

impl Access<'_> {
    #[inline]
    fn ordered(&self, earlier: &Epoch) -> bool {
        // A lane knows its own accesses; of an asynchronous operation only the operation itself does.
        (earlier.comp == self.epoch.comp
            && earlier.lanes & !self.epoch.lanes == 0
            && (!self.apart || earlier.lanes == self.epoch.lanes)
            && (earlier.time == self.epoch.time
                || !matches!(self.epoch.nature, Nature::Async | Nature::AsyncGeneric)))
            || self.knowledge.generic.knows(earlier.comp, earlier.lanes, earlier.time)
    }

    #[inline]
    fn fenced(&self, earlier: &Epoch) -> bool {
        self.epoch.nature != Nature::Async
            || earlier.nature == Nature::Async
            || self.knowledge.proxied.knows(earlier.comp, earlier.lanes, earlier.time)
    }

    /// `None` when the earlier write is ordered before and seen.
    #[inline]
    fn after_write(&self, earlier: &Epoch, offset: u32) -> Option<Hit> {
        if earlier.comp == Comp::NONE
            || (earlier.nature == Nature::Atomic && self.epoch.nature == Nature::Atomic)
        {
            return None;
        }
        let conflict = if self.write { Conflict::WriteAfterWrite } else { Conflict::ReadAfterWrite };
        if !self.ordered(earlier) {
            Some(Hit { conflict, earlier: *earlier, only_fence: false, offset })
        } else if !self.fenced(earlier) {
            Some(Hit { conflict, earlier: *earlier, only_fence: true, offset })
        } else {
            None
        }
    }

    #[inline]
    fn after_read(&self, earlier: &Epoch, offset: u32) -> Option<Hit> {
        let atomic = earlier.nature == Nature::Atomic && self.epoch.nature == Nature::Atomic;
        (!atomic && !self.ordered(earlier)).then_some(Hit {
            conflict: Conflict::WriteAfterRead,
            earlier: *earlier,
            only_fence: false,
            offset,
        })
    }
}

/// Sets of readers. Cells of one history share a set, so that what an access makes of it is worked out once.
#[derive(Debug, Default)]
struct Sets {
    list: Vec<SmallVec<[Epoch; 4]>>,
    free: Vec<u32>,
}

/// When there are as many sets, those that no cell has are looked for.
const COLLECT: usize = 1 << 16;

impl Sets {
    fn get(&self, id: u32) -> &[Epoch] {
        self.list.get(id as usize).map_or(&[], |s| s)
    }

    /// What a cell's readers become by an access: one, or a set.
    fn with(&mut self, readers: &[Epoch], access: &Access<'_>) -> Epoch {
        let mut set: SmallVec<[Epoch; 4]> = SmallVec::from_slice(readers);
        add_reader(&mut set, access);
        if let [one] = set[..] {
            return one;
        }
        let id = match self.free.pop() {
            Some(id) => {
                self.list[id as usize] = set;
                id
            }
            None => {
                self.list.push(set);
                self.list.len() as u32 - 1
            }
        };
        Epoch { comp: MANY, time: id, ..NONE }
    }
}

/// The shadow of a memory of up to 4 GiB.
#[derive(Debug, Default)]
pub struct Shadow {
    pages: Vec<Page>,
    sets: Sets,
    /// Look for unused sets when there are so many.
    collect_at: usize,
}

impl Shadow {
    /// Of nobody yet.
    pub fn new() -> Shadow {
        Shadow::default()
    }

    /// Forgets who touched these bytes: the memory is another's now.
    pub fn clear(&mut self) {
        *self = Shadow::default();
    }

    /// Forgets who touched a range of whole words.
    pub fn forget(&mut self, offset: u32, len: u32) {
        for word in (offset..offset.saturating_add(len)).step_by(4) {
            let at = (word % PAGE) as usize;
            match self.pages.get_mut((word / PAGE) as usize) {
                None | Some(Page::Empty) => {}
                Some(Page::Words(words)) => words[at / 4] = CELL,
                Some(Page::Bytes(bytes)) => bytes[at & !3..][..4].fill(CELL),
            }
        }
    }

    /// Finds the sets that no cell has.
    #[cold]
    fn collect(&mut self) {
        let mut used = vec![false; self.sets.list.len()];
        for page in &self.pages {
            let cells: &[Cell] = match page {
                Page::Empty => &[],
                Page::Words(words) => &words[..],
                Page::Bytes(bytes) => &bytes[..],
            };
            for cell in cells.iter().filter(|c| c.read.comp == MANY) {
                if let Some(used) = used.get_mut(cell.read.time as usize) {
                    *used = true;
                }
            }
        }
        self.sets.free = (0..used.len() as u32).filter(|&id| !used[id as usize]).collect();
        let kept = self.sets.list.len() - self.sets.free.len();
        self.collect_at = self.sets.list.len() + (2 * kept).max(COLLECT);
    }

    /// Checks an access against the earlier ones and records it. Calls `hit` at the first conflict of each page.
    pub fn access(&mut self, offset: u32, len: u32, access: &Access<'_>, hit: &mut dyn FnMut(Hit)) {
        if self.sets.list.len() >= self.collect_at.max(COLLECT) && self.sets.free.is_empty() {
            self.collect();
        }
        let mut memo = Memo::new(access);
        let end = offset.saturating_add(len);
        let mut at = offset;
        while at < end {
            let stop = end.min((at / PAGE + 1).saturating_mul(PAGE));
            let whole = at.is_multiple_of(4) && stop.is_multiple_of(4);
            let (cells, step, sets) = self.cells(at, stop, whole);
            let found = if access.write {
                write(cells, at, step, access, sets, &mut memo)
            } else {
                read(cells, at, step, access, sets, &mut memo)
            };
            if let Some(found) = found {
                hit(found);
            }
            at = stop;
        }
    }

    /// Accesses of several lanes at once: `count` adjacent elements of `width` bytes (a power of two up to 32 that
    /// `offset` is a multiple of). The epoch's lanes access the first; each next one is that of the lanes one higher.
    /// Only the first conflict of each page is given to `hit`.
    pub fn access_lanes(
        &mut self,
        offset: u32,
        width: u32,
        count: u32,
        access: &Access<'_>,
        hit: &mut dyn FnMut(Hit),
    ) {
        if count == 1 {
            return self.access(offset, width, access, hit);
        }
        let end = offset.saturating_add(width.saturating_mul(count));
        let mut lane_access = *access;
        let mut at = offset;
        while at < end {
            let stop = end.min((at / PAGE + 1).saturating_mul(PAGE));
            let (cells, step, sets) = self.cells(at, stop, width >= 4);
            let mut found = None;
            for cells in cells.chunks_mut((width / step) as usize) {
                let mut memo = Memo::new(&lane_access);
                let one = if access.write {
                    write(cells, at, step, &lane_access, sets, &mut memo)
                } else {
                    read(cells, at, step, &lane_access, sets, &mut memo)
                };
                if found.is_none() {
                    found = one;
                }
                lane_access.epoch.lanes <<= 1;
                at += width;
            }
            if let Some(found) = found {
                hit(found);
            }
            at = stop;
        }
    }

    /// The cells of a range within a page, the bytes of each, and the lists of readers. `whole`: words will do.
    #[inline]
    fn cells(&mut self, at: u32, stop: u32, whole: bool) -> (&mut [Cell], u32, &mut Sets) {
        let index = (at / PAGE) as usize;
        if self.pages.len() <= index {
            self.pages.resize(index + 1, Page::Empty);
        }
        let page = &mut self.pages[index];
        match page {
            Page::Empty if whole => *page = Page::Words(Box::new([CELL; PAGE as usize / 4])),
            Page::Empty => *page = Page::Bytes(Box::new([CELL; PAGE as usize])),
            Page::Words(words) if !whole => *page = Page::Bytes(split_words(words)),
            _ => {}
        }
        match page {
            Page::Words(words) => (
                &mut words[(at % PAGE / 4) as usize..((stop - 1) % PAGE / 4 + 1) as usize],
                4,
                &mut self.sets,
            ),
            Page::Bytes(bytes) => {
                (&mut bytes[(at % PAGE) as usize..=((stop - 1) % PAGE) as usize], 1, &mut self.sets)
            }
            Page::Empty => (&mut [], 1, &mut self.sets),
        }
    }
}

#[cold]
fn split_words(words: &[Cell; PAGE as usize / 4]) -> Box<[Cell; PAGE as usize]> {
    let mut bytes = Box::new([CELL; PAGE as usize]);
    for (i, b) in bytes.iter_mut().enumerate() {
        *b = words[i / 4];
    }
    bytes
}

/// What was decided last: neighbours mostly have the same history, and what was decided for one holds for the next.
struct Memo {
    /// A write that is ordered before.
    write: Epoch,
    /// A reader, or a set, and what it becomes (by a read), or that it is ordered before (for a write).
    before: Epoch,
    after: Epoch,
}

impl Memo {
    fn new(access: &Access<'_>) -> Memo {
        Memo { write: NONE, before: NONE, after: access.epoch }
    }

    /// Checks an access against the last write of a cell.
    #[inline]
    fn after_write(&mut self, access: &Access<'_>, write: &Epoch, offset: u32) -> Option<Hit> {
        if *write == self.write {
            return None;
        }
        let hit = access.after_write(write, offset);
        if hit.is_none() {
            self.write = *write;
        }
        hit
    }
}

#[inline]
fn read(
    cells: &mut [Cell],
    first: u32,
    step: u32,
    access: &Access<'_>,
    sets: &mut Sets,
    memo: &mut Memo,
) -> Option<Hit> {
    let mut found = None;
    let mut offset = first;
    for cell in cells {
        let hit = memo.after_write(access, &cell.write, offset);
        found = found.or(hit);
        if cell.read != memo.before {
            let before = cell.read;
            let after = if before.comp == Comp::NONE {
                access.epoch
            } else if before.comp == MANY {
                let readers: SmallVec<[Epoch; 8]> = SmallVec::from_slice(sets.get(before.time));
                sets.with(&readers, access)
            } else {
                sets.with(&[before], access)
            };
            (memo.before, memo.after) = (before, after);
        }
        cell.read = memo.after;
        offset += step;
    }
    found
}

/// A plain read may not hide behind an atomic one: a later atomic write races with the plain one only.
fn subsumes(access: &Access<'_>, earlier: &Epoch) -> bool {
    access.epoch.nature != Nature::Atomic || earlier.nature == Nature::Atomic
}

fn add_reader(readers: &mut SmallVec<[Epoch; 4]>, access: &Access<'_>) {
    readers.retain(|r| !(access.ordered(r) && subsumes(access, r)));
    let e = &access.epoch;
    let same =
        |r: &&mut Epoch| r.comp == e.comp && r.time == e.time && r.nature == e.nature && r.place == e.place;
    match readers.iter_mut().find(same) {
        Some(r) => r.lanes |= e.lanes,
        None => readers.push(*e),
    }
}

#[inline]
fn write(
    cells: &mut [Cell],
    first: u32,
    step: u32,
    access: &Access<'_>,
    sets: &mut Sets,
    memo: &mut Memo,
) -> Option<Hit> {
    let mut found = None;
    let mut offset = first;
    for cell in cells {
        let hit = memo.after_write(access, &cell.write, offset);
        found = found.or(hit);
        if cell.read != memo.before {
            let one = [cell.read];
            let readers: &[Epoch] = if cell.read.comp == MANY { sets.get(cell.read.time) } else { &one };
            match readers.iter().find_map(|r| access.after_read(r, offset)) {
                None => memo.before = cell.read,
                Some(hit) => found = found.or(Some(hit)),
            }
        }
        *cell = Cell { write: access.epoch, read: NONE };
        offset += step;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ALL_LANES;
    use std::sync::Arc;

    fn epoch(comp: u16, time: u32, nature: Nature) -> Epoch {
        Epoch { comp: Comp(comp), lanes: ALL_LANES, time, place: Place(u32::from(comp)), nature }
    }

    fn hits(s: &mut Shadow, range: (u32, u32), e: Epoch, k: &Knowledge, write: bool) -> Vec<Conflict> {
        let mut out = Vec::new();
        s.access(range.0, range.1, &Access { epoch: e, knowledge: k, write, apart: false }, &mut |h| {
            out.push(h.conflict)
        });
        out
    }

    #[test]
    fn conflicts_are_by_byte() {
        let k = Knowledge::default();
        let mut s = Shadow::new();
        assert!(hits(&mut s, (0, 2), epoch(0, 1, Nature::Generic), &k, true).is_empty());
        assert!(hits(&mut s, (2, 2), epoch(1, 1, Nature::Generic), &k, true).is_empty());
        assert_eq!(hits(&mut s, (1, 1), epoch(1, 1, Nature::Generic), &k, false), [Conflict::ReadAfterWrite]);
        assert!(hits(&mut s, (256, 64), epoch(0, 1, Nature::Generic), &k, false).is_empty());
        assert!(hits(&mut s, (256, 64), epoch(1, 1, Nature::Generic), &k, false).is_empty());
        let writes = hits(&mut s, (258, 1), epoch(0, 1, Nature::Generic), &k, true);
        assert_eq!(writes, [Conflict::WriteAfterRead]);
    }

    #[test]
    fn knowledge_orders() {
        let mut k = Knowledge::default();
        let mut s = Shadow::new();
        assert!(hits(&mut s, (0, 64), epoch(0, 3, Nature::Generic), &k, true).is_empty());
        Arc::make_mut(&mut k.generic).learn(Comp(0), ALL_LANES, 3);
        assert!(hits(&mut s, (0, 64), epoch(1, 1, Nature::Generic), &k, false).is_empty());
        let mut only = Vec::new();
        let e = epoch(2, 1, Nature::Async);
        s.access(0, 64, &Access { epoch: e, knowledge: &k, write: false, apart: false }, &mut |h| {
            only.push(h.only_fence)
        });
        assert_eq!(only, [true]);
    }
}
