//! What MLIR's passes leave to be done between them, for code that is right at every level of optimisation and short.

use melior::{
    IrRewriter,
    ir::{
        Attribute, Block, BlockLike, BlockRef, Identifier, Module, Operation, OperationRef, Region,
        RegionLike, Type, Value, ValueLike,
        attribute::{IntegerAttribute, StringAttribute},
        operation::{OperationBuilder, OperationLike, OperationMutLike},
    },
};

use crate::lower::plan::manifest::DYNAMIC_SMEM;

use super::{emit::BARRIER_OFFSET, error::MlirError, session::Session};

/// The name of the attribute on `scf.for` that keeps LLVM from unrolling it; conversion carries it to the branch.
pub(super) const LOOP_ANNOTATION: &str = "llvm.loop_annotation";

/// Turns each wait that `convert-nvgpu-to-nvvm` made, a loop in inline PTX, into a loop of IR around the convergent
/// intrinsic. On inline PTX without `convergent`, LLVM threads jumps: in `if c { a } wait if c { b }` it makes two waits.
/// The suspend-time hint goes: it costs a `NANOSLEEP` and a second test in machine code.
pub(super) fn loop_over_waits(session: &Session, module: &Module<'_>) -> Result<(), MlirError> {
    for wait in collect(module, |op| has_name(op, "nvvm.mbarrier.try_wait.parity")) {
        let (Ok(barrier), Ok(parity)) = (wait.operand(0), wait.operand(1)) else { continue };
        let rewriter = IrRewriter::from_op(wait);
        let base = rewriter.as_rewriter_base();
        base.set_insertion_point_before(wait);
        base.insert(wait_loop(session, wait, barrier, parity)?);
        base.erase_op(wait);
    }
    Ok(())
}

/// `scf.while : () -> () { %done = try_wait; scf.condition(not %done) } do { scf.yield }`.
fn wait_loop<'c>(
    session: &'c Session,
    wait: OperationRef<'c, '_>,
    barrier: Value<'c, '_>,
    parity: Value<'c, '_>,
) -> Result<Operation<'c>, MlirError> {
    let context = session.context();
    let location = wait.location();
    let i1 = Type::from(melior::ir::r#type::IntegerType::new(context, 1));
    let new = |name: &str| OperationBuilder::new(name, location);
    let build = |builder: OperationBuilder<'c>, name: &str| {
        builder.build().map_err(|_| MlirError::Op { op: name.to_owned(), messages: session.take_messages() })
    };
    let before = Block::new(&[]);
    let done = before.append_operation(build(
        new("nvvm.mbarrier.try_wait").add_operands(&[barrier, parity]).add_results(&[i1]),
        "nvvm.mbarrier.try_wait",
    )?);
    let truth = before.append_operation(build(
        new("arith.constant")
            .add_results(&[i1])
            .add_attributes(&[(Identifier::new(context, "value"), IntegerAttribute::new(i1, 1).into())]),
        "arith.constant",
    )?);
    let operands = [first_result(done)?, first_result(truth)?];
    let again = before
        .append_operation(build(new("arith.xori").add_operands(&operands).add_results(&[i1]), "arith.xori")?);
    before.append_operation(build(
        new("scf.condition").add_operands(&[first_result(again)?]),
        "scf.condition",
    )?);
    let after = Block::new(&[]);
    after.append_operation(build(new("scf.yield"), "scf.yield")?);
    let regions = [before, after].map(|block| {
        let region = Region::new();
        region.append_block(block);
        region
    });
    build(new("scf.while").add_regions(regions), "scf.while")
}

/// The places that `nvgpu.mbarrier.create` asks for, in the order of the ops. Conversion makes a global of each, in the
/// same order, and drops the attribute.
pub(super) fn barrier_offsets(module: &Module<'_>) -> Vec<i64> {
    let creates = collect(module, |op| has_name(op, "nvgpu.mbarrier.create"));
    let offset = |op: &OperationRef<'_, '_>| {
        let attribute = op.attribute(BARRIER_OFFSET).ok()?;
        IntegerAttribute::try_from(attribute).ok().map(|attribute| attribute.value())
    };
    creates.iter().map(|op| offset(op).unwrap_or(0)).collect()
}

