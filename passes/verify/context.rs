//! What all checks share: the module, facts gathered on the way, and words for messages.

use smallvec::SmallVec;
use tidegate_ir::attr::AttrKind;
use tidegate_ir::diag::{Code, Diagnostic, Diagnostics, Span, edit_distance};
use tidegate_ir::ops::{ArithOp, IndexRef, OpDef, Opcode, TgOp};
use tidegate_ir::types::{BarrierRefType, DYNAMIC, RefType};
use tidegate_ir::{Attr, EntityId, Module, Op, Type, Value};

use super::kernel::KernelFacts;
use crate::target::Target;

/// The answer of a check: the first thing that is wrong with an op, so that one mistake gives one error.
pub(super) type Check = Result<(), Box<Diagnostic>>;

/// The list of indices of an op; rarely more than four.
pub(super) type Indices = SmallVec<[IndexRef; 4]>;

/// The state of one verification.
pub(super) struct Verifier<'m> {
    pub(super) m: &'m Module,
    pub(super) target: Option<&'m Target>,
    pub(super) diags: &'m mut Diagnostics,
    /// Values of ops that were reported: their users are not checked against them.
    poisoned: Vec<u64>,
    any_poison: bool,
    /// Operand groups of the op that is being checked.
    pub(super) groups: SmallVec<[std::ops::Range<usize>; 8]>,
    /// The kernel that is being walked, innermost last.
    pub(super) kernels: Vec<KernelFacts>,
}

impl<'m> Verifier<'m> {
    pub(super) fn new(m: &'m Module, target: Option<&'m Target>, diags: &'m mut Diagnostics) -> Self {
        Self {
            m,
            target,
            diags,
            poisoned: Vec::new(),
            any_poison: false,
            groups: SmallVec::new(),
            kernels: Vec::new(),
        }
    }

    // ---- reporting ----

