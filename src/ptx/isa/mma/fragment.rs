//! A matrix in the registers of a warp, and its bytes by rows.

use crate::regs::{Regs, S32, S64};

/// Where the registers of each thread lie among the bytes of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A of `mma.sync` (ISA 9.7.14.5, the figures of each shape; [`tidegate_machine::matrix::fragments::mma_a`]): row g of
    /// lane 4g + t, of 16 rows the lower half in odd registers.
    A,
    /// B by its columns, or A of 8 rows: column g.
    B,
    /// C and D of 32 or 64 bits: row g, columns 2t and 2t + 1, then row g + 8.
    C,
    /// C and D of f16: two in a register.
    C16,
    /// A fragment of `wmma`, whose layout the ISA leaves open: the matrix's bytes, register after register, thread after
    /// thread, and again from the start where there are more registers than bytes.
    Linear,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    /// Slots of 32 bits, or of 64 when `wide`.
    pub(super) slots: Vec<u32>,
    pub(super) wide: bool,
    pub(super) layout: Layout,
    /// Bytes of a row (of a column of B).
    pub(super) row_bytes: usize,
    /// Bytes of the matrix.
    pub(super) bytes: usize,
}

impl Fragment {
    /// Bytes of a register.
    pub(super) fn width(&self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// The first byte of register `r` of a lane.
    pub(super) fn place(&self, lane: usize, r: usize) -> usize {
        let (g, t, w) = (lane / 4, lane % 4, self.width());
        match self.layout {
            Layout::A => (g + 8 * (r & 1)) * self.row_bytes + w * t + 4 * w * (r >> 1),
            Layout::B => g * self.row_bytes + w * t + 4 * w * r,
            Layout::C => (g + 8 * (r >> 1)) * self.row_bytes + w * (2 * t + (r & 1)),
            Layout::C16 => (g + 8 * r) * self.row_bytes + w * t,
            Layout::Linear => (lane * self.slots.len() + r) * w % self.bytes.max(1),
        }
    }

    /// The bytes of the matrix.
    pub(super) fn read<'a>(&self, regs: &Regs, out: &'a mut [u8]) -> &'a [u8] {
        for (r, slot) in self.slots.iter().enumerate() {
            for lane in 0..32 {
                let at = self.place(lane, r);
                let Some(to) = out.get_mut(at..at + self.width()) else { continue };
                if self.wide {
                    to.copy_from_slice(&regs.r64(S64(*slot))[lane].to_le_bytes());
                } else {
                    to.copy_from_slice(&regs.r32(S32(*slot))[lane].to_le_bytes());
                }
            }
        }
        out.get(..self.bytes).unwrap_or(&[])
    }

    /// Writes it to the registers of all lanes.
    pub(super) fn write(&self, regs: &mut Regs, bytes: &[u8]) {
        for (r, slot) in self.slots.iter().enumerate() {
            for lane in 0..32 {
                let at = self.place(lane, r);
                let Some(from) = bytes.get(at..) else { continue };
                if self.wide {
                    if let Some(v) = from.first_chunk() {
                        regs.r64_mut(S64(*slot))[lane] = u64::from_le_bytes(*v);
                    }
                } else if let Some(v) = from.first_chunk() {
                    regs.r32_mut(S32(*slot))[lane] = u32::from_le_bytes(*v);
                }
            }
        }
    }
}
