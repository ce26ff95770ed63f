//! What the driver refuses (CUDA driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col).

use super::{Descriptor, ElementType, Interleave, Mode, OobFill, Swizzle, SwizzleAtom, SwizzleMode};

/// Why the arguments make no tensor map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TensorMapError {
    /// The rank.
    #[error("a tensor map has 1 to 5 dimensions, this one has {found}; merge or split dimensions")]
    Rank {
        /// The rank given.
        found: u64,
    },
    /// Array lengths that do not fit each other.
    #[error(
        "{dims} dimensions need {dims} box sizes and {} strides (the innermost dimension is dense), found {boxes} and {strides}",
        dims - 1
    )]
    Lengths {
        /// Number of dimensions.
        dims: usize,
        /// Number of strides.
        strides: usize,
        /// Number of box sizes.
        boxes: usize,
    },
    /// The rank with interleaving or im2col.
    #[error("{what} needs a tensor of 3 to 5 dimensions, this one has {found}; add dimensions of size 1")]
    RankFor {
        /// "an interleaved layout" or "im2col".
        what: &'static str,
        /// The rank given.
        found: u32,
    },
    /// The alignment of the address.
    #[error(
        "the tensor's global address {address:#x} is not a multiple of {wanted} bytes ({why}); align the allocation, or start the map at an aligned element and shift the coordinates"
    )]
    Address {
        /// The address given.
        address: u64,
        /// The alignment required.
        wanted: u64,
        /// What requires it.
        why: &'static str,
    },
    /// A size of the tensor.
    #[error("global_dim[{dim}] is {found}; a dimension has 1 to 4294967296 elements")]
    Dim {
        /// The dimension.
        dim: usize,
        /// The size given.
        found: u64,
    },
    /// The innermost size of packed types.
    #[error("global_dim[0] is {found}; type {element:?} needs a multiple of {wanted}; pad the rows")]
    PackedDim {
        /// The type.
        element: ElementType,
        /// The size given.
        found: u64,
        /// The multiple required.
        wanted: u64,
    },
    /// The alignment of a stride.
    #[error(
        "global_stride[{index}] (of dimension {}) is {found} bytes, not a multiple of {wanted} ({why}); pad the rows of the tensor",
        index + 1
    )]
    StrideAlign {
        /// Index of the stride.
        index: usize,
        /// Bytes given.
        found: u64,
        /// The multiple required.
        wanted: u64,
        /// What requires it.
        why: &'static str,
    },
    /// The size of a stride.
    #[error(
        "global_stride[{index}] (of dimension {}) is {found} bytes; strides are less than 2^40 (1099511627776); split the tensor into several maps",
        index + 1
    )]
    StrideSize {
        /// Index of the stride.
        index: usize,
        /// Bytes given.
        found: u64,
    },
    /// A size of the box.
    #[error(
        "box_dim[{dim}] is {found}; a box has 1 to 256 elements along each dimension; issue several copies"
    )]
    BoxDim {
        /// The dimension.
        dim: usize,
        /// The size given.
        found: u32,
    },
    /// The innermost bytes of the box.
    #[error(
        "the box's inner row is {elements} elements of {element:?}, {bytes} bytes, not a multiple of 16; widen box_dim[0]"
    )]
    InnerBytes {
        /// The type.
        element: ElementType,
        /// Elements of the row.
        elements: u32,
        /// Bytes of the row.
        bytes: u64,
    },
    /// The innermost elements of packed types.
    #[error("{what} is {found}; type {element:?} needs exactly 128")]
    PackedBox {
        /// Which argument.
        what: &'static str,
        /// The type.
        element: ElementType,
        /// Elements given.
        found: u32,
    },
    /// An inner row larger than the swizzle's span.
    #[error(
        "the box's inner row is {bytes} bytes, more than the span of swizzle {swizzle:?}, {span} bytes; narrow box_dim[0] and issue several copies, or add a dimension of tiles, or use a wider swizzle"
    )]
    SwizzleSpan {
        /// Bytes of the row.
        bytes: u64,
        /// The swizzle.
        swizzle: Swizzle,
        /// Its span in bytes.
        span: u32,
    },
    /// An element stride.
    #[error("element_stride[{dim}] is {found}; steps are 1 to 8 elements")]
    ElementStride {
        /// The dimension.
        dim: usize,
        /// The step given.
        found: u32,
    },
    /// Interleaving by 32 bytes with another swizzle than 32 bytes.
    #[error("an interleaved layout of 32 bytes needs swizzle 32B, found {found:?}")]
    InterleaveSwizzle {
        /// The swizzle given.
        found: Swizzle,
    },
    /// A packed type with interleaving.
    #[error("type {element:?} cannot be interleaved")]
    InterleaveType {
        /// The type.
        element: ElementType,
    },
    /// A swizzle that the packed type does not have.
    #[error(
        "type {element:?} does not support swizzle {swizzle:?}; use None, B128 or B128Atom32 (stores of U6x16Align16: B128Atom64 too)"
    )]
    PackedSwizzle {
        /// The type.
        element: ElementType,
        /// The swizzle given.
        swizzle: Swizzle,
    },
    /// An atom with a span that does not have it.
    #[error(
        "swizzle atom {atom:?} needs a span of 128 bytes, found {mode:?}; atoms other than B16 come with B128 only"
    )]
    SwizzleAtom {
        /// The span.
        mode: SwizzleMode,
        /// The atom.
        atom: SwizzleAtom,
    },
    /// NaN fill of a type without NaN.
    #[error("out-of-bounds elements of type {element:?} cannot be NaN; use the fill with zeros")]
    NanFill {
        /// The type.
        element: ElementType,
    },
    /// A corner of the im2col bounding box.
    #[error("{which} corner {found} of dimension {} is outside {min}..={max}, the range for rank {rank}", dim + 1)]
    Corner {
        /// "lower" or "upper".
        which: &'static str,
        /// Index of the corner; W is 0.
        dim: usize,
        /// The offset given.
        found: i32,
        /// Least offset.
        min: i32,
        /// Largest offset.
        max: i32,
        /// The rank.
        rank: u32,
    },
    /// An im2col bounding box without pixels.
    #[error(
        "the im2col bounding box is empty along dimension {}: {size} elements with corners {lower} and {upper}", dim + 1
    )]
    EmptyBox {
        /// Index of the corner; W is 0.
        dim: usize,
        /// Elements of the dimension.
        size: u64,
        /// Lower corner.
        lower: i32,
        /// Upper corner.
        upper: i32,
    },
    /// Channels or pixels of im2col.
    #[error("{what} is {found}; it is 1 to {max}")]
    Im2colCount {
        /// Which argument.
        what: &'static str,
        /// The count given.
        found: u32,
        /// The largest.
        max: u32,
    },
}

