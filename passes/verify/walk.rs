//! The walk over all ops, with what is visible where.
//!
//! A value may be used where its definition has been executed for certain. The walk goes through blocks in the order
//! of the dominator tree and keeps the set of visible values: results come in behind their op, arguments at the start
//! of their block, and all of a block's values go out when the walk leaves the blocks that it dominates. Each use is
//! then one look-up, and the whole check is linear. An `ISOLATED` op starts a new *epoch*: values of another epoch are
//! not visible inside.
//!
//! Regions of ops that have no row may be graph regions, as in MLIR: there a block's results are visible in all of it.

use tidegate_ir::diag::codes;
use tidegate_ir::ops::{OpDef, Opcode, TgOp, Traits};
use tidegate_ir::{Block, EntityId, Module, Op, Region, Value, ValueDef};

use super::context::{Check, Verifier};
use crate::analysis::dominance::DominatorTree;

/// Where the walk is.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Place {
    /// Values of this epoch are visible.
    epoch: u32,
    /// The op whose region this is.
    pub(super) parent: Option<Op>,
    /// The kernel around.
    pub(super) kernel: Option<Op>,
    /// The role around.
    pub(super) role: Option<Op>,
    /// The nearest `scf` op inside kernel and role.
    pub(super) control: Option<Op>,
    /// Whether an op without a row is around, inside of which nothing is known.
    pub(super) opaque: bool,
}

struct Frame {
    place: Place,
    next: Option<Op>,
    /// Where the block's values start in `scope`.
    scope_start: usize,
    /// The dominator tree of the region, as a position in `trees`, and the block's position, when there are several.
    tree: Option<(usize, usize)>,
    next_child: usize,
    /// The op whose regions are left when this frame is done.
    leaves: Option<Op>,
}

/// The state of the walk.
struct Walk {
    /// The epoch in which each value is visible; 0 for none.
    visible: Vec<u32>,
    /// The visible values in the order they came.
    scope: Vec<Value>,
    frames: Vec<Frame>,
    trees: Vec<(Region, DominatorTree)>,
    epochs: u32,
}

