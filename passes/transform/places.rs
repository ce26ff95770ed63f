//! Places: what a chain of `tg.at` and `tg.subview` refers to, and the index lists of ops.

use tidegate_ir::ops::{IndexRef, Opcode, OperandArity, TgOp};
use tidegate_ir::types::{DYNAMIC, TypeKind};
use tidegate_ir::{Attr, Module, Op, Type, Value};

use super::constants::i64_constant;

/// The attribute of ops with several operand groups that holds their sizes, as in MLIR.
pub(crate) const SEGMENT_SIZES: &str = "operandSegmentSizes";

/// An index list of an op: a ref operand and the indices into it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexGroup {
    /// The group of the ref.
    pub reference: usize,
    /// The group of the indices.
    pub indices: usize,
    /// The name of the latter.
    pub name: &'static str,
}

/// The index lists of `op`. In every row the indices stand just behind the ref that they index.
pub(crate) fn index_groups(module: &Module, op: Op) -> Vec<IndexGroup> {
    let Some(def) = module.opcode(op).def() else { return Vec::new() };
    let mut groups = Vec::new();
    for (position, operand) in def.operands.iter().enumerate() {
        let is_list = operand.arity == OperandArity::Many
            && def.attrs.iter().any(|attr| attr.name.strip_prefix("static_") == Some(operand.name));
        if let (true, Some(reference)) = (is_list, position.checked_sub(1)) {
            groups.push(IndexGroup { reference, indices: position, name: operand.name });
        }
    }
    groups
}

/// The extents of what `ty` refers to: those of an array ref or of a barrier group.
pub(crate) fn ref_shape(module: &Module, ty: Type) -> Option<&[i64]> {
    match module.types.kind(ty) {
        TypeKind::Ref(reference) => Some(&reference.shape),
        TypeKind::BarrierRef(barrier) => Some(&barrier.shape),
        _ => None,
    }
}

/// Replaces an op's ref and its index list.
pub(crate) fn set_place(module: &mut Module, op: Op, group: IndexGroup, reference: Value, list: &[IndexRef]) {
    let Some(def) = module.opcode(op).def() else { return };
    let mut operands = Vec::new();
    let mut sizes = Vec::new();
    for position in 0..def.operands.len() {
        let before = operands.len();
        if position == group.reference {
            operands.push(reference);
        } else if position == group.indices {
            operands.extend(list.iter().filter_map(|index| match index {
                IndexRef::Value(value) => Some(*value),
                IndexRef::Const(_) => None,
            }));
        } else {
            operands.extend(module.operand_group(op, position).map(|index| module.operand(op, index)));
        }
        sizes.push(i64::try_from(operands.len() - before).unwrap_or(0));
    }
    let statics: Vec<i64> = list
        .iter()
        .map(|index| match index {
            IndexRef::Const(index) => *index,
            IndexRef::Value(_) => DYNAMIC,
        })
        .collect();
    let attr_name = format!("static_{}", group.name);
    if statics.iter().all(|&index| index == DYNAMIC) {
        module.remove_attr(op, &attr_name);
    } else {
        let attr: Attr = module.i64s_attr(&statics);
        module.set_attr(op, &attr_name, attr);
    }
    if def.has_segments() {
        let flexible =
            def.operands.iter().zip(&sizes).any(|(def, &size)| def.arity != OperandArity::One && size != 0);
        if flexible {
            let attr = module.i32s_attr(&sizes);
            module.set_attr(op, SEGMENT_SIZES, attr);
        } else {
            module.remove_attr(op, SEGMENT_SIZES);
        }
    }
    module.set_operands(op, &operands);
}

/// The number that an index is, when it is known.
pub(crate) fn index_constant(module: &Module, index: IndexRef) -> Option<i64> {
    match index {
        IndexRef::Const(index) => Some(index),
        IndexRef::Value(value) => i64_constant(module, value),
    }
}

/// What a ref leads back to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// The result of `tg.alloc`, `tg.alloc_barrier`, or a parameter of the kernel.
    Known(Value),
    /// Something that went through control flow or an unknown op.
    Unknown,
}

/// The allocation or parameter behind a chain of `tg.at` and `tg.subview`.
pub(crate) fn root_of(module: &Module, value: Value) -> Root {
    let mut value = value;
    loop {
        let Some(op) = module.defining_op(value) else {
            let block = module.defining_block(value).and_then(|block| module.block_parent(block));
            let kernel = block.is_some_and(|op| module.opcode(op) == Opcode::Tg(TgOp::Kernel));
            return if kernel { Root::Known(value) } else { Root::Unknown };
        };
        match module.opcode(op) {
            Opcode::Tg(TgOp::Alloc | TgOp::AllocBarrier) => return Root::Known(value),
            Opcode::Tg(TgOp::At | TgOp::Subview) if module.num_operands(op) > 0 => {
                value = module.operand(op, 0)
            }
            _ => return Root::Unknown,
        }
    }
}

/// What an access reaches: an allocation or parameter, and for each of its leading dimensions the position, where the
/// access has extent 1 there and the position is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    pub root: Root,
    pub exact: Vec<Option<i64>>,
}

impl Reach {
    /// The reach through `reference` with these indices; `lead` says how many of the dimensions of `reference` have
    /// extent 1.
    pub(crate) fn new(module: &Module, reference: Value, list: &[IndexRef], lead: usize) -> Self {
        let mut exact: Vec<Option<i64>> =
            list.iter().take(lead).map(|&index| index_constant(module, index)).collect();
        let mut value = reference;
        while let Some(op) = module.defining_op(value) {
            match module.opcode(op) {
                Opcode::Tg(TgOp::At) => {
                    let outer = module.index_list(op, "indices");
                    exact.splice(0..0, outer.into_iter().map(|index| index_constant(module, index)));
                }
                // Positions count from elsewhere.
                Opcode::Tg(TgOp::Subview) => exact.clear(),
                _ => break,
            }
            let Some(source) = module.get_operand(op, 0) else { break };
            value = source;
        }
        Self { root: root_of(module, reference), exact }
    }
    /// Whether two accesses may touch the same bytes.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let same_root = self.root == other.root || self.root == Root::Unknown || other.root == Root::Unknown;
        let apart =
            self.exact.iter().zip(&other.exact).any(|(a, b)| matches!((a, b), (Some(a), Some(b)) if a != b));
        same_root && (!apart || self.root == Root::Unknown || other.root == Root::Unknown)
    }
}
