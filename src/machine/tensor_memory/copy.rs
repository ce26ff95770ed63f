//! `tcgen05.cp` (PTX ISA "tcgen05.cp"): from shared memory, behind a descriptor, to tensor memory.

use super::{LANES, split};
use crate::access::Address;
use crate::engine::{Effect, Issue, Op, Pipe, Track};
use crate::hardware::{Actor, Hardware, Stop};
use crate::matrix::{Major, Operand, SmemMatrix};
use crate::memory::shared_address;

/// The shapes: rows by bits of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyShape {
    /// `.128x256b`
    S128x256b,
    /// `.128x128b`
    S128x128b,
    /// `.64x128b.warpx2::02_13`: rows 0 to 31 go to quarters 0 and 2, rows 32 to 63 to 1 and 3.
    S64x128bHalves,
    /// `.64x128b.warpx2::01_23`: rows 0 to 31 go to quarters 0 and 1, rows 32 to 63 to 2 and 3.
    S64x128bPairs,
    /// `.32x128b.warpx4`: to all quarters.
    S32x128b,
}

impl CopyShape {
    /// Rows in shared memory.
    pub fn rows(self) -> u32 {
        match self {
            CopyShape::S128x256b | CopyShape::S128x128b => 128,
            CopyShape::S64x128bHalves | CopyShape::S64x128bPairs => 64,
            CopyShape::S32x128b => 32,
        }
    }

    /// Columns of tensor memory.
    pub fn columns(self) -> u32 {
        if self == CopyShape::S128x256b { 8 } else { 4 }
    }

    /// The row that a lane of tensor memory gets.
    pub fn row(self, lane: u32) -> u32 {
        let quarter = lane / 32;
        match self {
            CopyShape::S128x256b | CopyShape::S128x128b => lane,
            CopyShape::S64x128bHalves => lane % 32 + 32 * (quarter & 1),
            CopyShape::S64x128bPairs => lane % 32 + 32 * (quarter >> 1),
            CopyShape::S32x128b => lane % 32,
        }
    }
}

/// What one `tcgen05.cp` is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// 1 or 2: with 2, each block of the pair copies from its own shared memory to its own tensor memory.
    pub cta_group: u32,
    /// The shape.
    pub shape: CopyShape,
    /// The address in tensor memory.
    pub to: u32,
    /// The descriptor of the matrix in shared memory.
    pub from: u64,
}

impl Hardware {
    /// Issues a `tcgen05.cp` by a thread.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: a descriptor that the hardware does not take, an address that does not start at lane 0,
    /// mixed `cta_group`s.
    pub fn tensor_copy(&mut self, actor: Actor, copy: Copy) -> Result<(), Stop> {
        const WHAT: &str = "tcgen05.cp";
        let ranks = self.tensor_group(actor, copy.cta_group, WHAT)?;
        let matrix = self.descriptor(actor, SmemMatrix::from_tcgen05(copy.from))?;
        let operand = self.descriptor(actor, Operand::new(matrix, Major::K, 16))?;
        let lane = split(copy.to).0;
        if lane != 0 {
            let message = format!("tcgen05.cp to lane {lane} of tensor memory");
            return self.tensor_misuse(actor, message, "it writes all lanes: give an address of lane 0");
        }
        let run = move |hw: &mut Hardware, op: &Op| {
            for block in 0..copy.cta_group {
                copy.run(hw, op, if block == 0 { ranks.0 } else { ranks.1 }, &operand)?;
            }
            Ok(())
        };
        self.issue(Issue {
            agent: actor.agent,
            lanes: actor.lanes,
            place: actor.place,
            what: WHAT,
            track: Track::Pipe(Pipe::Tcgen05),
            group: None,
            after: Default::default(),
            effect: Effect::Run(Box::new(run)),
            done: Default::default(),
            generic: false,
        });
        Ok(())
    }
}

impl Copy {
    fn run(&self, hw: &mut Hardware, op: &Op, rank: u32, operand: &Operand) -> Result<(), Stop> {
        let columns = self.shape.columns();
        let first = split(self.to).1;
        hw.tensor_access_for(op, rank, (first, columns), true)?;
        for row in 0..self.shape.rows() {
            for chunk in 0..columns / 4 {
                let mut bytes = [0; 16];
                let address = shared_address(rank, operand.chunk_address(row, chunk));
                hw.read_for(op, Address::Shared(address), &mut bytes)?;
                let Some(t) = hw.tensor(rank) else { return Ok(()) };
                for lane in (0..LANES).filter(|&l| self.shape.row(l) == row) {
                    let cells = t.row_mut(lane, first + 4 * chunk, 4);
                    for (cell, bytes) in cells.iter_mut().zip(bytes.as_chunks().0) {
                        *cell = u32::from_le_bytes(*bytes);
                    }
                }
            }
        }
        Ok(())
    }
}
