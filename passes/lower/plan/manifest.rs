//! The manifest: what a launcher has to know of a lowered kernel, as JSON.
//!
//! Numbers that only the launch gives are written as `{"operand": 0, "dim": 1, "divisor": 8}` (the extent of that
//! dimension, divided) or `{"operand": 0, "stride": 0, "factor": 2}` (the stride in elements, times that).

use serde_json::{Value as Json, json};
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::types::{DYNAMIC, FloatKind, TypeKind};
use tidegate_ir::{Module, Type};

use super::{
    params::{Param, Params, Size, TensorMap},
    shape::{KernelShape, fold},
};
use crate::lower::target::Chip;

/// The symbol of the dynamic shared memory in PTX.
pub const DYNAMIC_SMEM: &str = "dyn";

/// Sizes that the lowering found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmemSizes {
    /// Bytes of dynamic shared memory.
    pub dynamic_bytes: i64,
    /// What it is aligned to.
    pub alignment: u32,
}

/// The manifest of the kernel of `shape`.
pub fn manifest(module: &Module, shape: &KernelShape, params: &Params, smem: SmemSizes, chip: Chip) -> Json {
    let extents: Vec<u32> = shape.grid.iter().map(|axis| axis.extent.unwrap_or(1)).collect();
    let cluster = shape.cluster_dims();
    let blocks = cluster.unwrap_or([1; 3]);
    let grid: Vec<Json> = fold(&extents)
        .iter()
        .zip(blocks)
        .enumerate()
        .map(|(axis, (&extent, blocks))| match grid_is_known(shape, axis) {
            true => json!(extent * blocks),
            false => json!({ "launch": axis, "factor": blocks }),
        })
        .collect();
    let operands: Vec<Json> = operands(module, shape);
    let entries =
        params.list.iter().enumerate().map(|(index, param)| entry(module, shape, index, param, params));
    let maps: Vec<Json> = params
        .maps
        .iter()
        .enumerate()
        .map(|(index, map)| tensor_map(module, params, index, map, &operands))
        .collect();
    json!({
        "kernel": shape.name,
        "entry": shape.name,
        "target": chip.name(),
        "grid": grid,
        "grid_axes": shape.grid.iter().map(|axis| json!({ "name": axis.name, "extent": axis.extent })).collect::<Vec<_>>(),
        "cluster": blocks,
        "cluster_attribute": cluster.is_some(),
        "block": [shape.lanes(), 1, 1],
        "dynamic_shared_bytes": smem.dynamic_bytes,
        "dynamic_shared_symbol": DYNAMIC_SMEM,
        "dynamic_shared_min_align": smem.alignment,
        "params": entries.collect::<Vec<_>>(),
        "tensor_maps": maps,
        "operands": operands,
    })
}

/// Whether all axes that make up x, y or z are known before the launch.
fn grid_is_known(shape: &KernelShape, axis: usize) -> bool {
    let distances = shape.grid.iter().rev().enumerate();
    distances.filter(|(distance, _)| (*distance).min(2) == axis).all(|(_, axis)| axis.extent.is_some())
}

fn entry(module: &Module, shape: &KernelShape, index: usize, param: &Param, params: &Params) -> Json {
    let name = format!("{}_param_{index}", shape.name);
    let of = |arg: usize| json!(arg);
    match *param {
        Param::Pointer { arg } => json!({
            "name": name, "bytes": 8, "align": 8, "kind": "pointer", "points_to_align": 16, "index": index,
            "operand": of(arg), "operand_name": operand_name(module, shape, arg),
            "operand_direction": direction(module, shape, arg), "byte_offset": 0,
        }),
        Param::Extent { arg, dim } => json!({
            "name": name, "bytes": 8, "align": 8, "kind": "extent", "index": index, "operand": of(arg), "dim": dim,
        }),
        Param::Stride { arg, dim } => json!({
            "name": name, "bytes": 8, "align": 8, "kind": "stride", "index": index, "operand": of(arg), "dim": dim,
        }),
        Param::Scalar { arg } => {
            let bytes = scalar_bytes(module, shape, arg);
            json!({ "name": name, "bytes": bytes, "align": bytes, "kind": "scalar", "index": index, "operand": of(arg) })
        }
        Param::Map { map } => {
            debug_assert!(map < params.maps.len());
            json!({ "name": name, "bytes": 128, "align": 64, "kind": "tensor_maps", "index": index, "maps": [map] })
        }
    }
}

fn scalar_bytes(module: &Module, shape: &KernelShape, arg: usize) -> i64 {
    let body = module.region_block(shape.op, 0);
    let value = body.and_then(|body| module.block_args(body).get(arg).copied());
    value.and_then(|value| module.types.bytes_of(module.ty(value), 1)).unwrap_or(8)
}

fn size(size: Size) -> Json {
    match size {
        Size::Known(number) => json!(number),
        Size::Launch { arg, dim, divisor: 1 } => json!({ "operand": arg, "dim": dim }),
        Size::Launch { arg, dim, divisor } => json!({ "operand": arg, "dim": dim, "divisor": divisor }),
    }
}

