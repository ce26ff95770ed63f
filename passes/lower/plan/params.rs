//! Parameters of a lowered kernel: pointers, run-time extents, scalars and tensor maps.
//!
//! A ref to global memory becomes a pointer when ordinary loads, stores or bulk copies use it, and a tensor map for each
//! form of box that TMA copies of it have. Tensor maps come last, each 128 bytes by value.

use rustc_hash::FxHashMap;
use tidegate_ir::diag::codes;
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::types::{DYNAMIC, RefType, TypeKind};
use tidegate_ir::{Module, Op, Type, Value};

use super::{
    Refusal,
    ranges::{Ranges, gcd},
    refuse,
    shape::KernelShape,
    unsupported,
    views::{Sum, View},
};

/// Bytes that bulk copies without a tensor map are made of: addresses and sizes are multiples.
const GRANULE: i64 = 16;

/// What a parameter of the lowered kernel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Param {
    /// A pointer to global memory: kernel argument `arg`.
    Pointer {
        /// The argument.
        arg: usize,
    },
    /// The extent of a dimension of argument `arg`, 64 bits.
    Extent {
        /// The argument.
        arg: usize,
        /// The dimension.
        dim: usize,
    },
    /// The distance in elements between neighbours along a dimension of argument `arg`, 64 bits.
    Stride {
        /// The argument.
        arg: usize,
        /// The dimension.
        dim: usize,
    },
    /// A number: argument `arg`.
    Scalar {
        /// The argument.
        arg: usize,
    },
    /// The tensor map of that number.
    Map {
        /// The map.
        map: usize,
    },
}

/// A number that is known now, or at the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// Known now.
    Known(i64),
    /// What the launch gives for a dimension of an argument, divided by a number.
    Launch {
        /// The argument.
        arg: usize,
        /// The dimension.
        dim: usize,
        /// The divisor.
        divisor: i64,
    },
}

/// A dimension of a tensor map, in the order of the ref (the driver wants the innermost first).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MapDim {
    /// The extent of the array.
    pub extent: Size,
    /// Bytes between neighbours: for the innermost, the element.
    pub stride: Size,
    /// What the stride of the launch is multiplied by, in bytes.
    pub stride_factor: i64,
    /// The extent of the box.
    pub extent_of_box: i64,
}

/// A tensor map.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMap {
    /// The argument whose array it describes.
    pub arg: usize,
    /// The element type.
    pub elem: Type,
    /// Its dimensions, innermost last.
    pub dims: Vec<MapDim>,
    /// The swizzle in bytes; 0 for none.
    pub swizzle: u32,
}

/// A coordinate of a box: `(start of the box along dimension dim of the array) / divisor`, or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinate {
    /// The dimension; `None` for the inner dimensions of tiles.
    pub dim: Option<usize>,
    /// The tile's extent.
    pub divisor: i64,
}

/// How a copy between global and shared memory is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyPlan {
    /// The part of the global array.
    pub gmem: View,
    /// The part of shared memory.
    pub smem: View,
    /// Bytes of the whole box.
    pub bytes: i64,
    /// By a tensor map, or contiguously without one.
    pub way: CopyWay,
    /// Blocks that share the work of a collective copy; 1 for others.
    pub parts: u32,
}

/// By what a copy is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyWay {
    /// A tensor map with these coordinates, outermost first.
    Map {
        /// The map.
        map: usize,
        /// The coordinates.
        coordinates: Vec<Coordinate>,
        /// The coordinate along which a collective copy is cut, and the extent of a part.
        cut: Option<(usize, i64)>,
    },
    /// One contiguous piece.
    Bulk,
}

/// The parameters of a kernel.
#[derive(Debug, Default)]
pub struct Params {
    /// In order.
    pub list: Vec<Param>,
    /// The tensor maps.
    pub maps: Vec<TensorMap>,
    /// How each copy is done.
    pub copies: FxHashMap<Op, CopyPlan>,
}

