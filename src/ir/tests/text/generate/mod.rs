//! Modules made at random: every op of every table, all types, attributes and locations.
//!
//! An op is made from its row: operands by constraint, attributes by form, results as they follow. Only the rules
//! that no row holds (that `arith.extsi` widens, say) are written out, in `arith.rs` and `regions.rs`.

mod attrs;
mod choices;
mod operands;
mod regions;
mod types;

use tidegate_ir::loc::LocKind;
use tidegate_ir::ops::{BuiltinOp, Opcode};
use tidegate_ir::{Block, InsertionPoint, Loc, Module, Op, OpSpec, Region, Type, Value};

pub(crate) use choices::Choices;

/// What is made.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Options {
    /// Only what `mlir-opt` takes, and prints as it was.
    pub(crate) for_mlir: bool,
    /// With locations on ops and block arguments.
    pub(crate) locations: bool,
}

/// The module that these choices lead to; its first op is `first` if one is given.
pub(crate) fn module(choices: &[u8], options: Options, first: Option<Opcode>) -> Module {
    let mut generator = Generator {
        module: Module::new(),
        choices: Choices::new(choices),
        options,
        scope: Vec::new(),
        depth: 0,
    };
    generator.top(first);
    generator.module
}

/// A string of choices that is the same in every run.
pub(crate) fn choices_of(seed: u64, length: usize) -> Vec<u8> {
    // SplitMix64.
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    (0..length.div_ceil(8)).flat_map(|_| next().to_le_bytes()).take(length).collect()
}

struct Generator<'c> {
    module: Module,
    choices: Choices<'c>,
    options: Options,
    /// Values that can be seen.
    scope: Vec<Value>,
    depth: usize,
}

