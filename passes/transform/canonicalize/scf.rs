//! Canonical forms of structured control flow.

use tidegate_ir::ops::{Opcode, ScfOp};
use tidegate_ir::{Block, Module, Op, Value};

use super::super::constants::{Number, fold_cmpi, unsigned};
use super::super::rewrite::{copy_names, inline_before, is_outside, rebuild};
use super::Rewriter;
use crate::analysis::layout::{LAYOUT_ATTR, Layout, set_result_layouts, value_layout};

pub(super) fn visit(rewriter: &mut Rewriter<'_>, op: Op, scf: ScfOp) {
    match scf {
        ScfOp::For => visit_for(rewriter, op),
        ScfOp::If => visit_if(rewriter, op),
        ScfOp::While => visit_while(rewriter, op),
        // What a loop or branch hands on may have changed.
        ScfOp::Condition | ScfOp::Yield => {
            if let Some(parent) = rewriter.module.parent_op(op) {
                rewriter.push(parent);
            }
        }
    }
}

/// The values that a block hands on at its end.
fn yielded(module: &Module, block: Block) -> Option<Vec<Value>> {
    Some(module.operands(module.terminator(block)?).collect())
}

fn push_all(rewriter: &mut Rewriter<'_>, op: Op) {
    for inner in rewriter.module.walk(op) {
        rewriter.push(inner);
    }
}

/// Puts the ops of `block`, whose arguments were replaced, in place of `op`.
fn inline(rewriter: &mut Rewriter<'_>, op: Op, block: Block) {
    let inner: Vec<Op> = rewriter.module.block_ops(block).collect();
    let values = inline_before(rewriter.module, block, op);
    for op in inner {
        if rewriter.module.is_alive(op) {
            rewriter.push(op);
        }
    }
    release(rewriter, &values);
    rewriter.replace(op, &values);
}

/// A terminator that used these values is gone.
fn release(rewriter: &mut Rewriter<'_>, values: &[Value]) {
    rewriter.rewrites += 1;
    for &value in values {
        rewriter.push_definer(value);
    }
}

// ---- scf.if ----

fn visit_if(rewriter: &mut Rewriter<'_>, op: Op) {
    let module = &*rewriter.module;
    let condition = module.operand(op, 0);
    let Some(then_block) = module.region_block(op, 0) else { return };
    let else_block = module.region_block(op, 1);
    if let Some(value) = rewriter.int(condition) {
        return match if value & 1 != 0 { Some(then_block) } else { else_block } {
            Some(block) => inline(rewriter, op, block),
            None if rewriter.module.num_results(op) == 0 => rewriter.erase(op),
            None => {}
        };
    }
    if settle_condition(rewriter, op, condition, then_block, else_block) {
        return;
    }
    let Some(then_values) = yielded(rewriter.module, then_block) else { return };
    let Some(else_block) = else_block else {
        if is_empty(rewriter.module, then_block) && rewriter.module.num_results(op) == 0 {
            rewriter.erase(op);
        }
        return;
    };
    let Some(else_values) = yielded(rewriter.module, else_block) else { return };
    let results: Vec<Value> = rewriter.module.results(op).collect();
    if results.len() != then_values.len() || results.len() != else_values.len() {
        return;
    }
    // Results that do not depend on the branch, and such that are a choice between values from outside.
    for (index, &result) in results.iter().enumerate() {
        let (yes, no) = (then_values[index], else_values[index]);
        if !rewriter.module.has_uses(result)
            || !is_outside(rewriter.module, yes, op)
            || !is_outside(rewriter.module, no, op)
        {
            continue;
        }
        if yes == no {
            rewriter.replace_value(result, yes);
        } else if rewriter.module.types.as_value_array(rewriter.module.ty(result)).is_some() {
            let made = rewriter.build(op, |b| b.arith_select(condition, yes, no));
            let value = rewriter.module.result(made, 0);
            rewriter.replace_value(result, value);
        }
    }
    let unused = |index: usize| !rewriter.module.has_uses(results[index]);
    if is_empty(rewriter.module, then_block)
        && is_empty(rewriter.module, else_block)
        && (0..results.len()).all(unused)
    {
        return rewriter.erase(op);
    }
    let kept: Vec<usize> = (0..results.len()).filter(|&index| !unused(index)).collect();
    let drop_else = kept.is_empty() && is_empty(rewriter.module, else_block);
    if kept.len() < results.len() || (drop_else && results.is_empty()) {
        rebuild_if(rewriter, op, &kept, drop_else);
    }
}

/// Whether the block does nothing but hand on values.
fn is_empty(module: &Module, block: Block) -> bool {
    module.first_op(block).is_none_or(|first| module.opcode(first).is_terminator())
}

