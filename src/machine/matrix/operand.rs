//! The canonical layouts of operands in shared memory, by chunks of 16 bytes.
//!
//! With T elements in 16 bytes and W chunks in the swizzle's span, in units of chunks (PTX ISA 9.7.15.5.1 and 9.7.16.5; CUTLASS
//! writes the same as CuTe layouts above make_gmma_desc and make_umma_desc):
//!
//! - K-major, no swizzle: row r, chunk c at `(r % 8) + (r / 8) * stride + c * leading`.
//! - K-major, swizzled: `(r % 8) * W + (r / 8) * stride + c`; the leading offset does not count.
//! - MN-major, no swizzle: chunk c of row k at `(k % 8) + (k / 8) * leading + c * stride`.
//! - MN-major, swizzled: `c % W + (c / W) * leading + (k % 8) * W + (k / 8) * stride`; with atoms of 32 B, 4 for 8.
//!
//! The swizzle is then applied to the address, start included, so that adding to the start address moves within a pattern.

use super::{DescriptorError, SmemMatrix};
use crate::tensormap::Swizzle;

/// Which dimension of an operand is contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Major {
    /// The dimension summed over.
    K,
    /// M of A or N of B ("transposed").
    Mn,
}

/// Sixteen bytes of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Shared address of the chunk within the window of descriptors.
    pub address: u32,
    /// M or N of the first element.
    pub mn: u32,
    /// K of the first element; the others follow along the contiguous dimension.
    pub k: u32,
}

/// An operand in shared memory.
#[derive(Debug, Clone, Copy)]
pub struct Operand {
    matrix: SmemMatrix,
    major: Major,
    /// log2 of the elements of a chunk.
    chunk_log2: u32,
    /// Bytes from one line (row, or K of MN-major) to the next within a group.
    line: u32,
    /// Lines of a group, and bytes from one group to the next.
    group: u32,
    group_bytes: u32,
    /// Chunks of a span, bytes from one chunk to the next within, and from one span to the next.
    span: u32,
    chunk_bytes: u32,
    span_bytes: u32,
}

impl Operand {
    /// The operand behind a descriptor. `chunk_elements`: elements of 16 bytes, a power of two (8 for f16; 16 for 8-bit types
    /// and for the 4- and 6-bit types of kind f8f6f4, which are padded to 16 bytes; 32 for packed 4-bit types).
    ///
    /// # Errors
    /// [`DescriptorError::KMajorAtom32`].
    pub fn new(matrix: SmemMatrix, major: Major, chunk_elements: u32) -> Result<Self, DescriptorError> {
        let swizzled = matrix.swizzle != Swizzle::None;
        let width = matrix.swizzle.span();
        let chunk_log2 = chunk_elements.max(1).ilog2();
        let base = Self {
            matrix,
            major,
            chunk_log2,
            line: if swizzled { width } else { 16 },
            group: if matrix.swizzle == Swizzle::B128Atom32 { 4 } else { 8 },
            group_bytes: matrix.stride,
            span: 1,
            chunk_bytes: 0,
            span_bytes: 16,
        };
        Ok(match (major, swizzled) {
            (Major::K, _) if matrix.swizzle == Swizzle::B128Atom32 => {
                return Err(DescriptorError::KMajorAtom32);
            }
            (Major::K, true) => base,
            (Major::K, false) => Self { span_bytes: matrix.leading, ..base },
            (Major::Mn, true) => {
                Self { span: width / 16, chunk_bytes: 16, span_bytes: matrix.leading, ..base }
            }
            (Major::Mn, false) => Self { group_bytes: matrix.leading, span_bytes: matrix.stride, ..base },
        })
    }

    /// Address of chunk `chunk` of line `line`: lines are rows of a K-major operand, values of K of an MN-major one.
    #[inline]
    pub fn chunk_address(&self, line: u32, chunk: u32) -> u32 {
        let linear = self
            .matrix
            .start
            .wrapping_add((line % self.group) * self.line)
            .wrapping_add((line / self.group).wrapping_mul(self.group_bytes))
            .wrapping_add((chunk % self.span) * self.chunk_bytes)
            .wrapping_add((chunk / self.span).wrapping_mul(self.span_bytes));
        self.matrix.place(linear)
    }

    /// Address of the chunk of an element, and its index in the chunk.
    #[inline]
    pub fn element(&self, mn: u32, k: u32) -> (u32, u32) {
        let (line, along) = if self.major == Major::K { (mn, k) } else { (k, mn) };
        (self.chunk_address(line, along >> self.chunk_log2), along & ((1 << self.chunk_log2) - 1))
    }

