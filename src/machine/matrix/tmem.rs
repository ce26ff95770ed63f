//! Tensor memory: what tcgen05.ld and tcgen05.st move, and where tcgen05.mma keeps D and A.
//!
//! Tensor memory has 128 lanes by 512 columns of 32 bits per block. Warp w of a warpgroup reaches lanes 32w to 32w + 31
//! (PTX ISA 9.7.16.1 and 9.7.16.8.2).

/// The shapes of tcgen05.ld and tcgen05.st (PTX ISA 9.7.16.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `.32x32b`
    S32x32b,
    /// `.16x64b`
    S16x64b,
    /// `.16x128b`
    S16x128b,
    /// `.16x256b`
    S16x256b,
    /// `.16x32bx2`
    S16x32bx2,
}

/// A repetition that a shape does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{shape:?} cannot be repeated {repeat} times; it is repeated 1 to {max} times, a power of two")]
pub struct RepeatError {
    /// The shape.
    pub shape: Shape,
    /// The repetition given.
    pub repeat: u32,
    /// The largest.
    pub max: u32,
}

/// A tcgen05.ld or tcgen05.st, all but its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    shape: Shape,
    repeat: u32,
    pack: bool,
    half_split: u32,
}

impl Access {
    /// `shape.xREPEAT`; `pack`: `.pack::16b` or `.unpack::16b`; `half_split`: immHalfSplitoff of `.16x32bx2` in columns.
    ///
    /// # Errors
    /// A repetition that the shape does not have.
    pub fn new(shape: Shape, repeat: u32, pack: bool, half_split: u32) -> Result<Self, RepeatError> {
        let max = match shape {
            Shape::S32x32b | Shape::S16x64b | Shape::S16x32bx2 => 128,
            Shape::S16x128b => 64,
            Shape::S16x256b => 32,
        };
        if !repeat.is_power_of_two() || repeat > max {
            return Err(RepeatError { shape, repeat, max });
        }
        Ok(Self { shape, repeat, pack, half_split })
    }

    /// Registers of 32 bits of each thread.
    pub fn registers(&self) -> u32 {
        match self.shape {
            Shape::S32x32b | Shape::S16x64b | Shape::S16x32bx2 => self.repeat,
            Shape::S16x128b => 2 * self.repeat,
            Shape::S16x256b => 4 * self.repeat,
        }
    }

    /// Lanes of tensor memory that a warp reaches, from the lane of the address on.
    pub fn lanes(&self) -> u32 {
        if self.shape == Shape::S32x32b { 32 } else { 16 }
    }

    /// Columns from the address to the last one reached, the last included.
    pub fn columns(&self) -> u32 {
        let packed = if self.pack { 2 } else { 1 };
        packed
            * match self.shape {
                Shape::S32x32b => self.repeat,
                Shape::S16x64b => 2 * self.repeat,
                Shape::S16x128b => 4 * self.repeat,
                Shape::S16x256b => 8 * self.repeat,
                Shape::S16x32bx2 => return packed * self.repeat + self.half_split,
            }
    }

    /// Whether registers hold two columns of 16 bits: the low half the column of [`Self::place`], the high half the next.
    pub fn packed(&self) -> bool {
        self.pack
    }

    /// Lane and column, from those of the address on, of register `register` of thread `thread` of the warp
    /// (the figures of PTX ISA 9.7.16.8.2).
    #[inline]
    pub fn place(&self, thread: u32, register: u32) -> (u32, u32) {
        let packed = if self.pack { 2 } else { 1 };
        let (quad, within) = (thread >> 2, thread & 3);
        let (lane, column) = match self.shape {
            Shape::S32x32b => (thread, register),
            Shape::S16x64b => (quad + 8 * (thread & 1), 2 * register + (within >> 1)),
            Shape::S16x128b => (quad + 8 * (register & 1), 4 * (register >> 1) + within),
            Shape::S16x256b => {
                (quad + 8 * ((register >> 1) & 1), 8 * (register >> 2) + 2 * within + (register & 1))
            }
            Shape::S16x32bx2 => {
                return (thread & 15, packed * register + (thread >> 4) * self.half_split);
            }
        };
        (lane, packed * column)
    }
}

/// The layouts of D in tensor memory (PTX ISA 9.7.16.10.5 "Data path layout organization").
///
/// Each element of D takes a column, an f16 one too (its low half).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Accumulator {
    /// Pair of blocks, M 256: 128 rows in each block, one in each lane.
    A,
    /// Pair of blocks, M 128, dense: 64 rows in each block, the right half of the columns in lanes 64 to 127.
    B,
    /// Pair of blocks, M 128, sparse: 64 rows in each block, in the first 16 of each 32 lanes.
    C,
    /// One block, M 128: a row in each lane.
    D,
    /// One block, `.ws`, M 64: the right half of the columns in lanes 64 to 127.
    E,
    /// One block, M 64: rows in the first 16 of each 32 lanes.
    F,
    /// One block, `.ws`, M 32: a quarter of the columns in each 32 lanes.
    G,
}

/// Where an element is in tensor memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// 0 or 1: which block of a pair, the even one first.
    pub block: u32,
    /// Lane, 0 to 127.
    pub lane: u32,
    /// Column, from that of the address on.
    pub column: u32,
}

impl Accumulator {
    /// The layout of an instruction; `None` if there is no such instruction.
    pub fn of(cta_group: u32, m: u32, ws: bool, sparse: bool) -> Option<Self> {
        Some(match (cta_group, m, ws) {
            (2, 256, false) => Self::A,
            (2, 128, false) => {
                if sparse {
                    Self::C
                } else {
                    Self::B
                }
            }
            (1, 128, _) => Self::D,
            (1, 64, true) => Self::E,
            (1, 64, false) => Self::F,
            (1, 32, true) => Self::G,
            _ => return None,
        })
    }

