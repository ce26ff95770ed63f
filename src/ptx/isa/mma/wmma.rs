//! `wmma.load` and `wmma.store` (ISA 9.7.14.4.3 and 9.7.14.4.4): matrices between memory and fragments.

use super::super::matrix_moves::Place;
use super::fragment::Fragment;
use crate::exec::Exec;
use crate::regs::S32;
use tidegate_machine::hardware::Stop;
use tidegate_machine::shadow::Nature;

/// The instruction.
#[derive(Debug)]
pub struct Move {
    pub(super) store: bool,
    pub(super) fragment: Fragment,
    pub(super) place: Place,
    /// Elements from one row (column) of memory to the next: an operand, or fixed by the shape.
    pub(super) stride: Result<S32, u32>,
    /// Bits of an element.
    pub(super) bits: usize,
    /// Elements that follow each other in the fragment do so in memory, too.
    pub(super) along: bool,
}

impl Move {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<(), Stop> {
        let f = &self.fragment;
        let width = f.width();
        // A register at once when its elements lie together, else one element after the other.
        let unit = if self.along { width } else { (self.bits / 8).max(1) };
        let columns = f.row_bytes * 8 / self.bits;
        for lane in 0..32 {
            let stride = match self.stride {
                Ok(slot) => x.regs.r32(slot)[lane],
                Err(fixed) => fixed,
            };
            for (r, slot) in f.slots.iter().enumerate() {
                let mut bytes = [0; 8];
                if self.store {
                    let value = if f.wide {
                        x.regs.r64(crate::regs::S64(*slot))[lane]
                    } else {
                        u64::from(x.regs.r32(S32(*slot))[lane])
                    };
                    bytes = value.to_le_bytes();
                }
                for part in 0..width / unit {
                    let element = (f.place(lane, r) + part * unit) * 8 / self.bits;
                    let (row, column) = ((element / columns) as u64, (element % columns) as u64);
                    let (far, near) = if self.along { (row, column) } else { (column, row) };
                    let at = (far * u64::from(stride) + near) * self.bits as u64 / 8;
                    let address = self.place.of(x, lane, at)?;
                    let some = &mut bytes[part * unit..(part + 1) * unit];
                    if self.store {
                        x.hw.store(x.lane(lane), address, some, Nature::Generic)?;
                    } else {
                        x.hw.load(x.lane(lane), address, some, Nature::Generic)?;
                    }
                }
                if !self.store {
                    let value = u64::from_le_bytes(bytes);
                    if f.wide {
                        x.regs.r64_mut(crate::regs::S64(*slot))[lane] = value;
                    } else {
                        x.regs.r32_mut(S32(*slot))[lane] = value as u32;
                    }
                }
            }
        }
        Ok(())
    }
}
