//! Which bytes a tensor copy moves, as runs that are contiguous in both memories.
//!
//! Out of bounds is decided per element, in any dimension, negative coordinates too (PTX ISA 5.5.2). Loads fill those
//! elements, stores and reductions leave them out; the whole box always counts at the mbarrier.

use super::{ElementType, Interleave, Mode, Swizzle, TensorMap};

/// The way of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Global to shared memory.
    Load,
    /// Shared to global memory, with or without a reduction.
    Store,
}

/// Why a copy through a valid map is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// A number of coordinates other than the rank.
    #[error("the copy has {found} coordinates, but its tensor map has rank {rank}; use the .{rank}d form")]
    Coordinates {
        /// Coordinates given.
        found: usize,
        /// Rank of the map.
        rank: usize,
    },
    /// A shared address that is not aligned.
    #[error(
        "the shared address {address:#x} of a tensor copy is not a multiple of 128{}; align the buffer",
        if *.period > 128 { format!(" (of {period}, for the swizzle to begin a new pattern)") } else { String::new() }
    )]
    SharedAlignment {
        /// The address.
        address: u32,
        /// Bytes after which the swizzle repeats.
        period: u32,
    },
    /// Im2col through a tiled map, or the other way round.
    #[error(
        "{wanted}, but the tensor map is {found}; encode the other kind of map, or use the other form of the copy"
    )]
    Mode {
        /// What the copy wants.
        wanted: &'static str,
        /// What the map is.
        found: &'static str,
    },
    /// An innermost coordinate within a group of packed values.
    #[error("the first coordinate is {found}; type {element:?} needs a multiple of {wanted}")]
    PackedCoordinate {
        /// The type.
        element: ElementType,
        /// The coordinate.
        found: i32,
        /// The multiple.
        wanted: i32,
    },
    /// A type or swizzle that goes one way only.
    #[error("type {element:?} with swizzle {swizzle:?} cannot be {}", if *.direction == Direction::Load { "loaded" } else { "stored" })]
    OneWay {
        /// The type.
        element: ElementType,
        /// The swizzle.
        swizzle: Swizzle,
        /// The way of the copy.
        direction: Direction,
    },
    /// A box that gather4 and scatter4 do not take.
    #[error(
        "gather4 and scatter4 need a map of rank 2 with a box of one row, found rank {rank} and {rows} rows"
    )]
    Gather {
        /// Rank of the map.
        rank: usize,
        /// Rows of the box.
        rows: u32,
    },
    /// An interleaved layout: how its slices lie in memory is not documented well enough to model.
    #[error("copies of interleaved layouts are not modelled; use a map without interleaving")]
    Interleaved,
}

/// Bytes that are contiguous in global and in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Address in global memory; `None` out of bounds, where a load writes [`TensorMap::oob_element`] repeatedly.
    pub global: Option<u64>,
    /// Address in shared memory, after swizzling.
    pub shared: u32,
    /// Length in bytes.
    pub bytes: u32,
}

/// Checks that every copy through a map shares.
pub(super) fn check(
    map: &TensorMap,
    direction: Direction,
    coords: &[i32],
    wanted_coords: usize,
    shared: u32,
) -> Result<(), CopyError> {
    let d = map.descriptor();
    if coords.len() != wanted_coords {
        return Err(CopyError::Coordinates { found: coords.len(), rank: map.rank() });
    }
    if d.interleave != Interleave::None {
        return Err(CopyError::Interleaved);
    }
    if !shared.is_multiple_of(128) {
        return Err(CopyError::SharedAlignment { address: shared, period: map.swizzle().period() });
    }
    let wanted = match d.element {
        ElementType::U4x16Align8 => 2,
        ElementType::U4x16Align16 | ElementType::U6x16Align16 => 128,
        _ => 1,
    };
    if coords[0] % wanted != 0 {
        return Err(CopyError::PackedCoordinate { element: d.element, found: coords[0], wanted });
    }
    let one_way = match (d.element, map.swizzle()) {
        (ElementType::U4x16Align16, _) => direction == Direction::Store,
        (ElementType::U6x16Align16, Swizzle::B128Atom64) => direction == Direction::Load,
        _ => false,
    };
    if one_way {
        return Err(CopyError::OneWay { element: d.element, swizzle: map.swizzle(), direction });
    }
    Ok(())
}

