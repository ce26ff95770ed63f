//! The 128 bytes of a tensor map in memory, and `tensormap.replace` on them.

use super::{
    Descriptor, ElementType, Interleave, L2Promotion, MAX_RANK, Mode, OobFill, SwizzleAtom, SwizzleMode,
    TensorMap, TensorMapError,
};

/// Bytes of a tensor map (CUtensorMap is 16 words of 8 bytes).
pub const MAP_BYTES: usize = 128;

/// The first eight bytes of our encoding.
const MAGIC: [u8; 8] = *b"tgTMAP\0\x01";

/// Why 128 bytes are no tensor map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BytesError {
    /// Never encoded, or copied from the wrong place.
    #[error(
        "these 128 bytes are no tensor map (they begin with {found:02x?}); pass the address of a map that the host encoded, or copy all 128 bytes of one before replacing its fields"
    )]
    NotAMap {
        /// The first eight bytes.
        found: [u8; 8],
    },
    /// Encoded, then written to by something else than `tensormap.replace`.
    #[error(
        "these 128 bytes were a tensor map, but some of them were overwritten; change maps by tensormap.replace only"
    )]
    Damaged,
    /// A map with arguments that the driver would refuse, after replacing.
    #[error("the tensor map is invalid after tensormap.replace: {0}")]
    Invalid(#[from] TensorMapError),
}

/// A field of `tensormap.replace.tile` (PTX ISA 9.7.9.27).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// `.global_address`, 64 bits.
    GlobalAddress,
    /// `.rank`: the value is the rank less one.
    Rank,
    /// `.box_dim` of this dimension.
    BoxDim(u32),
    /// `.global_dim` of this dimension.
    GlobalDim(u32),
    /// `.global_stride`, 64 bits: bytes along dimension ordinal + 1.
    GlobalStride(u32),
    /// `.element_stride` of this dimension.
    ElementStride(u32),
    /// `.elemtype`, numbered as in the ISA's table.
    ElemType,
    /// `.interleave_layout`: 0 none, 1 16 bytes, 2 32 bytes.
    InterleaveLayout,
    /// `.swizzle_mode`: 0 none, 1 32 bytes, 2 64 bytes, 3 128 bytes.
    SwizzleMode,
    /// `.swizzle_atomicity`: 0 16 bytes, 1 32 bytes, 2 32 bytes with the 8-byte flip, 3 64 bytes.
    SwizzleAtomicity,
    /// `.fill_mode`: 0 zeros, 1 NaN.
    FillMode,
}

/// Why a field was not replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    /// An ordinal past the last dimension.
    #[error("{field:?}: the ordinal is at most {max}")]
    Ordinal {
        /// The field, with the ordinal.
        field: Field,
        /// The largest ordinal.
        max: u32,
    },
    /// A value that the field cannot have.
    #[error("{field:?} cannot be {value}; it is {wanted}")]
    Value {
        /// The field.
        field: Field,
        /// The value.
        value: u64,
        /// What it can be.
        wanted: &'static str,
    },
    /// A box of an im2col map.
    #[error("{field:?} cannot be replaced in an im2col map, which has no box; encode another map")]
    NotTiled {
        /// The field.
        field: Field,
    },
}