impl Generator<'_> {
    fn top(&mut self, first: Option<Opcode>) {
        let (top, body) = (self.module.top(), self.module.body());
        if self.choices.once_in(4) && !self.options.for_mlir {
            let dict = self.discardable();
            self.module.set_discardable(top, dict);
        }
        if self.choices.once_in(6) {
            let name = self.name();
            let name = self.module.attrs.str(&name);
            self.module.set_attr(top, "sym_name", name);
        }
        if self.options.locations {
            let loc = self.loc(0);
            self.module.set_loc(top, loc);
        }
        if let Some(opcode) = first {
            self.op(body, opcode);
        }
        while !self.choices.is_empty() {
            self.any_op(body);
        }
        self.move_definitions(body);
    }

    /// Some ops of the block move behind users of their results, as a graph region allows.
    fn move_definitions(&mut self, block: Block) {
        for op in self.module.block_ops(block).collect::<Vec<_>>() {
            // The user must stay in this block: what an inner region uses must come before, for `mlir-opt`.
            let last_user = self.module.results(op).flat_map(|value| self.module.uses(value)).last();
            if let Some(last) = last_user
                && self.module.op_block(last.op) == Some(block)
                && last.op != op
                && self.module.results(op).len() == 1
                && op.index_is_even()
            {
                self.module.move_op(op, InsertionPoint::After(last.op));
            }
        }
    }

    fn any_op(&mut self, block: Block) {
        if self.choices.once_in(4) {
            return self.opaque_op(block);
        }
        let all: Vec<Opcode> = Opcode::all().filter(|opcode| !opcode.is_terminator()).collect();
        let opcode = self.choices.of(&all);
        let nested = opcode == Opcode::Builtin(BuiltinOp::Module);
        if !(nested && self.depth > 0) {
            self.op(block, opcode);
        }
    }

    /// An op that no table has: any operands, attributes, regions and successors.
    fn opaque_op(&mut self, block: Block) {
        let name = self.choices.of(&["zz.a", "zz.b.c", "yy.multi", "zz.x-y", "zz.\"quoted\"", "zz.é", "zzz"]);
        let name =
            if self.options.for_mlir && !name.is_ascii() || name.contains('"') { "zz.a" } else { name };
        let name = if self.options.for_mlir && !name.contains('.') { "zz.d" } else { name };
        let name = self.module.names.intern(name);
        let operands: Vec<Value> = (0..self.choices.below(4)).map(|_| self.any_value(block)).collect();
        let results: Vec<Type> = (0..self.choices.below(4)).map(|_| self.any_type()).collect();
        let inherent = if self.choices.once_in(4) { self.dict(0) } else { self.module.attrs.empty_dict() };
        let discardable = self.discardable();
        let regions = if self.depth < 4 && self.choices.once_in(3) { 1 + self.choices.below(2) } else { 0 };
        let spec = OpSpec::new(Opcode::Opaque(name))
            .operands(operands)
            .results(results)
            .inherent(inherent)
            .discardable(discardable)
            .regions(regions);
        let op = self.insert(block, spec);
        for index in 0..regions {
            let region = self.module.regions(op)[index];
            self.opaque_region(region);
        }
        self.define(op);
    }

    /// Blocks that branch to each other, or one block, or none.
    fn opaque_region(&mut self, region: Region) {
        let count = self.choices.below(5);
        let blocks: Vec<Block> = (0..count).map(|_| self.module.append_block(region)).collect();
        let outer = self.scope.len();
        self.depth += 1;
        for (index, &block) in blocks.iter().enumerate() {
            let args: Vec<Type> = (0..self.choices.below(3)).map(|_| self.any_type()).collect();
            self.args(block, &args);
            for _ in 0..self.choices.below(4) {
                self.any_op(block);
            }
            if count > 1 {
                // Later blocks see the first one, and nothing of each other.
                let first = usize::from(self.options.for_mlir);
                let targets: Vec<Block> = (0..self.choices.below(3))
                    .map(|_| blocks[first + self.choices.below(count - first)])
                    .collect();
                let name = self.module.names.intern("zz.br");
                let operands: Vec<Value> =
                    (0..self.choices.below(2)).map(|_| self.any_value(block)).collect();
                self.insert(block, OpSpec::new(Opcode::Opaque(name)).operands(operands).successors(targets));
            }
            if index > 0 {
                self.scope.truncate(outer.max(self.first_block_values(&blocks, outer)));
            }
        }
        self.depth -= 1;
        self.scope.truncate(outer);
    }
    /// How many values were in scope when the second block began.
    fn first_block_values(&self, blocks: &[Block], outer: usize) -> usize {
        let defined = |&&value: &&Value| self.module.defining_block(value) == Some(blocks[0]);
        outer + self.scope[outer.min(self.scope.len())..].iter().take_while(defined).count()
    }

    fn args(&mut self, block: Block, types: &[Type]) {
        for &ty in types {
            let arg = self.module.append_arg(block, ty);
            self.maybe_name(arg);
            if self.options.locations && (self.options.for_mlir || self.choices.once_in(2)) {
                let loc = self.loc(0);
                self.module.set_value_loc(arg, loc);
            }
            self.scope.push(arg);
        }
    }

    fn insert(&mut self, block: Block, mut spec: OpSpec) -> Op {
        if self.options.locations {
            spec = spec.loc(self.loc(0));
        }
        self.module.insert(InsertionPoint::End(block), spec)
    }
    /// Names the results and brings them into scope.
    fn define(&mut self, op: Op) {
        for value in self.module.results(op) {
            self.maybe_name(value);
            self.scope.push(value);
        }
    }
    fn maybe_name(&mut self, value: Value) {
        if self.choices.once_in(3) {
            let name = self.name();
            self.module.set_value_name(value, &name);
        }
    }
    fn name(&mut self) -> String {
        let names = [
            "x",
            "full",
            "x",
            "x_0",
            "x_1",
            "arg3",
            "arg",
            "12",
            "3x",
            "module",
            "tg.kernel",
            "loc",
            "to",
            "a$b",
            "_",
            "é",
            "ring-slot",
            "",
            "%y",
            "a b",
            "undefined_v3",
            "x_00",
            "argx",
            "x.y_1",
            "bb0",
        ];
        self.choices.of(&names).to_owned()
    }

    fn loc(&mut self, depth: usize) -> Loc {
        let file = self.choices.of(&["kernel.py", "a \"b\"\\", "é.rs", "-"]);
        let file = self.module.names.intern(file);
        let small = self.choices.below(6);
        let kind = match small {
            _ if depth > 2 => LocKind::Unknown,
            0 => LocKind::Unknown,
            1 => {
                let line = self.position();
                let column = self.position();
                let end = self.choices.once_in(3).then(|| (line, column.saturating_add(1)));
                let end = end.map(|(line, column)| {
                    (if self.choices.once_in(2) { line.saturating_add(3) } else { line }, column)
                });
                LocKind::File { file, line, column, end }
            }
            2 => LocKind::Named { name: file, child: None },
            3 => LocKind::Named { name: file, child: Some(self.loc(depth + 1)) },
            4 => LocKind::CallSite { callee: self.loc(depth + 1), caller: self.loc(depth + 1) },
            _ if self.options.for_mlir => {
                // MLIR folds equal and unknown parts.
                let line = self.position();
                let part = |column| LocKind::File { file, line, column, end: None };
                let parts = [part(1), part(2)].map(|part| self.module.locs.intern(part));
                LocKind::Fused { metadata: None, parts: parts.into() }
            }
            _ => {
                let metadata = self.choices.once_in(2).then(|| "\"m > x\"".into());
                let parts = (0..self.choices.below(4)).map(|_| self.loc(depth + 1)).collect();
                LocKind::Fused { metadata, parts }
            }
        };
        if self.options.for_mlir
            && let LocKind::Named { child: Some(child), .. } = &kind
            && matches!(self.module.locs.kind(*child), LocKind::Named { .. } | LocKind::Unknown)
        {
            // MLIR takes no name inside a name, and drops an unknown child.
            return self.module.locs.intern(LocKind::Unknown);
        }
        self.module.locs.intern(kind)
    }
    fn position(&mut self) -> u32 {
        match self.choices.below(4) {
            0 => 1,
            1 => 0,
            2 if !self.options.for_mlir => u32::MAX,
            _ => 1 + u32::try_from(self.choices.below(300)).unwrap(),
        }
    }
}

trait Parity {
    fn index_is_even(self) -> bool;
}
impl Parity for Op {
    fn index_is_even(self) -> bool {
        use tidegate_ir::EntityId;
        self.index().is_multiple_of(2)
    }
}