impl Verifier<'_> {
    /// Checks `root` and everything in it.
    pub(super) fn walk(&mut self, root: Op) {
        let mut walk = Walk {
            visible: vec![0; self.m.num_values()],
            scope: Vec::new(),
            frames: Vec::new(),
            trees: Vec::new(),
            epochs: 1,
        };
        let place = Place { epoch: 1, ..Place::default() };
        self.visit(&mut walk, root, place);
        while let Some(frame) = walk.frames.last_mut() {
            if let Some(op) = frame.next {
                frame.next = self.m.next_op(op);
                let place = frame.place;
                self.visit(&mut walk, op, place);
                continue;
            }
            if let Some((tree, block)) = frame.tree {
                let (region, tree_data) = &walk.trees[tree];
                if let Some(&child) = tree_data.children(block).get(frame.next_child) {
                    frame.next_child += 1;
                    let (place, region) = (frame.place, *region);
                    self.enter_block(&mut walk, place, region, child, Some(tree), None);
                    continue;
                }
            }
            let (start, leaves) = (frame.scope_start, frame.leaves);
            for value in walk.scope.drain(start..) {
                walk.visible[value.index()] = 0;
            }
            walk.frames.pop();
            if let Some(op) = leaves {
                self.leave(op);
            }
        }
    }

    fn enter_block(
        &mut self,
        walk: &mut Walk,
        place: Place,
        region: Region,
        position: usize,
        tree: Option<usize>,
        leaves: Option<Op>,
    ) {
        let Some(&block) = self.m.region_blocks(region).get(position) else { return };
        let scope_start = walk.scope.len();
        for &arg in self.m.block_args(block) {
            walk.show(arg, place.epoch);
        }
        if is_graph_region(self.m, place.parent) {
            for op in self.m.block_ops(block) {
                for value in self.m.results(op) {
                    walk.show(value, place.epoch);
                }
            }
        }
        walk.frames.push(Frame {
            place,
            next: self.m.first_op(block),
            scope_start,
            tree: tree.map(|tree| (tree, position)),
            next_child: 0,
            leaves,
        });
    }

    fn visit(&mut self, walk: &mut Walk, op: Op, place: Place) {
        self.check_uses(walk, op, place);
        let opcode = self.m.opcode(op);
        let def = opcode.def();
        let good = match def {
            Some(def) => self.check_op(op, def, place),
            None => {
                let check = self.check_successors(op);
                self.take(op, check)
            }
        };
        if good {
            self.gather(op, place);
        }
        for value in self.m.results(op) {
            walk.show(value, place.epoch);
        }
        if self.m.regions(op).is_empty() {
            if matches!(opcode, Opcode::Tg(TgOp::Kernel)) {
                self.leave(op);
            }
            return;
        }
        let mut inner = Place { parent: Some(op), ..place };
        match opcode {
            Opcode::Tg(TgOp::Kernel) => {
                inner = Place { kernel: Some(op), role: None, control: None, ..inner };
            }
            Opcode::Tg(TgOp::Role) => inner = Place { role: Some(op), control: None, ..inner },
            Opcode::Scf(_) => inner.control = Some(op),
            Opcode::Opaque(_) => inner.opaque = true,
            Opcode::Builtin(_) | Opcode::Arith(_) | Opcode::Math(_) | Opcode::Vector(_) | Opcode::Tg(_) => {}
        }
        if opcode.has(Traits::ISOLATED) {
            walk.epochs += 1;
            inner.epoch = walk.epochs;
        }
        self.enter_regions(walk, op, inner);
    }

    fn enter_regions(&mut self, walk: &mut Walk, op: Op, place: Place) {
        let kernel = matches!(self.m.opcode(op), Opcode::Tg(TgOp::Kernel));
        let mut leaves = kernel.then_some(op);
        // The last frame pushed is walked first.
        for &region in self.m.regions(op).iter().rev() {
            let blocks = self.m.region_blocks(region).len();
            if blocks <= 1 {
                if blocks == 1 {
                    self.enter_block(walk, place, region, 0, None, leaves.take());
                }
                continue;
            }
            let tree = DominatorTree::new(self.m, region);
            // Nothing is asked of blocks that no path reaches, but ops in them are still looked at.
            let unreachable: Vec<usize> = (0..blocks).filter(|&block| !tree.is_reachable(block)).collect();
            walk.trees.push((region, tree));
            let tree = walk.trees.len() - 1;
            for block in unreachable {
                self.enter_block(walk, Place { epoch: 0, ..place }, region, block, None, leaves.take());
            }
            self.enter_block(walk, place, region, 0, Some(tree), leaves.take());
        }
        if let Some(op) = leaves {
            self.leave(op);
        }
    }

    fn leave(&mut self, op: Op) {
        if matches!(self.m.opcode(op), Opcode::Tg(TgOp::Kernel))
            && self.kernels.last().is_some_and(|k| k.op == op)
        {
            self.finish_kernel();
        }
    }

    /// Every operand is visible here.
    fn check_uses(&mut self, walk: &Walk, op: Op, place: Place) {
        if place.epoch == 0 {
            return;
        }
        for index in 0..self.m.num_operands(op) {
            let value = self.m.operand(op, index);
            let visible = walk.visible.get(value.index()).is_some_and(|&epoch| epoch == place.epoch);
            if visible || self.is_poisoned(value) {
                continue;
            }
            let error = self.not_visible(op, value, place);
            self.report(op, *error);
            self.poison(value);
        }
    }

    fn not_visible(&self, op: Op, value: Value, place: Place) -> Box<tidegate_ir::diag::Diagnostic> {
        let name = self.name(value);
        let here = "used here";
        let (message, note) = match self.m.def(value) {
            ValueDef::Undefined => (format!("{name} is used and nothing defines it"), None),
            ValueDef::Result { op: def, .. } if def == op => {
                (format!("{name} is used by the op that defines it"), None)
            }
            ValueDef::Result { op: def, .. } if !self.m.is_alive(def) || self.m.op_block(def).is_none() => {
                (format!("{name} is the result of an op that is not in the module"), None)
            }
            _ => match self.scope_difference(value, place) {
                Some((message, note)) => (format!("{name} {message}"), Some(note)),
                None => (format!("{name} is used before its definition"), None),
            },
        };
        let mut error = self.error(op, codes::DOMINANCE, message, here);
        *error = error.label(self.m.value_span(value), format!("{name} is defined here"));
        if let Some(note) = note {
            *error = error.note(note);
        }
        error
    }

    /// Why a value that is defined somewhere else cannot be seen from `place`.
    fn scope_difference(&self, value: Value, place: Place) -> Option<(&'static str, &'static str)> {
        let home = self.m.block_parent(self.m.defining_block(value)?)?;
        let around = |op: Op| std::iter::once(op).chain(self.m.ancestors(op));
        let scope =
            |start: Op, wanted: TgOp| around(start).find(|&op| self.m.opcode(op) == Opcode::Tg(wanted));
        if scope(home, TgOp::Kernel) != place.kernel {
            return Some((
                "is defined in another kernel, or outside of this one",
                "a kernel uses only what is defined inside it and its parameters",
            ));
        }
        let role = scope(home, TgOp::Role);
        if role.is_some() && role != place.role {
            return Some((
                "belongs to another role",
                "roles run at the same time: hand the value over through shared memory and a barrier, or compute it in both",
            ));
        }
        let inside = place.parent.is_some_and(|parent| around(parent).any(|op| op == home));
        (!inside).then_some((
            "is defined in a region that is not around this use",
            "a value is seen in the block that defines it and in regions nested there; use results to hand it out",
        ))
    }

    /// The checks of an op that has a row, from its form to its meaning; stops at the first error.
    fn check_op(&mut self, op: Op, def: &'static OpDef, place: Place) -> bool {
        let check = self.check_form(op, def);
        if !self.take(op, check) {
            return false;
        }
        let check = self.check_place(op, place);
        if !self.take(op, check) {
            return false;
        }
        let check = self.check_constraints(op, def);
        if !self.take(op, check) {
            return false;
        }
        // What is wrong with an operand has been said; what follows from it is not.
        if self.m.operands(op).any(|value| self.is_poisoned(value)) {
            for value in self.m.results(op) {
                self.poison(value);
            }
            return true;
        }
        let check = self.check_traits(op, def).and_then(|()| self.check_meaning(op, place));
        self.take(op, check)
    }

    /// Successors of an op that has no row: blocks of the same region, at the end of a block.
    fn check_successors(&self, op: Op) -> Check {
        let successors = self.m.successors(op);
        if successors.is_empty() {
            return Ok(());
        }
        let region = |block: Block| self.m.block_region(block);
        let own = self.m.op_block(op).and_then(region);
        if own.is_none() || successors.iter().any(|&block| region(block) != own) {
            return Err(self.error(
                op,
                codes::REGION_STRUCTURE,
                format!("`{}` branches to a block of another region", self.m.op_name(op)),
                "branches stay in their region",
            ));
        }
        if self.m.next_op(op).is_some() {
            return Err(self.error(
                op,
                codes::TERMINATOR,
                format!("`{}` is a branch and stands before the end of its block", self.m.op_name(op)),
                "nothing behind it would be executed",
            ));
        }
        Ok(())
    }
}

impl Walk {
    fn show(&mut self, value: Value, epoch: u32) {
        if let Some(slot) = self.visible.get_mut(value.index()) {
            *slot = epoch;
            self.scope.push(value);
        }
    }
}

/// Whether values in the regions of `parent` may be used before they are defined.
fn is_graph_region(m: &Module, parent: Option<Op>) -> bool {
    parent.is_some_and(|parent| matches!(m.opcode(parent), Opcode::Opaque(_) | Opcode::Builtin(_)))
}