    /// The contiguous dimension.
    pub fn major(&self) -> Major {
        self.major
    }

    /// Elements of a chunk.
    pub fn chunk_elements(&self) -> u32 {
        1 << self.chunk_log2
    }

    /// All chunks of an operand of `mn` by `k` elements, line by line; a last chunk may hold more elements than are used.
    pub fn chunks(&self, mn: u32, k: u32) -> impl Iterator<Item = Chunk> + use<> {
        let this = *self;
        let (lines, along) = if this.major == Major::K { (mn, k) } else { (k, mn) };
        let per_line = along.div_ceil(this.chunk_elements());
        (0..lines).flat_map(move |line| {
            (0..per_line).map(move |chunk| {
                let first = chunk << this.chunk_log2;
                let (mn, k) = if this.major == Major::K { (line, first) } else { (first, line) };
                Chunk { address: this.chunk_address(line, chunk), mn, k }
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensormap::{Descriptor, Direction, ElementType, TensorMap, TileCopy};
    use std::convert::Infallible;

    /// A matrix of u16 in "global memory" where the element at byte 2i is i.
    fn load(map: &TensorMap, coords: &[i32], shared: &mut [u16], at: u32) {
        let copy = TileCopy::new(map, Direction::Load, coords, at).unwrap();
        let done: Result<(), Infallible> = copy.runs(|r| {
            for i in 0..r.bytes / 2 {
                shared[(r.shared / 2 + i) as usize] = (r.global.unwrap() / 2) as u16 + i as u16;
            }
            Ok(())
        });
        assert!(done.is_ok());
    }

    fn map(dims: &[u64], strides: &[u64], boxes: &[u32], swizzle: Swizzle) -> TensorMap {
        TensorMap::new(Descriptor::tiled(ElementType::F16, 0, dims, strides, boxes, swizzle).unwrap())
            .unwrap()
    }

    fn wgmma(start: u32, leading: u32, stride: u32, swizzle: Swizzle) -> SmemMatrix {
        let mode = match swizzle {
            Swizzle::B128 => 1,
            Swizzle::B64 => 2,
            Swizzle::B32 => 3,
            _ => 0,
        };
        let at = |v: u32, shift: u32| u64::from(v / 16) << shift;
        SmemMatrix::from_wgmma(at(start, 0) | at(leading, 16) | at(stride, 32) | mode << 62)
    }

    const SWIZZLES: [Swizzle; 4] = [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128];

    /// K-major: 64 rows by 64 of K, loaded as boxes of one span, read in steps of K = 16.
    #[test]
    fn k_major_reads_what_tma_wrote() {
        for swizzle in SWIZZLES {
            let mut shared = vec![0u16; 16384];
            let base = 2048;
            let width = if swizzle == Swizzle::None { 8 } else { swizzle.span() / 2 };
            let m = map(&[64, 64], &[128], &[width, 64], swizzle);
            for column in 0..64 / width {
                load(&m, &[(column * width) as i32, 0], &mut shared, base + column * width * 2 * 64);
            }
            for step in 0..4u32 {
                // Within a span K advances by 32 bytes; across spans by the box.
                let element = step * 16;
                let start = base + (element / width) * width * 128 + (element % width) * 2;
                let (leading, stride) =
                    if swizzle == Swizzle::None { (1024, 128) } else { (16, 8 * width * 2) };
                let operand = Operand::new(wgmma(start, leading, stride, swizzle), Major::K, 8).unwrap();
                let mut seen = 0;
                for c in operand.chunks(64, 16) {
                    for i in 0..8 {
                        let found = u32::from(shared[(c.address / 2 + i) as usize]);
                        assert_eq!(found, c.mn * 64 + step * 16 + c.k + i, "{swizzle:?} step {step} {c:?}");
                        assert_eq!(operand.element(c.mn, c.k + i), (c.address, i));
                        seen += 1;
                    }
                }
                assert_eq!(seen, 64 * 16);
            }
        }
    }

    /// MN-major: 32 of K by 128 of N.
    #[test]
    fn mn_major_reads_what_tma_wrote() {
        for swizzle in SWIZZLES {
            let mut shared = vec![0u16; 16384];
            let base = 1024;
            let width = if swizzle == Swizzle::None { 8 } else { swizzle.span() / 2 };
            let box_bytes = width * 2 * 32;
            let m = map(&[128, 32], &[256], &[width, 32], swizzle);
            for column in 0..128 / width {
                load(&m, &[(column * width) as i32, 0], &mut shared, base + column * box_bytes);
            }
            let eight_k = 8 * width * 2;
            for step in 0..2u32 {
                let start = base + step * 2 * eight_k;
                let matrix = if swizzle == Swizzle::None {
                    wgmma(start, eight_k, box_bytes, swizzle)
                } else {
                    wgmma(start, box_bytes, eight_k, swizzle)
                };
                let operand = Operand::new(matrix, Major::Mn, 8).unwrap();
                for c in operand.chunks(128, 16) {
                    for i in 0..8 {
                        let found = u32::from(shared[(c.address / 2 + i) as usize]);
                        assert_eq!(
                            found,
                            (step * 16 + c.k) * 128 + c.mn + i,
                            "{swizzle:?} step {step} {c:?}"
                        );
                    }
                }
            }
        }
    }

    /// The maps and descriptors of tcgen05_small.ptx: A K-major, B MN-major, both 128 by 128 in tiles of 8 by 64.
    #[test]
    fn jax_tcgen05_small() {
        let m = map(&[64, 8, 2, 16], &[256, 128, 2048], &[64, 8, 2, 16], Swizzle::B128);
        let mut shared = vec![0u16; 16384];
        load(&m, &[0; 4], &mut shared, 0);
        for (step, (a, b)) in
            [0, 2, 4, 6, 64, 66, 68, 70].into_iter().zip((4194304u64..).step_by(256)).enumerate()
        {
            let a = SmemMatrix::from_tcgen05((1073741952 << 32) | a).unwrap();
            let b = SmemMatrix::from_tcgen05((1073741952 << 32) | b).unwrap();
            for c in Operand::new(a, Major::K, 8).unwrap().chunks(128, 16) {
                let want = c.mn * 128 + step as u32 * 16 + c.k;
                assert_eq!(u32::from(shared[c.address as usize / 2]), want, "A step {step} {c:?}");
            }
            for c in Operand::new(b, Major::Mn, 8).unwrap().chunks(128, 16) {
                let want = (step as u32 * 16 + c.k) * 128 + c.mn;
                assert_eq!(u32::from(shared[c.address as usize / 2]), want, "B step {step} {c:?}");
            }
        }
    }

    /// ws_matmul_hopper.ptx: A tiles of 128 by 64, B tiles of 64 by 128 from 1024 by 1024 (here 128 by 128 matrices).
    #[test]
    fn jax_ws_matmul_hopper() {
        let strides = [256, 128, 2048];
        let mut shared = vec![0u16; 32768];
        load(&map(&[64, 8, 2, 16], &strides, &[64, 8, 1, 16], Swizzle::B128), &[0, 0, 1, 0], &mut shared, 0);
        load(
            &map(&[64, 8, 2, 16], &strides, &[64, 8, 2, 8], Swizzle::B128),
            &[0, 0, 0, 8],
            &mut shared,
            32768,
        );
        for step in 0..4u64 {
            let a = SmemMatrix::from_wgmma(4611686293305294848 + 2 * step);
            let b = SmemMatrix::from_wgmma((4611686568187396096 | 32768 >> 4) + 256 * step);
            for c in Operand::new(a, Major::K, 8).unwrap().chunks(128, 16) {
                let want = c.mn * 128 + 64 + step as u32 * 16 + c.k;
                assert_eq!(u32::from(shared[c.address as usize / 2]), want, "A step {step} {c:?}");
            }
            for c in Operand::new(b, Major::Mn, 8).unwrap().chunks(128, 16) {
                let want = (64 + step as u32 * 16 + c.k) * 128 + c.mn;
                assert_eq!(u32::from(shared[c.address as usize / 2]), want, "B step {step} {c:?}");
            }
        }
    }

    /// TF32 MN-major on Blackwell: 128 bytes of 32 values, atoms of 32 bytes, groups of 4 of K.
    #[test]
    fn atoms_of_32_bytes() {
        let d = Descriptor::tiled(ElementType::Tf32, 0, &[64, 16], &[256], &[32, 16], Swizzle::B128Atom32)
            .unwrap();
        let m = TensorMap::new(d).unwrap();
        let mut shared = vec![0u16; 4096];
        load(&m, &[0, 0], &mut shared, 0);
        load(&m, &[32, 0], &mut shared, 2048);
        let matrix = SmemMatrix::from_tcgen05((1 << 61) | (512 / 16) << 32 | (2048 / 16) << 16).unwrap();
        assert_eq!(matrix.swizzle, Swizzle::B128Atom32);
        for c in Operand::new(matrix, Major::Mn, 4).unwrap().chunks(64, 8) {
            assert_eq!(u32::from(shared[c.address as usize / 2]), (c.k * 64 + c.mn) * 2, "{c:?}");
        }
        assert!(Operand::new(matrix, Major::K, 4).is_err());
    }
}
