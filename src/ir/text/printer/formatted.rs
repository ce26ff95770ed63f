//! Ops whose short form the table gives as pieces.

use std::fmt::Write;
use std::ops::Range;

use super::Printer;
use crate::attr::AttrKind;
use crate::attr::write_symbol;
use crate::entity::{Attr, Op};
use crate::module::OperandGroups;
use crate::ops::{AttrForm, OpDef, OperandArity};
use crate::text::format::{Piece, pieces, shows};
use crate::types::DYNAMIC;

/// What the pieces of one op share.
struct State {
    groups: OperandGroups,
    /// Whether the next piece follows without a blank.
    glue: bool,
}

impl Printer<'_, '_> {
    pub(super) fn formatted(&mut self, op: Op, def: &'static OpDef) {
        let groups = self.module.operand_groups(op);
        let mut state = State { groups, glue: false };
        self.pieces(op, def, pieces(def), &mut state);
    }

    fn pieces(&mut self, op: Op, def: &'static OpDef, pieces: &[Piece], state: &mut State) {
        for (at, piece) in pieces.iter().enumerate() {
            self.piece(op, def, piece, state);
            // An index list that is left out must not let the list behind it be taken for it.
            if let (Piece::Index { group, .. }, Some(Piece::Attr(next))) = (piece, pieces.get(at + 1))
                && matches!(def.attrs[*next].form, AttrForm::I64s | AttrForm::I32s | AttrForm::Strs)
                && self.module.index_list(op, def.operands[*group].name).is_empty()
            {
                self.out.push_str("[]");
            }
        }
    }

    fn space(&mut self, state: &mut State) {
        if !std::mem::replace(&mut state.glue, false) {
            self.out.push(' ');
        }
    }

    fn piece(&mut self, op: Op, def: &'static OpDef, piece: &Piece, state: &mut State) {
        match piece {
            Piece::Literal(text) => {
                match *text {
                    "," | ")" => {}
                    // A bracket right behind a word: `peer(%r)`, `scf.condition(%c)`.
                    "(" => {}
                    _ => self.space(state),
                }
                self.out.push_str(text);
                state.glue = *text == "(";
            }
            Piece::Operand(group) => {
                let range = state.groups[*group].clone();
                if !range.is_empty() {
                    self.space(state);
                    self.values(range.map(|index| self.module.operand(op, index)));
                }
            }
            Piece::Index { group, statics } => self.index_list(op, &state.groups[*group], statics),
            Piece::Attr(index) => {
                if let Some(value) = self.module.attr(op, def.attrs[*index].name) {
                    self.space(state);
                    self.short_attr(def.attrs[*index].name, def.attrs[*index].form, value);
                }
            }
            Piece::Keyword(index) => {
                if let Some(value) = self.module.attr(op, def.attrs[*index].name) {
                    // `vector.reduction <add>`, but `fastmath<fast>`.
                    if !self.out.ends_with(|c: char| c.is_ascii_alphanumeric())
                        || self.out.ends_with(def.name)
                    {
                        self.space(state);
                    }
                    self.keyword(value);
                }
            }
            Piece::OperandType(group) => {
                self.space(state);
                let range = state.groups[*group].clone();
                self.types(range.map(|index| self.module.operand(op, index)));
            }
            Piece::ResultType(group) => {
                self.space(state);
                let many = def.results[*group].arity == OperandArity::Many;
                let results = self.module.results(op).skip(*group);
                if many { self.types(results) } else { self.types(results.take(1)) }
            }
            Piece::Attrs => {
                if self.module.inherent(op) != self.module.attrs.empty_dict()
                    || self.module.discardable(op) != self.module.attrs.empty_dict()
                {
                    self.rest_attrs(op, &|name| shows(def, name), " ");
                }
            }
            Piece::Opt(inner) => {
                let present = inner.iter().find_map(|piece| match piece {
                    Piece::Operand(group) => Some(!state.groups[*group].is_empty()),
                    Piece::Attr(index) | Piece::Keyword(index) => {
                        Some(self.module.has_attr(op, def.attrs[*index].name))
                    }
                    _ => None,
                });
                if present == Some(true) {
                    self.pieces(op, def, inner, state);
                }
            }
        }
    }

    /// `[%i, 0]`, or nothing.
    fn index_list(&mut self, op: Op, group: &Range<usize>, statics: &str) {
        let module = self.module;
        let mut dynamic = group.clone().map(|index| module.operand(op, index));
        let Some(statics) = module.attr_ints(op, statics) else {
            if dynamic.len() > 0 {
                self.out.push('[');
                self.values(dynamic);
                self.out.push(']');
            }
            return;
        };
        for (at, &index) in statics.iter().enumerate() {
            self.out.push_str(if at == 0 { "[" } else { ", " });
            let value = if index == DYNAMIC { dynamic.next() } else { None };
            match value {
                Some(value) => self.value(value),
                None => {
                    let _ = write!(self.out, "{index}");
                }
            }
        }
        if !statics.is_empty() {
            self.out.push(']');
        }
    }

    /// An attribute as [`AttrForm`] has it in the short form.
    pub(super) fn short_attr(&mut self, name: &str, form: AttrForm, value: Attr) {
        let module = self.module;
        match (form, module.attrs.kind(value)) {
            (AttrForm::Unit, _) => self.out.push_str(name),
            (AttrForm::I64, AttrKind::Int { value, .. }) => {
                let _ = write!(self.out, "{value}");
            }
            (AttrForm::Symbol, AttrKind::Str(text)) => write_symbol(self.out, text),
            (AttrForm::I64s | AttrForm::I32s, AttrKind::Ints { values, .. }) => {
                self.out.push('[');
                for (at, value) in values.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    let _ = write!(self.out, "{comma}{value}");
                }
                self.out.push(']');
            }
            (AttrForm::I64Enum(words) | AttrForm::I32Enum(words), AttrKind::Int { value, .. }) => {
                let word = usize::try_from(*value).ok().and_then(|at| words.get(at));
                self.out.push_str(word.copied().unwrap_or("?"));
            }
            (AttrForm::Keyword { .. }, _) => self.keyword(value),
            _ => self.attr(value),
        }
    }

    /// `<fast>` of `#arith.fastmath<fast>`.
    fn keyword(&mut self, value: Attr) {
        if let AttrKind::Opaque(text) = self.module.attrs.kind(value) {
            self.out.push_str(text.find('<').map_or("<?>", |at| &text[at..]));
        }
    }
}
