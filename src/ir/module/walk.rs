//! Visiting ops.

use std::ops::ControlFlow;

use super::Module;
use crate::entity::{Block, Op};

impl Module {
    /// All ops inside `root`, `root` first, each before what its regions hold.
    ///
    /// The list is a snapshot: passes may change the module while they go through it and skip what
    /// [`Module::is_alive`] denies.
    pub fn walk(&self, root: Op) -> Vec<Op> {
        let mut found = Vec::new();
        let _ = self.visit(root, &mut |op| {
            found.push(op);
            ControlFlow::<(), bool>::Continue(true)
        });
        found
    }

    /// All ops of the module, the top op first.
    pub fn all_ops(&self) -> Vec<Op> {
        self.walk(self.top())
    }

    /// All ops inside `root`, `root` last, each after what its regions hold.
    pub fn walk_post_order(&self, root: Op) -> Vec<Op> {
        // Reverse pre-order over reversed children is post-order; an explicit stack keeps deep nesting off ours.
        let mut reversed = Vec::new();
        let mut stack = vec![root];
        while let Some(op) = stack.pop() {
            reversed.push(op);
            for &region in self.regions(op) {
                for &block in self.region_blocks(region) {
                    stack.extend(self.block_ops(block));
                }
            }
        }
        reversed.reverse();
        reversed
    }

    /// Visits `root` and what is inside in pre-order. The visitor answers whether to go into the op's regions, or
    /// breaks off.
    ///
    /// # Errors
    /// `ControlFlow::Break` with the visitor's value.
    pub fn visit<B>(&self, root: Op, visitor: &mut dyn FnMut(Op) -> ControlFlow<B, bool>) -> ControlFlow<B> {
        let mut stack = vec![Cursor::Op(root)];
        while let Some(cursor) = stack.pop() {
            let op = match cursor {
                Cursor::Op(op) => op,
                Cursor::Rest(op) => {
                    if let Some(next) = self.next_op(op) {
                        stack.push(Cursor::Rest(next));
                    }
                    op
                }
                Cursor::Block(block) => {
                    if let Some(first) = self.first_op(block) {
                        stack.push(Cursor::Rest(first));
                    }
                    continue;
                }
            };
            if visitor(op)? {
                for &region in self.regions(op).iter().rev() {
                    stack.extend(self.region_blocks(region).iter().rev().map(|&block| Cursor::Block(block)));
                }
            }
        }
        ControlFlow::Continue(())
    }
}

enum Cursor {
    /// One op.
    Op(Op),
    /// An op and those after it in its block.
    Rest(Op),
    Block(Block),
}
