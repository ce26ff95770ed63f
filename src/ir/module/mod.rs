//! The module: all entities of one compilation, in flat arenas.
//!
//! Structure, as in MLIR: an op has operands, results, attributes, successors and regions; a region is a list of
//! blocks; a block has arguments and a list of ops. The top op is `builtin.module`.
//!
//! - Ops of a block form a linked list, so inserting and unlinking are O(1).
//! - Operands live in one pool of slots; the uses of a value are a linked list through the slots, so
//!   [`Module::replace_all_uses`] and erasing cost what they touch.
//! - Attributes are two interned dictionaries: *inherent* ones (declared by the op's table row, printed in `<{ }>` in
//!   the generic form) and *discardable* ones (anybody's, printed in `{ }`).
//! - Erasing unlinks; an id is never used again.

mod attrs;
mod clone;
mod compare;
mod edit;
mod walk;

use smallvec::SmallVec;

pub(crate) use attrs::{OperandGroups, SEGMENT_SIZES};
pub use clone::CloneMap;
pub use compare::Difference;
pub use edit::{InsertionPoint, OpSpec, StillUsed};

use crate::attr::AttrTable;
use crate::diag::{SourceMap, Span};
use crate::entity::{Arena, Attr, Block, EntityId, Loc, Name, Op, Region, SideTable, Type, Value};
use crate::intern::Names;
use crate::loc::LocTable;
use crate::ops::{BuiltinOp, Opcode};
use crate::types::TypeTable;

#[derive(Clone, Debug)]
struct OpData {
    opcode: Opcode,
    block: Option<Block>,
    prev: Option<Op>,
    next: Option<Op>,
    first_slot: u32,
    num_slots: u32,
    first_result: u32,
    num_results: u32,
    inherent: Attr,
    discardable: Attr,
    loc: Loc,
    span: Span,
    /// Regions and successors; most ops have neither.
    nested: Option<Box<Nested>>,
    alive: bool,
}

#[derive(Clone, Debug, Default)]
struct Nested {
    regions: SmallVec<[Region; 2]>,
    successors: SmallVec<[Block; 2]>,
}

#[derive(Clone, Debug)]
struct ValueData {
    ty: Type,
    def: ValueDef,
    first_use: Option<Slot>,
}

/// Where a value comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// Result `index` of `op`.
    Result {
        /// The op.
        op: Op,
        /// Which of its results.
        index: u32,
    },
    /// Argument `index` of `block`.
    Arg {
        /// The block.
        block: Block,
        /// Which of its arguments.
        index: u32,
    },
    /// Nothing yet: a forward reference of the parser, or an erased value.
    Undefined,
}

#[derive(Clone, Debug)]
struct BlockData {
    region: Option<Region>,
    args: SmallVec<[Value; 2]>,
    first: Option<Op>,
    last: Option<Op>,
    span: Span,
}

#[derive(Clone, Debug)]
struct RegionData {
    parent: Option<Op>,
    blocks: SmallVec<[Block; 1]>,
}

/// One operand: a link in the list of uses of its value.
#[derive(Clone, Debug)]
struct SlotData {
    value: Option<Value>,
    op: Op,
    prev: Option<Slot>,
    next: Option<Slot>,
    /// Where its name starts in the text; 0 when it stands in none.
    place: u32,
}

/// An operand's place in the pool.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Slot(std::num::NonZeroU32);

impl EntityId for Slot {
    fn from_index(index: usize) -> Self {
        let raw = u32::try_from(index + 1).ok().and_then(std::num::NonZeroU32::new);
        Self(raw.expect("more than 2^32 - 2 operands"))
    }
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A use of a value: operand `index` of `op`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The user.
    pub op: Op,
    /// Which of its operands.
    pub index: usize,
}

/// A module and everything in it.
#[derive(Clone, Debug)]
pub struct Module {
    /// Interned types.
    pub types: TypeTable,
    /// Interned attributes.
    pub attrs: AttrTable,
    /// Interned strings.
    pub names: Names,
    /// Interned locations.
    pub locs: LocTable,
    /// The texts that spans point into.
    pub sources: SourceMap,
    ops: Arena<Op, OpData>,
    values: Arena<Value, ValueData>,
    blocks: Arena<Block, BlockData>,
    regions: Arena<Region, RegionData>,
    slots: Arena<Slot, SlotData>,
    value_names: SideTable<Value, Option<Name>>,
    value_locs: SideTable<Value, Option<Loc>>,
    value_spans: SideTable<Value, Span>,
    /// Whether an op with successors was ever made.
    has_branches: bool,
    top: Op,
}

