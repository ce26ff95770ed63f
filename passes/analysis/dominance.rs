//! Dominators of the blocks of a region.
//!
//! Bodies of `tg` and `scf` ops have one block each; regions with several blocks come with ops of other dialects
//! (`func.func` with `cf.br`). The tree is that of Cooper, Harvey and Kennedy, *A Simple, Fast Dominance Algorithm*:
//! immediate dominators by iteration over the blocks in reverse post-order.

use rustc_hash::FxHashMap;
use tidegate_ir::{Block, Module, Op, Region, Value, ValueDef};

/// The dominator tree of one region's blocks. Positions are those of the blocks in the region.
#[derive(Clone, Debug)]
pub struct DominatorTree {
    /// The immediate dominator of each block; the entry is its own, unreachable blocks have none.
    idom: Vec<Option<usize>>,
    /// The blocks that each one dominates immediately, in the order of the region.
    children: Vec<Vec<usize>>,
    position: FxHashMap<Block, usize>,
}

impl DominatorTree {
    /// The tree of `region`.
    pub fn new(module: &Module, region: Region) -> Self {
        let blocks = module.region_blocks(region);
        let position: FxHashMap<Block, usize> =
            blocks.iter().enumerate().map(|(index, &block)| (block, index)).collect();
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|&block| {
                let last = module.last_op(block);
                let next = last.map_or(&[] as &[Block], |op| module.successors(op));
                next.iter().filter_map(|block| position.get(block).copied()).collect()
            })
            .collect();
        let order = reverse_post_order(&successors);
        let mut number = vec![usize::MAX; blocks.len()];
        for (index, &block) in order.iter().enumerate() {
            number[block] = index;
        }
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for &block in &order {
            for &next in &successors[block] {
                predecessors[next].push(block);
            }
        }
        let mut idom: Vec<Option<usize>> = vec![None; blocks.len()];
        if let Some(&entry) = order.first() {
            idom[entry] = Some(entry);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order.iter().skip(1) {
                let mut new = None;
                for &pred in predecessors[block].iter().filter(|&&pred| idom[pred].is_some()) {
                    new = Some(new.map_or(pred, |other| common_dominator(&idom, &number, pred, other)));
                }
                if idom[block] != new {
                    idom[block] = new;
                    changed = true;
                }
            }
        }
        let mut children = vec![Vec::new(); blocks.len()];
        for (block, dominator) in idom.iter().enumerate() {
            if let Some(dominator) = *dominator
                && dominator != block
            {
                children[dominator].push(block);
            }
        }
        Self { idom, children, position }
    }

    /// Whether some path leads from the entry to the block at `position`.
    pub fn is_reachable(&self, position: usize) -> bool {
        self.idom.get(position).is_some_and(Option::is_some)
    }
    /// The blocks whose immediate dominator is the one at `position`.
    pub fn children(&self, position: usize) -> &[usize] {
        self.children.get(position).map_or(&[], Vec::as_slice)
    }
    /// Whether every path to `b` passes `a`. A block dominates itself, and everything dominates unreachable blocks.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (Some(&a), Some(&b)) = (self.position.get(&a), self.position.get(&b)) else { return false };
        if !self.is_reachable(b) {
            return true;
        }
        let mut current = b;
        loop {
            if current == a {
                return true;
            }
            match self.idom[current] {
                Some(next) if next != current => current = next,
                _ => return false,
            }
        }
    }
}

fn reverse_post_order(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    let mut stack = Vec::new();
    if !successors.is_empty() {
        seen[0] = true;
        stack.push((0, 0));
    }
    while let Some((block, next)) = stack.last_mut() {
        if let Some(&to) = successors[*block].get(*next) {
            *next += 1;
            if !std::mem::replace(&mut seen[to], true) {
                stack.push((to, 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}

fn common_dominator(idom: &[Option<usize>], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] > number[b] {
            a = idom[a].unwrap_or(b);
        }
        while number[b] > number[a] {
            b = idom[b].unwrap_or(a);
        }
    }
    a
}

/// Whether `value` may be used by `user`: its definition is executed before, on every path.
///
/// For single questions, as passes ask them; it walks the ancestors of `user`, and the block when both are in the same
/// one. The verifier, which asks for each use, keeps the set of visible values instead.
pub fn dominates(module: &Module, value: Value, user: Op) -> bool {
    let Some(home) = module.defining_block(value) else { return false };
    let mut at = user;
    loop {
        let Some(block) = module.op_block(at) else { return false };
        if block == home {
            return match module.def(value) {
                ValueDef::Arg { .. } => true,
                ValueDef::Result { op, .. } => {
                    op != at && std::iter::successors(Some(op), |&op| module.next_op(op)).any(|op| op == at)
                }
                ValueDef::Undefined => false,
            };
        }
        if module.block_region(block) == module.block_region(home)
            && let Some(region) = module.block_region(home)
        {
            return DominatorTree::new(module, region).dominates(home, block);
        }
        match module.block_parent(block) {
            Some(parent) => at = parent,
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_ir::ops::Opcode;
    use tidegate_ir::{InsertionPoint, OpSpec};

    fn region_with(edges: &[&[usize]]) -> (Module, Region, Vec<Block>) {
        let mut module = Module::new();
        let name = module.names.intern("test.op");
        let body = module.body();
        let op = module.insert(InsertionPoint::End(body), OpSpec::new(Opcode::Opaque(name)).regions(1));
        let region = module.regions(op)[0];
        let blocks: Vec<Block> = edges.iter().map(|_| module.append_block(region)).collect();
        for (index, next) in edges.iter().enumerate() {
            let next = next.iter().map(|&to| blocks[to]);
            module.insert(
                InsertionPoint::End(blocks[index]),
                OpSpec::new(Opcode::Opaque(name)).successors(next),
            );
        }
        (module, region, blocks)
    }

    #[test]
    fn a_diamond_is_dominated_by_its_top() {
        let (module, region, b) = region_with(&[&[1, 2], &[3], &[3], &[]]);
        let tree = DominatorTree::new(&module, region);
        assert!(tree.dominates(b[0], b[3]) && tree.dominates(b[3], b[3]));
        assert!(!tree.dominates(b[1], b[3]) && !tree.dominates(b[2], b[3]));
        assert_eq!(tree.children(0), [1, 2, 3]);
    }

    #[test]
    fn loops_and_unreachable_blocks() {
        let (module, region, b) = region_with(&[&[1], &[2, 3], &[1], &[], &[3]]);
        let tree = DominatorTree::new(&module, region);
        assert!(tree.dominates(b[1], b[2]) && tree.dominates(b[1], b[3]));
        assert!(!tree.dominates(b[2], b[3]) && !tree.dominates(b[4], b[3]));
        assert!(!tree.is_reachable(4) && tree.dominates(b[2], b[4]));
    }
}
