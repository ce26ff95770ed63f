//! Ops that a builder made without any sense: they print all the same, and what prints reads back or is refused.

use tidegate_ir::attr::AttrKind;
use tidegate_ir::diag::Diagnostics;
use tidegate_ir::ops::Opcode;
use tidegate_ir::text::{PrintOptions, add_printed_source, parse, print};
use tidegate_ir::types::{BarrierRefType, DYNAMIC, TypeKind};
use tidegate_ir::{Attr, Block, InsertionPoint, Module, Name, OpSpec, Type, Value};

use crate::generate::{self, Choices};

struct Garbage<'c> {
    module: Module,
    choices: Choices<'c>,
    values: Vec<Value>,
}

impl Garbage<'_> {
    fn ty(&mut self) -> Type {
        let types = &mut self.module.types;
        let barrier = TypeKind::BarrierRef(BarrierRefType::new(&[2], 1));
        let kinds = [types.index(), types.i1(), types.none(), types.int(32), types.intern(barrier).unwrap()];
        let vector = types.vector(&[4], kinds[1]).unwrap();
        let all = [kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], vector];
        self.choices.of(&all)
    }
    fn attr(&mut self) -> Attr {
        let ints = [0, 1, 2, -1, 7, DYNAMIC, i64::MAX];
        let kind = match self.choices.below(9) {
            0 => AttrKind::Unit,
            1 => AttrKind::Str("a b".into()),
            2 => AttrKind::Type(self.ty()),
            3 | 4 => {
                let width = self.choices.of(&[32, 64]);
                let values = (0..self.choices.below(5)).map(|_| self.choices.of(&ints)).collect();
                AttrKind::Ints { elem: self.module.types.int(width), values }
            }
            5 => {
                let ty = self.ty();
                AttrKind::Int { value: i128::from(self.choices.of(&ints)), ty }
            }
            6 => AttrKind::Array((0..self.choices.below(3)).map(|_| self.attr()).collect()),
            7 => AttrKind::Opaque(
                self.choices.of(&["#arith.fastmath<fast>", "#arith.overflow<>", "dense<", ""]).into(),
            ),
            _ => AttrKind::Splat { value: self.module.attrs.unit(), ty: self.ty() },
        };
        self.module.attrs.intern(kind)
    }
    /// Attributes of the op's own names, of others, and sizes of groups that fit nothing.
    fn dict(&mut self, opcode: Opcode) -> Attr {
        let names: Vec<&str> = opcode
            .def()
            .map_or(&[] as &[_], |def| def.attrs)
            .iter()
            .map(|attr| attr.name)
            .chain(["operandSegmentSizes", "other"])
            .collect();
        let mut entries: Vec<(Name, Attr)> = Vec::new();
        for name in names {
            if self.choices.once_in(2) {
                entries.push((self.module.names.intern(name), self.attr()));
            }
        }
        self.module.attrs.dict(&self.module.names, entries)
    }
    fn op(&mut self, block: Block, opcode: Opcode, depth: usize) {
        let operands: Vec<Value> =
            (0..self.choices.below(6)).map(|_| self.choices.of(&self.values)).collect();
        let results: Vec<Type> = (0..self.choices.below(4)).map(|_| self.ty()).collect();
        let (inherent, discardable) = (self.dict(opcode), self.dict(opcode));
        let regions = self.choices.below(3);
        let successors = if self.choices.once_in(6) { vec![block] } else { Vec::new() };
        let spec = OpSpec::new(opcode)
            .operands(operands)
            .results(results)
            .inherent(inherent)
            .discardable(discardable)
            .regions(regions)
            .successors(successors);
        let op = self.module.insert(InsertionPoint::End(block), spec);
        self.values.extend(self.module.results(op));
        for index in 0..regions {
            let region = self.module.regions(op)[index];
            for _ in 0..self.choices.below(3) {
                let inner = self.module.append_block(region);
                for _ in 0..self.choices.below(3) {
                    let ty = self.ty();
                    let arg = self.module.append_arg(inner, ty);
                    self.values.push(arg);
                }
                let all: Vec<Opcode> = Opcode::all().collect();
                for _ in 0..self.choices.below(3) {
                    let opcode = self.choices.of(&all);
                    if depth < 3 {
                        self.op(inner, opcode, depth + 1);
                    }
                }
            }
        }
    }
}

#[test]
fn senseless_ops_print() {
    for opcode in Opcode::all() {
        for seed in 0..40 {
            let bytes = generate::choices_of(seed, 120);
            let mut garbage =
                Garbage { module: Module::new(), choices: Choices::new(&bytes), values: Vec::new() };
            let body = garbage.module.body();
            let ty = garbage.ty();
            let value = garbage.module.append_arg(body, ty);
            garbage.values.push(value);
            garbage.op(body, opcode, 0);
            garbage.op(body, opcode, 0);
            let mut module = garbage.module;
            for (generic, locations) in [(false, false), (true, true)] {
                let text = print(&module, PrintOptions { generic, locations });
                let mut diags = Diagnostics::new();
                let (back, result) = parse("garbage.mlir", &text, &mut diags);
                if result.is_ok() {
                    print(&back, PrintOptions::default());
                }
            }
            add_printed_source(&mut module, "garbage");
        }
    }
}

#[test]
fn erased_and_detached_ops_do_not_disturb_the_printer() {
    let choices = generate::choices_of(3, 400);
    let mut module = generate::module(&choices, generate::Options::default(), None);
    let body = module.body();
    for op in module.block_ops(body).collect::<Vec<_>>().into_iter().rev() {
        // Ops whose results are used stay.
        let _ = module.erase(op);
    }
    let left: Vec<_> = module.block_ops(body).collect();
    if let Some(&op) = left.first() {
        module.unlink(op);
    }
    let text = print(&module, PrintOptions::default());
    assert_eq!(text, print(&module, PrintOptions::default()));
}
