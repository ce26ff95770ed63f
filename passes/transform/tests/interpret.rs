//! A tiny evaluator of `scf` and integer `arith`, which records the waits of each thread.

use std::collections::HashMap;

use tidegate_ir::attr::AttrKind;
use tidegate_ir::ops::{ArithOp, IndexRef, Opcode, ScfOp, TgOp};
use tidegate_ir::types::TypeKind;
use tidegate_ir::{Block, Module, Op, Value};

use crate::transform::constants::{fold_cmpi, fold_int, wrap};

/// A wait as it was executed: the thread, the barrier group, the barrier, the parity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Waited {
    pub(super) thread: String,
    pub(super) group: String,
    pub(super) slot: i64,
    pub(super) parity: bool,
}

/// Executes the only kernel of a module with these arguments. `tg.barrier_wait` has the parity that it should have: the
/// number of completions that the thread has seen, modulo 2.
pub(super) fn execute(module: &Module, args: &[i128]) -> Vec<Waited> {
    let kernel = module
        .walk(module.top())
        .into_iter()
        .find(|&op| module.opcode(op) == Opcode::Tg(TgOp::Kernel))
        .unwrap();
    let body = module.region_block(kernel, 0).unwrap();
    let mut machine = Machine {
        module,
        values: HashMap::new(),
        seen: HashMap::new(),
        thread: "kernel".into(),
        trace: Vec::new(),
        fuel: 200_000,
    };
    for (&arg, &value) in module.block_args(body).iter().zip(args) {
        machine.values.insert(arg, value);
    }
    machine.block(body);
    machine.trace
}

struct Machine<'m> {
    module: &'m Module,
    values: HashMap<Value, i128>,
    /// Completions seen of (group, barrier) by the current thread.
    seen: HashMap<(String, i64), u64>,
    thread: String,
    trace: Vec<Waited>,
    fuel: u32,
}