impl TensorMap {
    /// Address of the element with innermost coordinate 0 and these other coordinates, if they are inside.
    pub(super) fn row_address(&self, at: &[i64; super::MAX_RANK]) -> Option<u64> {
        let d = self.descriptor();
        let mut address = d.global_address;
        for ((&at, &dim), &stride) in at[1..self.rank()].iter().zip(&d.global_dim[1..]).zip(&d.global_stride)
        {
            if at < 0 || at as u64 >= dim {
                return None;
            }
            address = address.wrapping_add((at as u64).wrapping_mul(stride));
        }
        Some(address)
    }
}

/// Hands out the runs of rows, joining those that continue each other.
pub(super) struct Rows<'a, F> {
    map: &'a TensorMap,
    f: F,
    pending: Option<Run>,
    /// In-bounds elements of every row.
    low: u32,
    high: u32,
    elements: u32,
    /// Global offset of the first element of a row from that of coordinate 0, in bytes.
    inner_offset: i64,
}

impl<'a, E, F: FnMut(Run) -> Result<(), E>> Rows<'a, F> {
    pub(super) fn new(map: &'a TensorMap, first: i32, f: F) -> Self {
        let d = map.descriptor();
        let elements = map.copied()[0];
        let first = i64::from(first);
        let n = i64::from(elements);
        let low = (-first).clamp(0, n);
        let high = (d.global_dim[0] as i64 - first).clamp(low, n);
        let inner_offset = first * i64::from(d.element.bits()) / 8;
        Self { map, f, pending: None, low: low as u32, high: high as u32, elements, inner_offset }
    }

    /// One inner row. `global`: the address of the element of the row with innermost coordinate 0, if the row is inside.
    pub(super) fn row(&mut self, global: Option<u64>, shared: u32) -> Result<(), E> {
        let element = self.map.descriptor().element;
        if element.has_gaps() {
            return self.row_with_gaps(global, shared);
        }
        let bytes = |n: u32| n * element.bits() / 8;
        let (low, high, end) = (bytes(self.low), bytes(self.high), bytes(self.elements));
        match global {
            None => self.piece(None, shared, 0, end),
            Some(row) => {
                let first = row.wrapping_add_signed(self.inner_offset);
                self.piece(None, shared, 0, low)?;
                self.piece(Some(first), shared, low, high)?;
                self.piece(None, shared, high, end)
            }
        }
    }

    /// Bytes `from..to` of a row whose first byte is at `first` and linear address `shared`.
    fn piece(&mut self, first: Option<u64>, shared: u32, from: u32, to: u32) -> Result<(), E> {
        let swizzle = self.map.swizzle();
        let chunk = swizzle.chunk();
        let mut at = from;
        while at < to {
            let linear = shared.wrapping_add(at);
            let bytes = if chunk == u32::MAX { to - at } else { (to - at).min(chunk - linear % chunk) };
            let global = first.map(|g| g.wrapping_add(u64::from(at)));
            self.push(Run { global, shared: swizzle.apply(linear), bytes })?;
            at += bytes;
        }
        Ok(())
    }

    /// A row of groups of 16 packed values, which take 16 bytes each in shared memory.
    fn row_with_gaps(&mut self, global: Option<u64>, shared: u32) -> Result<(), E> {
        let packed = 2 * self.map.descriptor().element.bits();
        for group in 0..self.elements / 16 {
            let inside = (self.low..self.high).contains(&(group * 16));
            let global = global.filter(|_| inside).map(|row| {
                row.wrapping_add_signed(self.inner_offset).wrapping_add(u64::from(group * packed))
            });
            let shared = self.map.swizzle().apply(shared.wrapping_add(group * 16));
            self.push(Run { global, shared, bytes: packed })?;
        }
        Ok(())
    }

