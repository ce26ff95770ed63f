//! Ill-formed types, and the check that finds them.

use thiserror::Error;

use super::scalar::MAX_INT_WIDTH;
use super::{
    BarrierRefType, DYNAMIC, MAX_ARRIVALS, MAX_BARRIERS, RefType, Space, TypeKind, TypeTable, num_elements,
};

/// Why a type cannot exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TypeError {
    /// Bits of an integer type.
    #[error("an integer type has 1 to {MAX_INT_WIDTH} bits, not {found}")]
    IntegerWidth {
        /// What was asked for.
        found: u32,
    },
    /// An extent below 1.
    #[error("dimension {dim} has extent {found}; an extent is at least 1")]
    Extent {
        /// The dimension, counted from 0.
        dim: usize,
        /// What was asked for.
        found: i64,
    },
    /// `?` where it cannot be.
    #[error("dimension {dim} is dynamic (`?`); only refs to global memory may have dynamic dimensions")]
    DynamicExtent {
        /// The dimension, counted from 0.
        dim: usize,
    },
    /// The number of elements does not fit 63 bits.
    #[error("the shape has more elements than 63 bits can count")]
    TooManyElements,
    /// An element type that is no scalar.
    #[error("`{found}` cannot be an element type; an element is an integer, `index` or floating-point type")]
    Element {
        /// The type's text.
        found: String,
    },
    /// A barrier or other ref as element type.
    #[error(
        "`{found}` is a barrier reference and cannot be the element of an array; a group of barriers is one type, `!tg.barrier_ref<4, arrivals = 1>`"
    )]
    BarrierElement {
        /// The type's text.
        found: String,
    },
    /// Arrivals outside 1 to 2²⁰ − 1.
    #[error("a barrier needs 1 to {MAX_ARRIVALS} arrivals to complete a phase, not {found}")]
    Arrivals {
        /// What was asked for.
        found: i64,
    },
    /// A group without barriers.
    #[error("a barrier group has at least one barrier, but dimension {dim} has extent {found}")]
    EmptyGroup {
        /// The dimension, counted from 0.
        dim: usize,
        /// What was asked for.
        found: i64,
    },
    /// A group that fits no block's shared memory.
    #[error(
        "the group has more than {MAX_BARRIERS} barriers, which is what fits into a block's shared memory"
    )]
    GroupTooLarge,
    /// A cluster barrier without axes.
    #[error("a cluster barrier names at least one cluster axis, as in `cluster = [\"x\"]`")]
    NoClusterAxes,
    /// An axis named twice.
    #[error("cluster axis \"{axis}\" is named twice")]
    DuplicateAxis {
        /// The axis.
        axis: String,
    },
    /// `leader_tracked` without cluster axes.
    #[error("`leader_tracked` belongs to cluster barriers; name the axes with `cluster = [...]`")]
    LeaderWithoutCluster,
    /// The number of strides is not the rank.
    #[error("{found} strides for a shape of rank {rank}")]
    StrideCount {
        /// Strides given.
        found: usize,
        /// Dimensions.
        rank: usize,
    },
    /// A negative stride.
    #[error("stride {dim} is {found}; a stride is at least 0")]
    Stride {
        /// The dimension, counted from 0.
        dim: usize,
        /// What was asked for.
        found: i64,
    },
    /// Strides with tiles.
    #[error("`strides` and `tile` both say where elements lie; give one of them")]
    StridesWithTile,
    /// A tile of more dimensions than the shape has, or none.
    #[error("a tile of rank {found} does not fit a shape of rank {rank}")]
    TileRank {
        /// Dimensions of the tile.
        found: usize,
        /// Dimensions of the shape.
        rank: usize,
    },
    /// A tile that does not divide the shape.
    #[error("tile extent {tile} does not divide dimension {dim} of extent {extent}")]
    TileExtent {
        /// The dimension, counted from 0.
        dim: usize,
        /// The tile's extent.
        tile: i64,
        /// The shape's extent.
        extent: i64,
    },
    /// A swizzle other than 32, 64, 128.
    #[error("a swizzle spans 32, 64 or 128 bytes, not {found}")]
    Swizzle {
        /// What was asked for.
        found: u32,
    },
    /// Tile or swizzle outside shared memory.
    #[error("`{transform}` is a transform of shared memory; a ref to {} cannot have it", space.long_name())]
    TransformSpace {
        /// `tile` or `swizzle`.
        transform: &'static str,
        /// The ref's space.
        space: Space,
    },
    /// `packed`, `collective` or `layout` outside tensor memory.
    #[error("`{option}` is an option of tensor memory; a ref to {} cannot have it", space.long_name())]
    TmemOption {
        /// The option.
        option: &'static str,
        /// The ref's space.
        space: Space,
    },
    /// `packed` with `layout`.
    #[error("`packed` and `layout` both fix the layout; give one of them")]
    PackedWithLayout,
    /// Narrow elements in tensor memory.
    #[error("tensor memory has 32-bit columns; elements of {bits} bits need `packed` or a `layout`")]
    NarrowTmem {
        /// Bits of an element.
        bits: u32,
    },
    /// A tensor-memory ref that is no matrix of 64 or 128 rows.
    #[error("a tensor memory ref has two dimensions and 64 or 128 rows; this one has shape {found:?}")]
    TmemShape {
        /// The shape.
        found: Vec<i64>,
    },
    /// An accumulator that WGMMA does not have.
    #[error(
        "an accumulator has a multiple of 64 rows and 8 to 256 columns in steps of 8, not {rows}x{columns}"
    )]
    AccShape {
        /// Rows.
        rows: i64,
        /// Columns.
        columns: i64,
    },
}

