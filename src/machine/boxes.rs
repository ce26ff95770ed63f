//! Copies of boxes through tensor maps: loads to one or several blocks, stores, reductions.
//!
//! Pieces that are contiguous in global memory are read or written as one; a box without gaps is one range of shared
//! memory. So the checks of a box of 16 KiB are some hundred, not one for each 16 bytes of a swizzle.

use crate::access::Address;
use crate::engine::Op;
use crate::hardware::{Actor, Hardware, Stop};
use crate::reduce::Combine;
use crate::tensormap::{
    CopyError, Direction, ElementType, GatherCopy, Im2colCopy, MAX_RANK, Run, TensorMap, TileCopy,
};
use smallvec::SmallVec;

/// How the coordinates name what is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxMode {
    /// A box.
    Tile,
    /// Four rows of a matrix: gather4, scatter4.
    Gather,
    /// Columns of pixels, with these offsets (as many as count).
    Im2col([u16; 3], usize),
}

/// A copy through a tensor map.
#[derive(Clone, Copy, Debug)]
pub struct BoxCopy {
    map: TensorMap,
    mode: BoxMode,
    coords: [i32; MAX_RANK],
    rank: usize,
    direction: Direction,
    bytes: u64,
}

/// At most so many bytes go in one piece.
const SPAN: u64 = 4096;

impl BoxCopy {
    /// A copy at these coordinates, from or to the shared address.
    ///
    /// # Errors
    ///
    /// See [`CopyError`].
    pub fn new(
        map: TensorMap,
        mode: BoxMode,
        direction: Direction,
        coords: &[i32],
        shared: u32,
    ) -> Result<BoxCopy, CopyError> {
        let bytes = match mode {
            BoxMode::Tile => TileCopy::new(&map, direction, coords, shared)?.complete_tx(),
            BoxMode::Gather => GatherCopy::new(&map, direction, coords, shared)?.complete_tx(),
            BoxMode::Im2col(offsets, n) => {
                let offsets = offsets.get(..n).unwrap_or(&[]);
                Im2colCopy::new(&map, direction, coords, offsets, shared)?.complete_tx()
            }
        };
        let mut all = [0; MAX_RANK];
        for (to, &from) in all.iter_mut().zip(coords) {
            *to = from;
        }
        Ok(BoxCopy { map, mode, coords: all, rank: coords.len(), direction, bytes })
    }

    /// Bytes that the copy counts at its mbarrier.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The element of the map.
    pub fn element(&self) -> ElementType {
        self.map.descriptor().element
    }

    fn extent(&self) -> u64 {
        match self.mode {
            BoxMode::Gather => 4 * self.map.shared_extent(),
            _ => self.map.shared_extent(),
        }
    }

    /// Every byte of the extent belongs to an element.
    fn dense(&self) -> bool {
        let d = self.map.descriptor();
        !d.element.has_gaps() && self.map.copied()[0] * d.element.shared_bits() / 8 == self.map.row_pitch()
    }

    fn runs(&self, shared: u32, f: impl FnMut(Run) -> Result<(), Stop>) -> Result<(), Stop> {
        let coords = self.coords.get(..self.rank).unwrap_or(&[]);
        // It was accepted before, with another address of the same alignment.
        match self.mode {
            BoxMode::Tile => match TileCopy::new(&self.map, self.direction, coords, shared) {
                Ok(copy) => copy.runs(f),
                Err(_) => Err(Stop),
            },
            BoxMode::Gather => match GatherCopy::new(&self.map, self.direction, coords, shared) {
                Ok(copy) => copy.runs(f),
                Err(_) => Err(Stop),
            },
            BoxMode::Im2col(offsets, n) => {
                let offsets = offsets.get(..n).unwrap_or(&[]);
                match Im2colCopy::new(&self.map, self.direction, coords, offsets, shared) {
                    Ok(copy) => copy.runs(f),
                    Err(_) => Err(Stop),
                }
            }
        }
    }
}

/// Pieces that follow each other in global memory, with their places in the box's bytes.
#[derive(Default)]
struct Span {
    start: u64,
    len: u64,
    pieces: SmallVec<[(usize, usize); 64]>,
}

impl Span {
    /// Whether a piece goes on where the span ends; it is taken.
    fn take(&mut self, global: u64, at: usize, len: usize) -> bool {
        let continues =
            self.len > 0 && self.start.wrapping_add(self.len) == global && self.len + len as u64 <= SPAN;
        if continues {
            self.pieces.push((at, len));
            self.len += len as u64;
        }
        continues
    }

    fn begin(&mut self, global: u64, at: usize, len: usize) {
        (self.start, self.len) = (global, len as u64);
        self.pieces.clear();
        self.pieces.push((at, len));
    }
}

/// Ranges of the box's bytes, joined where they follow each other.
#[derive(Default)]
struct Ranges(Vec<(usize, usize)>);

impl Ranges {
    fn add(&mut self, at: usize, len: usize) {
        match self.0.last_mut() {
            Some(last) if last.0 + last.1 == at => last.1 += len,
            _ => self.0.push((at, len)),
        }
    }

    fn joined(mut self) -> Vec<(usize, usize)> {
        self.0.sort_unstable();
        let mut out = Ranges::default();
        for (at, len) in self.0 {
            out.add(at, len);
        }
        out.0
    }
}

