//! ldmatrix and stmatrix: small matrices between shared memory and registers (PTX ISA 9.7.14.5.15 and 9.7.14.5.16).
//!
//! Each row of 16 bytes has its own address, given by one lane; a register holds 32 bits of one row, or pieces of two rows
//! when transposed.

/// The shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `.m8n8.b16`: eight rows of eight 16-bit elements; a register of each matrix.
    M8n8,
    /// `.m8n8.trans.b16`.
    M8n8Trans,
    /// `.m16n16.trans.b8` of ldmatrix (sm_100 on): sixteen rows of sixteen bytes; two registers of each matrix.
    M16n16Trans,
    /// `.m16n8.trans.b8` of stmatrix (sm_100 on): eight rows of sixteen bytes; a register of each matrix.
    M16n8Trans,
    /// `.m8n16.b8x16` of ldmatrix from `.b4x16_p64` or `.b6x16_p32` (sm_100 on): eight rows of sixteen values, each widened to a
    /// byte; a register of each matrix. "Bytes" of the row are then values.
    M8n16,
}

/// A part of a register and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Lane whose address begins the row.
    pub row_lane: u32,
    /// First byte of the row.
    pub byte: u32,
    /// First byte of the register.
    pub register_byte: u32,
    /// Length in bytes.
    pub bytes: u32,
}

impl Shape {
    /// Rows of one matrix, each with an address: matrix i takes those of lanes `i * rows` on.
    pub fn rows(self) -> u32 {
        if self == Self::M16n16Trans { 16 } else { 8 }
    }

    /// Registers of one matrix in each thread.
    pub fn registers(self) -> u32 {
        if self == Self::M16n16Trans { 2 } else { 1 }
    }

    /// Whether `.xCOUNT` exists: 1, 2, 4 but 1, 2 for `.m16n16`.
    pub fn has_count(self, count: u32) -> bool {
        matches!(count, 1 | 2) || (count == 4 && self != Self::M16n16Trans)
    }

    /// What register `register` of `lane` holds: one piece, or several of two rows. The rest of the array is `None`.
    ///
    /// The 8-bit forms exchange bytes as C fragments have them: lane 4g + t holds columns g and g + 8 of rows 2t, 2t + 1 (of
    /// 4t + 2i, 4t + 2i + 1 in register i of `.m16n16`). As CUTLASS has them in its SM100 copy traits.
    #[inline]
    pub fn pieces(self, lane: u32, register: u32) -> [Option<Piece>; 4] {
        let (g, t) = (lane >> 2, lane & 3);
        let piece =
            |row_lane, byte, register_byte, bytes| Some(Piece { row_lane, byte, register_byte, bytes });
        match self {
            Self::M8n8 | Self::M8n16 => [piece(8 * register + g, 4 * t, 0, 4), None, None, None],
            Self::M8n8Trans => {
                let row = 8 * register + 2 * t;
                [piece(row, 2 * g, 0, 2), piece(row + 1, 2 * g, 2, 2), None, None]
            }
            Self::M16n16Trans | Self::M16n8Trans => {
                let row = if self == Self::M16n8Trans {
                    8 * register + 2 * t
                } else {
                    16 * (register >> 1) + 4 * t + 2 * (register & 1)
                };
                [
                    piece(row, g, 0, 1),
                    piece(row + 1, g, 1, 1),
                    piece(row, g + 8, 2, 1),
                    piece(row + 1, g + 8, 3, 1),
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_byte_once() {
        for shape in [Shape::M8n8, Shape::M8n8Trans, Shape::M16n16Trans, Shape::M16n8Trans, Shape::M8n16] {
            for count in [1, 2, 4].into_iter().filter(|&c| shape.has_count(c)) {
                let mut seen = HashSet::new();
                for lane in 0..32 {
                    for r in 0..count * shape.registers() {
                        let mut filled = 0;
                        for p in shape.pieces(lane, r).into_iter().flatten() {
                            assert_eq!(p.register_byte, filled);
                            filled += p.bytes;
                            assert!(p.row_lane < count * shape.rows());
                            for b in 0..p.bytes {
                                assert!(seen.insert((p.row_lane, p.byte + b)));
                            }
                        }
                        assert_eq!(filled, 4);
                    }
                }
                assert_eq!(seen.len() as u32, count * shape.rows() * 16);
            }
        }
    }

    #[test]
    fn by_hand() {
        // Thread 5, second matrix: row 1, halfs 2 and 3; transposed: rows 2 and 3, column 1.
        let p = Shape::M8n8.pieces(5, 1)[0].unwrap();
        assert_eq!((p.row_lane, p.byte, p.bytes), (9, 4, 4));
        let [a, b, ..] = Shape::M8n8Trans.pieces(5, 1);
        assert_eq!((a.unwrap().row_lane, a.unwrap().byte), (10, 2));
        assert_eq!((b.unwrap().row_lane, b.unwrap().byte), (11, 2));
    }
}