    fn push(&mut self, run: Run) -> Result<(), E> {
        if let Some(last) = &mut self.pending {
            let joins = last.shared.wrapping_add(last.bytes) == run.shared
                && match (last.global, run.global) {
                    (None, None) => true,
                    (Some(a), Some(b)) => a.wrapping_add(u64::from(last.bytes)) == b,
                    _ => false,
                };
            if joins {
                last.bytes += run.bytes;
                return Ok(());
            }
            let done = *last;
            *last = run;
            return (self.f)(done);
        }
        self.pending = Some(run);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), E> {
        match self.pending.take() {
            Some(run) => (self.f)(run),
            None => Ok(()),
        }
    }
}

/// A copy of one box (`cp.async.bulk.tensor...tile`, `cp.reduce.async.bulk.tensor`).
#[derive(Debug, Clone, Copy)]
pub struct TileCopy<'a> {
    map: &'a TensorMap,
    coords: [i32; super::MAX_RANK],
    shared: u32,
}

impl<'a> TileCopy<'a> {
    /// The copy of the box at `coords` (innermost first) from or to shared address `shared`.
    ///
    /// # Errors
    /// See [`CopyError`].
    pub fn new(
        map: &'a TensorMap,
        direction: Direction,
        coords: &[i32],
        shared: u32,
    ) -> Result<Self, CopyError> {
        if !matches!(map.descriptor().mode, Mode::Tiled { .. }) {
            return Err(CopyError::Mode { wanted: "the copy is tiled", found: "im2col" });
        }
        check(map, direction, coords, map.rank(), shared)?;
        let mut at = [0; super::MAX_RANK];
        at[..coords.len()].copy_from_slice(coords);
        Ok(Self { map, coords: at, shared })
    }

    /// Bytes that the copy counts at its mbarrier.
    pub fn complete_tx(&self) -> u64 {
        self.map.box_bytes()
    }

    /// Calls `f` with each run, in the order of the box, the innermost dimension first.
    ///
    /// # Errors
    /// The first error of `f`.
    pub fn runs<E>(&self, f: impl FnMut(Run) -> Result<(), E>) -> Result<(), E> {
        let d = self.map.descriptor();
        let copied = self.map.copied();
        let pitch = self.map.row_pitch();
        let mut rows = Rows::new(self.map, self.coords[0], f);
        let mut shared = self.shared;
        let mut index = [0u32; super::MAX_RANK];
        loop {
            let at = std::array::from_fn(|i| {
                i64::from(self.coords[i]) + i64::from(index[i]) * i64::from(d.element_stride[i])
            });
            let global = self.map.row_address(&at);
            rows.row(global, shared)?;
            shared = shared.wrapping_add(pitch);
            let mut i = 1;
            loop {
                if i >= self.map.rank() {
                    return rows.finish();
                }
                index[i] += 1;
                if index[i] < copied[i] {
                    break;
                }
                index[i] = 0;
                i += 1;
            }
        }
    }
}

/// A copy of four rows of a matrix (`cp.async.bulk.tensor.2d.tile::gather4` and `tile::scatter4`, sm_100 on; PTX ISA 5.5.3).
#[derive(Debug, Clone, Copy)]
pub struct GatherCopy<'a> {
    map: &'a TensorMap,
    column: i32,
    rows: [i32; 4],
    shared: u32,
}