impl Default for Module {
    fn default() -> Self {
        Self::new()
    }
}

impl Module {
    /// An empty module: `builtin.module` with one empty block.
    pub fn new() -> Self {
        let mut module = Self {
            types: TypeTable::default(),
            attrs: AttrTable::default(),
            names: Names::default(),
            locs: LocTable::default(),
            sources: SourceMap::new(),
            ops: Arena::new(),
            values: Arena::new(),
            blocks: Arena::new(),
            regions: Arena::new(),
            slots: Arena::new(),
            value_names: SideTable::new(),
            value_locs: SideTable::new(),
            value_spans: SideTable::new(),
            has_branches: false,
            top: Op::from_index(0),
        };
        let top = module.create(OpSpec::new(Opcode::Builtin(BuiltinOp::Module)).regions(1));
        module.top = top;
        let region = module.regions(top)[0];
        module.append_block(region);
        module
    }

    /// The top op, `builtin.module`.
    pub fn top(&self) -> Op {
        self.top
    }
    /// The block of the top op.
    pub fn body(&self) -> Block {
        self.region_blocks(self.regions(self.top)[0])[0]
    }
    /// The number of ops ever made; op indices lie below it.
    pub fn num_ops(&self) -> usize {
        self.ops.len()
    }
    /// The number of values ever made; value indices lie below it.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }
    /// Whether `op` belongs to this module and was not erased.
    pub fn is_alive(&self, op: Op) -> bool {
        self.ops.contains(op) && self.ops[op].alive
    }
    /// Whether `value` belongs to this module.
    pub fn contains_value(&self, value: Value) -> bool {
        self.values.contains(value)
    }

    /// Makes room for what a text of so many bytes usually holds.
    pub(crate) fn reserve_for_text(&mut self, bytes: usize) {
        self.ops.reserve(bytes / 80);
        self.values.reserve(bytes / 100);
        self.slots.reserve(bytes / 64);
    }

    // ---- ops ----

