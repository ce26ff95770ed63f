//! Making, moving and erasing.

use smallvec::SmallVec;
use thiserror::Error;

use super::{BlockData, Module, Nested, OpData, RegionData, Slot, SlotData, ValueData, ValueDef};
use crate::diag::Span;
use crate::entity::{Attr, Block, EntityId, Loc, Op, Region, Type, Value};
use crate::ops::Opcode;

/// What an op to be made consists of. Everything but the opcode has an empty default.
#[derive(Clone, Debug)]
pub struct OpSpec {
    pub(crate) opcode: Opcode,
    pub(crate) operands: SmallVec<[Value; 6]>,
    pub(crate) result_types: SmallVec<[Type; 2]>,
    pub(crate) inherent: Option<Attr>,
    pub(crate) discardable: Option<Attr>,
    pub(crate) regions: usize,
    pub(crate) successors: Vec<Block>,
    pub(crate) loc: Option<Loc>,
    pub(crate) span: Span,
}

impl OpSpec {
    /// An op without operands, results, attributes or regions.
    pub fn new(opcode: impl Into<Opcode>) -> Self {
        Self {
            opcode: opcode.into(),
            operands: SmallVec::new(),
            result_types: SmallVec::new(),
            inherent: None,
            discardable: None,
            regions: 0,
            successors: Vec::new(),
            loc: None,
            span: Span::NONE,
        }
    }
    /// Appends operands.
    #[must_use]
    pub fn operands(mut self, operands: impl IntoIterator<Item = Value>) -> Self {
        self.operands.extend(operands);
        self
    }
    /// Appends results of these types.
    #[must_use]
    pub fn results(mut self, types: impl IntoIterator<Item = Type>) -> Self {
        self.result_types.extend(types);
        self
    }
    /// The dictionary of inherent attributes.
    #[must_use]
    pub fn inherent(mut self, dict: Attr) -> Self {
        self.inherent = Some(dict);
        self
    }
    /// The dictionary of discardable attributes.
    #[must_use]
    pub fn discardable(mut self, dict: Attr) -> Self {
        self.discardable = Some(dict);
        self
    }
    /// The number of regions, each without blocks at first.
    #[must_use]
    pub fn regions(mut self, count: usize) -> Self {
        self.regions = count;
        self
    }
    /// Successor blocks.
    #[must_use]
    pub fn successors(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.successors.extend(blocks);
        self
    }
    /// The location.
    #[must_use]
    pub fn loc(mut self, loc: Loc) -> Self {
        self.loc = Some(loc);
        self
    }
    /// The place in the text.
    #[must_use]
    pub fn span(mut self, span: Span) -> Self {
        self.span = span;
        self
    }
}

/// Where the next op goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum InsertionPoint {
    /// At the end of a block.
    End(Block),
    /// At the start of a block.
    Start(Block),
    /// Just before an op.
    Before(Op),
    /// Just after an op.
    After(Op),
}

/// An op cannot be erased while its results are used.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
#[error("the op cannot be erased: one of its results still has uses")]
pub struct StillUsed {
    /// The op.
    pub op: Op,
    /// A result with uses.
    pub value: Value,
    /// One of the users.
    pub user: Op,
}

impl Module {
    /// Makes an op that is in no block yet. Regions already made can be handed over with [`Module::adopt_regions`].
    pub fn create(&mut self, spec: OpSpec) -> Op {
        let empty = self.attrs.empty_dict();
        let id = Op::from_index(self.ops.len());
        let (first_slot, num_slots) = self.fill_slots(id, &spec.operands);
        let first_result = self.values.len();
        for (index, &ty) in (0u32..).zip(&spec.result_types) {
            self.values.push(ValueData { ty, def: ValueDef::Result { op: id, index }, first_use: None });
        }
        self.has_branches |= !spec.successors.is_empty();
        let nested = (spec.regions > 0 || !spec.successors.is_empty()).then(|| {
            let region = |_| self.regions.push(RegionData { parent: Some(id), blocks: SmallVec::new() });
            let regions = (0..spec.regions).map(region).collect();
            Box::new(Nested { regions, successors: spec.successors.into() })
        });
        self.ops.push(OpData {
            opcode: spec.opcode,
            block: None,
            prev: None,
            next: None,
            first_slot,
            num_slots,
            first_result: narrow(first_result),
            num_results: narrow(spec.result_types.len()),
            inherent: spec.inherent.unwrap_or(empty),
            discardable: spec.discardable.unwrap_or(empty),
            loc: spec.loc.unwrap_or(self.locs.unset()),
            span: spec.span,
            nested,
            alive: true,
        })
    }