impl Descriptor {
    /// Our encoding: a mark, the arguments, a checksum.
    pub fn to_bytes(&self) -> [u8; MAP_BYTES] {
        let mut out = [0; MAP_BYTES];
        let mut at = 0;
        let mut put = |bytes: &[u8]| {
            if let Some(to) = out.get_mut(at..at + bytes.len()) {
                to.copy_from_slice(bytes);
            }
            at += bytes.len();
        };
        put(&MAGIC);
        put(&self.global_address.to_le_bytes());
        self.global_dim.iter().for_each(|v| put(&v.to_le_bytes()));
        self.global_stride.iter().for_each(|v| put(&v.to_le_bytes()));
        let kind = match &self.mode {
            Mode::Tiled { box_dim } => {
                box_dim.iter().for_each(|v| put(&v.to_le_bytes()));
                0
            }
            Mode::Im2col { lower, upper, channels, pixels } => {
                // Corners are at most 16 bits wide (rank 3); wider ones were refused before.
                for corner in lower.iter().chain(upper) {
                    put(&((*corner).clamp(-32768, 32767) as i16).to_le_bytes());
                }
                put(&channels.to_le_bytes());
                put(&pixels.to_le_bytes());
                1
            }
        };
        self.element_stride.iter().for_each(|&v| put(&(v.min(65535) as u16).to_le_bytes()));
        put(&[
            self.rank.min(255) as u8,
            self.element as u8 | kind << 7,
            self.interleave as u8 | (self.oob_fill as u8) << 4,
            self.swizzle_mode as u8 | (self.swizzle_atom as u8) << 4,
            self.l2_promotion as u8,
        ]);
        let sum = checksum(&out);
        out[124..].copy_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads [`Descriptor::to_bytes`] back.
    ///
    /// # Errors
    /// [`BytesError::NotAMap`] and [`BytesError::Damaged`].
    pub fn from_bytes(bytes: &[u8; MAP_BYTES]) -> Result<Self, BytesError> {
        if bytes[..8] != MAGIC {
            let mut found = [0; 8];
            found.copy_from_slice(&bytes[..8]);
            return Err(BytesError::NotAMap { found });
        }
        if checksum(bytes).to_le_bytes() != bytes[124..] {
            return Err(BytesError::Damaged);
        }
        let mut reader = Reader { bytes, at: 8 };
        let global_address = u64::from_le_bytes(reader.take());
        let global_dim = std::array::from_fn(|_| u64::from_le_bytes(reader.take()));
        let global_stride = std::array::from_fn(|_| u64::from_le_bytes(reader.take()));
        let body: [u8; 20] = reader.take();
        let element_stride = std::array::from_fn(|_| u32::from(u16::from_le_bytes(reader.take())));
        let [rank, element, interleave, swizzle, l2] = reader.take();
        let mut body = Reader { bytes: &body, at: 0 };
        let mode = if element >> 7 == 0 {
            Mode::Tiled { box_dim: std::array::from_fn(|_| u32::from_le_bytes(body.take())) }
        } else {
            Mode::Im2col {
                lower: std::array::from_fn(|_| i32::from(i16::from_le_bytes(body.take()))),
                upper: std::array::from_fn(|_| i32::from(i16::from_le_bytes(body.take()))),
                channels: u32::from_le_bytes(body.take()),
                pixels: u32::from_le_bytes(body.take()),
            }
        };
        let damaged = BytesError::Damaged;
        Ok(Self {
            element: ElementType::from_cuda(u32::from(element & 0x7f)).ok_or(damaged.clone())?,
            rank: u32::from(rank),
            global_address,
            global_dim,
            global_stride,
            mode,
            element_stride,
            interleave: interleave_of(u64::from(interleave & 15)).ok_or(damaged.clone())?,
            swizzle_mode: mode_of(u64::from(swizzle & 15)).ok_or(damaged.clone())?,
            swizzle_atom: atom_of(u64::from(swizzle >> 4)).ok_or(damaged.clone())?,
            l2_promotion: match l2 {
                0 => L2Promotion::None,
                1 => L2Promotion::B64,
                2 => L2Promotion::B128,
                3 => L2Promotion::B256,
                _ => return Err(damaged),
            },
            oob_fill: if interleave >> 4 == 0 { OobFill::Zeros } else { OobFill::Nan },
        })
    }

    /// What `tensormap.replace.tile.FIELD [map], value` does. The result is checked when it is used.
    ///
    /// # Errors
    /// An ordinal or a value that the field cannot hold.
    pub fn replace(&mut self, field: Field, value: u64) -> Result<(), ReplaceError> {
        let ordinal = |n: u32, max: u32| {
            if n > max { Err(ReplaceError::Ordinal { field, max }) } else { Ok(n as usize) }
        };
        let value_error = |wanted| ReplaceError::Value { field, value, wanted };
        let last = MAX_RANK as u32 - 1;
        match field {
            Field::GlobalAddress => self.global_address = value,
            Field::Rank => {
                if value > u64::from(last) {
                    return Err(value_error("the rank less one, 0 to 4"));
                }
                self.rank = value as u32 + 1;
            }
            Field::BoxDim(n) => {
                let n = ordinal(n, last)?;
                let Mode::Tiled { box_dim } = &mut self.mode else {
                    return Err(ReplaceError::NotTiled { field });
                };
                box_dim[n] = u32::try_from(value).map_err(|_| value_error("1 to 256"))?;
            }
            Field::GlobalDim(n) => self.global_dim[ordinal(n, last)?] = value,
            Field::GlobalStride(n) => self.global_stride[ordinal(n, last - 1)?] = value,
            Field::ElementStride(n) => {
                let n = ordinal(n, last)?;
                self.element_stride[n] = u16::try_from(value).map_err(|_| value_error("1 to 8"))?.into();
            }
            Field::ElemType => {
                self.element = u32::try_from(value)
                    .ok()
                    .and_then(ElementType::from_ptx)
                    .ok_or(value_error("0 to 15 (PTX ISA 9.7.9.27)"))?;
            }
            Field::InterleaveLayout => {
                self.interleave =
                    interleave_of(value).ok_or(value_error("0 (none), 1 (16 B) or 2 (32 B)"))?;
            }
            Field::SwizzleMode => {
                self.swizzle_mode = mode_of(value)
                    .ok_or(value_error("0 (none), 1 (32 B), 2 (64 B) or 3 (128 B); 96 B is not modelled"))?;
            }
            Field::SwizzleAtomicity => {
                self.swizzle_atom = atom_of(value)
                    .ok_or(value_error("0 (16 B), 1 (32 B), 2 (32 B with 8 B flip) or 3 (64 B)"))?;
            }
            Field::FillMode => {
                self.oob_fill = match value {
                    0 => OobFill::Zeros,
                    1 => OobFill::Nan,
                    _ => return Err(value_error("0 (zeros) or 1 (NaN)")),
                };
            }
        }
        Ok(())
    }
}

impl TensorMap {
    /// The encoding of [`Descriptor::to_bytes`].
    pub fn to_bytes(&self) -> [u8; MAP_BYTES] {
        self.descriptor().to_bytes()
    }

