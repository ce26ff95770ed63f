//! The instruction descriptor of tcgen05.mma (PTX ISA 9.7.16.4.2).

use super::Major;

/// The kind of a tcgen05.mma.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `.kind::f16`: f16 and bf16.
    F16,
    /// `.kind::tf32`.
    Tf32,
    /// `.kind::f8f6f4`.
    F8f6f4,
    /// `.kind::i8`.
    I8,
    /// `.kind::mxf8f6f4`, with block scaling.
    MxF8f6f4,
    /// `.kind::mxf4`, with block scaling.
    MxF4,
    /// `.kind::mxf4nvf4`, with block scaling.
    MxF4NvF4,
}

/// The format of elements of tcgen05.mma.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// IEEE half.
    F16,
    /// Brain float.
    Bf16,
    /// TF32.
    Tf32,
    /// IEEE single.
    F32,
    /// 8 bits, 4 of exponent.
    E4m3,
    /// 8 bits, 5 of exponent.
    E5m2,
    /// 6 bits, 2 of exponent.
    E2m3,
    /// 6 bits, 3 of exponent.
    E3m2,
    /// 4 bits, 2 of exponent.
    E2m1,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    S8,
    /// Signed, 32 bits.
    S32,
}

/// The format of scale factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScaleFormat {
    /// Unsigned e4m3.
    Ue4m3,
    /// A power of two, 8 bits of exponent.
    Ue8m0,
}

/// The fields of block scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockScale {
    /// Which byte (or halfword) of each column holds A's scale factors.
    pub a_id: u32,
    /// The same of B.
    pub b_id: u32,
    /// Format of the factors.
    pub format: ScaleFormat,
}

/// An instruction descriptor, decoded for a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstructionDescriptor {
    /// The kind it was decoded for.
    pub kind: Kind,
    /// Format of A.
    pub a: Format,
    /// Format of B.
    pub b: Format,
    /// Format of the accumulator.
    pub d: Format,
    /// A is negated.
    pub a_negate: bool,
    /// B is negated.
    pub b_negate: bool,
    /// Contiguous dimension of A in shared memory.
    pub a_major: Major,
    /// Contiguous dimension of B in shared memory.
    pub b_major: Major,
    /// Rows of D, over both blocks of a pair.
    pub m: u32,
    /// Columns of D.
    pub n: u32,
    /// Elements summed over by one instruction, of the dense operand.
    pub k: u32,
    /// A is sparse.
    pub sparse: bool,
    /// Which half of the sparsity metadata is used.
    pub sparsity_selector: u32,
    /// Integer sums saturate.
    pub saturate: bool,
    /// Largest shift of `.ws` in columns: 0, 8, 16 or 32.
    pub max_shift: u32,
    /// Block scaling, of the kinds that have it.
    pub scale: Option<BlockScale>,
}

/// Why an instruction descriptor is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstructionError {
    /// A format number without meaning for the kind.
    #[error(
        "instruction descriptor {descriptor:#010x}: {field} (bits {bits}) is {found}, which has no meaning for kind {kind:?}"
    )]
    Format {
        /// The descriptor.
        descriptor: u32,
        /// The field.
        field: &'static str,
        /// Its bits.
        bits: &'static str,
        /// The number.
        found: u32,
        /// The kind.
        kind: Kind,
    },
    /// A shape that the instruction does not have.
    #[error(
        "instruction descriptor {descriptor:#010x}: M {m} (bits 24-28, in units of 16) by N {n} (bits 17-22, in units of 8) is no shape of kind {kind:?} with cta_group::{cta_group}{}: {wanted}", if *ws { " and .ws" } else { "" }
    )]
    Shape {
        /// The descriptor.
        descriptor: u32,
        /// Rows.
        m: u32,
        /// Columns.
        n: u32,
        /// The kind.
        kind: Kind,
        /// 1 or 2.
        cta_group: u32,
        /// Weight stationary.
        ws: bool,
        /// The shapes that exist.
        wanted: &'static str,
    },
    /// An MN-major operand of a type that must be K-major.
    #[error(
        "instruction descriptor {descriptor:#010x}: {operand} is MN-major (bit {bit}), but 4- and 6-bit types must be K-major"
    )]
    Transpose {
        /// The descriptor.
        descriptor: u32,
        /// "A" or "B".
        operand: &'static str,
        /// The bit.
        bit: u32,
    },
}