impl Params {
    /// Plans the parameters of the kernel of `shape`.
    ///
    /// # Errors
    ///
    /// When a copy cannot be done.
    pub fn of(module: &Module, shape: &KernelShape, ranges: &Ranges) -> Result<Self, Refusal> {
        let mut this = Self::default();
        let Some(body) = module.region_block(shape.op, 0) else { return Ok(this) };
        let args = module.block_args(body).to_vec();
        let ops = module.walk(shape.op);
        let mut pointers = vec![false; args.len()];
        let mut mark = |root: Value| {
            if let Some(arg) = args.iter().position(|&arg| arg == root) {
                pointers[arg] = true;
            }
        };
        for &op in &ops {
            match module.opcode(op) {
                Opcode::Tg(TgOp::Load) => root_of(module, op, "source").into_iter().for_each(&mut mark),
                Opcode::Tg(TgOp::Store) => root_of(module, op, "dest").into_iter().for_each(&mut mark),
                Opcode::Tg(TgOp::CopyGmemToSmem | TgOp::CopySmemToGmem) => {
                    let plan = this.copy(module, shape, ranges, &args, op)?;
                    if plan.way == CopyWay::Bulk {
                        mark(plan.gmem.root);
                    }
                    this.copies.insert(op, plan);
                }
                _ => {}
            }
        }
        for (arg, &value) in args.iter().enumerate() {
            match module.types.kind(module.ty(value)) {
                TypeKind::Ref(reference) => {
                    if pointers[arg] {
                        this.list.push(Param::Pointer { arg });
                    }
                    let dims = |sizes: &[i64]| {
                        let dims: Vec<usize> = sizes
                            .iter()
                            .enumerate()
                            .filter(|(_, size)| **size == DYNAMIC)
                            .map(|(dim, _)| dim)
                            .collect();
                        dims
                    };
                    this.list
                        .extend(dims(&reference.shape).into_iter().map(|dim| Param::Extent { arg, dim }));
                    let strides = reference.strides.as_deref().unwrap_or_default();
                    this.list.extend(dims(strides).into_iter().map(|dim| Param::Stride { arg, dim }));
                }
                _ => this.list.push(Param::Scalar { arg }),
            }
        }
        this.list.extend((0..this.maps.len()).map(|map| Param::Map { map }));
        Ok(this)
    }

    fn copy(
        &mut self,
        module: &Module,
        shape: &KernelShape,
        ranges: &Ranges,
        args: &[Value],
        op: Op,
    ) -> Result<CopyPlan, Refusal> {
        let load = module.opcode(op) == Opcode::Tg(TgOp::CopyGmemToSmem);
        let (global, shared) = if load { ("source", "dest") } else { ("dest", "source") };
        let view = |name: &str| {
            let value = module.operand_named(op, name);
            let view = value.and_then(|value| View::of(module, value));
            view.ok_or_else(|| unsupported(module, op, "copies through a ref of unknown origin"))
        };
        let smem = view(shared)?.at(&module.index_list(op, &format!("{shared}_indices")), true);
        let extents = smem.extents();
        let gmem = view(global)?.access(&module.index_list(op, &format!("{global}_indices")), &extents);
        let smem_ref = reference(module, smem.root)
            .ok_or_else(|| unsupported(module, op, "copies through a ref of unknown origin"))?;
        let gmem_ref = reference(module, gmem.root)
            .ok_or_else(|| unsupported(module, op, "copies through a ref of unknown origin"))?;
        let elements = extents.iter().product::<i64>();
        let bytes = module.types.bytes_of(smem_ref.elem, elements).unwrap_or(0);
        if !is_one_piece(smem_ref, &smem) {
            return Err(unsupported(module, op, "copies a part of shared memory that is not one piece"));
        }
        let parts = parts(module, shape, op);
        let bulk = !load && parts == 1 && is_bulk(module, ranges, &gmem, gmem_ref, smem_ref, bytes);
        let way = if bulk {
            CopyWay::Bulk
        } else {
            let arg = args.iter().position(|&arg| arg == gmem.root);
            let arg =
                arg.ok_or_else(|| unsupported(module, op, "copies global memory that is no parameter"))?;
            let (map, coordinates, cut) =
                tensor_map(module, op, arg, (gmem_ref, &gmem), (smem_ref, &smem), parts)?;
            let known = self.maps.iter().position(|other| *other == map);
            let map = known.unwrap_or_else(|| {
                self.maps.push(map);
                self.maps.len() - 1
            });
            CopyWay::Map { map, coordinates, cut }
        };
        Ok(CopyPlan { gmem, smem, bytes, way, parts })
    }
}

fn root_of(module: &Module, op: Op, name: &str) -> Option<Value> {
    View::of(module, module.operand_named(op, name)?).map(|view| view.root)
}

fn reference(module: &Module, value: Value) -> Option<&RefType> {
    module.types.as_ref(module.ty(value))
}

