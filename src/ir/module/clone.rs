//! Cloning ops.

use rustc_hash::FxHashMap;

use super::{Module, OpSpec};
use crate::entity::{Block, Op, Value};

/// What the parts of an original became in its clone.
#[derive(Clone, Debug, Default)]
pub struct CloneMap {
    /// Values.
    pub values: FxHashMap<Value, Value>,
    /// Blocks.
    pub blocks: FxHashMap<Block, Block>,
}

impl CloneMap {
    /// What `value` became; itself when it was defined outside.
    pub fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }
}

impl Module {
    /// A detached copy of `op` and everything in it. Operands defined outside stay unless `map` says otherwise;
    /// `map` also receives what is made.
    pub fn clone_op(&mut self, op: Op, map: &mut CloneMap) -> Op {
        // Shells first, operands afterwards: a use may stand before its definition in an unstructured region.
        let mut made = Vec::new();
        let copy = self.clone_shell(op, map, &mut made);
        for (original, copy) in made {
            let operands: Vec<Value> = self.operands(original).map(|value| map.value(value)).collect();
            self.set_operands(copy, &operands);
        }
        copy
    }

    fn clone_shell(&mut self, op: Op, map: &mut CloneMap, made: &mut Vec<(Op, Op)>) -> Op {
        let types: Vec<_> = self.results(op).map(|value| self.ty(value)).collect();
        let regions = self.regions(op).to_vec();
        for &region in &regions {
            for block in self.region_blocks(region).to_vec() {
                let copy = self.create_block();
                map.blocks.insert(block, copy);
            }
        }
        let successors: Vec<Block> = self
            .successors(op)
            .iter()
            .map(|block| map.blocks.get(block).copied().unwrap_or(*block))
            .collect();
        let spec = OpSpec::new(self.opcode(op))
            .results(types)
            .inherent(self.inherent(op))
            .discardable(self.discardable(op))
            .regions(regions.len())
            .successors(successors)
            .loc(self.loc(op))
            .span(self.span(op));
        let copy = self.create(spec);
        made.push((op, copy));
        for (old, new) in self.results(op).zip(self.results(copy)) {
            self.copy_value_info(old, new);
            map.values.insert(old, new);
        }
        for (old_region, new_region) in regions.iter().zip(self.regions(copy).to_vec()) {
            for old_block in self.region_blocks(*old_region).to_vec() {
                let new_block = map.blocks[&old_block];
                self.place_block(new_region, new_block);
                self.set_block_span(new_block, self.block_span(old_block));
                for old in self.block_args(old_block).to_vec() {
                    let new = self.append_arg(new_block, self.ty(old));
                    self.copy_value_info(old, new);
                    map.values.insert(old, new);
                }
            }
            for old_block in self.region_blocks(*old_region).to_vec() {
                let new_block = map.blocks[&old_block];
                let inner: Vec<Op> = self.block_ops(old_block).collect();
                for op in inner {
                    let copy = self.clone_shell(op, map, made);
                    self.place(super::InsertionPoint::End(new_block), copy);
                }
            }
        }
        copy
    }

    fn copy_value_info(&mut self, old: Value, new: Value) {
        if let Some(name) = self.value_names[old] {
            self.value_names.set(new, Some(name));
        }
        if let Some(loc) = self.value_locs[old] {
            self.value_locs.set(new, Some(loc));
        }
        let span = self.value_spans[old];
        self.value_spans.set(new, span);
    }
}
