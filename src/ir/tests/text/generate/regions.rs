//! Ops with regions.

use tidegate_ir::ops::{BuiltinOp, Opcode, ScfOp, TgOp};
use tidegate_ir::types::DYNAMIC;
use tidegate_ir::{Attr, Block, InsertionPoint, Name, Op, OpSpec, Type, Value};

use super::Generator;

impl Generator<'_> {
    pub(super) fn region_op(&mut self, block: Block, opcode: Opcode) {
        match opcode {
            Opcode::Builtin(BuiltinOp::Module) => {
                let op = self.region_shell(block, opcode, &[], &[], Vec::new());
                self.body(op, 0, &[], true, None);
            }
            Opcode::Scf(ScfOp::For) => self.scf_for(block),
            Opcode::Scf(ScfOp::If) => self.scf_if(block),
            Opcode::Scf(ScfOp::While) => self.scf_while(block),
            Opcode::Tg(TgOp::Kernel) => self.tg_kernel(block),
            Opcode::Tg(TgOp::WarpSpecialize) => {
                let op = self.region_shell(block, opcode, &[], &[], Vec::new());
                let body = self.body(op, 0, &[], false, None);
                for _ in 0..self.choices.below(3) {
                    self.tg_role(body);
                }
            }
            Opcode::Tg(TgOp::Role) => self.tg_role(block),
            _ => panic!("{opcode:?} has regions, and the generator does not know it"),
        }
    }

    fn region_shell(
        &mut self,
        block: Block,
        opcode: Opcode,
        operands: &[Value],
        results: &[Type],
        attrs: Vec<(&str, Attr)>,
    ) -> Op {
        let entries: Vec<(Name, Attr)> =
            attrs.into_iter().map(|(name, value)| (self.module.names.intern(name), value)).collect();
        let inherent = self.module.attrs.dict(&self.module.names, entries);
        let discardable = if matches!(opcode, Opcode::Builtin(_)) && self.options.for_mlir {
            self.module.attrs.empty_dict()
        } else {
            self.discardable()
        };
        let spec = OpSpec::new(opcode)
            .operands(operands.iter().copied())
            .results(results.iter().copied())
            .inherent(inherent)
            .discardable(discardable)
            .regions(opcode.def().unwrap().regions.len());
        self.insert(block, spec)
    }

    /// Fills region `index` with a block, some ops, and a terminator that hands on values of these types.
    fn body(
        &mut self,
        op: Op,
        index: usize,
        args: &[Type],
        isolated: bool,
        terminator: Option<(Opcode, &[Type])>,
    ) -> Block {
        let block = self.module.append_block(self.module.regions(op)[index]);
        let outer = if isolated { std::mem::take(&mut self.scope) } else { self.scope.clone() };
        self.depth += 1;
        self.args(block, args);
        for _ in 0..self.choices.below(5) {
            self.any_op(block);
        }
        if let Some((opcode, types)) = terminator {
            let values: Vec<Value> = types.iter().map(|&ty| self.value(block, ty)).collect();
            let discardable = self.discardable();
            self.insert(block, OpSpec::new(opcode).operands(values).discardable(discardable));
        }
        self.depth -= 1;
        self.scope = outer;
        block
    }

    fn some_types(&mut self) -> Vec<Type> {
        (0..self.choices.below(3)).map(|_| self.any_type()).collect()
    }

    fn scf_for(&mut self, block: Block) {
        let counter = self.int();
        let carried = self.some_types();
        let mut operands: Vec<Value> = (0..3).map(|_| self.value(block, counter)).collect();
        operands.extend(carried.iter().map(|&ty| self.value(block, ty)));
        let attrs = if self.choices.once_in(3) {
            vec![("unsignedCmp", self.module.attrs.unit())]
        } else {
            Vec::new()
        };
        let op = self.region_shell(block, ScfOp::For.into(), &operands, &carried, attrs);
        let args: Vec<Type> = std::iter::once(counter).chain(carried.iter().copied()).collect();
        self.body(op, 0, &args, false, Some((ScfOp::Yield.into(), &carried)));
        self.define(op);
    }

    fn scf_if(&mut self, block: Block) {
        let i1 = self.module.types.i1();
        let condition = self.value(block, i1);
        let results = self.some_types();
        let op = self.region_shell(block, ScfOp::If.into(), &[condition], &results, Vec::new());
        self.body(op, 0, &[], false, Some((ScfOp::Yield.into(), &results)));
        if !results.is_empty() || self.choices.once_in(2) {
            self.body(op, 1, &[], false, Some((ScfOp::Yield.into(), &results)));
        }
        self.define(op);
    }

    fn scf_while(&mut self, block: Block) {
        let inits = self.some_types();
        let results = self.some_types();
        let operands: Vec<Value> = inits.iter().map(|&ty| self.value(block, ty)).collect();
        let op = self.region_shell(block, ScfOp::While.into(), &operands, &results, Vec::new());
        let handed: Vec<Type> =
            std::iter::once(self.module.types.i1()).chain(results.iter().copied()).collect();
        self.body(op, 0, &inits, false, Some((ScfOp::Condition.into(), &handed)));
        self.body(op, 1, &results, false, Some((ScfOp::Yield.into(), &inits)));
        self.define(op);
    }

    /// A kernel or role may end in `tg.return`, which the short form hides, or lack it.
    fn tg_body(&mut self, op: Op, args: &[Type], isolated: bool) {
        let end: Option<(Opcode, &[Type])> =
            if self.choices.once_in(5) { None } else { Some((TgOp::Return.into(), &[])) };
        let block = self.body(op, 0, args, isolated, end);
        if self.choices.once_in(8) {
            // And it may come with operands, which no kernel has.
            let value = self.module.block_args(block).first().copied();
            self.module.insert(InsertionPoint::End(block), OpSpec::new(TgOp::Return).operands(value));
        }
    }

    fn axes(&mut self, attrs: &mut Vec<(&str, Attr)>, names: &'static str, sizes: &'static str) {
        let count = self.choices.below(4);
        if self.choices.once_in(2) {
            let axes = (0..count).map(|at| ["i", "j \"", "é"][at]);
            attrs.push((names, self.module.strs_attr(axes)));
            let list: Vec<i64> = (0..count).map(|_| self.choices.of(&[4, 1, DYNAMIC, -7])).collect();
            attrs.push((sizes, self.module.i64s_attr(&list)));
        }
    }
    fn threads(&mut self, attrs: &mut Vec<(&str, Attr)>) {
        if self.choices.once_in(3) {
            attrs.push(("thread_name", self.module.attrs.str("wg")));
            attrs.push(("num_threads", self.module.i64_attr(2)));
        }
    }
    fn symbol_name(&mut self) -> Attr {
        let mut name = self.name();
        if self.options.for_mlir {
            // MLIR wants the symbols of a module to differ.
            name = format!("k {}", self.module.num_ops());
        }
        self.module.attrs.str(&name)
    }

    fn tg_kernel(&mut self, block: Block) {
        let params: Vec<Type> = self.some_types();
        let mut attrs = vec![("sym_name", self.symbol_name())];
        self.axes(&mut attrs, "grid_names", "grid");
        self.axes(&mut attrs, "cluster_names", "cluster");
        self.threads(&mut attrs);
        if !params.is_empty() && self.choices.once_in(2) {
            let words =
                params.iter().map(|_| self.choices.of(&["in", "out", "inout", ""])).collect::<Vec<_>>();
            attrs.push(("directions", self.module.strs_attr(words)));
        }
        let op = self.region_shell(block, TgOp::Kernel.into(), &[], &[], attrs);
        self.tg_body(op, &params, true);
    }

    fn tg_role(&mut self, block: Block) {
        let mut attrs = vec![("sym_name", self.symbol_name())];
        for name in ["warps", "registers"] {
            if self.choices.once_in(3) {
                attrs.push((name, self.module.i64_attr(4)));
            }
        }
        self.threads(&mut attrs);
        let op = self.region_shell(block, TgOp::Role.into(), &[], &[], attrs);
        self.tg_body(op, &[], false);
    }
}