/// The blocks that take part in a collective copy.
fn parts(module: &Module, shape: &KernelShape, op: Op) -> u32 {
    let axes = module.attr_strs(op, "collective").unwrap_or_default();
    let extent = |name: &&str| shape.cluster.iter().find(|axis| axis.0 == *name).map_or(1, |axis| axis.1);
    axes.iter().map(extent).product()
}

/// Whether the elements of `view` lie one after the other in shared memory, in the order that a copy moves them.
fn is_one_piece(reference: &RefType, view: &View) -> bool {
    if view.dims.iter().any(|(dim, _)| dim.step != 1) || reference.strides.is_some() {
        return false;
    }
    // Dimensions shown must be the last ones; behind the first that is larger than 1, all are covered whole.
    let first = reference.rank() - view.dims.len().min(reference.rank());
    if view.dims.iter().enumerate().any(|(index, (dim, _))| dim.root != first + index) {
        return false;
    }
    let covered =
        |index: usize| reference.shape.get(first + index).copied() == view.dims.get(index).map(|dim| dim.1);
    let outer = view.dims.iter().position(|(_, extent)| *extent > 1).unwrap_or(view.dims.len());
    let inner_whole = (outer + 1..view.dims.len()).all(covered);
    let Some(tile) = &reference.tile else { return inner_whole };
    let tiled_from = reference.rank() - tile.len().min(reference.rank());
    if first > tiled_from {
        return false;
    }
    match (first + outer).checked_sub(tiled_from) {
        // The outermost dimension in question is itself tiled: whole tiles of it.
        Some(index) => {
            let extent = view.dims.get(outer).map_or(1, |dim| dim.1);
            inner_whole && (covered(outer) || tile.get(index).is_some_and(|&tile| extent % tile == 0))
        }
        None => inner_whole,
    }
}

/// Whether the box is one piece of global memory too, fit for a copy without a tensor map.
fn is_bulk(
    module: &Module,
    ranges: &Ranges,
    gmem: &View,
    gmem_ref: &RefType,
    smem_ref: &RefType,
    bytes: i64,
) -> bool {
    let Some(element) = module.types.bytes_of(gmem_ref.elem, 1) else { return false };
    if gmem_ref.is_dynamic() || smem_ref.has_transforms() || bytes % GRANULE != 0 || bytes == 0 {
        return false;
    }
    if gmem.dims.iter().any(|(dim, _)| dim.step != 1) {
        return false;
    }
    let mut expected = 1;
    let strides = gmem_ref.element_strides();
    for (dim, extent) in gmem.dims.iter().rev() {
        if *extent != 1 && strides.get(dim.root).copied().flatten() != Some(expected) {
            return false;
        }
        expected *= extent;
    }
    // Where it starts.
    let mut alignment = 0;
    for (start, stride) in gmem.starts.iter().zip(&strides) {
        let Some(stride) = stride else { return false };
        alignment = gcd(alignment, divisor(ranges, start).saturating_mul(*stride).saturating_mul(element));
    }
    alignment % GRANULE == 0
}

/// What divides a sum.
pub fn divisor(ranges: &Ranges, sum: &Sum) -> i64 {
    sum.terms.iter().fold(gcd(sum.constant, 0), |divisor, term| {
        gcd(divisor, ranges.get(term.index).multiple.saturating_mul(term.factor))
    })
}

type Mapped = (TensorMap, Vec<Coordinate>, Option<(usize, i64)>);