    /// Makes an op at `at`.
    pub fn insert(&mut self, at: InsertionPoint, spec: OpSpec) -> Op {
        let op = self.create(spec);
        self.place(at, op);
        op
    }

    /// Puts a detached op at `at`.
    ///
    /// # Panics
    /// When `op` is in a block already, or the op that `at` names is in none.
    pub fn place(&mut self, at: InsertionPoint, op: Op) {
        assert!(self.ops[op].block.is_none(), "the op is in a block already");
        let (block, prev, next) = match at {
            InsertionPoint::End(block) => (block, self.blocks[block].last, None),
            InsertionPoint::Start(block) => (block, None, self.blocks[block].first),
            InsertionPoint::Before(other) => {
                let block = self.ops[other].block.expect("insertion next to an op that is in no block");
                (block, self.ops[other].prev, Some(other))
            }
            InsertionPoint::After(other) => {
                let block = self.ops[other].block.expect("insertion next to an op that is in no block");
                (block, Some(other), self.ops[other].next)
            }
        };
        let data = &mut self.ops[op];
        (data.block, data.prev, data.next) = (Some(block), prev, next);
        match prev {
            Some(prev) => self.ops[prev].next = Some(op),
            None => self.blocks[block].first = Some(op),
        }
        match next {
            Some(next) => self.ops[next].prev = Some(op),
            None => self.blocks[block].last = Some(op),
        }
    }

    /// Takes `op` out of its block; it stays alive.
    pub fn unlink(&mut self, op: Op) {
        let data = &mut self.ops[op];
        let (Some(block), prev, next) = (data.block.take(), data.prev.take(), data.next.take()) else {
            return;
        };
        match prev {
            Some(prev) => self.ops[prev].next = next,
            None => self.blocks[block].first = next,
        }
        match next {
            Some(next) => self.ops[next].prev = prev,
            None => self.blocks[block].last = prev,
        }
    }

    /// Moves `op` to `at`.
    pub fn move_op(&mut self, op: Op, at: InsertionPoint) {
        self.unlink(op);
        self.place(at, op);
    }

    /// Erases `op` with everything in its regions.
    ///
    /// # Errors
    /// When something outside `op` uses a result of it; nothing is changed then.
    pub fn erase(&mut self, op: Op) -> Result<(), StillUsed> {
        for value in self.results(op) {
            if let Some(used) = self.uses(value).next() {
                return Err(StillUsed { op, value, user: used.op });
            }
        }
        self.unlink(op);
        // Inner ops use each other's results freely: all operands go first.
        let mut inside = vec![op];
        let mut next = 0;
        while let Some(&current) = inside.get(next) {
            next += 1;
            for region in self.regions(current).to_vec() {
                for block in self.regions[region].blocks.clone() {
                    inside.extend(self.block_ops(block));
                }
            }
        }
        for &op in &inside {
            self.clear_slots(op);
            self.ops[op].alive = false;
        }
        Ok(())
    }

    // ---- operands ----

    /// Sets operand `index`.
    pub fn set_operand(&mut self, op: Op, index: usize, value: Value) {
        assert!(index < self.num_operands(op), "operand index out of range");
        let slot = Slot::from_index(self.ops[op].first_slot as usize + index);
        self.unlink_slot(slot);
        self.link_slot(slot, value);
        self.slots[slot].place = 0;
    }

    /// Replaces all operands. An op with operand groups needs its segment sizes set as well.
    pub fn set_operands(&mut self, op: Op, values: &[Value]) {
        if values.len() == self.num_operands(op) {
            for (index, &value) in values.iter().enumerate() {
                self.set_operand(op, index, value);
            }
            return;
        }
        self.clear_slots(op);
        let (first, count) = self.fill_slots(op, values);
        let data = &mut self.ops[op];
        (data.first_slot, data.num_slots) = (first, count);
    }

