//! Copies of columns of pixels (`cp.async.bulk.tensor...im2col`, PTX ISA 5.5.4).
//!
//! A copy visits `pixels` base pixels from its coordinates on, in the order W, H, D, N, wrapping within the bounding box:
//! in each spatial dimension from the lower corner to the last pixel plus the upper corner, in steps of the element
//! stride. Each base pixel plus the offsets of the instruction is the pixel copied.

use super::traverse::{Rows, check};
use super::{CopyError, Direction, MAX_RANK, Mode, Run, TensorMap};

/// A copy of one column of pixels.
#[derive(Debug, Clone, Copy)]
pub struct Im2colCopy<'a> {
    map: &'a TensorMap,
    coords: [i32; MAX_RANK],
    offsets: [i32; 3],
    shared: u32,
}

impl<'a> Im2colCopy<'a> {
    /// The copy from coordinates `coords` (C, W, H, D, N of the rank) with offsets `offsets` (W, H, D; `rank - 2` of them,
    /// or none for `im2col_no_offs`).
    ///
    /// # Errors
    /// See [`CopyError`].
    pub fn new(
        map: &'a TensorMap,
        direction: Direction,
        coords: &[i32],
        offsets: &[u16],
        shared: u32,
    ) -> Result<Self, CopyError> {
        if !matches!(map.descriptor().mode, Mode::Im2col { .. }) {
            return Err(CopyError::Mode { wanted: "the copy is im2col", found: "tiled" });
        }
        check(map, direction, coords, map.rank(), shared)?;
        if !offsets.is_empty() && offsets.len() != map.rank() - 2 {
            return Err(CopyError::Coordinates { found: offsets.len() + 2, rank: map.rank() });
        }
        let mut at = [0; MAX_RANK];
        at[..coords.len()].copy_from_slice(coords);
        let mut by = [0; 3];
        for (to, &from) in by.iter_mut().zip(offsets) {
            *to = i32::from(from);
        }
        Ok(Self { map, coords: at, offsets: by, shared })
    }

    /// Bytes that the copy counts at its mbarrier.
    pub fn complete_tx(&self) -> u64 {
        self.map.box_bytes()
    }

    /// Calls `f` with each run, pixel by pixel.
    ///
    /// # Errors
    /// The first error of `f`.
    pub fn runs<E>(&self, f: impl FnMut(Run) -> Result<(), E>) -> Result<(), E> {
        let d = self.map.descriptor();
        let Mode::Im2col { lower, upper, pixels, .. } = &d.mode else {
            return Ok(());
        };
        let spatial = self.map.rank() - 2;
        let mut rows = Rows::new(self.map, self.coords[0], f);
        let mut base: [i64; MAX_RANK] = self.coords.map(i64::from);
        let mut shared = self.shared;
        for _ in 0..*pixels {
            let mut at = base;
            for (at, &offset) in at[1..=spatial].iter_mut().zip(&self.offsets) {
                *at += i64::from(offset);
            }
            let global = self.map.row_address(&at);
            rows.row(global, shared)?;
            shared = shared.wrapping_add(self.map.row_pitch());
            let mut i = 1;
            loop {
                if i > spatial {
                    base[i] += i64::from(d.element_stride[i]);
                    break;
                }
                base[i] += i64::from(d.element_stride[i]);
                if base[i] < d.global_dim[i] as i64 + i64::from(upper[i - 1]) {
                    break;
                }
                base[i] = i64::from(lower[i - 1]);
                i += 1;
            }
        }
        rows.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Descriptor, ElementType, Swizzle};
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn three_by_three_filter_with_padding_one() {
        // NHWC 2 x 3 x 4 x 8 halfs; filter 3 x 3, padding 1: base pixels run from -1 to W - 1 - 1.
        let mut d = Descriptor::tiled(
            ElementType::F16,
            0,
            &[8, 4, 3, 2],
            &[16, 64, 192],
            &[8, 1, 1, 1],
            Swizzle::None,
        )
        .unwrap();
        d.mode = Mode::Im2col { lower: [-1, -1, 0], upper: [-1, -1, 0], channels: 8, pixels: 6 };
        let map = TensorMap::new(d).unwrap();
        // Filter tap (1, 1), from the second row of outputs' last pixel on.
        let copy = Im2colCopy::new(&map, Direction::Load, &[0, 2, 0, 0], &[1, 1], 0).unwrap();
        assert_eq!(copy.complete_tx(), 96);
        let mut out = Vec::new();
        let done: Result<(), Infallible> = copy.runs(|r| {
            for i in (0..r.bytes).step_by(16) {
                out.push(r.global.map(|g| (g + u64::from(i)) / 16));
            }
            Ok(())
        });
        assert!(done.is_ok());
        // (w 3, h 1), then (0, 2) .. (3, 2), then the next image's (0, 0).
        assert_eq!(out, [Some(7), Some(8), Some(9), Some(10), Some(11), Some(12)]);
        // Tap (0, 0) reads the padding.
        let copy = Im2colCopy::new(&map, Direction::Load, &[0, -1, -1, 0], &[0, 0], 0).unwrap();
        let mut oob = 0;
        let done: Result<(), Infallible> = copy.runs(|r| {
            oob += if r.global.is_none() { r.bytes / 16 } else { 0 };
            Ok(())
        });
        assert!(done.is_ok());
        // Row -1 (4 pixels), then (-1, 0).
        assert_eq!(oob, 5);
    }
}