/// The tensor map and the coordinates of a copy.
fn tensor_map(
    module: &Module,
    op: Op,
    arg: usize,
    (gmem_ref, gmem): (&RefType, &View),
    (smem_ref, smem): (&RefType, &View),
    parts: u32,
) -> Result<Mapped, Refusal> {
    let element = module.types.bytes_of(gmem_ref.elem, 1).unwrap_or(1);
    if gmem.dims.iter().any(|(dim, _)| dim.step != 1) {
        return Err(unsupported(module, op, "copies with steps in global memory"));
    }
    let mut boxes = vec![1i64; gmem_ref.rank()];
    for (dim, extent) in &gmem.dims {
        boxes[dim.root] = *extent;
    }
    let strides = gmem_ref.element_strides();
    let size = |dim: usize, divisor: i64| match gmem_ref.shape[dim] {
        DYNAMIC => Size::Launch { arg, dim, divisor },
        extent => Size::Known(extent / divisor),
    };
    let stride = |dim: usize, factor: i64| match strides[dim] {
        Some(stride) => (Size::Known(stride * factor * element), 1),
        None => (Size::Launch { arg, dim, divisor: 1 }, factor * element),
    };
    // Which dimensions of the array are cut into tiles, and how.
    let tile: Vec<i64> = smem_ref.tile.as_deref().unwrap_or_default().to_vec();
    let tiled_from = gmem_ref.rank().saturating_sub(tile.len());
    // With one column of tiles the tiles are in the order of rows, so nothing is cut.
    let columns_whole = tile.iter().zip(&boxes[tiled_from..]).skip(1).all(|(tile, extent)| tile == extent);
    let cut_into_tiles = !tile.is_empty() && !columns_whole;
    let mut dims = Vec::new();
    let mut coordinates = Vec::new();
    for dim in 0..gmem_ref.rank() {
        let divisor = match cut_into_tiles && dim >= tiled_from {
            true => tile[dim - tiled_from],
            false => 1,
        };
        if boxes[dim] % divisor != 0 || gmem_ref.shape[dim] != DYNAMIC && gmem_ref.shape[dim] % divisor != 0 {
            return Err(unsupported(module, op, "copies a part of a tile"));
        }
        let (stride, stride_factor) = stride(dim, divisor);
        dims.push(MapDim {
            extent: size(dim, divisor),
            stride,
            stride_factor,
            extent_of_box: boxes[dim] / divisor,
        });
        coordinates.push(Coordinate { dim: Some(dim), divisor });
    }
    if cut_into_tiles {
        for (index, &extent) in tile.iter().enumerate() {
            let (stride, stride_factor) = stride(tiled_from + index, 1);
            dims.push(MapDim { extent: Size::Known(extent), stride, stride_factor, extent_of_box: extent });
            coordinates.push(Coordinate { dim: None, divisor: 1 });
        }
    }
    if dims.is_empty() {
        let one = MapDim {
            extent: Size::Known(1),
            stride: Size::Known(element),
            stride_factor: 1,
            extent_of_box: 1,
        };
        dims.push(one);
        coordinates.push(Coordinate { dim: None, divisor: 1 });
    }
    // Outer dimensions of one tile each say nothing; leave them out where there are too many.
    while dims.len() > 5 {
        let spare = dims.iter().position(|dim| dim.extent == Size::Known(1) && dim.extent_of_box == 1);
        let Some(spare) = spare else {
            return Err(refuse(
                module,
                op,
                codes::COPY_RANK,
                format!("the tensor map has {} dimensions", dims.len()),
            ));
        };
        dims.remove(spare);
        coordinates.remove(spare);
    }
    let cut = match parts {
        1 => None,
        parts => {
            let parts = i64::from(parts);
            let place = dims
                .iter()
                .position(|dim| dim.extent_of_box > 1)
                .filter(|&at| dims[at].extent_of_box % parts == 0);
            let at = place
                .ok_or_else(|| unsupported(module, op, "has a box that its blocks cannot share evenly"))?;
            dims[at].extent_of_box /= parts;
            Some((at, dims[at].extent_of_box))
        }
    };
    for dim in &dims {
        if !(1..=256).contains(&dim.extent_of_box) {
            let message = format!("the box has the extent {}, and can have 1 to 256", dim.extent_of_box);
            return Err(refuse(module, op, codes::COPY_BOX_EXTENT, message));
        }
    }
    let inner = dims.last().map_or(1, |dim| dim.extent_of_box);
    let inner_bytes = module.types.bytes_of(gmem_ref.elem, inner).unwrap_or(0);
    if inner_bytes % GRANULE != 0 {
        let message = format!("the innermost extent of the box is {inner_bytes} bytes, not a multiple of 16");
        return Err(refuse(module, op, codes::COPY_INNER_BYTES, message));
    }
    let swizzle = smem_ref.swizzle.unwrap_or(0);
    if swizzle != 0 && inner_bytes > i64::from(swizzle) {
        let message = format!(
            "the innermost extent of the box is {inner_bytes} bytes, more than the swizzle of {swizzle}"
        );
        return Err(refuse(module, op, codes::COPY_SWIZZLE_SPAN, message));
    }
    debug_assert!(smem.dims.len() <= smem_ref.rank());
    Ok((TensorMap { arg, elem: gmem_ref.elem, dims, swizzle }, coordinates, cut))
}
