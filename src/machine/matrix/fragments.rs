//! Fragments in registers: which element each register of each thread holds.
//!
//! A register here is one operand of the instruction's vector: 32 bits, or 64 for f64. It holds `32 / bits` elements, the
//! first in its low bits. `lane` is the thread of the warp (of the warpgroup for wgmma). With g = lane / 4 and t = lane % 4
//! all figures of PTX ISA 9.7.14.5 but those of m8n8k4 are one formula, given at each function.

/// Elements in one register.
#[inline]
pub fn per_register(bits: u32) -> u32 {
    if bits >= 32 { 1 } else { 32 / bits.max(1) }
}

/// Registers of each thread of a warp for a fragment of `rows` by `cols` elements.
#[inline]
pub fn registers(rows: u32, cols: u32, bits: u32) -> u32 {
    (rows * cols).div_ceil(32 * per_register(bits))
}

/// A of mma.sync, `m` (8 or 16) by k: row and k.
///
/// Row g, the other half of 16 rows in odd registers; k = t * e + element, 4 e further on for each following (pair of) registers,
/// with e elements in a register. For m16n8k4 to k256, m8n8k16 to k128 and the f64 shapes; sparse A as a dense one
/// of half the k.
#[inline]
pub fn mma_a(m: u32, bits: u32, lane: u32, register: u32, element: u32) -> (u32, u32) {
    let e = per_register(bits);
    let (half, group) = if m > 8 { (register & 1, register >> 1) } else { (0, register) };
    ((lane >> 2) + 8 * half, (lane & 3) * e + element + group * 4 * e)
}

/// B of mma.sync, k by 8: k and column. Column g; k as for [`mma_a`].
#[inline]
pub fn mma_b(bits: u32, lane: u32, register: u32, element: u32) -> (u32, u32) {
    let e = per_register(bits);
    ((lane & 3) * e + element + register * 4 * e, lane >> 2)
}

/// C and D of mma.sync, `m` by 8 of 16, 32 or 64 bits: row and column. Row g (+ 8), columns 2t and 2t + 1.
#[inline]
pub fn mma_c(bits: u32, lane: u32, register: u32, element: u32) -> (u32, u32) {
    let index = register * per_register(bits) + element;
    ((lane >> 2) + 8 * (index >> 1), 2 * (lane & 3) + (index & 1))
}

/// The quad pair of a lane in mma.m8n8k4 of f16 (four independent products), and the thread in it, 0 to 7
/// (PTX ISA 9.7.14.5.1: threads 4p to 4p + 3 and 16 + 4p to 16 + 4p + 3).
#[inline]
pub fn quad_pair(lane: u32) -> (u32, u32) {
    ((lane & 15) >> 2, (lane & 3) + 4 * (lane >> 4))
}

/// A of mma.m8n8k4 of f16, four elements: row and k; `row_major` as the instruction says.
#[inline]
pub fn m8n8k4_a(row_major: bool, lane: u32, element: u32) -> (u32, u32) {
    let (_, thread) = quad_pair(lane);
    if row_major { (thread, element) } else { (element + (thread & 4), thread & 3) }
}

/// B of mma.m8n8k4 of f16, four elements: k and column; `row_major` as the instruction says.
#[inline]
pub fn m8n8k4_b(row_major: bool, lane: u32, element: u32) -> (u32, u32) {
    let (column, k) = m8n8k4_a(!row_major, lane, element);
    (k, column)
}

/// C and D of mma.m8n8k4 of f16, eight elements of 16 or 32 bits: row and column.
#[inline]
pub fn m8n8k4_c(bits: u32, lane: u32, element: u32) -> (u32, u32) {
    let (_, thread) = quad_pair(lane);
    if bits == 16 {
        return (thread, element);
    }
    ((thread & 1) + (element & 2) + (thread & 4), (element & 1) + (thread & 2) + (element & 4))
}

/// A of wgmma in registers, 64 by k: row and k (PTX ISA 9.7.15.5.1.1). Warp w of the warpgroup has rows 16w to 16w + 15, each as
/// A of mma.sync.
#[inline]
pub fn wgmma_a(bits: u32, lane: u32, register: u32, element: u32) -> (u32, u32) {
    let (row, k) = mma_a(16, bits, lane & 31, register, element);
    (row + 16 * (lane >> 5), k)
}

/// D of wgmma, 64 by n of 16 or 32 bits: row and column (PTX ISA 9.7.15.5.1.1). Warp w has rows 16w to 16w + 15; each 8
/// columns are as C of mma.sync.
#[inline]
pub fn wgmma_d(bits: u32, lane: u32, register: u32, element: u32) -> (u32, u32) {
    let each = 4 / per_register(bits).min(4);
    let (row, column) = mma_c(bits, lane & 31, register % each, element);
    (row + 16 * (lane >> 5), column + 8 * (register / each))
}

