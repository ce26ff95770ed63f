//! Canonical forms of `tg` ops: `tg.at` and `tg.subview` go into the index lists of the ops that use them, and
//! constants among the indices become static.

use tidegate_ir::ops::{IndexRef, Opcode, TgOp};
use tidegate_ir::types::{DYNAMIC, num_elements};
use tidegate_ir::{Module, Op, Value};

use super::super::constants::Number;
use super::super::places::{IndexGroup, index_constant, index_groups, ref_shape, set_place};
use super::Rewriter;

pub(super) fn visit(rewriter: &mut Rewriter<'_>, op: Op, tg: TgOp) {
    if !rewriter.module.regions(op).is_empty() {
        return;
    }
    match tg {
        TgOp::At if rewriter.module.num_operands(op) > 0 => {
            let (source, result) = (rewriter.operand(op, 0), rewriter.module.result(op, 0));
            let empty = rewriter.module.index_list(op, "indices").is_empty();
            if empty && rewriter.module.ty(source) == rewriter.module.ty(result) {
                return rewriter.replace(op, &[source]);
            }
        }
        TgOp::Subview if rewriter.module.num_operands(op) > 0 => {
            let (source, result) = (rewriter.operand(op, 0), rewriter.module.result(op, 0));
            let zeros = rewriter
                .module
                .index_list(op, "offsets")
                .iter()
                .all(|&index| index_constant(rewriter.module, index) == Some(0));
            if zeros
                && rewriter.module.attr(op, "strides").is_none()
                && rewriter.module.ty(source) == rewriter.module.ty(result)
            {
                return rewriter.replace(op, &[source]);
            }
        }
        TgOp::Dim => return dim(rewriter, op),
        TgOp::AxisIndex => return axis_index(rewriter, op),
        TgOp::Assert => {
            if rewriter.int(rewriter.operand(op, 0)).is_some_and(|value| value & 1 != 0) {
                rewriter.erase(op);
            }
            return;
        }
        TgOp::CopyGmemToSmem | TgOp::CopySmemToGmem if predicate(rewriter, op) => {
            return;
        }
        _ => {}
    }
    for group in index_groups(rewriter.module, op) {
        if fold_source(rewriter, op, tg, group) || make_static(rewriter, op, tg, group) {
            rewriter.touched(op);
        }
    }
}

/// A copy whose condition is known. Says whether it is gone.
fn predicate(rewriter: &mut Rewriter<'_>, op: Op) -> bool {
    let Some(condition) = rewriter.module.operand_named(op, "predicate") else { return false };
    match rewriter.int(condition) {
        Some(value) if value & 1 != 0 => {
            // The condition is the last operand.
            let operands: Vec<Value> = rewriter.module.operands(op).collect();
            rewriter.module.set_operands(op, &operands[..operands.len() - 1]);
            if let Some(sizes) = rewriter.module.attr_ints(op, super::super::places::SEGMENT_SIZES) {
                let mut sizes = sizes.to_vec();
                if let Some(last) = sizes.last_mut() {
                    *last = 0;
                }
                let sizes = rewriter.module.i32s_attr(&sizes);
                rewriter.module.set_attr(op, super::super::places::SEGMENT_SIZES, sizes);
            }
            rewriter.touched(op);
            rewriter.push_definer(condition);
            false
        }
        Some(_) => {
            rewriter.erase(op);
            true
        }
        None => false,
    }
}

fn dim(rewriter: &mut Rewriter<'_>, op: Op) {
    let Some(dimension) = rewriter.module.attr_i64(op, "dimension").and_then(|dim| usize::try_from(dim).ok())
    else {
        return;
    };
    let source = rewriter.operand(op, 0);
    let extent = ref_shape(rewriter.module, rewriter.module.ty(source))
        .and_then(|shape| shape.get(dimension))
        .copied();
    match extent {
        Some(extent) if extent != DYNAMIC => {
            rewriter.replace_by_constant(op, Number::Int(i128::from(extent)))
        }
        Some(_) => {
            // A dynamic extent of a part is that of the whole, some dimensions further.
            let Some((inner, Opcode::Tg(TgOp::At))) = rewriter.definer(source) else { return };
            let skipped = rewriter.module.index_list(inner, "indices").len();
            let whole = rewriter.operand(inner, 0);
            let dimension = i64::try_from(dimension + skipped).unwrap_or(i64::MAX);
            let attr = rewriter.module.i64_attr(dimension);
            rewriter.module.set_attr(op, "dimension", attr);
            rewriter.set_operand(op, 0, whole);
        }
        None => {}
    }
}