impl InstructionDescriptor {
    /// Decodes the descriptor of an instruction of this kind.
    ///
    /// # Errors
    /// A format or an operand that the kind does not have.
    pub fn decode(descriptor: u32, kind: Kind) -> Result<Self, InstructionError> {
        let bits = |from: u32, n: u32| (descriptor >> from) & ((1 << n) - 1);
        let bit = |at: u32| bits(at, 1) == 1;
        let bad = |field, at, found| InstructionError::Format { descriptor, field, bits: at, found, kind };
        let input = |found: u32, field, at| {
            Ok(match (kind, found) {
                (Kind::F16, 0) => Format::F16,
                (Kind::F16, 1) => Format::Bf16,
                (Kind::Tf32, 2) => Format::Tf32,
                (Kind::F8f6f4 | Kind::MxF8f6f4, 0) => Format::E4m3,
                (Kind::F8f6f4 | Kind::MxF8f6f4, 1) => Format::E5m2,
                (Kind::F8f6f4 | Kind::MxF8f6f4, 3) => Format::E2m3,
                (Kind::F8f6f4 | Kind::MxF8f6f4, 4) => Format::E3m2,
                (Kind::F8f6f4 | Kind::MxF8f6f4, 5) => Format::E2m1,
                (Kind::I8, 0) => Format::U8,
                (Kind::I8, 1) => Format::S8,
                (Kind::MxF4 | Kind::MxF4NvF4, 1) => Format::E2m1,
                _ => return Err(bad(field, at, found)),
            })
        };
        let fp4 = matches!(kind, Kind::MxF4 | Kind::MxF4NvF4);
        let scaled = fp4 || kind == Kind::MxF8f6f4;
        let a = input(bits(7, 3), "the format of A", "7-9")?;
        let b = if fp4 {
            input(bits(10, 2), "the format of B", "10-11")?
        } else {
            input(bits(10, 3), "the format of B", "10-12")?
        };
        let d = match (kind, bits(4, 2)) {
            _ if scaled => Format::F32,
            (Kind::F16 | Kind::F8f6f4, 0) => Format::F16,
            (Kind::F16 | Kind::F8f6f4 | Kind::Tf32, 1) => Format::F32,
            (Kind::I8, 2) => Format::S32,
            (_, found) => return Err(bad("the format of D", "4-5", found)),
        };
        let small = |f| matches!(f, Format::E2m3 | Format::E3m2 | Format::E2m1);
        for (operand, at, format) in [("A", 15, a), ("B", 16, b)] {
            if bit(at) && small(format) {
                return Err(InstructionError::Transpose { descriptor, operand, bit: at });
            }
        }
        let major = |at| if bit(at) { Major::Mn } else { Major::K };
        let sparse = bit(2);
        let dense_k = match kind {
            Kind::F16 => 16,
            Kind::Tf32 => 8,
            Kind::F8f6f4 | Kind::I8 | Kind::MxF8f6f4 => 32,
            Kind::MxF4 | Kind::MxF4NvF4 if bit(31) && !sparse => 96,
            Kind::MxF4 | Kind::MxF4NvF4 => 64,
        };
        Ok(Self {
            kind,
            a,
            b,
            d,
            a_negate: bit(13),
            b_negate: bit(14),
            a_major: major(15),
            b_major: major(16),
            m: bits(24, 5) * 16,
            n: bits(17, 6) * 8,
            k: if sparse { dense_k * 2 } else { dense_k },
            sparse,
            sparsity_selector: bits(0, 2),
            saturate: kind == Kind::I8 && bit(3),
            max_shift: if scaled { 0 } else { [0, 8, 16, 32][bits(30, 2) as usize] },
            scale: scaled.then(|| BlockScale {
                a_id: bits(29, 2),
                b_id: bits(4, 2),
                format: if bit(23) { ScaleFormat::Ue8m0 } else { ScaleFormat::Ue4m3 },
            }),
        })
    }

