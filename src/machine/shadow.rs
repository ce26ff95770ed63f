//! Who touched a byte last: the state by which races are found (FastTrack, Flanagan and Freund 2009, with the
//! readers of a byte kept apart while they are unordered).
//!
//! A page covers 128 bytes, by words of 4 bytes until somebody touches a part of a word, and by bytes from then on.
//! Two accesses conflict when they share a byte and one writes; two atomic accesses do not.

use crate::clock::Comp;
use crate::finding::Place;
use crate::order::Knowledge;
use rustc_hash::FxHashMap;

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
/// In place of a reader: the readers are several and stand in `Shadow::many`.
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

/// The shadow of a memory of up to 4 GiB.
#[derive(Debug, Default)]
pub struct Shadow {
    pages: Vec<Page>,
    /// Readers of a cell that are several, by the offset of the cell's first byte.
    many: FxHashMap<u32, Vec<Epoch>>,
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
        self.many.retain(|&at, _| at < offset || at >= offset.saturating_add(len));
    }

    /// Checks an access against the earlier ones and records it. Calls `hit` at the first conflict of each page.
    pub fn access(&mut self, offset: u32, len: u32, access: &Access<'_>, hit: &mut dyn FnMut(Hit)) {
        let end = offset.saturating_add(len);
        let mut at = offset;
        while at < end {
            let stop = end.min((at / PAGE + 1).saturating_mul(PAGE));
            let whole = at.is_multiple_of(4) && stop.is_multiple_of(4);
            let (cells, step, many) = self.cells(at, stop, whole);
            let found = if access.write {
                write(cells, at, step, access, many)
            } else {
                read(cells, at, step, access, many)
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
            let (cells, step, many) = self.cells(at, stop, width >= 4);
            let mut found = None;
            for cells in cells.chunks_mut((width / step) as usize) {
                let one = if access.write {
                    write(cells, at, step, &lane_access, many)
                } else {
                    read(cells, at, step, &lane_access, many)
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
    fn cells(
        &mut self,
        at: u32,
        stop: u32,
        whole: bool,
    ) -> (&mut [Cell], u32, &mut FxHashMap<u32, Vec<Epoch>>) {
        let index = (at / PAGE) as usize;
        if self.pages.len() <= index {
            self.pages.resize(index + 1, Page::Empty);
        }
        let page = &mut self.pages[index];
        match page {
            Page::Empty if whole => *page = Page::Words(Box::new([CELL; PAGE as usize / 4])),
            Page::Empty => *page = Page::Bytes(Box::new([CELL; PAGE as usize])),
            Page::Words(words) if !whole => *page = Page::Bytes(split_words(words, at, &mut self.many)),
            _ => {}
        }
        match page {
            Page::Words(words) => (
                &mut words[(at % PAGE / 4) as usize..((stop - 1) % PAGE / 4 + 1) as usize],
                4,
                &mut self.many,
            ),
            Page::Bytes(bytes) => {
                (&mut bytes[(at % PAGE) as usize..=((stop - 1) % PAGE) as usize], 1, &mut self.many)
            }
            Page::Empty => (&mut [], 1, &mut self.many),
        }
    }
}

#[cold]
fn split_words(
    words: &[Cell; PAGE as usize / 4],
    at: u32,
    many: &mut FxHashMap<u32, Vec<Epoch>>,
) -> Box<[Cell; PAGE as usize]> {
    let mut bytes = Box::new([CELL; PAGE as usize]);
    for (i, b) in bytes.iter_mut().enumerate() {
        *b = words[i / 4];
        if b.read.comp == MANY && i % 4 != 0 {
            let base = at / PAGE * PAGE + i as u32;
            if let Some(readers) = many.get(&(base & !3)).cloned() {
                many.insert(base, readers);
            }
        }
    }
    bytes
}

#[inline]
fn read(
    cells: &mut [Cell],
    first: u32,
    step: u32,
    access: &Access<'_>,
    many: &mut FxHashMap<u32, Vec<Epoch>>,
) -> Option<Hit> {
    let mut found = None;
    // Neighbours mostly have the same history: what was just decided holds for them.
    let (mut fine_write, mut fine_read) = (NONE, access.epoch);
    let mut offset = first;
    for cell in cells {
        if cell.write != fine_write {
            match access.after_write(&cell.write, offset) {
                None => fine_write = cell.write,
                Some(hit) => found = found.or(Some(hit)),
            }
        }
        if cell.read == fine_read || cell.read.comp == Comp::NONE {
            cell.read = access.epoch;
        } else if cell.read.comp == MANY {
            let readers = many.entry(offset).or_default();
            add_reader(readers, access);
            if let [one] = readers[..] {
                cell.read = one;
                many.remove(&offset);
            }
        } else if access.ordered(&cell.read) && subsumes(access, &cell.read) {
            fine_read = cell.read;
            cell.read = access.epoch;
        } else {
            let mut readers = vec![cell.read];
            add_reader(&mut readers, access);
            if let [one] = readers[..] {
                cell.read = one;
            } else {
                cell.read.comp = MANY;
                many.insert(offset, readers);
            }
        }
        offset += step;
    }
    found
}

/// A plain read may not hide behind an atomic one: a later atomic write races with the plain one only.
fn subsumes(access: &Access<'_>, earlier: &Epoch) -> bool {
    access.epoch.nature != Nature::Atomic || earlier.nature == Nature::Atomic
}

fn add_reader(readers: &mut Vec<Epoch>, access: &Access<'_>) {
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
    many: &mut FxHashMap<u32, Vec<Epoch>>,
) -> Option<Hit> {
    let mut found = None;
    let (mut fine_write, mut fine_read) = (NONE, NONE);
    let mut offset = first;
    for cell in cells {
        if cell.write != fine_write {
            match access.after_write(&cell.write, offset) {
                None => fine_write = cell.write,
                Some(hit) => found = found.or(Some(hit)),
            }
        }
        if cell.read != fine_read {
            if cell.read.comp == MANY {
                for r in many.remove(&offset).unwrap_or_default() {
                    found = found.or(access.after_read(&r, offset));
                }
            } else if cell.read.comp != Comp::NONE {
                match access.after_read(&cell.read, offset) {
                    None => fine_read = cell.read,
                    Some(hit) => found = found.or(Some(hit)),
                }
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
