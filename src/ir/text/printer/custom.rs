//! Ops whose short form is written by hand. `fits` has checked their shape.

use std::fmt::Write;

use super::Printer;
use crate::attr::write_symbol;
use crate::entity::{Block, Op};
use crate::ops::{ArithOp, Opcode, ScfOp, TgOp};
use crate::text::quote;
use crate::types::DYNAMIC;

impl Printer<'_, '_> {
    pub(super) fn custom(&mut self, op: Op, opcode: Opcode) {
        match opcode {
            Opcode::Builtin(_) if self.is_top_module(opcode) => self.builtin_module(op),
            Opcode::Arith(ArithOp::Constant) => {
                self.out.push_str("arith.constant");
                self.dict(self.module.discardable(op));
                self.out.push(' ');
                if let Some(value) = self.module.attr(op, "value") {
                    self.constant(value);
                }
            }
            Opcode::Arith(ArithOp::Select) => {
                self.out.push_str("arith.select ");
                self.values(self.module.operands(op));
                self.dict(self.module.discardable(op));
                self.out.push_str(" : ");
                let condition = self.module.ty(self.module.operand(op, 0));
                if condition != self.module.types.i1() {
                    self.ty(condition);
                    self.out.push_str(", ");
                }
                self.ty(self.module.ty(self.module.result(op, 0)));
            }
            Opcode::Scf(ScfOp::For) => self.scf_for(op),
            Opcode::Scf(ScfOp::If) => self.scf_if(op),
            Opcode::Scf(ScfOp::While) => self.scf_while(op),
            Opcode::Tg(TgOp::Kernel) => self.tg_kernel(op),
            Opcode::Tg(TgOp::WarpSpecialize) => {
                self.out.push_str("tg.warp_specialize ");
                self.rest_attrs(op, &|_| true, "attributes ");
                if self.out.ends_with('}') {
                    self.out.push(' ');
                }
                self.body(op, 0);
            }
            Opcode::Tg(TgOp::Role) => self.tg_role(op),
            _ => self.generic(op),
        }
    }

    /// A constant's value: like MLIR, without ` : i1` behind `true`.
    fn constant(&mut self, value: crate::entity::Attr) {
        match self.module.attrs.kind(value) {
            crate::attr::AttrKind::Int { ty, .. } if *ty == self.module.types.i1() => {
                self.module.attrs.write_number(self.out, &self.module.types, value);
            }
            _ => self.attr(value),
        }
    }

    /// The region with its only block, whose head the op shows itself; an implicit terminator stays hidden.
    fn body(&mut self, op: Op, index: usize) {
        let Some(block) = self.module.region_block(op, index) else {
            self.region(self.module.regions(op)[index], true);
            return;
        };
        let opcode = self.module.opcode(op);
        let parent = self.parent.replace(opcode);
        self.out.push_str("{\n");
        self.indent += 1;
        self.block_body(block, opcode);
        self.indent -= 1;
        self.pad();
        self.out.push('}');
        self.parent = parent;
    }
    fn block_body(&mut self, block: Block, parent: Opcode) {
        let module = self.module;
        let implicit = match parent {
            Opcode::Scf(ScfOp::While) => Some(Opcode::Scf(ScfOp::Yield)),
            _ => parent.implicit_terminator(),
        };
        for op in module.block_ops(block) {
            let hidden = !self.options.locations
                && module.next_op(op).is_none()
                // Behind another terminator, none would be put back.
                && !module.prev_op(op).is_some_and(|before| module.opcode(before).is_terminator())
                && Some(module.opcode(op)) == implicit
                && module.num_operands(op) == 0
                && module.num_results(op) == 0
                && module.successors(op).is_empty()
                && module.regions(op).is_empty()
                && module.inherent(op) == module.attrs.empty_dict()
                && module.discardable(op) == module.attrs.empty_dict();
            if !hidden {
                self.op(op);
            }
        }
    }

    fn builtin_module(&mut self, op: Op) {
        self.out.push_str("module ");
        if let Some(name) = self.module.attr_str(op, "sym_name") {
            write_symbol(self.out, name);
            self.out.push(' ');
        }
        self.rest_attrs(op, &|name| name == "sym_name", "attributes ");
        if self.out.ends_with('}') {
            self.out.push(' ');
        }
        let outer = self.isolate(op);
        self.body(op, 0);
        if let Some(outer) = outer {
            self.labels = outer;
        }
    }

    fn scf_for(&mut self, op: Op) {
        let module = self.module;
        let Some(block) = module.region_block(op, 0) else { return };
        let args = module.block_args(block);
        self.out.push_str("scf.for ");
        if module.has_attr(op, "unsignedCmp") {
            self.out.push_str("unsigned ");
        }
        self.define_arg(args[0]);
        self.out.push_str(" = ");
        self.value(module.operand(op, 0));
        self.out.push_str(" to ");
        self.value(module.operand(op, 1));
        self.out.push_str(" step ");
        self.value(module.operand(op, 2));
        self.out.push(' ');
        if args.len() > 1 {
            self.out.push_str("iter_args(");
            self.carried(&args[1..], module.operands(op).skip(3));
            self.out.push_str(") -> (");
            self.types(module.results(op));
            self.out.push_str(") ");
        }
        let counter = module.ty(args[0]);
        if counter != module.types.index() {
            self.out.push_str(": ");
            self.ty(counter);
            self.out.push(' ');
        }
        self.body(op, 0);
        self.rest_attrs(op, &|name| name == "unsignedCmp", " ");
    }

