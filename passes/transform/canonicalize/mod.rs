//! `canonicalize`: folds constants and brings ops into one form, with a worklist until nothing changes.
//!
//! Guarantees:
//! - convergent ops are neither duplicated nor moved into other control flow; a region is inlined whole where it is
//!   known to be executed exactly once, and removed where it is known not to be executed;
//! - what is undefined (division by zero, a shift by the width) is left alone;
//! - running it again changes nothing, unless the bound on rewrites was reached;
//! - each rewrite removes an op, shortens a chain, or turns an op into a simpler one, and their number is bounded.

mod arith;
mod scf;
mod tg;
mod vector;

use rustc_hash::{FxHashMap, FxHashSet};
use tidegate_ir::builder::OpBuilder;
use tidegate_ir::diag::Reported;
use tidegate_ir::ops::{ArithOp, Opcode, Traits};
use tidegate_ir::{Attr, Block, InsertionPoint, Module, Op, Type, Value};

use super::constants::{self, Number};
use super::rewrite::{is_removable, is_unused};
use crate::pass::{Changed, OptionValues, PassContext};

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, _: &OptionValues, ctx: &mut PassContext<'_>) -> Result<Changed, Reported> {
    let rewrites = canonicalize(module);
    ctx.count("rewrites", rewrites);
    Ok((rewrites > 0).into())
}

/// Canonicalizes a module and returns the number of rewrites.
pub fn canonicalize(module: &mut Module) -> u64 {
    let mut rewriter = Rewriter::new(module);
    rewriter.run();
    rewriter.rewrites
}

/// The worklist, and the constants made so far.
struct Rewriter<'m> {
    module: &'m mut Module,
    worklist: Vec<Op>,
    queued: FxHashSet<Op>,
    /// One constant of each value and type at the start of each function-like op.
    known: FxHashMap<(Block, Attr, Type), Op>,
    /// The last of the constants at the start of a block.
    last_constant: FxHashMap<Block, Option<Op>>,
    rewrites: u64,
}

impl<'m> Rewriter<'m> {
    fn new(module: &'m mut Module) -> Self {
        Self {
            module,
            worklist: Vec::new(),
            queued: FxHashSet::default(),
            known: FxHashMap::default(),
            last_constant: FxHashMap::default(),
            rewrites: 0,
        }
    }

    fn run(&mut self) {
        let ops = self.module.all_ops();
        for &op in &ops {
            self.gather_constant(op);
        }
        let limit = self.rewrites + 64 * (ops.len() as u64 + 16);
        for &op in ops.iter().rev() {
            self.push(op);
        }
        while let Some(op) = self.worklist.pop() {
            self.queued.remove(&op);
            if !self.module.is_alive(op) || op == self.module.top() || self.rewrites >= limit {
                continue;
            }
            if is_unused(self.module, op) && is_removable(self.module, op) {
                self.erase(op);
                continue;
            }
            self.visit(op);
        }
    }

    fn visit(&mut self, op: Op) {
        match self.module.opcode(op) {
            Opcode::Arith(arith) => arith::visit(self, op, arith),
            Opcode::Math(math) => arith::visit_math(self, op, math),
            Opcode::Scf(scf) => scf::visit(self, op, scf),
            Opcode::Vector(vector) => vector::visit(self, op, vector),
            Opcode::Tg(tg) => tg::visit(self, op, tg),
            Opcode::Builtin(_) | Opcode::Opaque(_) => {}
        }
    }

    fn push(&mut self, op: Op) {
        if self.queued.insert(op) {
            self.worklist.push(op);
        }
    }
    fn push_users(&mut self, value: Value) {
        let users: Vec<Op> = self.module.uses(value).map(|used| used.op).collect();
        for user in users {
            self.push(user);
        }
    }
    fn push_definer(&mut self, value: Value) {
        if let Some(op) = self.module.defining_op(value) {
            self.push(op);
        }
    }

    /// Erases an op whose results are unused, and looks at what it used again.
    fn erase(&mut self, op: Op) {
        let mut used: Vec<Value> = Vec::new();
        for inner in self.module.walk(op) {
            used.extend(self.module.operands(inner));
        }
        for last in self.last_constant.values_mut() {
            if *last == Some(op) {
                *last = self.module.prev_op(op);
            }
        }
        let parent = self.module.parent_op(op);
        if self.module.erase(op).is_ok() {
            self.rewrites += 1;
            if let Some(parent) =
                parent.filter(|&parent| matches!(self.module.opcode(parent), Opcode::Scf(_)))
            {
                self.push(parent);
            }
            for value in used {
                self.push_definer(value);
            }
        }
    }

    /// Replaces the results of `op` by `values` and erases it.
    fn replace(&mut self, op: Op, values: &[Value]) {
        let results: Vec<Value> = self.module.results(op).collect();
        debug_assert_eq!(results.len(), values.len(), "one value for each result");
        for (&result, &value) in results.iter().zip(values) {
            if self.module.value_name(value).is_none()
                && let Some(name) = self.module.value_name(result).map(str::to_owned)
            {
                self.module.set_value_name(value, &name);
            }
            self.replace_value(result, value);
        }
        self.erase(op);
    }

    /// Makes the users of `old` use `new`.
    fn replace_value(&mut self, old: Value, new: Value) {
        if old != new && self.module.has_uses(old) {
            self.push_users(old);
            self.module.replace_all_uses(old, new);
            self.push_definer(new);
            self.rewrites += 1;
        }
    }

