//! The registers of a warp, by class, each slot with its 32 lanes.
//!
//! Slots with the bit [`CONSTANT`] are constants of the module: immediates, addresses of variables, special
//! registers that do not change. They are filled when a warp starts, so that every source operand of an instruction is
//! a slot. Above them lie the frames of the functions that are running; a frame's base is added to a function's own slots.
//! Registers of 8 and 16 bits live in 32-bit slots, zero-extended.

use std::ops::Range;

/// Slots with this bit are constants.
pub const CONSTANT: u32 = 1 << 31;

/// A slot of a 32-bit (or narrower) register or constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct S32(pub u32);
/// A slot of a 64-bit register or constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct S64(pub u32);
/// A slot of a 128-bit register or constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct S128(pub u32);
/// A slot of a predicate: one bit a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SP(pub u32);

/// 32 lanes of 32 bits.
pub type Lanes32 = [u32; 32];
/// 32 lanes of 64 bits.
pub type Lanes64 = [u64; 32];
/// 32 lanes of 128 bits.
pub type Lanes128 = [u128; 32];

/// Where a function's frame starts in each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Base {
    /// Predicates.
    pub p: u32,
    /// 32-bit slots.
    pub r32: u32,
    /// 64-bit slots.
    pub r64: u32,
    /// 128-bit slots.
    pub r128: u32,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Regs {
    /// Where the frame of the function that runs starts: after the constants and its callers' frames.
    first: Base,
    p: Vec<u32>,
    r32: Vec<Lanes32>,
    r64: Vec<Lanes64>,
    r128: Vec<Lanes128>,
}

macro_rules! class {
    ($get:ident, $get_mut:ident, $set:ident, $slot:ident, $lanes:ty, $field:ident) => {
        /// The lanes of a slot.
        #[inline(always)]
        pub fn $get(&self, slot: $slot) -> &$lanes {
            let index = if slot.0 & CONSTANT != 0 { slot.0 & !CONSTANT } else { slot.0 + self.first.$field };
            &self.$field[index as usize]
        }

        /// The lanes of a slot, to write to.
        #[inline(always)]
        pub fn $get_mut(&mut self, slot: $slot) -> &mut $lanes {
            let index = if slot.0 & CONSTANT != 0 { slot.0 & !CONSTANT } else { slot.0 + self.first.$field };
            &mut self.$field[index as usize]
        }

        /// Writes the lanes of a mask.
        #[inline(always)]
        pub fn $set(&mut self, slot: $slot, lanes: u32, value: &$lanes) {
            let to = self.$get_mut(slot);
            if lanes == u32::MAX {
                *to = *value;
            } else {
                *to = crate::isa::map::select(lanes, value, to);
            }
        }
    };
}

impl Regs {
    /// Registers with these constants and no frame yet.
    pub fn new(p: Vec<u32>, r32: Vec<Lanes32>, r64: Vec<Lanes64>, r128: Vec<Lanes128>) -> Regs {
        Regs { first: Base::default(), p, r32, r64, r128 }
    }

    /// Goes to the frame of a function.
    pub fn enter(&mut self, base: Base) {
        self.first = base;
    }

    /// Where the running function's frame starts.
    pub fn base(&self) -> Base {
        self.first
    }

    /// The absolute index of a 32-bit slot of the running function.
    pub fn absolute32(&self, slot: S32) -> u32 {
        if slot.0 & CONSTANT != 0 { slot.0 } else { slot.0 + self.first.r32 }
    }

    /// The lanes of a 32-bit slot by its absolute index.
    pub fn absolute(&self, index: u32) -> Option<&Lanes32> {
        self.r32.get(index as usize)
    }

    /// All 32-bit slots from the running function's frame on.
    pub fn frame32(&self) -> &[Lanes32] {
        self.r32.get(self.first.r32 as usize..).unwrap_or(&[])
    }

    class!(r32, r32_mut, set32, S32, Lanes32, r32);
    class!(r64, r64_mut, set64, S64, Lanes64, r64);
    class!(r128, r128_mut, set128, S128, Lanes128, r128);

    /// The bits of a predicate.
    #[inline(always)]
    pub fn p(&self, slot: SP) -> u32 {
        let index = if slot.0 & CONSTANT != 0 { slot.0 & !CONSTANT } else { slot.0 + self.first.p };
        self.p[index as usize]
    }

    /// Writes the lanes of a mask of a predicate.
    #[inline(always)]
    pub fn set_p(&mut self, slot: SP, lanes: u32, value: u32) {
        let index = if slot.0 & CONSTANT != 0 { slot.0 & !CONSTANT } else { slot.0 + self.first.p };
        let to = &mut self.p[index as usize];
        *to = *to & !lanes | value & lanes;
    }

    /// Room for a frame of these counts at the end; its base.
    pub fn push_frame(&mut self, counts: &crate::program::RegCounts) -> Base {
        let base = Base {
            p: self.p.len() as u32,
            r32: self.r32.len() as u32,
            r64: self.r64.len() as u32,
            r128: self.r128.len() as u32,
        };
        self.p.resize(self.p.len() + counts.p as usize, 0);
        self.r32.resize(self.r32.len() + counts.r32 as usize, [0; 32]);
        self.r64.resize(self.r64.len() + counts.r64 as usize, [0; 32]);
        self.r128.resize(self.r128.len() + counts.r128 as usize, [0; 32]);
        base
    }

    /// Drops every frame from this base on.
    pub fn truncate(&mut self, base: &Base) {
        self.p.truncate(base.p as usize);
        self.r32.truncate(base.r32 as usize);
        self.r64.truncate(base.r64 as usize);
        self.r128.truncate(base.r128 as usize);
    }
}

/// The lanes of a mask, ascending.
#[inline]
pub fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let all: Range<usize> = 0..32;
    all.filter(move |lane| mask >> lane & 1 == 1)
}
