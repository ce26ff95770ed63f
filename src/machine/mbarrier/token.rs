//! The 64-bit state that `mbarrier.arrive` returns. Opaque per the PTX ISA (9.7.13.15.13); this encoding is
//! ours.

use super::MbarrierError;

const PENDING_BITS: u32 = 20;
const NO_COMPLETE: u64 = 1 << PENDING_BITS;
const PHASE_SHIFT: u32 = PENDING_BITS + 1;
const PHASE_BITS: u32 = 36;
const PHASE_MASK: u64 = (1 << PHASE_BITS) - 1;
const TAG_SHIFT: u32 = PHASE_SHIFT + PHASE_BITS;
/// Seven bits that say "a token": registers which hold anything else are told apart, all but 1 in 128 of
/// them.
const TAG: u64 = 0b101_1011;

/// The state of an mbarrier before an arrival. From the low bit: 20 bits pending arrivals, 1 bit
/// `.noComplete`, 36 bits phase (modulo 2^36), 7 bits of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token(u64);

impl Token {
    pub(super) fn new(phase: u64, pending: u32, no_complete: bool) -> Self {
        let flag = if no_complete { NO_COMPLETE } else { 0 };
        let pending = u64::from(pending) & (NO_COMPLETE - 1);
        Self((TAG << TAG_SHIFT) | ((phase & PHASE_MASK) << PHASE_SHIFT) | flag | pending)
    }

    /// The token in the 64 bits of a register.
    ///
    /// # Errors
    /// [`MbarrierError::NotAToken`] when the bits are not ones that an arrival returned.
    pub fn from_bits(bits: u64) -> Result<Self, MbarrierError> {
        if bits >> TAG_SHIFT == TAG { Ok(Self(bits)) } else { Err(MbarrierError::NotAToken { bits }) }
    }

    /// The 64 bits that the program's register holds.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The phase that the arrival met, modulo 2^36.
    pub fn phase(self) -> u64 {
        (self.0 >> PHASE_SHIFT) & PHASE_MASK
    }

    /// The pending arrivals before the operation which returned this token, whatever its form.
    pub fn pending(self) -> u32 {
        u32::try_from(self.0 & (NO_COMPLETE - 1)).unwrap_or(u32::MAX)
    }

    /// `mbarrier.pending_count` (PTX ISA 9.7.13.15.17): the pending arrivals before the arrival.
    ///
    /// # Errors
    /// [`MbarrierError::CountOfCompletingToken`] when no `.noComplete` arrival returned this token.
    pub fn pending_count(self) -> Result<u32, MbarrierError> {
        if self.0 & NO_COMPLETE == 0 {
            return Err(MbarrierError::CountOfCompletingToken);
        }
        Ok(self.pending())
    }

    /// How many phases the token lies behind `phase`; negative when ahead of it.
    pub(super) fn behind(self, phase: u64) -> i64 {
        // The 36-bit difference, sign-extended by shifting it to the top and back.
        let difference = phase.wrapping_sub(self.phase()) << (64 - PHASE_BITS);
        difference.cast_signed() >> (64 - PHASE_BITS)
    }
}