    /// Checks M and N (PTX ISA 9.7.16.2.1 "Matrix shape"). `descriptor` is for the message.
    ///
    /// # Errors
    /// [`InstructionError::Shape`].
    pub fn check_shape(&self, descriptor: u32, cta_group: u32, ws: bool) -> Result<(), InstructionError> {
        let (m, n) = (self.m, self.n);
        let every = |step: u32, least: u32| n.is_multiple_of(step) && n >= least && n <= 256;
        let scaled = self.scale.is_some();
        let (ok, wanted) = if ws {
            (
                cta_group == 1 && matches!(m, 32 | 64 | 128) && matches!(n, 64 | 128 | 256),
                "M is 32, 64 or 128 and N is 64, 128 or 256, in cta_group::1",
            )
        } else if cta_group == 1 {
            match self.kind {
                Kind::I8 => (
                    match m {
                        64 => every(16, 16) || matches!(n, 8 | 24),
                        _ => m == 128 && every(16, 16),
                    },
                    "M is 64 with N 8, 24 or a multiple of 16 up to 256, or 128 with N a multiple of 16",
                ),
                _ if scaled => (m == 128 && every(8, 8), "M is 128 and N a multiple of 8 up to 256"),
                _ => (
                    (m == 64 && every(8, 8)) || (m == 128 && every(16, 16)),
                    "M is 64 with N a multiple of 8 up to 256, or 128 with N a multiple of 16",
                ),
            }
        } else {
            match self.kind {
                Kind::I8 => (
                    matches!(m, 128 | 256) && every(32, 32),
                    "M is 128 or 256 and N a multiple of 32 up to 256",
                ),
                _ => (
                    matches!(m, 128 | 256) && every(16, 16),
                    "M is 128 or 256 and N a multiple of 16 up to 256",
                ),
            }
        };
        if ok {
            Ok(())
        } else {
            Err(InstructionError::Shape { descriptor, m, n, kind: self.kind, cta_group, ws, wanted })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jax_instruction_descriptors() {
        let d = InstructionDescriptor::decode(136380432, Kind::F16).unwrap();
        assert_eq!((d.m, d.n, d.k, d.a, d.b, d.d), (128, 128, 16, Format::F16, Format::F16, Format::F32));
        assert_eq!((d.a_major, d.b_major, d.sparse), (Major::K, Major::Mn, false));
        assert!(d.check_shape(136380432, 1, false).is_ok());
        let d = InstructionDescriptor::decode(272695312, Kind::F16).unwrap();
        assert_eq!((d.m, d.n, d.b_major), (256, 256, Major::Mn));
        assert!(d.check_shape(272695312, 2, false).is_ok());
        assert!(d.check_shape(272695312, 1, false).is_err());
    }

    #[test]
    fn by_hand() {
        // i8: signed by unsigned, saturating, M 64, N 24.
        let bits = 1 << 3 | 2 << 4 | 1 << 7 | 3 << 17 | 4 << 24;
        let d = InstructionDescriptor::decode(bits, Kind::I8).unwrap();
        assert_eq!(
            (d.a, d.b, d.d, d.saturate, d.m, d.n, d.k),
            (Format::S8, Format::U8, Format::S32, true, 64, 24, 32)
        );
        assert!(d.check_shape(bits, 1, false).is_ok());
        assert!(InstructionDescriptor::decode(bits, Kind::Tf32).is_err());
        // mxf8f6f4: e5m2 by e2m1, ue8m0, ids 1 and 2.
        let bits = 2 << 4 | 1 << 7 | 5 << 10 | 16 << 17 | 1 << 23 | 8 << 24 | 1 << 29;
        let d = InstructionDescriptor::decode(bits, Kind::MxF8f6f4).unwrap();
        let scale = BlockScale { a_id: 1, b_id: 2, format: ScaleFormat::Ue8m0 };
        assert_eq!((d.a, d.b, d.m, d.n, d.scale), (Format::E5m2, Format::E2m1, 128, 128, Some(scale)));
        assert!(InstructionDescriptor::decode(bits | 1 << 16, Kind::MxF8f6f4).is_err());
    }
}