/// Fragments of wmma, whose layout the ISA leaves open (9.7.14.4): element `index` of the `per_lane` elements of a
/// thread, row and column in `rows` by `cols`. Ours are row by row; where the threads have more elements than there are,
/// later threads repeat earlier ones.
#[inline]
pub fn wmma(rows: u32, cols: u32, per_lane: u32, lane: u32, index: u32) -> (u32, u32) {
    let at = (lane * per_lane + index) % (rows * cols).max(1);
    (at / cols.max(1), at % cols.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn bijective(rows: u32, cols: u32, bits: u32, lanes: u32, f: impl Fn(u32, u32, u32) -> (u32, u32)) {
        let mut seen = HashSet::new();
        let registers = registers(rows, cols, bits) * 32 / lanes;
        for lane in 0..lanes {
            for r in 0..registers {
                for e in 0..per_register(bits) {
                    let (row, col) = f(lane, r, e);
                    assert!(row < rows && col < cols, "{rows}x{cols} {bits}: ({row}, {col})");
                    assert!(seen.insert((row, col)));
                }
            }
        }
        assert_eq!(seen.len() as u32, rows * cols);
    }

    #[test]
    fn every_shape_of_mma_covers_its_matrices_once() {
        for (m, k, bits) in [
            (16, 8, 16),
            (16, 16, 16),
            (16, 4, 32),
            (16, 8, 32),
            (8, 4, 64),
            (16, 4, 64),
            (16, 8, 64),
            (16, 16, 64),
            (8, 16, 8),
            (16, 16, 8),
            (16, 32, 8),
            (8, 32, 4),
            (16, 32, 4),
            (16, 64, 4),
            (8, 128, 1),
            (16, 128, 1),
            (16, 256, 1),
        ] {
            bijective(m, k, bits, 32, |l, r, e| mma_a(m, bits, l, r, e));
            bijective(k, 8, bits, 32, |l, r, e| mma_b(bits, l, r, e));
        }
        for m in [8, 16] {
            for bits in [32, 64] {
                bijective(m, 8, bits, 32, |l, r, e| mma_c(bits, l, r, e));
            }
        }
        bijective(16, 8, 16, 32, |l, r, e| mma_c(16, l, r, e));
        for n in [8, 64, 256] {
            bijective(64, n, 32, 128, |l, r, e| wgmma_d(32, l, r, e));
            bijective(64, n, 16, 128, |l, r, e| wgmma_d(16, l, r, e));
        }
        for (k, bits) in [(16, 16), (8, 32), (32, 8)] {
            bijective(64, k, bits, 128, |l, r, e| wgmma_a(bits, l, r, e));
        }
    }

    #[test]
    fn figures_of_the_isa() {
        // m16n8k16 f16: a0..a7 of thread 5 (g 1, t 1).
        let a: Vec<_> = (0..8).map(|i| mma_a(16, 16, 5, i / 2, i % 2)).collect();
        assert_eq!(a, [(1, 2), (1, 3), (9, 2), (9, 3), (1, 10), (1, 11), (9, 10), (9, 11)]);
        let b: Vec<_> = (0..4).map(|i| mma_b(16, 5, i / 2, i % 2)).collect();
        assert_eq!(b, [(2, 1), (3, 1), (10, 1), (11, 1)]);
        let c: Vec<_> = (0..4).map(|i| mma_c(32, 5, i, 0)).collect();
        assert_eq!(c, [(1, 2), (1, 3), (9, 2), (9, 3)]);
        assert_eq!(
            [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(r, e)| mma_c(16, 5, r, e)),
            [(1, 2), (1, 3), (9, 2), (9, 3)]
        );
        // m16n8k8 tf32 and m16n8k32 s8.
        assert_eq!([0, 1, 2, 3].map(|r| mma_a(16, 32, 5, r, 0)), [(1, 1), (9, 1), (1, 5), (9, 5)]);
        assert_eq!([0, 1, 2, 3].map(|r| mma_a(16, 8, 5, r, 3)), [(1, 7), (9, 7), (1, 23), (9, 23)]);
        assert_eq!([0, 1].map(|r| mma_b(8, 5, r, 3)), [(7, 1), (23, 1)]);
        // wgmma D of thread 37 (warp 1, g 1, t 1): registers 0, 2, 4 of f32; register 3 of f16.
        assert_eq!([0, 2, 4].map(|r| wgmma_d(32, 37, r, 0)), [(17, 2), (25, 2), (17, 10)]);
        assert_eq!(wgmma_d(16, 37, 3, 1), (25, 11));
    }

    #[test]
    fn m8n8k4() {
        for bits in [16, 32] {
            let seen: HashSet<_> = (0..32)
                .filter(|&l| quad_pair(l).0 == 2)
                .flat_map(|l| (0..8).map(move |e| m8n8k4_c(bits, l, e)))
                .collect();
            assert_eq!(seen.len(), 64);
        }
        // Thread 17 is thread 5 of pair 0.
        assert_eq!(quad_pair(17), (0, 5));
        assert_eq!(m8n8k4_a(true, 17, 2), (5, 2));
        assert_eq!(m8n8k4_a(false, 17, 2), (6, 1));
        assert_eq!(m8n8k4_b(false, 17, 2), (2, 5));
        assert_eq!(m8n8k4_b(true, 17, 2), (1, 6));
        // f32 accumulators of thread 17: row 1 + 4 (+ 2), columns 0, 1 (+ 4).
        let c: Vec<_> = (0..8).map(|e| m8n8k4_c(32, 17, e)).collect();
        assert_eq!(c, [(5, 0), (5, 1), (7, 0), (7, 1), (5, 4), (5, 5), (7, 4), (7, 5)]);
    }

    #[test]
    fn wmma_covers() {
        // m16n16k16 f16: sixteen elements of A in each thread, each element twice.
        let mut count = [0; 256];
        for lane in 0..32 {
            for i in 0..16 {
                let (r, c) = wmma(16, 16, 16, lane, i);
                count[(r * 16 + c) as usize] += 1;
            }
        }
        assert!(count.iter().all(|&n| n == 2));
    }
}