    /// Makes every user of `old` use `new` instead.
    pub fn replace_all_uses(&mut self, old: Value, new: Value) {
        if old == new {
            return;
        }
        while let Some(slot) = self.values[old].first_use {
            self.unlink_slot(slot);
            self.link_slot(slot, new);
        }
    }

    fn fill_slots(&mut self, op: Op, values: &[Value]) -> (u32, u32) {
        let first = self.slots.len();
        for &value in values {
            let slot = self.slots.push(SlotData { value: None, op, prev: None, next: None, place: 0 });
            self.link_slot(slot, value);
        }
        (narrow(first), narrow(values.len()))
    }

    fn clear_slots(&mut self, op: Op) {
        let data = &mut self.ops[op];
        let (first, count) = (data.first_slot as usize, std::mem::take(&mut data.num_slots) as usize);
        for index in first..first + count {
            self.unlink_slot(Slot::from_index(index));
        }
    }

    fn link_slot(&mut self, slot: Slot, value: Value) {
        let next = self.values[value].first_use.replace(slot);
        if let Some(next) = next {
            self.slots[next].prev = Some(slot);
        }
        let data = &mut self.slots[slot];
        (data.value, data.prev, data.next) = (Some(value), None, next);
    }

    fn unlink_slot(&mut self, slot: Slot) {
        let data = &mut self.slots[slot];
        let (Some(value), prev, next) = (data.value.take(), data.prev.take(), data.next.take()) else {
            return;
        };
        match prev {
            Some(prev) => self.slots[prev].next = next,
            None => self.values[value].first_use = next,
        }
        if let Some(next) = next {
            self.slots[next].prev = prev;
        }
    }

    // ---- values, blocks and regions ----

    /// A value that nothing defines yet, for forward references.
    pub(crate) fn undefined_value(&mut self, ty: Type) -> Value {
        self.values.push(ValueData { ty, def: ValueDef::Undefined, first_use: None })
    }

    /// Makes a region that belongs to no op yet.
    pub fn create_region(&mut self) -> Region {
        self.regions.push(RegionData { parent: None, blocks: SmallVec::new() })
    }

    /// Gives `op` these regions in place of the ones it has.
    ///
    /// # Panics
    /// When one of them belongs to an op already.
    pub fn adopt_regions(&mut self, op: Op, regions: &[Region]) {
        for &region in regions {
            let parent = self.regions[region].parent.replace(op);
            assert!(parent.is_none(), "the region belongs to an op already");
        }
        self.ops[op].nested.get_or_insert_default().regions = regions.into();
    }

    /// Makes an empty block at the end of `region`.
    pub fn append_block(&mut self, region: Region) -> Block {
        let block = self.create_block();
        self.place_block(region, block);
        block
    }

    /// Makes an empty block that is in no region yet.
    pub fn create_block(&mut self) -> Block {
        self.blocks.push(BlockData {
            region: None,
            args: SmallVec::new(),
            first: None,
            last: None,
            span: Span::NONE,
        })
    }

    /// Puts a detached block at the end of `region`.
    ///
    /// # Panics
    /// When it is in a region already.
    pub fn place_block(&mut self, region: Region, block: Block) {
        let before = self.blocks[block].region.replace(region);
        assert!(before.is_none(), "the block is in a region already");
        self.regions[region].blocks.push(block);
    }

    /// Appends an argument to `block`.
    pub fn append_arg(&mut self, block: Block, ty: Type) -> Value {
        let index = narrow(self.blocks[block].args.len());
        let value = self.values.push(ValueData { ty, def: ValueDef::Arg { block, index }, first_use: None });
        self.blocks[block].args.push(value);
        value
    }

    /// Moves all ops of `from` to the end of `to`.
    pub fn splice(&mut self, from: Block, to: Block) {
        while let Some(op) = self.first_op(from) {
            self.move_op(op, InsertionPoint::End(to));
        }
    }
}

/// Arena positions as they are stored.
fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("arenas hold fewer than 2^32 elements")
}
