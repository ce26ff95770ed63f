//! The 64-bit descriptors of matrices in shared memory.

use crate::tensormap::Swizzle;

/// A shared-memory matrix descriptor, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SmemMatrix {
    /// Shared address of the matrix, 18 bits, a multiple of 16.
    pub start: u32,
    /// Leading dimension byte offset, a multiple of 16.
    pub leading: u32,
    /// Stride dimension byte offset, a multiple of 16.
    pub stride: u32,
    /// Number, modulo 8, of the 128-byte row at which the swizzle pattern begins.
    pub base_offset: u32,
    /// The swizzle.
    pub swizzle: Swizzle,
}

/// Why a descriptor is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// A swizzle number without meaning.
    #[error(
        "matrix descriptor {descriptor:#018x}: bits 61-63 are {found}; a tcgen05 swizzle is 0 (none), 1 (128 B in atoms of 32 B), 2 (128 B), 4 (64 B) or 6 (32 B); is this a wgmma descriptor, whose swizzle is bits 62-63?"
    )]
    Swizzle {
        /// The descriptor.
        descriptor: u64,
        /// The number.
        found: u64,
    },
    /// The absolute leading-dimension mode.
    #[error(
        "matrix descriptor {descriptor:#018x}: bit 52 (leading dimension as an absolute address) is for K of 48 bytes on sm_103 only, which is not modelled; clear it"
    )]
    AbsoluteLeading {
        /// The descriptor.
        descriptor: u64,
    },
    /// A swizzle that K-major operands do not have.
    #[error(
        "swizzle 128 B in atoms of 32 B is for MN-major operands; transpose the operand or use the 128 B swizzle"
    )]
    KMajorAtom32,
}

impl SmemMatrix {
    /// Bytes of the window that descriptors address: 14 bits in units of 16 bytes.
    pub const WINDOW: u32 = 1 << 18;

    /// Decodes a wgmma descriptor (PTX ISA 9.7.15.5.1: start 0-13, leading 16-29, stride 32-45, base offset 49-51, swizzle 62-63;
    /// 0 none, 1 128 B, 2 64 B, 3 32 B). Every value means something.
    pub fn from_wgmma(descriptor: u64) -> Self {
        let swizzle = match descriptor >> 62 {
            0 => Swizzle::None,
            1 => Swizzle::B128,
            2 => Swizzle::B64,
            _ => Swizzle::B32,
        };
        Self::fields(descriptor, swizzle)
    }

    /// Decodes a tcgen05 descriptor (PTX ISA 9.7.16.4.1: as wgmma's, but the swizzle is bits 61-63: 0 none, 1 128 B in
    /// atoms of 32 B, 2 128 B, 4 64 B, 6 32 B). The constant 0b001 in bits 46-48 is not demanded: JAX leaves it zero and
    /// its kernels run.
    ///
    /// # Errors
    /// A swizzle number without meaning; the absolute mode of the leading dimension.
    pub fn from_tcgen05(descriptor: u64) -> Result<Self, DescriptorError> {
        let swizzle = match descriptor >> 61 {
            0 => Swizzle::None,
            1 => Swizzle::B128Atom32,
            2 => Swizzle::B128,
            4 => Swizzle::B64,
            6 => Swizzle::B32,
            found => return Err(DescriptorError::Swizzle { descriptor, found }),
        };
        if (descriptor >> 52) & 1 != 0 {
            return Err(DescriptorError::AbsoluteLeading { descriptor });
        }
        Ok(Self::fields(descriptor, swizzle))
    }

    fn fields(descriptor: u64, swizzle: Swizzle) -> Self {
        let units = |shift: u32| ((descriptor >> shift) & 0x3fff) as u32 * 16;
        Self {
            start: units(0),
            leading: units(16),
            stride: units(32),
            base_offset: ((descriptor >> 49) & 7) as u32,
            swizzle,
        }
    }

    /// The swizzled address of linear address `linear`, within the window.
    ///
    /// The base offset shifts the rows that the pattern counts, for patterns that begin at another row than a
    /// multiple of 8 (PTX ISA 9.7.15.5.1 "Base offset").
    #[inline]
    pub fn place(&self, linear: u32) -> u32 {
        let phase = linear.wrapping_sub(self.base_offset << 7);
        (linear ^ phase ^ self.swizzle.apply(phase)) & (Self::WINDOW - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jax_wgmma_descriptors() {
        // ws_matmul_hopper.ptx: A, K-major, and B, MN-major (constants or'ed to the start address).
        let a = SmemMatrix::from_wgmma(4611686293305294848 | 0x123);
        assert_eq!((a.start, a.leading, a.stride, a.swizzle), (0x1230, 0, 1024, Swizzle::B128));
        let b = SmemMatrix::from_wgmma(4611686568187396096);
        assert_eq!((b.leading, b.stride, b.base_offset, b.swizzle), (1024, 2048, 0, Swizzle::B128));
    }

    #[test]
    fn jax_tcgen05_descriptors() {
        // tcgen05_small.ptx: both have the high word 1073741952; the low word of B is 4194304 plus the start address.
        let a = SmemMatrix::from_tcgen05(1073741952 << 32).unwrap();
        assert_eq!((a.leading, a.stride, a.swizzle), (0, 2048, Swizzle::B128));
        let b = SmemMatrix::from_tcgen05((1073741952 << 32) | 4194304).unwrap();
        assert_eq!((b.leading, b.stride, b.swizzle), (1024, 2048, Swizzle::B128));
        assert!(matches!(SmemMatrix::from_tcgen05(3 << 61), Err(DescriptorError::Swizzle { found: 3, .. })));
        assert!(SmemMatrix::from_tcgen05(1 << 52).is_err());
    }

    #[test]
    fn base_offset_moves_the_pattern() {
        let mut m = SmemMatrix::from_wgmma(1 << 62);
        assert_eq!(m.place(128), 128 + 16);
        m.base_offset = 1;
        assert_eq!(m.place(128), 128);
        assert_eq!(m.place(256 + 32), 256 + 48);
        assert_eq!(m.place(SmemMatrix::WINDOW + 128), 128);
    }
}