fn tensor_map(module: &Module, params: &Params, index: usize, map: &TensorMap, operands: &[Json]) -> Json {
    let param = params.list.iter().position(|param| *param == Param::Map { map: index });
    let element_bytes = module.types.bytes_of(map.elem, 1).unwrap_or(1);
    let boxes: Vec<i64> = map.dims.iter().rev().map(|dim| dim.extent_of_box).collect();
    let strides = map.dims.iter().rev().skip(1).map(|dim| match dim.stride {
        Size::Known(bytes) => json!(bytes),
        Size::Launch { arg, dim: number, .. } => {
            json!({ "operand": arg, "stride": number, "factor": dim.stride_factor })
        }
    });
    let field = |name: &str| operands.get(map.arg).and_then(|operand| operand.get(name)).cloned();
    let loads_and_stores = |opcode: TgOp| {
        let used = params.copies.iter().filter(|(op, copy)| {
            module.opcode(**op) == Opcode::Tg(opcode)
                && matches!(copy.way, super::params::CopyWay::Map { map, .. } if map == index)
        });
        used.count()
    };
    json!({
        "index": index,
        "param": param,
        "offset_in_param": 0,
        "operand": map.arg,
        "operand_name": field("name"),
        "operand_direction": field("direction"),
        "base_offset_bytes": 0,
        "element_type": dtype(module, map.elem),
        "element_bytes": element_bytes,
        "rank": map.dims.len(),
        "global_dim": map.dims.iter().rev().map(|dim| size(dim.extent)).collect::<Vec<_>>(),
        "global_stride_bytes": strides.collect::<Vec<_>>(),
        "box": boxes,
        "box_bytes": boxes.iter().product::<i64>() * element_bytes,
        "element_strides": vec![1; map.dims.len()],
        "swizzle": if map.swizzle == 0 { "none".to_owned() } else { format!("{}B", map.swizzle) },
        "swizzle_span_bytes": map.swizzle,
        "interleave": "none",
        "l2_promotion": "none",
        "oob_fill": "zeros",
        "used_by": {
            "loads": loads_and_stores(TgOp::CopyGmemToSmem),
            "stores": loads_and_stores(TgOp::CopySmemToGmem),
        },
    })
}

fn operand_name(module: &Module, shape: &KernelShape, arg: usize) -> String {
    let body = module.region_block(shape.op, 0);
    let value = body.and_then(|body| module.block_args(body).get(arg).copied());
    let name = value.and_then(|value| module.value_name(value));
    name.map_or_else(|| format!("arg{arg}"), str::to_owned)
}

/// The direction that the kernel states for an argument, else the one that follows from its body.
fn direction(module: &Module, shape: &KernelShape, arg: usize) -> &'static str {
    let stated = module.attr_strs(shape.op, "directions").and_then(|all| all.get(arg).copied());
    match stated {
        Some("in") => return "in",
        Some("out") => return "out",
        Some("inout") => return "inout",
        _ => {}
    }
    let Some(root) =
        module.region_block(shape.op, 0).and_then(|body| module.block_args(body).get(arg).copied())
    else {
        return "in";
    };
    let (mut read, mut written) = (false, false);
    for op in module.walk(shape.op) {
        let touches = |name: &str| {
            let value = module.operand_named(op, name);
            value
                .and_then(|value| super::views::View::of(module, value))
                .is_some_and(|view| view.root == root)
        };
        match module.opcode(op) {
            Opcode::Tg(TgOp::Load | TgOp::CopyGmemToSmem) => read |= touches("source"),
            Opcode::Tg(TgOp::Store | TgOp::CopySmemToGmem) => written |= touches("dest"),
            _ => {}
        }
    }
    match (read, written) {
        (true, true) => "inout",
        (false, true) => "out",
        _ => "in",
    }
}

fn operands(module: &Module, shape: &KernelShape) -> Vec<Json> {
    let Some(body) = module.region_block(shape.op, 0) else { return Vec::new() };
    let args = module.block_args(body).iter().enumerate();
    args.map(|(index, &value)| {
        let ty = module.ty(value);
        let name = operand_name(module, shape, index);
        match module.types.kind(ty) {
            TypeKind::Ref(reference) => {
                let extents: Vec<Json> = reference
                    .shape
                    .iter()
                    .enumerate()
                    .map(|(dim, &extent)| match extent {
                        DYNAMIC => size(Size::Launch { arg: index, dim, divisor: 1 }),
                        extent => json!(extent),
                    })
                    .collect();
                json!({
                    "index": index,
                    "name": name,
                    "direction": direction(module, shape, index),
                    "dtype": dtype(module, reference.elem),
                    "shape": extents,
                    "bytes": module.types.ref_bytes(ty),
                    "layout": if reference.strides.is_some() { "strided" } else { "row-major, dense" },
                })
            }
            _ => json!({ "index": index, "name": name, "direction": "in", "dtype": dtype(module, ty), "shape": [] }),
        }
    })
    .collect()
}

/// The element type as numpy and ml_dtypes call it.
fn dtype(module: &Module, ty: Type) -> String {
    match module.types.kind(ty) {
        TypeKind::Float(kind) => match kind {
            FloatKind::F16 => "float16",
            FloatKind::BF16 => "bfloat16",
            FloatKind::F32 => "float32",
            FloatKind::F64 => "float64",
            FloatKind::TF32 => "tfloat32",
            FloatKind::F8E4M3FN => "float8_e4m3fn",
            FloatKind::F8E5M2 => "float8_e5m2",
            FloatKind::F8E8M0FNU => "float8_e8m0fnu",
            FloatKind::F6E2M3FN => "float6_e2m3fn",
            FloatKind::F6E3M2FN => "float6_e3m2fn",
            FloatKind::F4E2M1FN => "float4_e2m1fn",
        }
        .to_owned(),
        TypeKind::Integer { width: 1, .. } => "bool".to_owned(),
        TypeKind::Integer { width, .. } => format!("int{width}"),
        TypeKind::Index => "int64".to_owned(),
        _ => "unknown".to_owned(),
    }
}
