//! Tensor maps: what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col are told, and which bytes a copy through one moves.
//!
//! A [`Descriptor`] holds the arguments as they were given; a [`TensorMap`] is one that the driver would have
//! accepted. The 128 bytes of a real map are undocumented, so [`Descriptor::to_bytes`] has an encoding of our own, with
//! a mark and a checksum: anything else in memory is recognised as no map. `tensormap.replace` works on a
//! [`Descriptor`] and is checked when the map is used, as several replacements together may be needed to reach
//! a valid map.
//!
//! All arrays have the innermost dimension first, as the CUDA driver API and PTX coordinates have.
//!
//! Sources: CUDA driver API, "Tensor Map Object Management" (as in the comments of cuda.h 13.x); PTX ISA 5.5 "Tensors",
//! 9.7.9.27 "tensormap.replace".

mod bytes;
mod check;
mod im2col;
mod swizzle;
mod traverse;

#[cfg(test)]
mod random_tests;

pub use bytes::{BytesError, Field, MAP_BYTES, ReplaceError};
pub use check::TensorMapError;
pub use im2col::Im2colCopy;
pub use swizzle::Swizzle;
pub use traverse::{CopyError, Direction, GatherCopy, Run, TileCopy};

/// The largest rank of a tensor map.
pub const MAX_RANK: usize = 5;

/// The element types of a tensor map, numbered as CUtensorMapDataType.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ElementType {
    /// Unsigned, 1 byte.
    U8 = 0,
    /// Unsigned, 2 bytes.
    U16 = 1,
    /// Unsigned, 4 bytes.
    U32 = 2,
    /// Signed, 4 bytes.
    S32 = 3,
    /// Unsigned, 8 bytes.
    U64 = 4,
    /// Signed, 8 bytes.
    S64 = 5,
    /// IEEE half, 2 bytes.
    F16 = 6,
    /// IEEE single, 4 bytes.
    F32 = 7,
    /// IEEE double, 8 bytes.
    F64 = 8,
    /// Brain float, 2 bytes.
    Bf16 = 9,
    /// IEEE single whose denormals are flushed to zero in the copy, 4 bytes.
    F32Ftz = 10,
    /// TF32, 4 bytes.
    Tf32 = 11,
    /// TF32 whose denormals are flushed to zero in the copy, 4 bytes.
    Tf32Ftz = 12,
    /// 4-bit values, sixteen packed in 8 bytes, on both sides of the copy (PTX `.b4x16`).
    U4x16Align8 = 13,
    /// 4-bit values, sixteen packed in 8 bytes of global memory, each 8 followed by a gap of 8 in shared memory (PTX `.b4x16_p64`).
    U4x16Align16 = 14,
    /// 6-bit values, sixteen packed in 12 bytes of global memory, each 12 followed by a gap of 4 in shared memory (PTX `.b6x16_p32`).
    U6x16Align16 = 15,
}

impl ElementType {
    const ALL: [Self; 16] = [
        Self::U8,
        Self::U16,
        Self::U32,
        Self::S32,
        Self::U64,
        Self::S64,
        Self::F16,
        Self::F32,
        Self::F64,
        Self::Bf16,
        Self::F32Ftz,
        Self::Tf32,
        Self::Tf32Ftz,
        Self::U4x16Align8,
        Self::U4x16Align16,
        Self::U6x16Align16,
    ];

    /// The type with this number in CUtensorMapDataType.
    pub fn from_cuda(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }

    /// The type with this number in `tensormap.replace.tile.elemtype`, whose order differs from CUDA's
    /// (PTX ISA 9.7.9.27, table of new_val).
    pub fn from_ptx(number: u32) -> Option<Self> {
        Some(match number {
            8 => Self::F32Ftz,
            9 => Self::F64,
            10 => Self::Bf16,
            other => return Self::from_cuda(other),
        })
    }

    /// Bits of one element in global memory.
    pub fn bits(self) -> u32 {
        match self {
            Self::U8 => 8,
            Self::U16 | Self::F16 | Self::Bf16 => 16,
            Self::U32 | Self::S32 | Self::F32 | Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz => 32,
            Self::U64 | Self::S64 | Self::F64 => 64,
            Self::U4x16Align8 | Self::U4x16Align16 => 4,
            Self::U6x16Align16 => 6,
        }
    }

    /// Bits that one element takes in shared memory, with its share of the gap.
    pub fn shared_bits(self) -> u32 {
        match self {
            Self::U4x16Align16 | Self::U6x16Align16 => 8,
            other => other.bits(),
        }
    }