    /// Sets an operand.
    fn set_operand(&mut self, op: Op, index: usize, value: Value) {
        let old = self.module.operand(op, index);
        if old != value {
            self.module.set_operand(op, index, value);
            self.push_definer(old);
            self.push_definer(value);
            self.touched(op);
        }
    }

    /// `op` was changed in place.
    fn touched(&mut self, op: Op) {
        self.rewrites += 1;
        self.push(op);
        for value in self.module.results(op) {
            self.push_users(value);
        }
    }

    /// A builder in front of `op` whose ops are looked at afterwards.
    fn build<T>(&mut self, op: Op, build: impl FnOnce(&mut OpBuilder<'_>) -> T) -> T {
        let before = self.module.num_ops();
        let span = self.module.span(op);
        let result = build(&mut OpBuilder::before(self.module, op));
        let made: Vec<Op> = (before..self.module.num_ops()).map(tidegate_ir::EntityId::from_index).collect();
        for op in made {
            self.module.set_span(op, span);
            self.push(op);
        }
        result
    }

    // ---- constants ----

    fn constant(&self, value: Value) -> Option<Number> {
        constants::constant(self.module, value)
    }
    fn int(&self, value: Value) -> Option<i128> {
        constants::int_constant(self.module, value)
    }

    /// The block at whose start the constants for ops of `block` stand.
    fn constant_block(&self, block: Block) -> Block {
        let mut block = block;
        while let Some(parent) = self.module.block_parent(block) {
            let opcode = self.module.opcode(parent);
            let stop = opcode.has(Traits::ISOLATED) || opcode.def().is_none();
            let outer = self.module.op_block(parent);
            let (false, Some(outer)) = (stop, outer) else { break };
            block = outer;
        }
        let region = self.module.block_region(block);
        region.and_then(|region| self.module.region_blocks(region).first().copied()).unwrap_or(block)
    }

    /// Moves a constant to the start of its function, or replaces it by the equal one that is there.
    fn gather_constant(&mut self, op: Op) {
        if self.module.opcode(op) != Opcode::Arith(ArithOp::Constant) || self.module.num_results(op) != 1 {
            return;
        }
        let (Some(block), Some(attr)) = (self.module.op_block(op), self.module.attr(op, "value")) else {
            return;
        };
        // Attributes that nobody here knows stay with their op.
        if self.module.discardable(op) != self.module.attrs.empty_dict() {
            return;
        }
        let home = self.constant_block(block);
        let result = self.module.result(op, 0);
        let normal = self
            .constant(result)
            .and_then(|number| constants::number_attr(self.module, number, self.module.ty(result)))
            .unwrap_or(attr);
        if normal != attr {
            self.module.set_attr(op, "value", normal);
            self.rewrites += 1;
        }
        let attr = normal;
        let key = (home, attr, self.module.ty(result));
        if let Some(&known) = self.known.get(&key).filter(|&&known| self.module.is_alive(known)) {
            let value = self.module.result(known, 0);
            self.module.replace_all_uses(result, value);
            if self.module.erase(op).is_ok() {
                self.rewrites += 1;
            }
            return;
        }
        self.known.insert(key, op);
        let last = self.last_constant.get(&home).copied().flatten();
        let in_place = block == home && self.module.prev_op(op) == last;
        if !in_place {
            self.module.move_op(op, last.map_or(InsertionPoint::Start(home), InsertionPoint::After));
            self.rewrites += 1;
        }
        self.last_constant.insert(home, Some(op));
    }

    /// A constant that `op` can use.
    fn make_constant(&mut self, op: Op, number: Number, ty: Type) -> Option<Value> {
        let attr = constants::number_attr(self.module, number, ty)?;
        let home = self.constant_block(self.module.op_block(op)?);
        if let Some(&known) = self.known.get(&(home, attr, ty)).filter(|&&known| self.module.is_alive(known))
        {
            return Some(self.module.result(known, 0));
        }
        let last = self.last_constant.get(&home).copied().flatten();
        let at = last.map_or(InsertionPoint::Start(home), InsertionPoint::After);
        let loc = self.module.loc(op);
        let mut builder = OpBuilder::new(self.module, at);
        builder.set_loc(Some(loc));
        let value = constants::build_constant(&mut builder, number, ty)?;
        let made = self.module.defining_op(value)?;
        self.known.insert((home, attr, ty), made);
        self.last_constant.insert(home, Some(made));
        Some(value)
    }

    /// Replaces `op`, which has one result, by a constant of its type.
    fn replace_by_constant(&mut self, op: Op, number: Number) {
        let ty = self.module.ty(self.module.result(op, 0));
        if let Some(value) = self.make_constant(op, number, ty) {
            self.replace(op, &[value]);
        }
    }
    fn replace_by_bool(&mut self, op: Op, value: bool) {
        self.replace_by_constant(op, Number::Int(i128::from(value)));
    }

    fn operand(&self, op: Op, index: usize) -> Value {
        self.module.operand(op, index)
    }
    fn definer(&self, value: Value) -> Option<(Op, Opcode)> {
        let op = self.module.defining_op(value)?;
        Some((op, self.module.opcode(op)))
    }
    /// The operands of the op that defines `value`, when it is an `arith` op of that kind.
    fn matched(&self, value: Value, wanted: ArithOp) -> Option<(Value, Value)> {
        match self.definer(value)? {
            (op, Opcode::Arith(found)) if found == wanted => {
                Some((self.module.get_operand(op, 0)?, self.module.get_operand(op, 1)?))
            }
            _ => None,
        }
    }
}
