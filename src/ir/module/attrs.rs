//! Attributes of ops by name.

use std::ops::Range;

use smallvec::SmallVec;

use super::Module;
use crate::attr::AttrKind;
use crate::entity::{Attr, Name, Op, Value};
use crate::ops::{IndexRef, OperandArity};
use crate::types::DYNAMIC;

/// The inherent attribute that says how many operands each group has, as in MLIR.
pub(crate) const SEGMENT_SIZES: &str = "operandSegmentSizes";

/// The positions of the operands of each group.
pub(crate) type OperandGroups = SmallVec<[Range<usize>; 4]>;

impl Module {
    /// The dictionary of inherent attributes.
    pub fn inherent(&self, op: Op) -> Attr {
        self.ops[op].inherent
    }
    /// The dictionary of discardable attributes.
    pub fn discardable(&self, op: Op) -> Attr {
        self.ops[op].discardable
    }
    /// Replaces the dictionary of inherent attributes.
    pub fn set_inherent(&mut self, op: Op, dict: Attr) {
        self.ops[op].inherent = dict;
    }
    /// Replaces the dictionary of discardable attributes.
    pub fn set_discardable(&mut self, op: Op, dict: Attr) {
        self.ops[op].discardable = dict;
    }

    /// Attribute `name` of `op`, inherent or discardable.
    pub fn attr(&self, op: Op, name: &str) -> Option<Attr> {
        let data = &self.ops[op];
        self.dict_get(data.inherent, name).or_else(|| self.dict_get(data.discardable, name))
    }
    /// Entry `name` of a dictionary.
    pub fn dict_get(&self, dict: Attr, name: &str) -> Option<Attr> {
        if dict == self.attrs.empty_dict() {
            return None;
        }
        let entries = self.attrs.entries(dict);
        entries.iter().find(|entry| self.names.get(entry.0) == name).map(|entry| entry.1)
    }
    /// The dictionary `dict` with `name` set to `value`, or without `name`.
    pub fn dict_with(&mut self, dict: Attr, name: &str, value: Option<Attr>) -> Attr {
        let name = self.names.intern(name);
        let mut entries: Vec<(Name, Attr)> =
            self.attrs.entries(dict).iter().copied().filter(|entry| entry.0 != name).collect();
        entries.extend(value.map(|value| (name, value)));
        self.attrs.dict(&self.names, entries)
    }
    /// Sets attribute `name`: among the inherent ones when the op's row declares it, else among the discardable ones.
    pub fn set_attr(&mut self, op: Op, name: &str, value: Attr) {
        self.put_attr(op, name, Some(value));
    }
    /// Removes attribute `name`.
    pub fn remove_attr(&mut self, op: Op, name: &str) {
        self.put_attr(op, name, None);
    }
    fn put_attr(&mut self, op: Op, name: &str, value: Option<Attr>) {
        let declared = self.opcode(op).def().is_some_and(|def| def.declares_attr(name));
        if declared {
            let dict = self.dict_with(self.ops[op].inherent, name, value);
            self.ops[op].inherent = dict;
        } else {
            let dict = self.dict_with(self.ops[op].discardable, name, value);
            self.ops[op].discardable = dict;
        }
    }

    /// Whether attribute `name` is there.
    pub fn has_attr(&self, op: Op, name: &str) -> bool {
        self.attr(op, name).is_some()
    }
    /// Attribute `name` as a 64-bit integer.
    pub fn attr_i64(&self, op: Op, name: &str) -> Option<i64> {
        self.attr(op, name).and_then(|attr| self.attrs.as_i64(attr))
    }
    /// Attribute `name` as a string.
    pub fn attr_str(&self, op: Op, name: &str) -> Option<&str> {
        self.attr(op, name).and_then(|attr| self.attrs.as_str(attr))
    }
    /// Attribute `name` as a list of integers.
    pub fn attr_ints(&self, op: Op, name: &str) -> Option<&[i64]> {
        self.attr(op, name).and_then(|attr| self.attrs.as_ints(attr))
    }
    /// Attribute `name` as a list of strings.
    pub fn attr_strs(&self, op: Op, name: &str) -> Option<Vec<&str>> {
        self.attr(op, name).and_then(|attr| self.attrs.as_strs(attr))
    }
    /// Attribute `name` as a flat symbol: `sym_name = "k"` and `@k` alike.
    pub fn attr_symbol(&self, op: Op, name: &str) -> Option<&str> {
        match self.attrs.kind(self.attr(op, name)?) {
            AttrKind::Str(text) => Some(text),
            AttrKind::Symbol(path) => match &**path {
                [one] => Some(one),
                _ => None,
            },
            _ => None,
        }
    }