    /// Bytes of `n` elements in global memory, rounded up.
    pub fn bytes(self, n: u64) -> u64 {
        (n.saturating_mul(u64::from(self.bits()))).div_ceil(8)
    }

    /// Whether out-of-bounds elements can be filled with NaN.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Self::F16 | Self::F32 | Self::F64 | Self::Bf16 | Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz
        )
    }

    /// Whether shared memory has gaps between packed values.
    pub fn has_gaps(self) -> bool {
        matches!(self, Self::U4x16Align16 | Self::U6x16Align16)
    }
}

/// The interleaved layouts of a tensor, numbered as CUtensorMapInterleave and `tensormap.replace` number them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Interleave {
    /// Dense channels.
    #[default]
    None = 0,
    /// Slices of channels of 16 bytes.
    B16 = 1,
    /// Slices of channels of 32 bytes.
    B32 = 2,
}

/// The span of a swizzle, numbered as `tensormap.replace.tile.swizzle_mode` numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum SwizzleMode {
    /// No swizzle.
    #[default]
    None = 0,
    /// Within 32 bytes.
    B32 = 1,
    /// Within 64 bytes.
    B64 = 2,
    /// Within 128 bytes.
    B128 = 3,
}

/// What a swizzle keeps together, numbered as `tensormap.replace.tile.swizzle_atomicity` numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum SwizzleAtom {
    /// Chunks of 16 bytes.
    #[default]
    B16 = 0,
    /// Chunks of 32 bytes.
    B32 = 1,
    /// Chunks of 32 bytes; in every other row the 8-byte halves of each 16 bytes are exchanged.
    B32Flip8 = 2,
    /// Chunks of 64 bytes.
    B64 = 3,
}

/// How much the L2 cache fetches at once. It changes no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum L2Promotion {
    /// No promotion.
    #[default]
    None = 0,
    /// 64 bytes.
    B64 = 1,
    /// 128 bytes.
    B128 = 2,
    /// 256 bytes.
    B256 = 3,
}

/// What a load writes for elements outside the tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum OobFill {
    /// Zeros (CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE).
    #[default]
    Zeros = 0,
    /// A NaN that FMAs treat as zero (CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA).
    Nan = 1,
}

/// What a copy through the map visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A box (cuTensorMapEncodeTiled).
    Tiled {
        /// Elements traversed along each dimension; `ceil(box_dim / element_stride)` of them are copied.
        box_dim: [u32; MAX_RANK],
    },
    /// Columns of pixels (cuTensorMapEncodeIm2col). The corners have W first; `rank - 2` of each count.
    Im2col {
        /// Offsets of the bounding box from the first pixel of each dimension.
        lower: [i32; 3],
        /// Offsets of the bounding box from the last pixel of each dimension.
        upper: [i32; 3],
        /// Elements copied along the innermost dimension.
        channels: u32,
        /// Pixels copied.
        pixels: u32,
    },
}

/// The arguments of a tensor map, unchecked. Entries from `rank` on (`rank - 1` on for strides) do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// Type of the elements.
    pub element: ElementType,
    /// Number of dimensions.
    pub rank: u32,
    /// Address of the element with all coordinates zero.
    pub global_address: u64,
    /// Elements along each dimension.
    pub global_dim: [u64; MAX_RANK],
    /// Bytes from one element to the next along dimensions 1, 2, ...; dimension 0 is dense.
    pub global_stride: [u64; MAX_RANK - 1],
    /// Box or columns.
    pub mode: Mode,
    /// Step along each dimension, in elements. The first does not count unless interleaved.
    pub element_stride: [u32; MAX_RANK],
    /// Interleaved layout of the tensor.
    pub interleave: Interleave,
    /// Span of the swizzle of shared memory.
    pub swizzle_mode: SwizzleMode,
    /// What the swizzle keeps together.
    pub swizzle_atom: SwizzleAtom,
    /// L2 fetch size.
    pub l2_promotion: L2Promotion,
    /// Fill of out-of-bounds elements.
    pub oob_fill: OobFill,
}