/// The position on an axis of extent 1.
fn axis_index(rewriter: &mut Rewriter<'_>, op: Op) {
    let module = &*rewriter.module;
    let extent = module
        .attr_str(op, "axis")
        .and_then(|axis| module.ancestors(op).find_map(|outer| axis_extent(module, outer, axis)));
    if extent == Some(1) {
        rewriter.replace_by_constant(op, Number::Int(0));
    }
}

/// The extent of an axis that a kernel or role has.
fn axis_extent(module: &Module, outer: Op, axis: &str) -> Option<i64> {
    if !matches!(module.opcode(outer), Opcode::Tg(TgOp::Role | TgOp::Kernel)) {
        return None;
    }
    if module.attr_str(outer, "thread_name") == Some(axis) {
        return Some(module.attr_i64(outer, "num_threads").unwrap_or(1));
    }
    [("grid_names", "grid"), ("cluster_names", "cluster")].into_iter().find_map(|(names, extents)| {
        let position = module.attr_strs(outer, names)?.iter().position(|&name| name == axis)?;
        module.attr_ints(outer, extents)?.get(position).copied()
    })
}

/// The extents of the access that `op` makes through an index list, aligned to the right with the ref's dimensions;
/// `None` when indices are single positions.
fn access_extents(module: &Module, op: Op, tg: TgOp, group: IndexGroup) -> Option<Vec<i64>> {
    match tg {
        TgOp::Load => Some(module.types.as_value_array(module.ty(module.result(op, 0)))?.0.to_vec()),
        TgOp::Store => Some(module.types.as_value_array(module.ty(module.operand(op, 0)))?.0.to_vec()),
        TgOp::Subview => Some(module.attr_ints(op, "sizes")?.to_vec()),
        TgOp::CopyGmemToSmem | TgOp::CopySmemToGmem => {
            let (smem, list, gmem_list) = if tg == TgOp::CopyGmemToSmem {
                ("dest", "dest_indices", "source_indices")
            } else {
                ("source", "source_indices", "dest_indices")
            };
            if group.name != gmem_list {
                return None;
            }
            let smem = module.operand_named(op, smem)?;
            let taken = module.index_list(op, list).len();
            Some(ref_shape(module, module.ty(smem))?.get(taken..)?.to_vec())
        }
        _ => None,
    }
}

/// Constants among the indices become static, where they are in range: an access out of bounds that is never made
/// must not turn into an error.
fn make_static(rewriter: &mut Rewriter<'_>, op: Op, tg: TgOp, group: IndexGroup) -> bool {
    let module = &*rewriter.module;
    let Some(reference) = module.operand_group(op, group.reference).next() else { return false };
    let reference = module.operand(op, reference);
    let Some(shape) = ref_shape(module, module.ty(reference)) else { return false };
    let extents = access_extents(module, op, tg, group);
    let list = module.index_list(op, group.name);
    if list.len() > shape.len() {
        return false;
    }
    let mut changed = false;
    let mut released = Vec::new();
    let new: Vec<IndexRef> = list
        .iter()
        .enumerate()
        .map(|(position, &index)| {
            let IndexRef::Value(value) = index else { return index };
            let Some(number) = index_constant(module, index) else { return index };
            let from_right = shape.len() - position;
            let extent = extents
                .as_ref()
                .map_or(Some(1), |extents| {
                    if from_right > extents.len() {
                        Some(1)
                    } else {
                        extents.get(extents.len() - from_right).copied()
                    }
                })
                .unwrap_or(DYNAMIC);
            let dim = shape[position];
            let fits = number >= 0
                && extent != DYNAMIC
                && (dim == DYNAMIC || number.checked_add(extent).is_some_and(|end| end <= dim));
            if !fits {
                return index;
            }
            changed = true;
            released.push(value);
            IndexRef::Const(number)
        })
        .collect();
    if changed {
        set_place(rewriter.module, op, group, reference, &new);
        for value in released {
            rewriter.push_definer(value);
        }
    }
    changed
}