impl Hardware {
    /// Loads a box to these shared addresses: one, or one in each block of a multicast.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: global memory outside of every allocation, shared memory outside of a block's, a live
    /// barrier under the box.
    pub fn load_box(&mut self, op: &Op, copy: &BoxCopy, to: &[u32]) -> Result<(), Stop> {
        let base = to.first().map_or(0, |a| a & 0x00ff_ffff);
        let mut bytes = vec![0; copy.extent() as usize];
        let mut ranges = Ranges::default();
        let (dense, fill) = (copy.dense(), copy.map.oob_element());
        let width = ((copy.element().bits() / 8) as usize).max(1);
        let mut span = Span::default();
        copy.runs(base, |run| {
            let (at, len) = ((run.shared.wrapping_sub(base)) as usize, run.bytes as usize);
            if !dense {
                ranges.add(at, len);
            }
            match run.global {
                None if fill == [0; 8] => {}
                None => {
                    for (i, b) in bytes.iter_mut().skip(at).take(len).enumerate() {
                        *b = fill[i % width];
                    }
                }
                Some(global) => {
                    if !span.take(global, at, len) {
                        self.load_span(op, &span, &mut bytes)?;
                        span.begin(global, at, len);
                    }
                }
            }
            Ok(())
        })?;
        self.load_span(op, &span, &mut bytes)?;
        if matches!(copy.element(), ElementType::F32Ftz | ElementType::Tf32Ftz) {
            flush(&mut bytes);
        }
        if dense {
            return to.iter().try_for_each(|&to| self.write_for(op, Address::Shared(to), &bytes));
        }
        let ranges = ranges.joined();
        for &to in to {
            for &(at, len) in &ranges {
                if let Some(part) = bytes.get(at..at + len) {
                    self.write_for(op, Address::Shared(to + at as u32), part)?;
                }
            }
        }
        Ok(())
    }

    fn load_span(&mut self, op: &Op, span: &Span, bytes: &mut [u8]) -> Result<(), Stop> {
        let from = Address::Global(span.start);
        match span.pieces[..] {
            [] => Ok(()),
            [(at, len)] => match bytes.get_mut(at..at + len) {
                // One long piece, or a part of it: no copy between.
                Some(to) => self.read_for(op, from, to),
                None => Err(Stop),
            },
            _ => {
                let mut buffer = [0; SPAN as usize];
                let buffer = &mut buffer[..span.len as usize];
                self.read_for(op, from, buffer)?;
                let mut done = 0;
                for &(at, len) in &span.pieces {
                    if let Some(to) = bytes.get_mut(at..at + len) {
                        to.copy_from_slice(&buffer[done..done + len]);
                    }
                    done += len;
                }
                Ok(())
            }
        }
    }

    /// Stores a box from a shared address; with `combine`, as a reduction.
    ///
    /// # Errors
    ///
    /// As [`Hardware::load_box`].
    pub fn store_box(
        &mut self,
        op: &Op,
        copy: &BoxCopy,
        from: u32,
        combine: Option<Combine>,
    ) -> Result<(), Stop> {
        let mut bytes = vec![0; copy.extent() as usize];
        let actor = Actor { agent: op.agent, lanes: op.lanes, place: op.place };
        self.get(actor, op.what, Address::Shared(from), &mut bytes)?;
        if matches!(copy.element(), ElementType::F32Ftz | ElementType::Tf32Ftz) {
            flush(&mut bytes);
        }
        let mut ranges = Ranges::default();
        let mut covered = 0;
        copy.runs(from, |run| {
            if run.global.is_some() {
                covered += u64::from(run.bytes);
                ranges.add(run.shared.wrapping_sub(from) as usize, run.bytes as usize);
            }
            Ok(())
        })?;
        if covered == copy.extent() {
            self.note_read(op, Address::Shared(from), covered)?;
        } else {
            for (at, len) in ranges.joined() {
                self.note_read(op, Address::Shared(from + at as u32), len as u64)?;
            }
        }
        let width = (copy.element().bits() / 8).clamp(1, 8);
        let mut span = Span::default();
        copy.runs(from, |run| {
            let (at, len) = (run.shared.wrapping_sub(from) as usize, run.bytes as usize);
            let Some(global) = run.global else { return Ok(()) };
            if !span.take(global, at, len) {
                self.store_span(op, &span, &bytes, width, combine)?;
                span.begin(global, at, len);
            }
            Ok(())
        })?;
        self.store_span(op, &span, &bytes, width, combine)
    }

    fn store_span(
        &mut self,
        op: &Op,
        span: &Span,
        bytes: &[u8],
        width: u32,
        combine: Option<Combine>,
    ) -> Result<(), Stop> {
        let to = Address::Global(span.start);
        let mut gathered: SmallVec<[u8; 256]> = SmallVec::new();
        let data: &[u8] = match span.pieces[..] {
            [] => return Ok(()),
            [(at, len)] => bytes.get(at..at + len).unwrap_or(&[]),
            _ => {
                for &(at, len) in &span.pieces {
                    gathered.extend_from_slice(bytes.get(at..at + len).unwrap_or(&[]));
                }
                &gathered
            }
        };
        match combine {
            None => self.write_for(op, to, data),
            Some(combine) => self.reduce_for(op, to, data, width, combine),
        }
    }
}

/// Denormals of f32 become zeros of their sign.
fn flush(bytes: &mut [u8]) {
    for word in bytes.chunks_exact_mut(4) {
        let bits = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        if bits & 0x7f80_0000 == 0 {
            word.copy_from_slice(&(bits & 0x8000_0000).to_le_bytes());
        }
    }
}