    /// Rows of D in each block.
    pub fn rows_per_block(self) -> u32 {
        match self {
            Self::A | Self::D => 128,
            Self::B | Self::C | Self::E | Self::F => 64,
            Self::G => 32,
        }
    }

    /// Columns of tensor memory that D of `n` columns takes.
    pub fn columns(self, n: u32) -> u32 {
        match self {
            Self::A | Self::C | Self::D | Self::F => n,
            Self::B | Self::E => n / 2,
            Self::G => n / 4,
        }
    }

    /// Where D(row, column) of an instruction of `n` columns is.
    #[inline]
    pub fn place(self, row: u32, column: u32, n: u32) -> Cell {
        let rows = self.rows_per_block();
        let block = row / rows;
        let row = row % rows;
        let width = self.columns(n).max(1);
        let lane = match self {
            Self::C | Self::F => (row / 16) * 32 + row % 16,
            _ => row + rows * (column / width),
        };
        Cell { block, lane: lane & 127, column: column % width }
    }

    /// Lane of row `row` of A when A is in tensor memory, and the block. Where D's right half lies in other lanes (layouts
    /// B, E and G) A is there once for each part of the columns: `part` 0 to 1 or 3. Column: `k * bits / 32`.
    #[inline]
    pub fn a_lane(self, row: u32, part: u32) -> (u32, u32) {
        let cell = self.place(row, part, self.a_parts());
        (cell.block, cell.lane)
    }

    /// How many times A is kept in tensor memory.
    pub fn a_parts(self) -> u32 {
        match self {
            Self::B | Self::E => 2,
            Self::G => 4,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const SHAPES: [Shape; 5] =
        [Shape::S32x32b, Shape::S16x64b, Shape::S16x128b, Shape::S16x256b, Shape::S16x32bx2];

    #[test]
    fn every_cell_once() {
        for shape in SHAPES {
            for repeat in [1, 2, 8, 32] {
                let a = Access::new(shape, repeat, false, repeat).unwrap();
                let mut seen = HashSet::new();
                for t in 0..32 {
                    for r in 0..a.registers() {
                        let (lane, column) = a.place(t, r);
                        assert!(lane < a.lanes() && column < a.columns());
                        assert!(seen.insert((lane, column)));
                    }
                }
                assert_eq!(seen.len() as u32, a.lanes() * a.columns());
            }
        }
        assert!(Access::new(Shape::S16x256b, 64, false, 0).is_err());
        assert!(Access::new(Shape::S32x32b, 3, false, 0).is_err());
    }

    #[test]
    fn places_by_hand() {
        // .16x256b is the accumulator fragment of mma: thread 5 is row 1, columns 2 and 3; then row 9; then columns 10, 11.
        let a = Access::new(Shape::S16x256b, 8, false, 0).unwrap();
        assert_eq!([0, 1, 2, 4].map(|r| a.place(5, r)), [(1, 2), (1, 3), (9, 2), (1, 10)]);
        let a = Access::new(Shape::S16x64b, 2, false, 0).unwrap();
        assert_eq!([0, 1, 2, 3, 4].map(|t| a.place(t, 1)), [(0, 2), (8, 2), (0, 3), (8, 3), (1, 2)]);
        let a = Access::new(Shape::S16x128b, 2, false, 0).unwrap();
        assert_eq!([0, 1, 2, 3].map(|r| a.place(6, r)), [(1, 2), (9, 2), (1, 6), (9, 6)]);
        let a = Access::new(Shape::S16x32bx2, 4, false, 16).unwrap();
        assert_eq!((a.place(3, 2), a.place(19, 2)), ((3, 2), (3, 18)));
        let a = Access::new(Shape::S32x32b, 4, true, 0).unwrap();
        assert_eq!((a.place(9, 3), a.columns()), ((9, 6), 8));
    }

    #[test]
    fn accumulators() {
        for (cta, m, ws, sparse, layout) in [
            (2, 256, false, false, Accumulator::A),
            (2, 128, false, false, Accumulator::B),
            (2, 128, false, true, Accumulator::C),
            (1, 128, false, false, Accumulator::D),
            (1, 64, true, false, Accumulator::E),
            (1, 64, false, false, Accumulator::F),
            (1, 32, true, false, Accumulator::G),
        ] {
            assert_eq!(Accumulator::of(cta, m, ws, sparse), Some(layout));
            let n = 64;
            let mut seen = HashSet::new();
            for row in 0..m {
                for column in 0..n {
                    let c = layout.place(row, column, n);
                    assert!(c.block < cta && c.lane < 128 && c.column < layout.columns(n));
                    assert!(seen.insert((c.block, c.lane, c.column)));
                }
            }
        }
        assert_eq!(Accumulator::of(1, 256, false, false), None);
        // Figures: layout F row 17 is lane 33; layout B row 70, column 40 of 64 is block 1, lane 70, column 8.
        assert_eq!(Accumulator::F.place(17, 5, 64), Cell { block: 0, lane: 33, column: 5 });
        assert_eq!(Accumulator::B.place(70, 40, 64), Cell { block: 1, lane: 70, column: 8 });
        assert_eq!(Accumulator::G.place(3, 40, 64), Cell { block: 0, lane: 67, column: 8 });
        assert_eq!((Accumulator::B.a_lane(70, 0), Accumulator::B.a_lane(70, 1)), ((1, 6), (1, 70)));
    }
}