    /// Which op it is.
    #[inline]
    pub fn opcode(&self, op: Op) -> Opcode {
        self.ops[op].opcode
    }
    /// `tg.barrier_wait`.
    pub fn op_name(&self, op: Op) -> &str {
        self.opcode(op).name(&self.names)
    }
    /// The block that `op` is in; none for the top op and detached ops.
    #[inline]
    pub fn op_block(&self, op: Op) -> Option<Block> {
        self.ops[op].block
    }
    /// The op whose region holds `op`.
    pub fn parent_op(&self, op: Op) -> Option<Op> {
        self.block_parent(self.op_block(op)?)
    }
    /// The ops around `op`, the nearest first.
    pub fn ancestors(&self, op: Op) -> impl Iterator<Item = Op> + '_ {
        std::iter::successors(self.parent_op(op), |&op| self.parent_op(op))
    }
    /// The next op of the block.
    pub fn next_op(&self, op: Op) -> Option<Op> {
        self.ops[op].next
    }
    /// The previous op of the block.
    pub fn prev_op(&self, op: Op) -> Option<Op> {
        self.ops[op].prev
    }
    /// The location that `op` carries.
    pub fn loc(&self, op: Op) -> Loc {
        self.ops[op].loc
    }
    /// Sets the location that `op` carries.
    pub fn set_loc(&mut self, op: Op, loc: Loc) {
        self.ops[op].loc = loc;
    }
    /// Where `op` stands in the text that was read; [`Span::NONE`] for built ops.
    pub fn span(&self, op: Op) -> Span {
        self.ops[op].span
    }
    /// Sets where `op` stands in the text.
    pub fn set_span(&mut self, op: Op, span: Span) {
        self.ops[op].span = span;
    }

    /// The number of operands.
    #[inline]
    pub fn num_operands(&self, op: Op) -> usize {
        self.ops[op].num_slots as usize
    }
    /// Operand `index`.
    ///
    /// # Panics
    /// When there are not so many operands.
    #[inline]
    pub fn operand(&self, op: Op, index: usize) -> Value {
        let data = &self.ops[op];
        assert!(index < data.num_slots as usize, "operand index out of range");
        let slot = Slot::from_index(data.first_slot as usize + index);
        self.slots[slot].value.expect("operands of a live op are set")
    }
    /// Operand `index`, when there are so many.
    pub fn get_operand(&self, op: Op, index: usize) -> Option<Value> {
        (index < self.num_operands(op)).then(|| self.operand(op, index))
    }
    /// The operands in order.
    #[inline]
    pub fn operands(&self, op: Op) -> impl ExactSizeIterator<Item = Value> + DoubleEndedIterator + '_ {
        (0..self.num_operands(op)).map(move |index| self.operand(op, index))
    }
    /// Where operand `index` stands in the text: its name, or the whole op when that is not known.
    pub fn operand_span(&self, op: Op, index: usize) -> Span {
        let data = &self.ops[op];
        if index >= data.num_slots as usize {
            return data.span;
        }
        let lo = self.slots[Slot::from_index(data.first_slot as usize + index)].place;
        let Some(file) = (lo != 0).then(|| self.sources.file_at(lo)).flatten() else { return data.span };
        let file = self.sources.file(file);
        let text = file.text().get((lo - file.start()) as usize..).unwrap_or_default();
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-' | '#');
        let rest = text.strip_prefix('%').unwrap_or_default();
        let length = rest.find(|c| !name(c)).unwrap_or(rest.len());
        // A `-` at the end is the start of an arrow.
        let length = rest[..length].trim_end_matches('-').len();
        Span { lo, hi: lo + 1 + u32::try_from(length).unwrap_or(0) }
    }
    /// Sets where the name of operand `index` starts in the text.
    pub(crate) fn set_operand_place(&mut self, op: Op, index: usize, lo: u32) {
        let slot = Slot::from_index(self.ops[op].first_slot as usize + index);
        self.slots[slot].place = lo;
    }
    /// The number of results.
    #[inline]
    pub fn num_results(&self, op: Op) -> usize {
        self.ops[op].num_results as usize
    }
    /// Result `index`.
    ///
    /// # Panics
    /// When there are not so many results.
    #[inline]
    pub fn result(&self, op: Op, index: usize) -> Value {
        let data = &self.ops[op];
        assert!(index < data.num_results as usize, "result index out of range");
        Value::from_index(data.first_result as usize + index)
    }
    /// The results in order.
    #[inline]
    pub fn results(&self, op: Op) -> impl ExactSizeIterator<Item = Value> + use<> {
        let data = &self.ops[op];
        let first = data.first_result as usize;
        (first..first + data.num_results as usize).map(Value::from_index)
    }
    /// The regions.
    #[inline]
    pub fn regions(&self, op: Op) -> &[Region] {
        self.ops[op].nested.as_ref().map_or(&[], |nested| &nested.regions)
    }
    /// The only block of region `index`, when the region exists and has exactly one.
    pub fn region_block(&self, op: Op, index: usize) -> Option<Block> {
        match self.region_blocks(*self.regions(op).get(index)?) {
            [block] => Some(*block),
            _ => None,
        }
    }
    /// Whether there was ever an op with successors.
    pub(crate) fn has_branches(&self) -> bool {
        self.has_branches
    }
    /// The successor blocks of a branch.
    pub fn successors(&self, op: Op) -> &[Block] {
        self.ops[op].nested.as_ref().map_or(&[], |nested| &nested.successors)
    }

    // ---- values ----

    /// The type of `value`.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }
    /// Changes the type of `value`; its users must accept the new one.
    pub fn set_ty(&mut self, value: Value, ty: Type) {
        self.values[value].ty = ty;
    }
    /// Where `value` comes from.
    #[inline]
    pub fn def(&self, value: Value) -> ValueDef {
        self.values[value].def
    }
    /// The op that `value` is a result of.
    pub fn defining_op(&self, value: Value) -> Option<Op> {
        match self.def(value) {
            ValueDef::Result { op, .. } => Some(op),
            ValueDef::Arg { .. } | ValueDef::Undefined => None,
        }
    }
    /// The block that `value` is defined in.
    pub fn defining_block(&self, value: Value) -> Option<Block> {
        match self.def(value) {
            ValueDef::Result { op, .. } => self.op_block(op),
            ValueDef::Arg { block, .. } => Some(block),
            ValueDef::Undefined => None,
        }
    }
    /// The name that the text or the builder gave to `value`, without `%`.
    pub fn value_name(&self, value: Value) -> Option<&str> {
        self.value_names[value].map(|name| self.names.get(name))
    }
    /// Names `value`. The printer makes names unique, and numbers values whose name is no identifier.
    pub fn set_value_name(&mut self, value: Value, name: &str) {
        let name = self.names.intern(name);
        self.value_names.set(value, Some(name));
    }
    /// Where `value` is defined in the text: the block argument or result name, else the op.
    pub fn value_span(&self, value: Value) -> Span {
        let own = self.value_spans[value];
        if own != Span::NONE {
            return own;
        }
        match self.def(value) {
            ValueDef::Result { op, .. } => self.span(op),
            ValueDef::Arg { block, .. } => self.blocks[block].span,
            ValueDef::Undefined => Span::NONE,
        }
    }
    /// The span that `value` was given itself, which may be [`Span::NONE`].
    pub fn own_value_span(&self, value: Value) -> Span {
        self.value_spans[value]
    }
    /// Sets where `value` is defined in the text.
    pub fn set_value_span(&mut self, value: Value, span: Span) {
        self.value_spans.set(value, span);
    }
    /// The location of `value`: its own for a block argument that has one, else that of its op.
    pub fn value_loc(&self, value: Value) -> Loc {
        if let Some(own) = self.value_locs[value] {
            return own;
        }
        match self.def(value) {
            ValueDef::Result { op, .. } => self.loc(op),
            ValueDef::Arg { block, .. } => {
                self.block_parent(block).map_or(self.locs.unset(), |parent| self.loc(parent))
            }
            ValueDef::Undefined => self.locs.unset(),
        }
    }
    /// Sets the location of a block argument.
    pub fn set_value_loc(&mut self, value: Value, loc: Loc) {
        self.value_locs.set(value, Some(loc));
    }
    /// The location that a block argument was given, if it was given one of its own.
    pub fn own_value_loc(&self, value: Value) -> Option<Loc> {
        self.value_locs[value]
    }
    /// The uses of `value`, the newest first.
    pub fn uses(&self, value: Value) -> impl Iterator<Item = Use> + '_ {
        std::iter::successors(self.values[value].first_use, |&slot| self.slots[slot].next).map(|slot| {
            let op = self.slots[slot].op;
            Use { op, index: slot.index() - self.ops[op].first_slot as usize }
        })
    }
    /// Whether anything uses `value`.
    pub fn has_uses(&self, value: Value) -> bool {
        self.values[value].first_use.is_some()
    }

    // ---- blocks and regions ----

    /// The arguments of `block`.
    pub fn block_args(&self, block: Block) -> &[Value] {
        &self.blocks[block].args
    }
    /// The region that `block` belongs to.
    pub fn block_region(&self, block: Block) -> Option<Region> {
        self.blocks[block].region
    }
    /// The op whose region holds `block`.
    pub fn block_parent(&self, block: Block) -> Option<Op> {
        self.regions[self.block_region(block)?].parent
    }
    /// Where `block` starts in the text.
    pub fn block_span(&self, block: Block) -> Span {
        self.blocks[block].span
    }
    /// Sets where `block` starts in the text.
    pub fn set_block_span(&mut self, block: Block, span: Span) {
        self.blocks[block].span = span;
    }
    /// The first op.
    pub fn first_op(&self, block: Block) -> Option<Op> {
        self.blocks[block].first
    }
    /// The last op.
    pub fn last_op(&self, block: Block) -> Option<Op> {
        self.blocks[block].last
    }
    /// The ops of `block` in order.
    pub fn block_ops(&self, block: Block) -> impl Iterator<Item = Op> + '_ {
        std::iter::successors(self.first_op(block), |&op| self.next_op(op))
    }
    /// The last op, when it is a terminator.
    pub fn terminator(&self, block: Block) -> Option<Op> {
        self.last_op(block).filter(|&op| self.opcode(op).is_terminator())
    }
    /// The blocks of `region` in order.
    pub fn region_blocks(&self, region: Region) -> &[Block] {
        &self.regions[region].blocks
    }
    /// The op that `region` belongs to.
    pub fn region_parent(&self, region: Region) -> Option<Op> {
        self.regions[region].parent
    }
}