    /// Reports an error of `op`; what uses its results is not reported for it again.
    pub(super) fn report(&mut self, op: Op, diagnostic: Diagnostic) {
        for value in self.m.results(op) {
            self.poison(value);
        }
        if let Some(kernel) = self.kernels.last_mut() {
            kernel.has_errors = true;
        }
        let diagnostic = self.with_built_place(op, diagnostic);
        self.diags.emit(diagnostic);
    }
    /// Reports a warning about `op`.
    pub(super) fn warn(&mut self, op: Op, diagnostic: Diagnostic) {
        let diagnostic = self.with_built_place(op, diagnostic);
        self.diags.emit(diagnostic);
    }
    /// Ops made by the builder have no place in a text; the Rust line that made them is said in a note.
    fn with_built_place(&self, op: Op, diagnostic: Diagnostic) -> Diagnostic {
        if self.m.span(op).is_some() {
            return diagnostic;
        }
        match self.m.locs.file_line_column(self.m.loc(op)) {
            Some((file, line, column)) => {
                let (name, file) = (self.m.op_name(op), self.m.names.get(file));
                diagnostic.note(format!("`{name}` comes from {file}:{line}:{column}"))
            }
            None => diagnostic,
        }
    }
    /// Takes the answer of a check of `op`; whether it was good.
    pub(super) fn take(&mut self, op: Op, check: Check) -> bool {
        match check {
            Ok(()) => true,
            Err(diagnostic) => {
                self.report(op, *diagnostic);
                false
            }
        }
    }
    /// An error at `op`.
    pub(super) fn error(
        &self,
        op: Op,
        code: Code,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, message).at(self.m.span(op), label))
    }

    /// Marks `value` as reported.
    pub(super) fn poison(&mut self, value: Value) {
        let (word, bit) = (value.index() / 64, value.index() % 64);
        if self.poisoned.len() <= word {
            self.poisoned.resize(self.m.num_values() / 64 + 1, 0);
        }
        self.poisoned[word] |= 1 << bit;
        self.any_poison = true;
    }
    /// Whether something was reported about the definition of `value`.
    #[inline]
    pub(super) fn is_poisoned(&self, value: Value) -> bool {
        self.any_poison
            && self.poisoned.get(value.index() / 64).is_some_and(|word| word >> (value.index() % 64) & 1 != 0)
    }

    // ---- words ----

    /// `` `%full` ``, or words when the value has no name.
    pub(super) fn name(&self, value: Value) -> String {
        match self.m.value_name(value) {
            Some(name) => format!("`%{name}`"),
            None => match self.m.defining_op(value) {
                Some(op) => format!("the result of `{}`", self.m.op_name(op)),
                None => "the argument".to_owned(),
            },
        }
    }
    /// The text of a type in backquotes.
    pub(super) fn type_name(&self, ty: Type) -> String {
        format!("`{}`", self.m.types.display(ty))
    }
    /// The text of the type of `value` in backquotes.
    pub(super) fn type_of(&self, value: Value) -> String {
        self.type_name(self.m.ty(value))
    }
    /// The allocation, argument or other op that `value` is a part of, through `tg.at` and `tg.subview`.
    pub(super) fn root(&self, mut value: Value) -> Value {
        while let Some(op) = self.m.defining_op(value) {
            match (self.m.opcode(op), self.m.get_operand(op, 0)) {
                // An op may not use its own result, but a module that breaks this must not hang us.
                (Opcode::Tg(TgOp::At | TgOp::Subview), Some(source)) if source.index() < value.index() => {
                    value = source;
                }
                _ => break,
            }
        }
        value
    }
    /// Where the memory or barrier behind `value` is declared.
    pub(super) fn declaration(&self, value: Value) -> Span {
        self.m.value_span(self.root(value))
    }

    // ---- reading ----

    /// The barrier ref type of `value`.
    pub(super) fn barrier(&self, value: Value) -> Option<&'m BarrierRefType> {
        self.m.types.as_barrier(self.m.ty(value))
    }
    /// The array ref type of `value`.
    pub(super) fn array_ref(&self, value: Value) -> Option<&'m RefType> {
        self.m.types.as_ref(self.m.ty(value))
    }
    /// The number that `value` always is, seen through index casts.
    pub(super) fn constant(&self, mut value: Value) -> Option<i64> {
        // A chain of casts longer than this is not worth following.
        for _ in 0..8 {
            let op = self.m.defining_op(value)?;
            match self.m.opcode(op) {
                Opcode::Arith(ArithOp::Constant) => {
                    return match self.m.attrs.kind(self.m.attr(op, "value")?) {
                        AttrKind::Int { value, .. } => i64::try_from(*value).ok(),
                        AttrKind::Bool(value) => Some(i64::from(*value)),
                        _ => None,
                    };
                }
                Opcode::Arith(ArithOp::IndexCast | ArithOp::IndexCastUI) => {
                    value = self.m.get_operand(op, 0)?;
                }
                _ => return None,
            }
        }
        None
    }
    /// The number that an index always is.
    pub(super) fn constant_index(&self, index: IndexRef) -> Option<i64> {
        match index {
            IndexRef::Const(value) => Some(value),
            IndexRef::Value(value) => self.constant(value),
        }
    }
    /// The text of an index: `3`, `` `%slot` ``.
    pub(super) fn index_text(&self, index: IndexRef) -> String {
        match index {
            IndexRef::Const(value) => value.to_string(),
            IndexRef::Value(value) => match (self.constant(value), self.m.value_name(value)) {
                (Some(number), _) => number.to_string(),
                (None, Some(name)) => format!("%{name}"),
                (None, None) => "%i".to_owned(),
            },
        }
    }
    /// The index list of operand group `name`; the forms have been checked.
    pub(super) fn indices(&self, op: Op, name: &str) -> Indices {
        let Some(def) = self.m.opcode(op).def() else { return Indices::new() };
        let Some(group) = def.operand_index(name) else { return Indices::new() };
        let mut dynamic = self.m.operand_group(op, group).map(|index| self.m.operand(op, index));
        let Some(statics) = self.static_indices(op, name) else {
            return dynamic.map(IndexRef::Value).collect();
        };
        let entry = |&index: &i64| match index {
            DYNAMIC => dynamic.next().map(IndexRef::Value),
            index => Some(IndexRef::Const(index)),
        };
        statics.iter().filter_map(entry).collect()
    }
    /// The numbers of attribute `static_<name>`.
    pub(super) fn static_indices(&self, op: Op, name: &str) -> Option<&'m [i64]> {
        let wanted = |entry: &&(tidegate_ir::Name, Attr)| {
            self.m.names.get(entry.0).strip_prefix("static_").is_some_and(|rest| rest == name)
        };
        let find = |dict| self.m.attrs.entries(dict).iter().find(wanted);
        let (_, attr) = find(self.m.inherent(op)).or_else(|| find(self.m.discardable(op)))?;
        self.m.attrs.as_ints(*attr)
    }
    /// The row of `op`, when it has one.
    pub(super) fn def(&self, op: Op) -> Option<&'static OpDef> {
        self.m.opcode(op).def()
    }
    /// The first operand of group `name`, when there is one.
    pub(super) fn operand(&self, op: Op, name: &str) -> Option<Value> {
        self.m.operand_named(op, name)
    }
    /// The operand in `group` of the op that is being checked.
    pub(super) fn in_group(&self, op: Op, group: usize) -> Option<Value> {
        let range = self.groups.get(group)?;
        if range.is_empty() { None } else { self.m.get_operand(op, range.start) }
    }
    /// The target, or what all have in common.
    pub(super) fn limits(&self) -> &'m Target {
        self.target.unwrap_or(&crate::target::COMMON)
    }
}

/// "1 stage", "3 stages".
pub(super) fn count_of(count: impl TryInto<i128> + Copy, noun: &str) -> String {
    let count = count.try_into().unwrap_or(i128::MAX);
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `[2, 4]`, with `?` for what is known only at run time.
pub(super) fn shape_text(shape: &[i64]) -> String {
    let extents: Vec<String> = shape
        .iter()
        .map(|&extent| if extent == DYNAMIC { "?".to_owned() } else { extent.to_string() })
        .collect();
    format!("[{}]", extents.join(", "))
}

/// `"a", "b"`, or "none".
pub(super) fn name_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("\"{name}\"")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The entry of `names` that is most like `name`, when one is like it.
pub(super) fn closest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 1 + name.chars().count() / 4;
    names
        .into_iter()
        .filter(|other| other.len() <= 64)
        .map(|other| (edit_distance(name, other), other))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_proposed() {
        assert_eq!(closest("rows", ["col", "row"]), Some("row"));
        assert_eq!(closest("zzz", ["col", "row"]), None);
    }

    #[test]
    fn counts_have_their_plural() {
        assert_eq!(count_of(1, "stage"), "1 stage");
        assert_eq!(count_of(3usize, "stage"), "3 stages");
        assert_eq!(shape_text(&[2, DYNAMIC]), "[2, ?]");
    }
}