/// Takes the indices of the `tg.at` or `tg.subview` that makes the ref into the op's own list.
fn fold_source(rewriter: &mut Rewriter<'_>, op: Op, tg: TgOp, group: IndexGroup) -> bool {
    let module = &*rewriter.module;
    let Some(reference) = module.operand_group(op, group.reference).next() else { return false };
    let reference = module.operand(op, reference);
    let Some((inner, opcode)) = rewriter.definer(reference) else { return false };
    let list = module.index_list(op, group.name);
    let folded = match opcode {
        Opcode::Tg(TgOp::At) => fold_at(module, tg, reference, inner, &list),
        Opcode::Tg(TgOp::Subview) => fold_subview(module, tg, group, reference, inner, &list),
        _ => None,
    };
    let Some(new) = folded else { return false };
    let source = rewriter.operand(inner, 0);
    set_place(rewriter.module, op, group, source, &new);
    rewriter.push(inner);
    true
}

/// Whether the op's list names one barrier, so that a group of one may stand without indices.
fn wants_one_barrier(tg: TgOp) -> bool {
    matches!(
        tg,
        TgOp::BarrierArrive
            | TgOp::BarrierArriveExpectTx
            | TgOp::BarrierExpectTx
            | TgOp::BarrierWait
            | TgOp::BarrierWaitParity
            | TgOp::BarrierTest
            | TgOp::CopyGmemToSmem
    )
}

fn fold_at(module: &Module, tg: TgOp, reference: Value, at: Op, list: &[IndexRef]) -> Option<Vec<IndexRef>> {
    // A subview of a part names all dimensions of the part, and its sizes do too.
    if tg == TgOp::Subview {
        return None;
    }
    let mut new = module.index_list(at, "indices");
    new.extend_from_slice(list);
    let barrier = module.types.as_barrier(module.ty(reference));
    if let Some(barrier) = barrier {
        // Without indices the op meant the whole sub-group, which for a single barrier is the barrier itself; of the
        // larger group it needs every index.
        if list.is_empty() && !barrier.shape.is_empty() {
            if tg == TgOp::At {
                return Some(new);
            }
            if !wants_one_barrier(tg) || num_elements(&barrier.shape) != Some(1) {
                return None;
            }
            new.extend(barrier.shape.iter().map(|_| IndexRef::Const(0)));
        }
        // `tg.init_barrier %one` on a barrier taken out of a group: its list is complete.
        return Some(new);
    }
    Some(new)
}

fn fold_subview(
    module: &Module,
    tg: TgOp,
    group: IndexGroup,
    reference: Value,
    subview: Op,
    list: &[IndexRef],
) -> Option<Vec<IndexRef>> {
    if module.attr(subview, "strides").is_some() {
        return None;
    }
    let shape = ref_shape(module, module.ty(reference))?;
    let offsets = module.index_list(subview, "offsets");
    if offsets.len() != shape.len() || list.len() > shape.len() {
        return None;
    }
    let is_barrier = module.types.as_barrier(module.ty(reference)).is_some();
    let complete = match tg {
        // Element accesses and the global side of copies take their extents from the other side.
        TgOp::Load | TgOp::Store => true,
        TgOp::CopyGmemToSmem => group.name == "source_indices" || is_barrier,
        TgOp::CopySmemToGmem => group.name == "dest_indices",
        tg if wants_one_barrier(tg) => true,
        _ => false,
    };
    if !complete {
        return None;
    }
    if is_barrier && list.len() != shape.len() && num_elements(shape) != Some(1) {
        return None;
    }
    let mut new = Vec::new();
    for (position, &offset) in offsets.iter().enumerate() {
        let index = list.get(position).copied().unwrap_or(IndexRef::Const(0));
        let (a, b) = (index_constant(module, offset), index_constant(module, index));
        new.push(match (a, b) {
            (Some(a), Some(b)) => IndexRef::Const(a.checked_add(b).filter(|&sum| sum >= 0)?),
            (Some(0), None) => index,
            (None, Some(0)) => offset,
            _ => return None,
        });
    }
    // Constants of a list that was not in range stay a matter of the verifier.
    let source = module.operand(subview, 0);
    let whole = ref_shape(module, module.ty(source))?;
    let in_range = new.iter().zip(whole).all(|(index, &dim)| match index {
        IndexRef::Const(index) => dim == DYNAMIC || *index < dim,
        IndexRef::Value(_) => true,
    });
    in_range.then_some(new)
}
