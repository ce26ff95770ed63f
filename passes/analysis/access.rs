//! How wide the loads and stores of an array can be.

use tidegate_ir::ops::{IndexRef, Opcode, TgOp};
use tidegate_ir::types::RefType;
use tidegate_ir::{Module, Op, Value};

use super::divisor::{gcd, known_divisor};

/// The widest access of a lane, in bits.
pub const MAX_ACCESS_BITS: i64 = 128;
/// What every array starts at a multiple of, in bytes: parameters in global memory and allocations in shared memory.
pub const BASE_ALIGNMENT: i64 = 16;

/// For a `tg.load` or `tg.store` of an array: the largest power of two C, of at most 16 bytes of elements, such that
/// elements `C * k .. C * (k + 1)` of the array, counted in row-major order, lie next to each other in memory and start
/// at a multiple of their size. 1 for other ops.
pub fn access_chunk(module: &Module, op: Op) -> i64 {
    let (reference, value) = match module.opcode(op) {
        Opcode::Tg(TgOp::Load) => (module.get_operand(op, 0), module.results(op).next()),
        Opcode::Tg(TgOp::Store) => (module.get_operand(op, 1), module.get_operand(op, 0)),
        _ => return 1,
    };
    let (Some(reference), Some(value)) = (reference, value) else { return 1 };
    let Some((extents, elem)) = module.types.as_value_array(module.ty(value)) else { return 1 };
    let Some(memory) = module.types.as_ref(module.ty(reference)) else { return 1 };
    // An `i1` takes a byte in memory.
    let bits = module.types.bytes_of(elem, 8).unwrap_or(64).max(1);
    let mut chunk = power_of_two_below(MAX_ACCESS_BITS / bits);
    // Extents of the access for each dimension of the ref.
    let mut full = vec![1; memory.rank().saturating_sub(extents.len())];
    full.extend_from_slice(extents);
    full.truncate(memory.rank());
    chunk = divide(chunk, run_length(memory, &full));
    for (dim, &extent) in full.iter().enumerate() {
        // Rows start at multiples of the chunk, unless the row is part of the run.
        if extent > 1 && !in_run(memory, &full, dim) {
            chunk = divide(chunk, row_distance(memory, dim));
        }
    }
    let list = module.index_list(op, "indices");
    chunk = aligned_by(module, memory, &list, chunk);
    aligned_source(module, reference, chunk)
}

fn power_of_two_below(limit: i64) -> i64 {
    if limit < 1 { 1 } else { 1 << limit.ilog2() }
}

/// The largest power of two that divides both.
fn divide(chunk: i64, by: i64) -> i64 {
    let common = gcd(chunk, by);
    if common == 0 { chunk } else { 1 << common.trailing_zeros() }
}

/// Distance in elements between neighbours along `dim`; 1 when it is not known, so that nothing wider fits. Tiles are
/// whole numbers of rows of their own, so inside a tile the distance is that of the tile.
fn row_distance(memory: &RefType, dim: usize) -> i64 {
    if let Some(tile) = &memory.tile {
        let lead = memory.rank().saturating_sub(tile.len());
        if dim >= lead {
            // Distance within the tile, and of tiles: both are multiples of the extents further in.
            return tile.get(dim - lead + 1..).map_or(1, |inner| inner.iter().product());
        }
        let size: i64 = memory.shape.get(lead..).map_or(1, |inner| inner.iter().product());
        return size.max(1);
    }
    memory.element_strides().get(dim).copied().flatten().unwrap_or(1)
}

/// The last dimension that has more than one element in the access.
fn innermost(full: &[i64]) -> Option<usize> {
    full.iter().rposition(|&extent| extent > 1)
}

/// Whether the elements along `dim` belong to the contiguous run at the end of the access.
fn in_run(memory: &RefType, full: &[i64], dim: usize) -> bool {
    let Some(last) = innermost(full) else { return true };
    if dim == last {
        return true;
    }
    if memory.tile.is_some() || dim > last {
        return dim > last;
    }
    let strides = memory.element_strides();
    // All dimensions between must follow each other without gaps.
    let mut expected = Some(1);
    for inner in (dim..=last).rev() {
        if strides.get(inner).copied().flatten() != expected {
            return false;
        }
        expected = expected.and_then(|stride: i64| stride.checked_mul(full[inner]));
    }
    true
}

/// The number of elements at the end of the access that lie next to each other.
fn run_length(memory: &RefType, full: &[i64]) -> i64 {
    let Some(last) = innermost(full) else { return 1 };
    if let Some(tile) = &memory.tile {
        if last + 1 != memory.rank() {
            return 1;
        }
        return tile.last().map_or(1, |&inner| gcd(inner, full[last]));
    }
    if memory.element_strides().get(last).copied().flatten() != Some(1) {
        return 1;
    }
    (0..=last)
        .rev()
        .take_while(|&dim| full[dim] == 1 || in_run(memory, full, dim))
        .fold(1i64, |run, dim| run.saturating_mul(full[dim]))
}

/// The chunk that indices leave aligned.
fn aligned_by(module: &Module, memory: &RefType, list: &[IndexRef], chunk: i64) -> i64 {
    let mut chunk = chunk;
    for (dim, &index) in list.iter().enumerate() {
        let index = match index {
            IndexRef::Const(index) => index.checked_abs().unwrap_or(1),
            IndexRef::Value(value) => known_divisor(module, value),
        };
        if index == 0 {
            continue;
        }
        let last = dim + 1 == memory.rank();
        let distance = match (&memory.tile, last) {
            // Along the innermost dimension the tile changes at a multiple of its extent, which the run divides.
            (Some(_), true) => 1,
            _ => row_distance(memory, dim),
        };
        chunk = divide(chunk, index.saturating_mul(distance));
    }
    chunk
}

/// The chunk that the parts of a ref leave aligned.
fn aligned_source(module: &Module, reference: Value, chunk: i64) -> i64 {
    let mut chunk = chunk;
    let mut value = reference;
    loop {
        let Some(op) = module.defining_op(value) else {
            let parent = module.defining_block(value).and_then(|block| module.block_parent(block));
            let kernel = parent.is_some_and(|op| module.opcode(op) == Opcode::Tg(TgOp::Kernel));
            return if kernel { chunk } else { 1 };
        };
        let name = match module.opcode(op) {
            Opcode::Tg(TgOp::Alloc) => return chunk,
            Opcode::Tg(TgOp::At) => "indices",
            Opcode::Tg(TgOp::Subview) => "offsets",
            _ => return 1,
        };
        let Some(source) = module.get_operand(op, 0) else { return 1 };
        let Some(memory) = module.types.as_ref(module.ty(source)) else { return 1 };
        chunk = aligned_by(module, memory, &module.index_list(op, name), chunk);
        value = source;
    }
}