/// The first argument that the driver refuses.
pub(super) fn check(d: &Descriptor) -> Result<(), TensorMapError> {
    use TensorMapError as E;
    let rank = d.rank as usize;
    if rank == 0 || rank > super::MAX_RANK {
        return Err(E::Rank { found: u64::from(d.rank) });
    }
    if d.interleave != Interleave::None && rank < 3 {
        return Err(E::RankFor { what: "an interleaved layout", found: d.rank });
    }
    if matches!(d.mode, Mode::Im2col { .. }) && rank < 3 {
        return Err(E::RankFor { what: "im2col", found: d.rank });
    }
    let (align, why) = if d.interleave == Interleave::B32 {
        (32, "interleaved by 32 bytes")
    } else if d.element.has_gaps() {
        (32, "packed values with gaps")
    } else {
        (16, "every tensor map")
    };
    if !d.global_address.is_multiple_of(align) {
        return Err(E::Address { address: d.global_address, wanted: align, why });
    }
    for (dim, &found) in d.global_dim[..rank].iter().enumerate() {
        // Documented as 2^32 up to CUDA 12 and as 2^31 in 13: the wider is accepted.
        if found == 0 || found > 1 << 32 {
            return Err(E::Dim { dim, found });
        }
    }
    let wanted = match d.element {
        ElementType::U4x16Align16 | ElementType::U6x16Align16 => 128,
        ElementType::U4x16Align8 => 2,
        _ => 1,
    };
    if !d.global_dim[0].is_multiple_of(wanted) {
        return Err(E::PackedDim { element: d.element, found: d.global_dim[0], wanted });
    }
    for (index, &found) in d.global_stride[..rank - 1].iter().enumerate() {
        if !found.is_multiple_of(align) {
            return Err(E::StrideAlign { index, found, wanted: align, why });
        }
        if found >= 1 << 40 {
            return Err(E::StrideSize { index, found });
        }
    }
    let swizzle = Swizzle::new(d.swizzle_mode, d.swizzle_atom)?;
    let inner = match &d.mode {
        Mode::Tiled { box_dim } => {
            for (dim, &found) in box_dim[..rank].iter().enumerate() {
                if found == 0 || found > 256 {
                    return Err(E::BoxDim { dim, found });
                }
            }
            box_dim[0]
        }
        Mode::Im2col { lower, upper, channels, pixels } => {
            im2col(d, lower, upper)?;
            for (what, found, max) in
                [("channels per pixel", *channels, 256), ("pixels per column", *pixels, 1024)]
            {
                if found == 0 || found > max {
                    return Err(E::Im2colCount { what, found, max });
                }
            }
            *channels
        }
    };
    if d.element.has_gaps() && inner != 128 {
        let what = if matches!(d.mode, Mode::Tiled { .. }) { "box_dim[0]" } else { "channels per pixel" };
        return Err(E::PackedBox { what, element: d.element, found: inner });
    }
    for (dim, &found) in d.element_stride[..rank].iter().enumerate() {
        if found == 0 || found > 8 {
            return Err(E::ElementStride { dim, found });
        }
    }
    if d.interleave == Interleave::None {
        let shared_bits = u64::from(inner) * u64::from(d.element.shared_bits());
        let bytes = shared_bits / 8;
        if !shared_bits.is_multiple_of(128) {
            return Err(E::InnerBytes { element: d.element, elements: inner, bytes });
        }
        if swizzle != Swizzle::None && bytes > u64::from(swizzle.span()) {
            return Err(E::SwizzleSpan { bytes, swizzle, span: swizzle.span() });
        }
    } else {
        if d.element == ElementType::U6x16Align16 {
            return Err(E::InterleaveType { element: d.element });
        }
        if d.interleave == Interleave::B32 && swizzle != Swizzle::B32 {
            return Err(E::InterleaveSwizzle { found: swizzle });
        }
    }
    let packed_ok = match d.element {
        ElementType::U6x16Align16 => {
            matches!(swizzle, Swizzle::None | Swizzle::B128 | Swizzle::B128Atom32 | Swizzle::B128Atom64)
        }
        ElementType::U4x16Align16 => matches!(swizzle, Swizzle::None | Swizzle::B128 | Swizzle::B128Atom32),
        _ => true,
    };
    if !packed_ok {
        return Err(E::PackedSwizzle { element: d.element, swizzle });
    }
    if d.oob_fill == OobFill::Nan && !d.element.is_float() {
        return Err(E::NanFill { element: d.element });
    }
    Ok(())
}