/// In the branches the condition is known. Says whether anything changed.
fn settle_condition(
    rewriter: &mut Rewriter<'_>,
    op: Op,
    condition: Value,
    then_block: Block,
    else_block: Option<Block>,
) -> bool {
    let uses: Vec<_> = rewriter.module.uses(condition).collect();
    if uses.len() < 2 {
        return false;
    }
    let mut changed = false;
    for used in uses {
        if used.op == op {
            continue;
        }
        let inside = |block: Block| {
            rewriter.module.op_block(used.op) == Some(block)
                || rewriter
                    .module
                    .ancestors(used.op)
                    .any(|outer| rewriter.module.op_block(outer) == Some(block))
        };
        let known = if inside(then_block) {
            1
        } else if else_block.is_some_and(inside) {
            0
        } else {
            continue;
        };
        let ty = rewriter.module.types.i1();
        if let Some(value) = rewriter.make_constant(op, Number::Int(known), ty) {
            rewriter.set_operand(used.op, used.index, value);
            changed = true;
        }
    }
    if changed {
        rewriter.push(op);
    }
    changed
}

/// Rebuilds an `scf.if` with only some of its results.
fn rebuild_if(rewriter: &mut Rewriter<'_>, op: Op, kept: &[usize], drop_else: bool) {
    let results: Vec<Value> = rewriter.module.results(op).collect();
    let condition = rewriter.module.operand(op, 0);
    let types: Vec<_> = kept.iter().map(|&index| rewriter.module.ty(results[index])).collect();
    if drop_else && let Some(block) = rewriter.module.region_block(op, 1) {
        // A region without blocks is an else branch that is not there; its ops go with `op`.
        let spec = tidegate_ir::OpSpec::new(ScfOp::If)
            .operands([condition])
            .inherent(rewriter.module.inherent(op))
            .discardable(rewriter.module.discardable(op))
            .regions(2)
            .loc(rewriter.module.loc(op))
            .span(rewriter.module.span(op));
        let new = rewriter.module.insert(tidegate_ir::InsertionPoint::Before(op), spec);
        let then_region = rewriter.module.regions(new)[0];
        let then_block = rewriter.module.append_block(then_region);
        if let Some(old) = rewriter.module.region_block(op, 0) {
            rewriter.module.splice(old, then_block);
        }
        keep_operands(rewriter.module, then_block, kept);
        debug_assert!(is_empty(rewriter.module, block), "only an empty branch is dropped");
        rewriter.push(new);
        return rewriter.erase(op);
    }
    let new = rebuild(rewriter.module, op, &[condition], &types, &|_, _| true, &[]);
    keep_layouts(rewriter.module, op, new, kept);
    for region in 0..2 {
        if let Some(block) = rewriter.module.region_block(new, region) {
            let dropped = yielded(rewriter.module, block).unwrap_or_default();
            keep_operands(rewriter.module, block, kept);
            for value in dropped {
                rewriter.push_definer(value);
            }
        }
    }
    for (position, &index) in kept.iter().enumerate() {
        let value = rewriter.module.result(new, position);
        copy_names(rewriter.module, results[index], value);
        rewriter.replace_value(results[index], value);
    }
    rewriter.push(new);
    rewriter.erase(op);
}

/// Keeps only some operands of the terminator of `block`.
fn keep_operands(module: &mut Module, block: Block, kept: &[usize]) {
    let Some(end) = module.terminator(block) else { return };
    let values: Vec<Value> = kept.iter().filter_map(|&index| module.get_operand(end, index)).collect();
    module.set_operands(end, &values);
}

/// Gives `new`, which has some of the results of `old`, their layouts.
fn keep_layouts(module: &mut Module, old: Op, new: Op, kept: &[usize]) {
    if !module.has_attr(old, LAYOUT_ATTR) {
        return;
    }
    let layouts: Vec<Layout> =
        kept.iter().filter_map(|&index| value_layout(module, module.result(old, index))).collect();
    set_result_layouts(module, new, &layouts);
}

// ---- scf.for ----

fn visit_for(rewriter: &mut Rewriter<'_>, op: Op) {
    let module = &*rewriter.module;
    let (lower, upper, step) = (module.operand(op, 0), module.operand(op, 1), module.operand(op, 2));
    let inits: Vec<Value> = module.operands(op).skip(3).collect();
    let Some(body) = module.region_block(op, 0) else { return };
    let args = module.block_args(body).to_vec();
    let Some(values) = yielded(module, body) else { return };
    let results: Vec<Value> = module.results(op).collect();
    if args.len() != inits.len() + 1 || values.len() != inits.len() || results.len() != inits.len() {
        return;
    }
    match trip_count(rewriter, op, lower, upper, step) {
        Some(0) => {
            return rewriter.replace(op, &inits);
        }
        Some(1) => {
            rewriter.replace_value(args[0], lower);
            for (&arg, &init) in args[1..].iter().zip(&inits) {
                rewriter.replace_value(arg, init);
            }
            return inline(rewriter, op, body);
        }
        _ => {}
    }
    // Values that stay what they were.
    for (index, &init) in inits.iter().enumerate() {
        let arg = args[index + 1];
        if values[index] == arg || values[index] == init {
            rewriter.replace_value(arg, init);
            rewriter.replace_value(results[index], init);
        }
    }
    // Carried values that nobody looks at: the result is unused, and the argument only leads to its own next value.
    let Some(end) = rewriter.module.terminator(body) else { return };
    let kept: Vec<usize> = (0..inits.len())
        .filter(|&index| {
            rewriter.module.has_uses(results[index])
                || !feeds_only_itself(rewriter.module, args[index + 1], end, index)
        })
        .collect();
    if kept.len() < inits.len() {
        rebuild_for(rewriter, op, &kept);
    }
}

