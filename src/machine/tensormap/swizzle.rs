//! Swizzles of shared memory: an exclusive or of address bits with address bits.

use super::{SwizzleAtom, SwizzleMode, TensorMapError};

/// A swizzle pattern of shared memory, numbered as CUtensorMapSwizzle.
///
/// A pattern is a function of the shared address: bits within a row of 128 bytes are changed by the number of the row, so
/// that every pattern keeps bits 7 and up (PTX ISA 5.5.6 "Swizzling modes"; CUTLASS writes them Swizzle<B, 4, 3>
/// and Swizzle<2, 5, 2>).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Swizzle {
    /// None.
    #[default]
    None = 0,
    /// Bit 4 ^= bit 7.
    B32 = 1,
    /// Bits 4-5 ^= bits 7-8.
    B64 = 2,
    /// Bits 4-6 ^= bits 7-9.
    B128 = 3,
    /// Bits 5-6 ^= bits 7-8.
    B128Atom32 = 4,
    /// Bits 5-6 ^= bits 7-8, and bit 3 ^= bit 7.
    B128Atom32Flip8 = 5,
    /// Bit 6 ^= bit 7.
    B128Atom64 = 6,
}

impl Swizzle {
    /// The pattern of a span and an atom.
    ///
    /// # Errors
    /// If an atom other than 16 bytes comes with a span other than 128 bytes.
    pub fn new(mode: SwizzleMode, atom: SwizzleAtom) -> Result<Self, TensorMapError> {
        Ok(match (mode, atom) {
            (SwizzleMode::None, SwizzleAtom::B16) => Self::None,
            (SwizzleMode::B32, SwizzleAtom::B16) => Self::B32,
            (SwizzleMode::B64, SwizzleAtom::B16) => Self::B64,
            (SwizzleMode::B128, SwizzleAtom::B16) => Self::B128,
            (SwizzleMode::B128, SwizzleAtom::B32) => Self::B128Atom32,
            (SwizzleMode::B128, SwizzleAtom::B32Flip8) => Self::B128Atom32Flip8,
            (SwizzleMode::B128, SwizzleAtom::B64) => Self::B128Atom64,
            (mode, atom) => return Err(TensorMapError::SwizzleAtom { mode, atom }),
        })
    }

    /// The pattern with this number in CUtensorMapSwizzle.
    pub fn from_cuda(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::None,
            1 => Self::B32,
            2 => Self::B64,
            3 => Self::B128,
            4 => Self::B128Atom32,
            5 => Self::B128Atom32Flip8,
            6 => Self::B128Atom64,
            _ => return None,
        })
    }

    /// The span as `tensormap.replace` has it.
    pub fn mode(self) -> SwizzleMode {
        match self {
            Self::None => SwizzleMode::None,
            Self::B32 => SwizzleMode::B32,
            Self::B64 => SwizzleMode::B64,
            _ => SwizzleMode::B128,
        }
    }

    /// The atom as `tensormap.replace` has it.
    pub fn atom(self) -> SwizzleAtom {
        match self {
            Self::B128Atom32 => SwizzleAtom::B32,
            Self::B128Atom32Flip8 => SwizzleAtom::B32Flip8,
            Self::B128Atom64 => SwizzleAtom::B64,
            _ => SwizzleAtom::B16,
        }
    }

    /// Bytes within which the pattern moves chunks; 0 for none.
    pub fn span(self) -> u32 {
        match self.mode() {
            SwizzleMode::None => 0,
            SwizzleMode::B32 => 32,
            SwizzleMode::B64 => 64,
            SwizzleMode::B128 => 128,
        }
    }

    /// Bytes that stay together; a whole row for none.
    pub fn chunk(self) -> u32 {
        match self {
            Self::None => u32::MAX,
            Self::B32 | Self::B64 | Self::B128 => 16,
            Self::B128Atom32 => 32,
            Self::B128Atom32Flip8 => 8,
            Self::B128Atom64 => 64,
        }
    }

    /// Bytes after which the pattern repeats; a base address at a multiple of it makes offsets and addresses
    /// swizzle alike.
    pub fn period(self) -> u32 {
        match self {
            Self::None => 1,
            Self::B32 | Self::B128Atom64 => 256,
            Self::B64 | Self::B128Atom32 | Self::B128Atom32Flip8 => 512,
            Self::B128 => 1024,
        }
    }

    /// Where the byte of linear shared address `address` lies. Its own inverse.
    #[inline]
    pub fn apply(self, address: u32) -> u32 {
        address
            ^ match self {
                Self::None => 0,
                Self::B32 => (address >> 3) & 0x10,
                Self::B64 => (address >> 3) & 0x30,
                Self::B128 => (address >> 3) & 0x70,
                Self::B128Atom32 => (address >> 2) & 0x60,
                Self::B128Atom32Flip8 => ((address >> 2) & 0x60) | ((address >> 4) & 0x08),
                Self::B128Atom64 => (address >> 1) & 0x40,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::Swizzle;

    #[test]
    fn swizzles_by_hand() {
        // Row 1 (address 128), first chunk: moved to chunk 1 of its span.
        assert_eq!(Swizzle::B128.apply(128), 128 + 16);
        assert_eq!(Swizzle::B64.apply(128), 128 + 16);
        assert_eq!(Swizzle::B32.apply(128), 128 + 16);
        // Row 7, chunk 2: 7 ^ 2 = 5; with 64 bytes 3 ^ 2 = 1; with 32 bytes only bit 4 changes: chunk 3.
        assert_eq!(Swizzle::B128.apply(7 * 128 + 2 * 16 + 5), 7 * 128 + 5 * 16 + 5);
        assert_eq!(Swizzle::B64.apply(7 * 128 + 2 * 16), 7 * 128 + 16);
        assert_eq!(Swizzle::B32.apply(7 * 128 + 2 * 16), 7 * 128 + 3 * 16);
        assert_eq!(Swizzle::B32.apply(6 * 128 + 2 * 16), 6 * 128 + 2 * 16);
        assert_eq!(Swizzle::B128Atom32.apply(3 * 128 + 32), 3 * 128 + 64);
        assert_eq!(Swizzle::B128Atom32Flip8.apply(128), 128 + 32 + 8);
        assert_eq!(Swizzle::B128Atom64.apply(128 + 16), 128 + 64 + 16);
        assert_eq!(Swizzle::B128Atom64.apply(256 + 16), 256 + 16);
    }

    #[test]
    fn swizzles_are_involutions_and_repeat() {
        for n in 0..7 {
            let s = Swizzle::from_cuda(n).unwrap();
            for a in 0..4096u32 {
                assert_eq!(s.apply(s.apply(a)), a);
                assert_eq!(s.apply(a + s.period()), s.apply(a) + s.period());
                assert_eq!(s.apply(a) / 128, a / 128);
            }
            assert_eq!(Swizzle::new(s.mode(), s.atom()).unwrap(), s);
        }
    }
}