/// The corners of an im2col map: their ranges by rank, and a box that is not empty.
fn im2col(d: &Descriptor, lower: &[i32; 3], upper: &[i32; 3]) -> Result<(), TensorMapError> {
    let (min, max) = match d.rank {
        3 => (-32768, 32767),
        4 => (-128, 127),
        _ => (-16, 15),
    };
    for dim in 0..d.rank as usize - 2 {
        for (which, found) in [("lower", lower[dim]), ("upper", upper[dim])] {
            if found < min || found > max {
                return Err(TensorMapError::Corner { which, dim, found, min, max, rank: d.rank });
            }
        }
        let size = d.global_dim[dim + 1];
        if size as i64 + i64::from(upper[dim]) - i64::from(lower[dim]) <= 0 {
            return Err(TensorMapError::EmptyBox { dim, size, lower: lower[dim], upper: upper[dim] });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Descriptor, ElementType as T, Interleave, Mode, OobFill, Swizzle, TensorMap};
    use super::TensorMapError as E;

    fn plain() -> Descriptor {
        Descriptor::tiled(T::F16, 0x1000, &[128, 64], &[256], &[64, 8], Swizzle::B128).unwrap()
    }

    fn with(change: impl FnOnce(&mut Descriptor)) -> Result<TensorMap, E> {
        let mut d = plain();
        change(&mut d);
        TensorMap::new(d)
    }

    #[test]
    fn accepts_what_jax_emits() {
        // hopper_matmul_op: tiles of a row-major matrix; strides that do not increase.
        let d = Descriptor::tiled(
            T::F16,
            0x7f00_0000_0000,
            &[64, 8, 64, 512],
            &[8192, 128, 65536],
            &[64, 8, 1, 16],
            Swizzle::B128,
        );
        let map = TensorMap::new(d.unwrap()).unwrap();
        assert_eq!(map.box_bytes(), 16384);
        assert_eq!(map.row_pitch(), 128);
        assert_eq!(map.shared_extent(), 16384);
    }

    #[test]
    fn refuses() {
        assert!(with(|_| ()).is_ok());
        assert_eq!(with(|d| d.rank = 0), Err(E::Rank { found: 0 }));
        assert_eq!(with(|d| d.rank = 6), Err(E::Rank { found: 6 }));
        assert!(matches!(with(|d| d.global_address = 0x1008), Err(E::Address { wanted: 16, .. })));
        assert!(matches!(with(|d| d.interleave = Interleave::B16), Err(E::RankFor { found: 2, .. })));
        assert_eq!(with(|d| d.global_dim[1] = 0), Err(E::Dim { dim: 1, found: 0 }));
        assert!(with(|d| d.global_dim[1] = 1 << 32).is_ok());
        assert!(with(|d| d.global_dim[1] = (1 << 32) + 1).is_err());
        assert!(matches!(
            with(|d| d.global_stride[0] = 200),
            Err(E::StrideAlign { found: 200, wanted: 16, .. })
        ));
        assert!(matches!(with(|d| d.global_stride[0] = 1 << 40), Err(E::StrideSize { .. })));
        assert!(with(|d| d.global_stride[0] = 16).is_ok(), "overlap is not the driver's business");
        let b = |b| move |d: &mut Descriptor| d.mode = Mode::Tiled { box_dim: b };
        assert_eq!(with(b([64, 257, 1, 1, 1])), Err(E::BoxDim { dim: 1, found: 257 }));
        assert_eq!(with(b([64, 0, 1, 1, 1])), Err(E::BoxDim { dim: 1, found: 0 }));
        assert!(matches!(with(b([60, 8, 1, 1, 1])), Err(E::InnerBytes { bytes: 120, .. })));
        assert!(matches!(with(b([128, 8, 1, 1, 1])), Err(E::SwizzleSpan { bytes: 256, span: 128, .. })));
        assert_eq!(with(|d| d.element_stride[1] = 9), Err(E::ElementStride { dim: 1, found: 9 }));
        assert_eq!(with(|d| d.element_stride[1] = 0), Err(E::ElementStride { dim: 1, found: 0 }));
        assert!(matches!(
            with(|d| d.element = T::U6x16Align16),
            Err(E::StrideAlign { .. } | E::PackedBox { .. })
        ));
        assert!(matches!(
            with(|d| {
                d.element = T::U16;
                d.oob_fill = OobFill::Nan;
            }),
            Err(E::NanFill { .. })
        ));
    }

    #[test]
    fn interleave_rules() {
        let mut d = Descriptor::tiled(T::F16, 32, &[8, 8, 8], &[32, 256], &[8, 8, 8], Swizzle::None).unwrap();
        d.interleave = Interleave::B32;
        assert_eq!(TensorMap::new(d), Err(E::InterleaveSwizzle { found: Swizzle::None }));
        d.swizzle_mode = Swizzle::B32.mode();
        assert!(TensorMap::new(d).is_ok());
        d.global_address = 16;
        assert!(matches!(TensorMap::new(d), Err(E::Address { wanted: 32, .. })));
    }

    #[test]
    fn messages_say_the_way_out() {
        let text = with(|d| d.mode = Mode::Tiled { box_dim: [128, 8, 1, 1, 1] }).unwrap_err().to_string();
        assert!(
            text.contains("256 bytes") && text.contains("128 bytes") && text.contains("narrow box_dim[0]"),
            "{text}"
        );
        let text = with(|d| d.global_stride[0] = 200).unwrap_err().to_string();
        assert!(text.contains("dimension 1") && text.contains("pad the rows"), "{text}");
    }
}