    /// A 64-bit integer attribute.
    pub fn i64_attr(&mut self, value: i64) -> Attr {
        let ty = self.types.int(64);
        self.attrs.int(i128::from(value), ty)
    }
    /// `array<i64: ...>`.
    pub fn i64s_attr(&mut self, values: &[i64]) -> Attr {
        let elem = self.types.int(64);
        self.attrs.intern(AttrKind::Ints { elem, values: values.into() })
    }
    /// `array<i32: ...>`.
    pub fn i32s_attr(&mut self, values: &[i64]) -> Attr {
        let elem = self.types.int(32);
        self.attrs.intern(AttrKind::Ints { elem, values: values.into() })
    }
    /// `["a", "b"]`.
    pub fn strs_attr<'a>(&mut self, values: impl IntoIterator<Item = &'a str>) -> Attr {
        let items: Vec<Attr> = values.into_iter().map(|value| self.attrs.str(value)).collect();
        self.attrs.intern(AttrKind::Array(items.into()))
    }

    // ---- operand groups ----

    /// The positions of the operands of group `group` of the op's row (see `OpDef::operands`).
    ///
    /// An op that has more than one optional or variadic group carries their sizes in `operandSegmentSizes`; without
    /// that attribute all of them are empty. Positions never lie beyond the operands, whatever the attribute says;
    /// the structural verifier refuses one that does not fit.
    pub fn operand_group(&self, op: Op, group: usize) -> Range<usize> {
        let total = self.num_operands(op);
        let Some(def) = self.opcode(op).def() else { return 0..0 };
        let Some(wanted) = def.operands.get(group) else { return 0..0 };
        let flexible = def.operands.iter().filter(|operand| operand.arity != OperandArity::One).count();
        let range = if flexible <= 1 {
            let fixed = def.operands.len() - flexible;
            let spare = total.saturating_sub(fixed);
            let before = &def.operands[..group];
            let start: usize =
                before.iter().map(|operand| if operand.arity == OperandArity::One { 1 } else { spare }).sum();
            start..start + if wanted.arity == OperandArity::One { 1 } else { spare }
        } else if let Some(sizes) = self.segment_sizes(op) {
            let size = |index: usize| sizes.get(index).map_or(0, |&size| usize::try_from(size).unwrap_or(0));
            let start = (0..group).fold(0usize, |sum, index| sum.saturating_add(size(index)));
            start..start.saturating_add(size(group))
        } else {
            let is_one = |index: usize| usize::from(def.operands[index].arity == OperandArity::One);
            let start: usize = (0..group).map(is_one).sum();
            start..start + is_one(group)
        };
        range.start.min(total)..range.end.min(total)
    }
    /// [`Module::operand_group`] of every group.
    pub(crate) fn operand_groups(&self, op: Op) -> OperandGroups {
        let mut groups = OperandGroups::new();
        let Some(def) = self.opcode(op).def() else { return groups };
        let total = self.num_operands(op);
        let flexible = def.operands.iter().filter(|operand| operand.arity != OperandArity::One).count();
        let spare = total.saturating_sub(def.operands.len() - flexible);
        let sizes = if flexible > 1 { self.segment_sizes(op) } else { None };
        let mut start = 0usize;
        for (index, operand) in def.operands.iter().enumerate() {
            let size = match (sizes, operand.arity) {
                (Some(sizes), _) => sizes.get(index).map_or(0, |&size| usize::try_from(size).unwrap_or(0)),
                (None, OperandArity::One) => 1,
                (None, _) if flexible <= 1 => spare,
                (None, _) => 0,
            };
            let end = start.saturating_add(size);
            groups.push(start.min(total)..end.min(total));
            start = end;
        }
        groups
    }
    /// The sizes of the operand groups, where the op carries them.
    pub(crate) fn segment_sizes(&self, op: Op) -> Option<&[i64]> {
        self.dict_get(self.ops[op].inherent, SEGMENT_SIZES).and_then(|sizes| self.attrs.as_ints(sizes))
    }
    /// The only operand of the group called `name`.
    pub fn operand_named(&self, op: Op, name: &str) -> Option<Value> {
        let group = self.opcode(op).def()?.operand_index(name)?;
        self.get_operand(op, self.operand_group(op, group).next()?)
    }
    /// The operands of the group called `name`.
    pub fn operands_named(&self, op: Op, name: &str) -> Vec<Value> {
        let group = self.opcode(op).def().and_then(|def| def.operand_index(name));
        let range = group.map_or(0..0, |group| self.operand_group(op, group));
        range.map(|index| self.operand(op, index)).collect()
    }

    /// The positions of an index list `[%i, 0]`: dynamic ones are the operands of group `name`, and which stand
    /// where is in the attribute `static_<name>`, in which [`DYNAMIC`] marks an operand. Without that attribute all
    /// are dynamic.
    pub fn index_list(&self, op: Op, name: &str) -> Vec<IndexRef> {
        let mut dynamic = self.operands_named(op, name).into_iter();
        match self.attr_ints(op, &format!("static_{name}")) {
            None => dynamic.map(IndexRef::Value).collect(),
            Some(statics) => {
                let list = statics.iter().filter_map(|&index| {
                    if index == DYNAMIC {
                        dynamic.next().map(IndexRef::Value)
                    } else {
                        Some(IndexRef::Const(index))
                    }
                });
                list.collect()
            }
        }
    }
}