/// How often the loop runs, when that is known.
fn trip_count(rewriter: &Rewriter<'_>, op: Op, lower: Value, upper: Value, step: Value) -> Option<u64> {
    if lower == upper {
        return Some(0);
    }
    let (lower_number, upper_number) = (rewriter.int(lower)?, rewriter.int(upper)?);
    let width = rewriter.module.types.bit_width(rewriter.module.ty(lower))?;
    let is_unsigned = rewriter.module.has_attr(op, "unsignedCmp");
    let less = fold_cmpi(if is_unsigned { 6 } else { 2 }, lower_number, upper_number, width)?;
    if !less {
        return Some(0);
    }
    let step = unsigned(rewriter.int(step)?, width);
    if step == 0 {
        return None;
    }
    let distance = unsigned(upper_number.checked_sub(lower_number)?, width);
    u64::try_from(distance.div_ceil(step)).ok()
}

/// Whether all that comes of `arg` is operand `index` of the terminator `end`, by way of pure ops.
fn feeds_only_itself(module: &Module, arg: Value, end: Op, index: usize) -> bool {
    let mut values = vec![arg];
    let mut steps = 0;
    while let Some(value) = values.pop() {
        for used in module.uses(value) {
            steps += 1;
            if steps > 64 {
                return false;
            }
            if used.op == end {
                if used.index != index {
                    return false;
                }
                continue;
            }
            if !module.opcode(used.op).is_pure()
                || module.op_block(used.op) != module.op_block(end)
                || !module.regions(used.op).is_empty()
            {
                return false;
            }
            values.extend(module.results(used.op));
        }
    }
    true
}

/// Rebuilds an `scf.for` with only some of its carried values.
fn rebuild_for(rewriter: &mut Rewriter<'_>, op: Op, kept: &[usize]) {
    let Some(body) = rewriter.module.region_block(op, 0) else { return };
    let Some(end) = rewriter.module.terminator(body) else { return };
    let operands: Vec<Value> = rewriter.module.operands(op).collect();
    let results: Vec<Value> = rewriter.module.results(op).collect();
    let args = rewriter.module.block_args(body).to_vec();
    let dropped: Vec<usize> = (0..results.len()).filter(|index| !kept.contains(index)).collect();
    // The chain behind a dropped argument starts from the initial value instead, and dies with the terminator's use.
    let dropped_values: Vec<Value> =
        dropped.iter().map(|&index| rewriter.module.operand(end, index)).collect();
    for &index in &dropped {
        rewriter.module.replace_all_uses(args[index + 1], operands[index + 3]);
    }
    keep_operands(rewriter.module, body, kept);
    let mut new_operands = operands[..3].to_vec();
    new_operands.extend(kept.iter().map(|&index| operands[index + 3]));
    let types: Vec<_> = kept.iter().map(|&index| rewriter.module.ty(results[index])).collect();
    let keep = |_: usize, index: usize| index == 0 || kept.contains(&(index - 1));
    let new = rebuild(rewriter.module, op, &new_operands, &types, &keep, &[]);
    keep_layouts(rewriter.module, op, new, kept);
    for (position, &index) in kept.iter().enumerate() {
        let value = rewriter.module.result(new, position);
        copy_names(rewriter.module, results[index], value);
        rewriter.replace_value(results[index], value);
    }
    for value in dropped_values {
        rewriter.push_definer(value);
    }
    rewriter.push(new);
    rewriter.erase(op);
}

// ---- scf.while ----

fn visit_while(rewriter: &mut Rewriter<'_>, op: Op) {
    let module = &*rewriter.module;
    let Some(before) = module.region_block(op, 0) else { return };
    let Some(end) = module.terminator(before) else { return };
    if module.opcode(end) != Opcode::Scf(ScfOp::Condition) {
        return;
    }
    let Some(condition) = module.get_operand(end, 0) else { return };
    if rewriter.int(condition).is_none_or(|value| value & 1 != 0) {
        return;
    }
    // The first region runs once, the second never.
    let inits: Vec<Value> = module.operands(op).collect();
    let args = module.block_args(before).to_vec();
    let handed_on = module.num_operands(end) - 1;
    if args.len() != inits.len() || handed_on != module.num_results(op) {
        return;
    }
    for (&arg, &init) in args.iter().zip(&inits) {
        rewriter.replace_value(arg, init);
    }
    push_all(rewriter, op);
    let values = inline_before(rewriter.module, before, op);
    release(rewriter, &values);
    rewriter.replace(op, &values[1..]);
}