impl Machine<'_> {
    fn get(&self, value: Value) -> i128 {
        self.values[&value]
    }
    fn width(&self, value: Value) -> u32 {
        match self.module.types.kind(self.module.ty(value)) {
            TypeKind::Integer { width, .. } => *width,
            TypeKind::Index => 64,
            other => panic!("{other:?} is no integer"),
        }
    }

    /// Executes a block and returns the operands of its terminator.
    fn block(&mut self, block: Block) -> Vec<i128> {
        let mut op = self.module.first_op(block);
        while let Some(current) = op {
            self.fuel -= 1;
            if self.module.opcode(current).is_terminator() {
                return self.module.operands(current).map(|value| self.get(value)).collect();
            }
            self.op(current);
            op = self.module.next_op(current);
        }
        Vec::new()
    }

    fn set_args(&mut self, block: Block, skip: usize, values: &[i128]) {
        let args = self.module.block_args(block)[skip..].to_vec();
        assert_eq!(args.len(), values.len());
        for (arg, &value) in args.into_iter().zip(values) {
            self.values.insert(arg, value);
        }
    }
    fn set_results(&mut self, op: Op, values: &[i128]) {
        assert_eq!(self.module.num_results(op), values.len());
        for (result, &value) in self.module.results(op).zip(values) {
            self.values.insert(result, value);
        }
    }

    fn op(&mut self, op: Op) {
        let module = self.module;
        match module.opcode(op) {
            Opcode::Arith(arith) => self.arith(op, arith),
            Opcode::Scf(ScfOp::If) => {
                let condition = self.get(module.operand(op, 0)) & 1 != 0;
                let block = module.region_block(op, usize::from(!condition));
                let values = block.map(|block| self.block(block)).unwrap_or_default();
                self.set_results(op, &values);
            }
            Opcode::Scf(ScfOp::For) => {
                let [lower, upper, step] = [0, 1, 2].map(|index| self.get(module.operand(op, index)));
                let mut carried: Vec<i128> =
                    module.operands(op).skip(3).map(|value| self.get(value)).collect();
                let body = module.region_block(op, 0).unwrap();
                let mut counter = lower;
                while counter < upper {
                    self.values.insert(module.block_args(body)[0], counter);
                    self.set_args(body, 1, &carried);
                    carried = self.block(body);
                    counter += step;
                }
                self.set_results(op, &carried);
            }
            Opcode::Scf(ScfOp::While) => {
                let mut carried: Vec<i128> = module.operands(op).map(|value| self.get(value)).collect();
                let (before, after) =
                    (module.region_block(op, 0).unwrap(), module.region_block(op, 1).unwrap());
                loop {
                    self.set_args(before, 0, &carried);
                    let handed_on = self.block(before);
                    if handed_on[0] & 1 == 0 {
                        self.set_results(op, &handed_on[1..]);
                        break;
                    }
                    self.set_args(after, 0, &handed_on[1..]);
                    carried = self.block(after);
                }
            }
            Opcode::Tg(TgOp::WarpSpecialize) => {
                let (seen, thread) = (self.seen.clone(), self.thread.clone());
                let mut after = None;
                for role in module.block_ops(module.region_block(op, 0).unwrap()) {
                    self.seen.clone_from(&seen);
                    self.thread = module.attr_symbol(role, "sym_name").unwrap().to_owned();
                    self.block(module.region_block(role, 0).unwrap());
                    after.get_or_insert_with(|| self.seen.clone());
                }
                self.seen = after.unwrap_or(seen);
                self.thread = thread;
            }
            Opcode::Tg(TgOp::BarrierWait) => {
                let (group, slot) = self.place(op);
                let seen = self.seen.entry((group.clone(), slot)).or_default();
                let parity = *seen % 2 == 1;
                *seen += 1;
                self.trace.push(Waited { thread: self.thread.clone(), group, slot, parity });
            }
            Opcode::Tg(TgOp::BarrierWaitParity) => {
                let (group, slot) = self.place(op);
                let parity = self.get(module.operand_named(op, "parity").unwrap()) & 1 != 0;
                self.trace.push(Waited { thread: self.thread.clone(), group, slot, parity });
            }
            Opcode::Tg(TgOp::InitBarrier) => {
                let whole = module.index_list(op, "indices").is_empty();
                let (group, slot) = self.place(op);
                self.seen.retain(|key, _| key.0 != group || (!whole && key.1 != slot));
            }
            Opcode::Tg(TgOp::AllocBarrier | TgOp::Alloc | TgOp::At | TgOp::Subview | TgOp::InvalBarrier) => {}
            other => panic!("{other:?} is not executed here"),
        }
    }

    fn index(&self, index: IndexRef) -> i64 {
        match index {
            IndexRef::Const(index) => index,
            IndexRef::Value(value) => i64::try_from(self.get(value)).unwrap(),
        }
    }

    /// The group's name and the row-major number of the barrier.
    fn place(&self, op: Op) -> (String, i64) {
        let module = self.module;
        let mut value = module.operand_named(op, "barrier").unwrap();
        let mut list: Vec<i64> =
            module.index_list(op, "indices").into_iter().map(|index| self.index(index)).collect();
        let rank = module.types.as_barrier(module.ty(value)).unwrap().shape.len();
        list.resize(rank, 0);
        loop {
            let definer = module.defining_op(value).unwrap();
            match module.opcode(definer) {
                Opcode::Tg(TgOp::At) => {
                    let outer =
                        module.index_list(definer, "indices").into_iter().map(|index| self.index(index));
                    list.splice(0..0, outer);
                }
                Opcode::Tg(TgOp::Subview) => {
                    for (index, offset) in list.iter_mut().zip(module.index_list(definer, "offsets")) {
                        *index += self.index(offset);
                    }
                }
                _ => break,
            }
            value = module.operand(definer, 0);
        }
        let shape = &module.types.as_barrier(module.ty(value)).unwrap().shape;
        let slot = list.iter().zip(shape.iter()).fold(0, |slot, (index, extent)| {
            assert!((0..*extent).contains(index), "index {index} of {extent}");
            slot * extent + index
        });
        (module.value_name(value).unwrap().to_owned(), slot)
    }

    fn arith(&mut self, op: Op, arith: ArithOp) {
        let module = self.module;
        let result = module.result(op, 0);
        let width = self.width(result);
        let operand = |index: usize| self.get(module.operand(op, index));
        let value = match arith {
            ArithOp::Constant => match module.attrs.kind(module.attr(op, "value").unwrap()) {
                AttrKind::Bool(value) => i128::from(*value),
                AttrKind::Int { value, .. } => *value,
                other => panic!("{other:?}"),
            },
            ArithOp::CmpI => {
                let predicate = module.attr_i64(op, "predicate").unwrap();
                i128::from(
                    fold_cmpi(predicate, operand(0), operand(1), self.width(module.operand(op, 0))).unwrap(),
                )
            }
            ArithOp::Select => operand(if operand(0) & 1 != 0 { 1 } else { 2 }),
            ArithOp::TruncI | ArithOp::IndexCast => operand(0),
            other => fold_int(other, operand(0), operand(1), width)
                .unwrap_or_else(|| panic!("{other:?} is undefined")),
        };
        self.values.insert(result, wrap(value, width));
    }
}