impl<'a> GatherCopy<'a> {
    /// The copy at `coords`, the column and then four rows, which lie one after the other in shared memory.
    ///
    /// # Errors
    /// See [`CopyError`].
    pub fn new(
        map: &'a TensorMap,
        direction: Direction,
        coords: &[i32],
        shared: u32,
    ) -> Result<Self, CopyError> {
        if !matches!(map.descriptor().mode, Mode::Tiled { .. }) {
            return Err(CopyError::Mode { wanted: "the copy is tiled", found: "im2col" });
        }
        let &[column, a, b, c, d] = coords else {
            return Err(CopyError::Coordinates { found: coords.len(), rank: 5 });
        };
        check(map, direction, coords, 5, shared)?;
        let rows = map.copied()[1];
        if map.rank() != 2 || rows != 1 {
            return Err(CopyError::Gather { rank: map.rank(), rows });
        }
        Ok(Self { map, column, rows: [a, b, c, d], shared })
    }

    /// Bytes that the copy counts at its mbarrier.
    pub fn complete_tx(&self) -> u64 {
        4 * self.map.box_bytes()
    }

    /// Calls `f` with each run.
    ///
    /// # Errors
    /// The first error of `f`.
    pub fn runs<E>(&self, f: impl FnMut(Run) -> Result<(), E>) -> Result<(), E> {
        let mut rows = Rows::new(self.map, self.column, f);
        let mut shared = self.shared;
        for row in self.rows {
            rows.row(self.map.row_address(&[0, i64::from(row), 0, 0, 0]), shared)?;
            shared = shared.wrapping_add(self.map.row_pitch());
        }
        rows.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Descriptor, TensorMap};
    use super::*;
    use std::convert::Infallible;

    fn runs(copy: &TileCopy<'_>) -> Vec<(Option<u64>, u32, u32)> {
        let mut out = Vec::new();
        let done: Result<(), Infallible> = copy.runs(|r| {
            out.push((r.global, r.shared, r.bytes));
            Ok(())
        });
        assert!(done.is_ok());
        out
    }

    fn map(
        element: ElementType,
        dims: &[u64],
        strides: &[u64],
        boxes: &[u32],
        swizzle: Swizzle,
    ) -> TensorMap {
        TensorMap::new(Descriptor::tiled(element, 4096, dims, strides, boxes, swizzle).unwrap()).unwrap()
    }

    #[test]
    fn rows_join_when_contiguous() {
        let m = map(ElementType::F32, &[32, 16], &[128], &[32, 4], Swizzle::None);
        let copy = TileCopy::new(&m, Direction::Load, &[0, 2], 256).unwrap();
        assert_eq!(runs(&copy), [(Some(4096 + 256), 256, 512)]);
        let m = map(ElementType::F32, &[64, 16], &[256], &[32, 2], Swizzle::None);
        let copy = TileCopy::new(&m, Direction::Load, &[32, 3], 0).unwrap();
        assert_eq!(
            runs(&copy),
            [(Some(4096 + 3 * 256 + 128), 0, 128), (Some(4096 + 4 * 256 + 128), 128, 128)]
        );
    }

    #[test]
    fn out_of_bounds_on_every_side() {
        let m = map(ElementType::F16, &[10, 3], &[32], &[8, 4], Swizzle::None);
        let copy = TileCopy::new(&m, Direction::Load, &[-3, -1], 0).unwrap();
        assert_eq!(copy.complete_tx(), 64);
        assert_eq!(
            runs(&copy),
            [
                (None, 0, 16 + 6),
                (Some(4096), 22, 10),
                (None, 32, 6),
                (Some(4096 + 32), 38, 10),
                (None, 48, 6),
                (Some(4096 + 64), 54, 10)
            ]
        );
        let copy = TileCopy::new(&m, Direction::Load, &[8, 2], 0).unwrap();
        assert_eq!(runs(&copy), [(Some(4096 + 64 + 16), 0, 4), (None, 4, 60)]);
        let copy = TileCopy::new(&m, Direction::Load, &[i32::MAX, i32::MIN], 0).unwrap();
        assert_eq!(runs(&copy), [(None, 0, 64)]);
    }

