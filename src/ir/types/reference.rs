//! Array refs: `!tg.ref<128x64xbf16, smem, tile = [8, 64], swizzle = 128>`.

use std::fmt;

use super::{DYNAMIC, num_elements};
use crate::entity::Type;

/// Where an array ref points. Registers are no space: what lives there is a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global memory.
    Gmem,
    /// Shared memory of the block.
    Smem,
    /// Tensor memory (Blackwell).
    Tmem,
}

impl Space {
    /// The name in text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gmem => "gmem",
            Self::Smem => "smem",
            Self::Tmem => "tmem",
        }
    }
    /// The space called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Gmem, Self::Smem, Self::Tmem].into_iter().find(|space| space.name() == name)
    }
    /// The space in words.
    pub fn long_name(self) -> &'static str {
        match self {
            Self::Gmem => "global memory",
            Self::Smem => "shared memory",
            Self::Tmem => "tensor memory",
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A reference to an array. Dense and row-major unless `strides` or a transform says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RefType {
    /// Extents; [`DYNAMIC`] for `?`, which only global memory may have. Rank 0 is one element.
    pub shape: Box<[i64]>,
    /// A scalar type.
    pub elem: Type,
    /// Where the array lives.
    pub space: Space,
    /// Distances in elements between neighbours along each dimension; [`DYNAMIC`] for `?`.
    pub strides: Option<Box<[i64]>>,
    /// `tile = [8, 64]`: the trailing dimensions are cut into tiles of this shape, each stored contiguously and the
    /// tiles in row-major order of their position. Shared memory only.
    pub tile: Option<Box<[i64]>>,
    /// `swizzle = 128`: the span in bytes (32, 64 or 128) within which 16-byte chunks are permuted by the address
    /// bits above it, as TMA and the tensor cores do. Shared memory only.
    pub swizzle: Option<u32>,
    /// Two 16-bit (four 8-bit) elements to a 32-bit tensor-memory column.
    pub packed: bool,
    /// Tensor memory that two blocks of a cluster share.
    pub collective: bool,
    /// A named tensor-memory layout.
    pub layout: Option<Box<str>>,
}

impl RefType {
    /// A dense ref without transforms.
    pub fn new(shape: &[i64], elem: Type, space: Space) -> Self {
        Self {
            shape: shape.into(),
            elem,
            space,
            strides: None,
            tile: None,
            swizzle: None,
            packed: false,
            collective: false,
            layout: None,
        }
    }
    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
    /// The number of elements, or `None` when an extent is dynamic.
    pub fn num_elements(&self) -> Option<i64> {
        num_elements(&self.shape)
    }
    /// Whether any extent is known only at run time.
    pub fn is_dynamic(&self) -> bool {
        self.shape.contains(&DYNAMIC)
    }
    /// Whether a transform (tile or swizzle) rearranges the bytes.
    pub fn has_transforms(&self) -> bool {
        self.tile.is_some() || self.swizzle.is_some()
    }
    /// The strides in elements, given or those of a dense row-major array. `None` in the list means known only at
    /// run time. Tiles are not taken into account.
    pub fn element_strides(&self) -> Vec<Option<i64>> {
        if let Some(strides) = &self.strides {
            return strides.iter().map(|&s| (s != DYNAMIC).then_some(s)).collect();
        }
        let mut result = vec![None; self.rank()];
        let mut stride = Some(1i64);
        for (slot, &dim) in result.iter_mut().zip(self.shape.iter()).rev() {
            *slot = stride;
            stride = stride.and_then(|s| if dim == DYNAMIC { None } else { s.checked_mul(dim) });
        }
        result
    }
}