impl TypeTable {
    pub(super) fn check(&self, kind: &TypeKind) -> Result<(), TypeError> {
        match kind {
            TypeKind::Integer { width, .. } if !(1..=MAX_INT_WIDTH).contains(width) => {
                Err(TypeError::IntegerWidth { found: *width })
            }
            TypeKind::Vector { shape, elem } => {
                check_extents(shape, false)?;
                self.check_element(*elem)
            }
            TypeKind::Acc { shape: [rows, columns], elem } => {
                let fits = *rows > 0 && rows % 64 == 0 && (8..=256).contains(columns) && columns % 8 == 0;
                if !fits {
                    return Err(TypeError::AccShape { rows: *rows, columns: *columns });
                }
                self.check_element(*elem)
            }
            TypeKind::SemaphoreRef { shape } => check_extents(shape, false),
            TypeKind::BarrierRef(barrier) => check_barrier(barrier),
            TypeKind::Ref(reference) => self.check_ref(reference),
            TypeKind::Integer { .. }
            | TypeKind::Index
            | TypeKind::Float(_)
            | TypeKind::Function { .. }
            | TypeKind::None
            | TypeKind::Opaque(_) => Ok(()),
        }
    }

    fn check_element(&self, elem: crate::entity::Type) -> Result<(), TypeError> {
        match self.kind(elem) {
            TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_) => Ok(()),
            TypeKind::BarrierRef(_) => Err(TypeError::BarrierElement { found: self.display(elem) }),
            _ => Err(TypeError::Element { found: self.display(elem) }),
        }
    }

    fn check_ref(&self, reference: &RefType) -> Result<(), TypeError> {
        let RefType { shape, elem, space, strides, tile, swizzle, packed, collective, layout } = reference;
        self.check_element(*elem)?;
        check_extents(shape, *space == Space::Gmem)?;
        if let Some(strides) = strides {
            if strides.len() != shape.len() {
                return Err(TypeError::StrideCount { found: strides.len(), rank: shape.len() });
            }
            if let Some((dim, &found)) = strides.iter().enumerate().find(|&(_, &s)| s < 0 && s != DYNAMIC) {
                return Err(TypeError::Stride { dim, found });
            }
            if tile.is_some() {
                return Err(TypeError::StridesWithTile);
            }
        }
        for (present, transform) in [(tile.is_some(), "tile"), (swizzle.is_some(), "swizzle")] {
            if present && *space != Space::Smem {
                return Err(TypeError::TransformSpace { transform, space: *space });
            }
        }
        for (present, option) in
            [(*packed, "packed"), (*collective, "collective"), (layout.is_some(), "layout")]
        {
            if present && *space != Space::Tmem {
                return Err(TypeError::TmemOption { option, space: *space });
            }
        }
        if let Some(tile) = tile {
            check_tile(tile, shape)?;
        }
        match swizzle {
            None | Some(32 | 64 | 128) => {}
            Some(found) => return Err(TypeError::Swizzle { found: *found }),
        }
        if *space == Space::Tmem {
            if *packed && layout.is_some() {
                return Err(TypeError::PackedWithLayout);
            }
            let bits = self.bit_width(*elem).unwrap_or(32);
            if bits < 32 && !packed && layout.is_none() {
                return Err(TypeError::NarrowTmem { bits });
            }
            if !matches!(**shape, [64 | 128, _]) {
                return Err(TypeError::TmemShape { found: shape.to_vec() });
            }
        }
        Ok(())
    }
}

fn check_extents(shape: &[i64], dynamic: bool) -> Result<(), TypeError> {
    for (dim, &found) in shape.iter().enumerate() {
        if found == DYNAMIC {
            if !dynamic {
                return Err(TypeError::DynamicExtent { dim });
            }
        } else if found < 1 {
            return Err(TypeError::Extent { dim, found });
        }
    }
    let known: Vec<i64> = shape.iter().copied().filter(|&dim| dim != DYNAMIC).collect();
    // A factor of 256 leaves room for bytes and bits to be counted without overflow.
    let fits = num_elements(&known).and_then(|count| count.checked_mul(256));
    fits.map(|_| ()).ok_or(TypeError::TooManyElements)
}

fn check_tile(tile: &[i64], shape: &[i64]) -> Result<(), TypeError> {
    if tile.is_empty() || tile.len() > shape.len() {
        return Err(TypeError::TileRank { found: tile.len(), rank: shape.len() });
    }
    let first = shape.len() - tile.len();
    for (dim, (&tile, &extent)) in tile.iter().zip(&shape[first..]).enumerate() {
        if tile < 1 || extent % tile != 0 {
            return Err(TypeError::TileExtent { dim: first + dim, tile, extent });
        }
    }
    Ok(())
}

fn check_barrier(barrier: &BarrierRefType) -> Result<(), TypeError> {
    let BarrierRefType { shape, arrivals, orders_tensor_core: _, cluster } = barrier;
    if let Some((dim, &found)) = shape.iter().enumerate().find(|&(_, &extent)| extent < 1) {
        return Err(TypeError::EmptyGroup { dim, found });
    }
    match num_elements(shape) {
        Some(count) if count <= MAX_BARRIERS => {}
        _ => return Err(TypeError::GroupTooLarge),
    }
    if !(1..=MAX_ARRIVALS).contains(arrivals) {
        return Err(TypeError::Arrivals { found: *arrivals });
    }
    if let Some(cluster) = cluster {
        let mut seen: Vec<&str> = Vec::new();
        for axis in cluster.axes.iter().flat_map(super::ClusterAxes::names) {
            if seen.contains(&axis) {
                return Err(TypeError::DuplicateAxis { axis: axis.to_owned() });
            }
            seen.push(axis);
        }
        if seen.is_empty() {
            return Err(TypeError::NoClusterAxes);
        }
    }
    Ok(())
}
