//! Which barrier of a group an op acts on, as a sum of constants and values.

use tidegate_ir::builder::OpBuilder;
use tidegate_ir::ops::{IndexRef, Opcode, TgOp};
use tidegate_ir::types::num_elements;
use tidegate_ir::{Module, Op, Value};

use super::super::places::index_constant;

/// The row-major number of a barrier within its group: a constant and multiples of `index` values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) base: i64,
    pub(super) terms: Vec<(i64, Value)>,
}

impl Slot {
    /// The number, when nothing about it is dynamic.
    pub(super) fn constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.base)
    }
    /// The number as an `index` value.
    pub(super) fn build(&self, builder: &mut OpBuilder<'_>) -> Value {
        let mut sum = None;
        for &(factor, value) in &self.terms {
            let term = if factor == 1 {
                value
            } else {
                let factor = builder.index(factor);
                let product = builder.arith_muli(value, factor, None);
                builder.module.result(product, 0)
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let added = builder.arith_addi(sum, term, None);
                    builder.module.result(added, 0)
                }
            });
        }
        match (sum, self.base) {
            (None, base) => builder.index(base),
            (Some(sum), 0) => sum,
            (Some(sum), base) => {
                let base = builder.index(base);
                let added = builder.arith_addi(sum, base, None);
                builder.module.result(added, 0)
            }
        }
    }
}

/// The group that a wait leads back to, and which of its barriers it waits on.
pub(super) fn resolve(module: &Module, op: Op) -> Option<(Value, Slot)> {
    let barrier = module.operand_named(op, "barrier")?;
    let (root, slot) = resolve_place(module, barrier, &module.index_list(op, "indices"))?;
    Some((root, slot?))
}

/// The same for `tg.init_barrier`; no slot for a whole group.
pub(super) fn resolve_init(module: &Module, op: Op) -> Option<(Value, Option<Slot>)> {
    let barrier = module.operand_named(op, "barrier")?;
    resolve_place(module, barrier, &module.index_list(op, "indices"))
}

fn resolve_place(module: &Module, barrier: Value, list: &[IndexRef]) -> Option<(Value, Option<Slot>)> {
    let group = module.types.as_barrier(module.ty(barrier))?;
    let mut sums: Vec<Vec<IndexRef>> = list.iter().map(|&index| vec![index]).collect();
    let mut whole = false;
    if sums.len() != group.shape.len() {
        // A group of one stands without indices; larger ones are meant as a whole.
        whole = num_elements(&group.shape) != Some(1);
        sums.resize(group.shape.len(), Vec::new());
    }
    let mut value = barrier;
    loop {
        let op = module.defining_op(value)?;
        match module.opcode(op) {
            Opcode::Tg(TgOp::AllocBarrier) => break,
            Opcode::Tg(TgOp::At) => {
                let outer = module.index_list(op, "indices");
                sums.splice(0..0, outer.into_iter().map(|index| vec![index]));
            }
            Opcode::Tg(TgOp::Subview) => {
                for (sum, offset) in sums.iter_mut().zip(module.index_list(op, "offsets")) {
                    sum.push(offset);
                }
            }
            _ => return None,
        }
        value = module.get_operand(op, 0)?;
    }
    let shape = &module.types.as_barrier(module.ty(value))?.shape;
    if sums.len() != shape.len() {
        return None;
    }
    if whole {
        return Some((value, None));
    }
    let mut slot = Slot { base: 0, terms: Vec::new() };
    let mut stride = 1i64;
    for (sum, &extent) in sums.iter().zip(shape.iter()).rev() {
        for &index in sum {
            match (index_constant(module, index), index) {
                (Some(number), _) => slot.base = slot.base.checked_add(number.checked_mul(stride)?)?,
                (None, IndexRef::Value(value)) => slot.terms.push((stride, value)),
                (None, IndexRef::Const(_)) => {}
            }
        }
        stride = stride.checked_mul(extent)?;
    }
    slot.terms.reverse();
    Some((value, Some(slot)))
}