    #[test]
    fn swizzled_chunks() {
        let m = map(ElementType::F16, &[64, 64], &[128], &[64, 2], Swizzle::B128);
        // Base at row 1 of the pattern.
        let copy = TileCopy::new(&m, Direction::Load, &[0, 0], 128).unwrap();
        let all = runs(&copy);
        assert_eq!(all[0], (Some(4096), 128 + 16, 16));
        assert_eq!(all[1], (Some(4096 + 16), 128, 16));
        assert_eq!(all.iter().map(|r| r.2).sum::<u32>(), 256);
        // Row at 256: chunk i at i ^ 2, so pairs stay together.
        assert!(all.contains(&(Some(4096 + 128), 256 + 32, 32)), "{all:?}");
    }

    #[test]
    fn narrow_rows_are_padded_to_the_swizzle() {
        let m = map(ElementType::F16, &[64, 64], &[128], &[16, 2], Swizzle::B128);
        assert_eq!((m.row_pitch(), m.box_bytes(), m.shared_extent()), (128, 64, 256));
        let copy = TileCopy::new(&m, Direction::Load, &[0, 0], 0).unwrap();
        assert_eq!(
            runs(&copy),
            [(Some(4096), 0, 32), (Some(4096 + 128), 128 + 16, 16), (Some(4096 + 144), 128, 16)]
        );
    }

    #[test]
    fn element_strides_skip() {
        let mut d = Descriptor::tiled(ElementType::F32, 0, &[4, 100], &[16], &[4, 5], Swizzle::None).unwrap();
        d.element_stride[1] = 2;
        let m = TensorMap::new(d).unwrap();
        assert_eq!(m.copied()[1], 3);
        let copy = TileCopy::new(&m, Direction::Load, &[0, 96], 0).unwrap();
        assert_eq!(runs(&copy), [(Some(96 * 16), 0, 16), (Some(98 * 16), 16, 16), (None, 32, 16)]);
    }

    #[test]
    fn packed_values_have_gaps() {
        let m = map(ElementType::U4x16Align16, &[256, 2], &[128], &[128, 1], Swizzle::None);
        assert_eq!((m.box_bytes(), m.row_pitch()), (64, 128));
        let copy = TileCopy::new(&m, Direction::Load, &[128, 1], 0).unwrap();
        let all = runs(&copy);
        assert_eq!(all.len(), 8);
        assert_eq!(all[1], (Some(4096 + 128 + 64 + 8), 16, 8));
        assert!(matches!(
            TileCopy::new(&m, Direction::Load, &[64, 0], 0),
            Err(CopyError::PackedCoordinate { wanted: 128, .. })
        ));
        assert!(matches!(TileCopy::new(&m, Direction::Store, &[0, 0], 0), Err(CopyError::OneWay { .. })));
    }

    #[test]
    fn gathers_four_rows() {
        let m = map(ElementType::F32, &[64, 10], &[256], &[4, 1], Swizzle::None);
        let copy = GatherCopy::new(&m, Direction::Load, &[4, 7, 0, 10, 1], 0).unwrap();
        let mut out = Vec::new();
        let done: Result<(), Infallible> = copy.runs(|r| {
            out.push((r.global, r.shared));
            Ok(())
        });
        assert!(done.is_ok());
        assert_eq!(
            out,
            [(Some(4096 + 7 * 256 + 16), 0), (Some(4096 + 16), 16), (None, 32), (Some(4096 + 256 + 16), 48)]
        );
        assert_eq!(copy.complete_tx(), 64);
    }

    #[test]
    fn refusals() {
        let m = map(ElementType::F16, &[64, 64], &[128], &[64, 2], Swizzle::B128);
        assert!(matches!(TileCopy::new(&m, Direction::Load, &[0], 0), Err(CopyError::Coordinates { .. })));
        let e = TileCopy::new(&m, Direction::Load, &[0, 0], 64).unwrap_err();
        assert!(e.to_string().contains("0x40") && e.to_string().contains("1024"), "{e}");
    }
}