impl Descriptor {
    /// A tiled map without interleaving, element strides 1, zeros outside.
    ///
    /// # Errors
    /// If `global_dim` and `box_dim` have not the same length of 1 to 5, or `global_stride` is not one shorter.
    pub fn tiled(
        element: ElementType,
        global_address: u64,
        global_dim: &[u64],
        global_stride: &[u64],
        box_dim: &[u32],
        swizzle: Swizzle,
    ) -> Result<Self, TensorMapError> {
        let rank = global_dim.len();
        if rank == 0 || rank > MAX_RANK {
            return Err(TensorMapError::Rank { found: rank as u64 });
        }
        if box_dim.len() != rank || global_stride.len() != rank - 1 {
            return Err(TensorMapError::Lengths {
                dims: rank,
                strides: global_stride.len(),
                boxes: box_dim.len(),
            });
        }
        let mut descriptor = Self {
            element,
            rank: rank as u32,
            global_address,
            global_dim: [1; MAX_RANK],
            global_stride: [0; MAX_RANK - 1],
            mode: Mode::Tiled { box_dim: [1; MAX_RANK] },
            element_stride: [1; MAX_RANK],
            interleave: Interleave::None,
            swizzle_mode: swizzle.mode(),
            swizzle_atom: swizzle.atom(),
            l2_promotion: L2Promotion::None,
            oob_fill: OobFill::Zeros,
        };
        descriptor.global_dim[..rank].copy_from_slice(global_dim);
        descriptor.global_stride[..rank - 1].copy_from_slice(global_stride);
        if let Mode::Tiled { box_dim: to } = &mut descriptor.mode {
            to[..rank].copy_from_slice(box_dim);
        }
        Ok(descriptor)
    }
}

/// A tensor map that the driver accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TensorMap {
    descriptor: Descriptor,
    swizzle: Swizzle,
}

impl TensorMap {
    /// Checks the arguments as cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col do.
    ///
    /// # Errors
    /// What the documentation of those functions forbids, the first found. It requires nothing of the strides but
    /// their alignment and size: overlapping and non-increasing strides are accepted.
    pub fn new(descriptor: Descriptor) -> Result<Self, TensorMapError> {
        check::check(&descriptor)?;
        let swizzle = Swizzle::new(descriptor.swizzle_mode, descriptor.swizzle_atom)?;
        Ok(Self { descriptor, swizzle })
    }

    /// The arguments.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Number of dimensions, 1 to 5.
    pub fn rank(&self) -> usize {
        self.descriptor.rank as usize
    }

    /// The swizzle of shared memory.
    pub fn swizzle(&self) -> Swizzle {
        self.swizzle
    }

    /// Elements of the box that are copied along each dimension, `ceil(box_dim / element_stride)`
    /// (im2col: channels, pixels, 1, ...).
    pub fn copied(&self) -> [u32; MAX_RANK] {
        let mut out = [1; MAX_RANK];
        match &self.descriptor.mode {
            Mode::Tiled { box_dim } => {
                for i in 0..self.rank() {
                    // Dimension 0 has no stride without interleaving (CUDA driver API, elementStrides).
                    let stride = if i == 0 { 1 } else { self.descriptor.element_stride[i].max(1) };
                    out[i] = box_dim[i].div_ceil(stride);
                }
            }
            Mode::Im2col { channels, pixels, .. } => {
                out[0] = *channels;
                out[1] = *pixels;
            }
        }
        out
    }

    /// Bytes that one copy counts at its mbarrier: all elements of the box as they are in global memory, out-of-bounds ones too.
    /// Gaps between packed values and padding of rows do not count (CUTLASS expects the packed bytes).
    pub fn box_bytes(&self) -> u64 {
        let elements: u64 = self.copied().iter().map(|&n| u64::from(n)).product();
        self.descriptor.element.bytes(elements)
    }

    /// Bytes from one row of the box to the next in shared memory. A swizzle span larger than the row pads it
    /// (CUDA programming guide, "Tensor memory access swizzle": allocate for the full swizzle width).
    pub fn row_pitch(&self) -> u32 {
        let row = self.copied()[0] * self.descriptor.element.shared_bits() / 8;
        row.max(self.swizzle.span())
    }

    /// Bytes of shared memory from the first to the last byte that a copy can touch.
    pub fn shared_extent(&self) -> u64 {
        let rows: u64 = self.copied()[1..].iter().map(|&n| u64::from(n)).product();
        rows * u64::from(self.row_pitch())
    }

    /// The bytes of one element that a load writes out of bounds, little-endian, first [`ElementType::bits`] / 8 of them
    /// (sub-byte types: zeros). The NaN is positive with all other bits set.
    pub fn oob_element(&self) -> [u8; 8] {
        if self.descriptor.oob_fill == OobFill::Zeros || !self.descriptor.element.is_float() {
            return [0; 8];
        }
        let bytes = (self.descriptor.element.bits() / 8) as usize;
        let mut out = [0; 8];
        out[..bytes].fill(0xff);
        out[bytes - 1] = 0x7f;
        out
    }
}