    fn define_arg(&mut self, arg: crate::entity::Value) {
        let start = self.out.len();
        self.value(arg);
        let end = self.out.len();
        if let Some(map) = &mut self.map {
            map.push(super::PrintedOp::Value(arg, start..end));
        }
    }

    /// `%a = %x, %b = %y`.
    fn carried(&mut self, args: &[crate::entity::Value], starts: impl Iterator<Item = crate::entity::Value>) {
        for (at, (&arg, start)) in args.iter().zip(starts).enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.define_arg(arg);
            self.out.push_str(" = ");
            self.value(start);
        }
    }

    fn scf_if(&mut self, op: Op) {
        let module = self.module;
        self.out.push_str("scf.if ");
        self.value(module.operand(op, 0));
        self.out.push(' ');
        if module.num_results(op) > 0 {
            self.out.push_str("-> (");
            self.types(module.results(op));
            self.out.push_str(") ");
        }
        self.body(op, 0);
        if module.region_block(op, 1).is_some() {
            self.out.push_str(" else ");
            self.body(op, 1);
        }
        self.rest_attrs(op, &|_| true, " ");
    }

    fn scf_while(&mut self, op: Op) {
        let module = self.module;
        let Some(before) = module.region_block(op, 0) else { return };
        self.out.push_str("scf.while ");
        let args = module.block_args(before);
        if !args.is_empty() {
            self.out.push('(');
            self.carried(args, module.operands(op));
            self.out.push_str(") ");
        }
        self.out.push_str(": (");
        self.types(module.operands(op));
        self.out.push_str(") -> ");
        let results: Vec<_> = module.results(op).map(|value| module.ty(value)).collect();
        module.types.write_results(self.out, &results);
        self.out.push(' ');
        self.body(op, 0);
        self.out.push_str(" do ");
        let Some(after) = module.region_block(op, 1) else { return };
        self.out.push_str("{\n");
        self.indent += 1;
        if !module.block_args(after).is_empty() {
            self.block_head(after);
        }
        self.block_body(after, module.opcode(op));
        self.indent -= 1;
        self.pad();
        self.out.push('}');
        self.rest_attrs(op, &|_| true, " attributes ");
    }

    fn axes(&mut self, op: Op, key: &str) {
        let names = self.module.attr_strs(op, &format!("{key}_names"));
        let (Some(names), Some(sizes)) = (names, self.module.attr_ints(op, key)) else { return };
        let _ = write!(self.out, "{key} [");
        for (at, (name, &size)) in names.iter().zip(sizes).enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            quote(self.out, name);
            if size == DYNAMIC {
                self.out.push_str(" = ?");
            } else {
                let _ = write!(self.out, " = {size}");
            }
        }
        self.out.push_str("] ");
    }
    fn threads(&mut self, op: Op) {
        let (Some(name), Some(count)) =
            (self.module.attr_str(op, "thread_name"), self.module.attr_i64(op, "num_threads"))
        else {
            return;
        };
        self.out.push_str("threads [");
        quote(self.out, name);
        let _ = write!(self.out, " = {count}] ");
    }

    fn tg_kernel(&mut self, op: Op) {
        let module = self.module;
        let Some(block) = module.region_block(op, 0) else { return };
        let outer = self.isolate(op);
        self.out.push_str("tg.kernel ");
        write_symbol(self.out, module.attr_symbol(op, "sym_name").unwrap_or_default());
        self.out.push('(');
        let directions = module.attr_strs(op, "directions").unwrap_or_default();
        for (at, &arg) in module.block_args(block).iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            if let Some(word) = directions.get(at).filter(|word| !word.is_empty()) {
                self.out.push_str(word);
                self.out.push(' ');
            }
            self.argument(arg);
        }
        self.out.push_str(") ");
        self.axes(op, "grid");
        self.axes(op, "cluster");
        self.threads(op);
        self.rest_attrs(op, &|_| true, "attributes ");
        if self.out.ends_with('}') {
            self.out.push(' ');
        }
        self.body(op, 0);
        if let Some(outer) = outer {
            self.labels = outer;
        }
    }

    fn tg_role(&mut self, op: Op) {
        let module = self.module;
        let inside = self.parent == Some(Opcode::Tg(TgOp::WarpSpecialize));
        self.out.push_str(if inside { "role " } else { "tg.role " });
        write_symbol(self.out, module.attr_symbol(op, "sym_name").unwrap_or_default());
        self.out.push(' ');
        if let Some(warps) = module.attr_i64(op, "warps") {
            let _ = write!(self.out, "warps {warps} ");
        }
        self.threads(op);
        if let Some(registers) = module.attr_i64(op, "registers") {
            let _ = write!(self.out, "registers {registers} ");
        }
        self.rest_attrs(op, &|_| true, "attributes ");
        if self.out.ends_with('}') {
            self.out.push(' ');
        }
        self.body(op, 0);
    }
}