    /// Reads and checks a map in memory.
    ///
    /// # Errors
    /// If the bytes are no map, or one that the driver would refuse.
    pub fn from_bytes(bytes: &[u8; MAP_BYTES]) -> Result<Self, BytesError> {
        Ok(Self::new(Descriptor::from_bytes(bytes)?)?)
    }
}

fn interleave_of(value: u64) -> Option<Interleave> {
    Some(match value {
        0 => Interleave::None,
        1 => Interleave::B16,
        2 => Interleave::B32,
        _ => return None,
    })
}

fn mode_of(value: u64) -> Option<SwizzleMode> {
    Some(match value {
        0 => SwizzleMode::None,
        1 => SwizzleMode::B32,
        2 => SwizzleMode::B64,
        3 => SwizzleMode::B128,
        _ => return None,
    })
}

fn atom_of(value: u64) -> Option<SwizzleAtom> {
    Some(match value {
        0 => SwizzleAtom::B16,
        1 => SwizzleAtom::B32,
        2 => SwizzleAtom::B32Flip8,
        3 => SwizzleAtom::B64,
        _ => return None,
    })
}

/// FNV-1a over all but the last four bytes.
fn checksum(bytes: &[u8; MAP_BYTES]) -> u32 {
    bytes[..124].iter().fold(0x811c_9dc5, |sum, &b| (sum ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next N bytes; zeros past the end, which the layout above never reaches.
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        if let Some(from) = self.bytes.get(self.at..self.at + N) {
            out.copy_from_slice(from);
        }
        self.at += N;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::Swizzle;
    use super::*;

    fn map() -> Descriptor {
        Descriptor::tiled(ElementType::F16, 0x1000, &[128, 64, 3], &[256, 16384], &[64, 8, 1], Swizzle::B128)
            .unwrap()
    }

    #[test]
    fn round_trip() {
        let mut d = map();
        d.oob_fill = OobFill::Nan;
        d.l2_promotion = L2Promotion::B256;
        d.element_stride[1] = 3;
        d.interleave = Interleave::B16;
        d.swizzle_atom = SwizzleAtom::B32Flip8;
        assert_eq!(Descriptor::from_bytes(&d.to_bytes()), Ok(d));
        d.mode = Mode::Im2col { lower: [-1, 2, -128], upper: [0, -5, 127], channels: 64, pixels: 1000 };
        assert_eq!(Descriptor::from_bytes(&d.to_bytes()), Ok(d));
    }

    #[test]
    fn garbage_is_recognised() {
        assert!(matches!(Descriptor::from_bytes(&[0; 128]), Err(BytesError::NotAMap { .. })));
        let mut bytes = map().to_bytes();
        bytes[40] ^= 1;
        assert_eq!(Descriptor::from_bytes(&bytes), Err(BytesError::Damaged));
    }

    #[test]
    fn replaces_as_grouped_gemms_do() {
        let mut d = map();
        d.replace(Field::GlobalAddress, 0x2000).unwrap();
        for (n, v) in [100, 7, 1, 1, 1].into_iter().enumerate() {
            d.replace(Field::GlobalDim(n as u32), v).unwrap();
        }
        d.replace(Field::GlobalStride(0), 208).unwrap();
        d.replace(Field::Rank, 1).unwrap();
        d.replace(Field::ElemType, 10).unwrap();
        let map = TensorMap::from_bytes(&d.to_bytes()).unwrap();
        assert_eq!((map.rank(), map.descriptor().element), (2, ElementType::Bf16));
        d.replace(Field::BoxDim(0), 300).unwrap();
        assert!(matches!(TensorMap::from_bytes(&d.to_bytes()), Err(BytesError::Invalid(_))));
        assert!(d.replace(Field::BoxDim(5), 1).is_err());
        assert!(d.replace(Field::GlobalStride(4), 16).is_err());
        assert!(d.replace(Field::Rank, 5).is_err());
        assert!(d.replace(Field::SwizzleMode, 4).is_err());
        assert_eq!(ElementType::from_ptx(8), Some(ElementType::F32Ftz));
        assert_eq!(ElementType::from_ptx(9), Some(ElementType::F64));
    }
}