/// Moves the barriers that conversion gave static shared memory of their own to their places in the dynamic one, by
/// the addresses of their symbols. The function of each kernel comes first in its `gpu.module`; what it names is found in
/// the order in which it was created. The globals go.
///
/// # Errors
///
/// When an op cannot be made.
pub(super) fn place_barriers(
    session: &Session,
    module: &Module<'_>,
    offsets: &[i64],
) -> Result<(), MlirError> {
    let mut offsets = offsets.iter();
    for place in collect(module, |op| has_name(op, "memref.get_global")) {
        let Ok(name) = place.attribute("name") else { continue };
        if !name.to_string().starts_with("@__mbarrier") {
            continue;
        }
        let offset = offsets.next().copied().unwrap_or(0);
        let Ok(result) = place.result(0) else { continue };
        let memory = barriers_at(session, place, result.r#type(), offset)?;
        let rewriter = IrRewriter::from_op(place);
        let base = rewriter.as_rewriter_base();
        base.replace_op_with_values(place, &[memory]);
    }
    let rewriter = IrRewriter::new(session.context());
    for global in collect(module, |op| has_name(op, "memref.global")) {
        let barriers =
            global.attribute("sym_name").is_ok_and(|name| name.to_string().starts_with("\"__mbarrier"));
        if barriers {
            rewriter.as_rewriter_base().erase_op(global);
        }
    }
    Ok(())
}

/// A memref of `type` at byte `offset` of the dynamic shared memory, made just before `place`.
fn barriers_at<'c, 'a>(
    session: &'c Session,
    place: OperationRef<'c, 'a>,
    r#type: Type<'c>,
    offset: i64,
) -> Result<Value<'c, 'a>, MlirError> {
    let context = session.context();
    let location = place.location();
    let pointer = session.parse_type("!llvm.ptr<3>")?;
    let descriptor =
        session.parse_type("!llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>")?;
    let i64 = Type::from(melior::ir::r#type::IntegerType::new(context, 64));
    let block = place.block().ok_or_else(|| op_error(session, "memref.get_global"))?;
    let attribute = |name, value| (Identifier::new(context, name), value);
    let make = |builder: OperationBuilder<'c>, name: &str| -> Result<Value<'c, 'a>, MlirError> {
        let op = builder.build().map_err(|_| op_error(session, name))?;
        first_result(block.insert_operation_before(place, op))
    };
    let new = |name: &str| OperationBuilder::new(name, location);
    let symbol = Attribute::parse(context, &format!("@{DYNAMIC_SMEM}"));
    let symbol = symbol.ok_or_else(|| op_error(session, "llvm.mlir.addressof"))?;
    let start = make(
        new("llvm.mlir.addressof")
            .add_results(&[pointer])
            .add_attributes(&[attribute("global_name", symbol)]),
        "llvm.mlir.addressof",
    )?;
    let byte = Attribute::parse(context, "i8").ok_or_else(|| op_error(session, "llvm.getelementptr"))?;
    let indices = Attribute::parse(context, &format!("array<i32: {offset}>"));
    let indices = indices.ok_or_else(|| op_error(session, "llvm.getelementptr"))?;
    let start = make(
        new("llvm.getelementptr")
            .add_operands(&[start])
            .add_results(&[pointer])
            .add_attributes(&[attribute("elem_type", byte), attribute("rawConstantIndices", indices)]),
        "llvm.getelementptr",
    )?;
    let mut whole = make(new("llvm.mlir.poison").add_results(&[descriptor]), "llvm.mlir.poison")?;
    let number = |value: i64| {
        make(
            new("llvm.mlir.constant")
                .add_results(&[i64])
                .add_attributes(&[attribute("value", IntegerAttribute::new(i64, value).into())]),
            "llvm.mlir.constant",
        )
    };
    let size = r#type.to_string();
    let size = size
        .strip_prefix("memref<")
        .and_then(|text| text.split('x').next())
        .and_then(|text| text.parse().ok());
    let parts = [
        (start, "array<i64: 0>"),
        (start, "array<i64: 1>"),
        (number(0)?, "array<i64: 2>"),
        (number(size.unwrap_or(1))?, "array<i64: 3, 0>"),
        (number(1)?, "array<i64: 4, 0>"),
    ];
    for (part, position) in parts {
        let position =
            Attribute::parse(context, position).ok_or_else(|| op_error(session, "llvm.insertvalue"))?;
        whole = make(
            new("llvm.insertvalue")
                .add_operands(&[whole, part])
                .add_results(&[descriptor])
                .add_attributes(&[attribute("position", position)]),
            "llvm.insertvalue",
        )?;
    }
    make(
        new("builtin.unrealized_conversion_cast").add_operands(&[whole]).add_results(&[r#type]),
        "builtin.unrealized_conversion_cast",
    )
}

/// Has each kernel compute the address of each shared-memory symbol once, in its entry block, behind a `mov` that
/// neither LLVM nor `ptxas` looks through. Otherwise `ptxas` computes it again in each block that uses it, with three
/// instructions.
pub(super) fn pin_shared_addresses(session: &Session, module: &Module<'_>) -> Result<(), MlirError> {
    let shared = session.parse_type("!llvm.ptr<3>")?;
    let rewriter = IrRewriter::new(session.context());
    for function in collect(module, |op| has_name(op, "llvm.func")) {
        let Some(entry) = function.region(0).ok().and_then(|region| region.first_block()) else { continue };
        let mut pinned: Vec<(Attribute<'_>, Value<'_, '_>)> = Vec::new();
        for address in collect_in(function, |op| has_name(op, "llvm.mlir.addressof")) {
            let (Ok(result), Ok(symbol)) = (address.result(0), address.attribute("global_name")) else {
                continue;
            };
            if result.r#type() != shared {
                continue;
            }
            let known = pinned.iter().find(|(name, _)| *name == symbol).map(|(_, pin)| *pin);
            let pin = match known {
                Some(pin) => pin,
                None => {
                    let pin = pin_address(session, entry, address, symbol)?;
                    pinned.push((symbol, pin));
                    pin
                }
            };
            rewriter.as_rewriter_base().replace_op_with_values(address, &[pin]);
        }
    }
    Ok(())
}

/// At the start of `entry`: the address of `symbol`, through the `mov`.
fn pin_address<'c, 'a>(
    session: &'c Session,
    entry: BlockRef<'c, 'a>,
    address: OperationRef<'c, '_>,
    symbol: Attribute<'c>,
) -> Result<Value<'c, 'a>, MlirError> {
    let context = session.context();
    let shared =
        address.result(0).map(|result| result.r#type()).map_err(|_| op_error(session, "addressof"))?;
    let copy = OperationBuilder::new("llvm.mlir.addressof", address.location())
        .add_results(&[shared])
        .add_attributes(&[(Identifier::new(context, "global_name"), symbol)])
        .build()
        .map_err(|_| op_error(session, "llvm.mlir.addressof"))?;
    let copy = entry.insert_operation(0, copy);
    let text = |name, value| (Identifier::new(context, name), StringAttribute::new(context, value).into());
    let opaque = OperationBuilder::new("llvm.inline_asm", address.location())
        .add_operands(&[first_result(copy)?])
        .add_results(&[shared])
        .add_attributes(&[text("asm_string", "mov.b64 $0, $1;"), text("constraints", "=l,l")])
        .build()
        .map_err(|_| op_error(session, "llvm.inline_asm"))?;
    first_result(entry.insert_operation_after(copy, opaque))
}

/// Gives branches the loop annotations of the `scf.for` they come from: conversion leaves them beside the attribute of
/// the branch op.
pub(super) fn adopt_loop_annotations(module: &Module<'_>) {
    let annotated = |op: OperationRef<'_, '_>| op.has_attribute(LOOP_ANNOTATION);
    let branch = |op| has_name(op, "llvm.br") || has_name(op, "llvm.cond_br");
    for op in collect(module, |op| branch(op) && annotated(op)) {
        if let (Ok(annotation), Some(block)) = (op.attribute(LOOP_ANNOTATION), op.block())
            && let Some(mut terminator) = block.terminator_mut()
        {
            terminator.set_attribute("loop_annotation", annotation);
            // It was there a moment ago.
            let _ = terminator.remove_attribute(LOOP_ANNOTATION);
        }
    }
}

fn has_name(op: OperationRef<'_, '_>, name: &str) -> bool {
    op.name().as_string_ref().as_str() == Ok(name)
}

fn op_error(session: &Session, op: &str) -> MlirError {
    MlirError::Op { op: op.to_owned(), messages: session.take_messages() }
}

fn first_result<'c, 'a>(op: OperationRef<'c, 'a>) -> Result<Value<'c, 'a>, MlirError> {
    op.result(0).map(Value::from).map_err(|error| MlirError::Op {
        op: op.name().as_string_ref().as_str().unwrap_or_default().to_owned(),
        messages: vec![super::message::MlirMessage::error(error.to_string())],
    })
}

/// The ops in `module` that `choose` takes, in order. Collected first, since the callers change what they walk.
fn collect<'c, 'a>(
    module: &'a Module<'c>,
    choose: impl Fn(OperationRef<'c, 'a>) -> bool,
) -> Vec<OperationRef<'c, 'a>> {
    collect_in(module.as_operation(), choose)
}

/// The ops inside `root` that `choose` takes, in order.
fn collect_in<'c, 'a>(
    root: OperationRef<'c, 'a>,
    choose: impl Fn(OperationRef<'c, 'a>) -> bool,
) -> Vec<OperationRef<'c, 'a>> {
    let (mut found, mut pending) = (Vec::new(), vec![root]);
    while let Some(op) = pending.pop() {
        if choose(op) {
            found.push(op);
        }
        let mut inside = Vec::new();
        for region in op.regions() {
            let mut block = region.first_block();
            while let Some(current) = block {
                let mut next = current.first_operation();
                while let Some(op) = next {
                    inside.push(op);
                    next = op.next_in_block();
                }
                block = current.next_in_region();
            }
        }
        pending.extend(inside.into_iter().rev());
    }
    found
}
