//! Ops whose short form the table gives as pieces.

use smallvec::{SmallVec, smallvec};

use super::ops::OpParts;
use super::scope::NameUse;
use super::{Parsed, Parser, counted, types_are};
use crate::attr::AttrKind;
use crate::builder::infer_type;
use crate::diag::{Diagnostic, codes};
use crate::entity::{Attr, Type, Value};
use crate::module::SEGMENT_SIZES;
use crate::ops::{AttrDef, AttrForm, Constraint, Infer, OpDef, OperandArity, Traits};
use crate::text::format::{Piece, pieces};
use crate::text::lexer::TokenKind;
use crate::types::DYNAMIC;

type Types = SmallVec<[Type; 2]>;

/// What has been read so far of an op.
struct Reading<'s> {
    /// The names of all operands, group by group as the text has them.
    uses: SmallVec<[(usize, NameUse<'s>); 4]>,
    operand_types: SmallVec<[Option<Types>; 4]>,
    result_types: SmallVec<[Option<Types>; 2]>,
}

impl<'s> Reading<'s> {
    fn of_group(&self, group: usize) -> impl Iterator<Item = NameUse<'s>> + '_ {
        self.uses.iter().filter(move |used| used.0 == group).map(|used| used.1)
    }
    /// The type of an operand group that the text leaves out because a result has the same one.
    fn type_by_result(&self, def: &OpDef, group: usize) -> Option<Type> {
        let results = def.results.iter().zip(&self.result_types);
        results
            .filter(|(result, _)| result.infer == Infer::SameAs(group))
            .find_map(|(_, types)| types.as_ref()?.first().copied())
    }
}

impl<'s> Parser<'s, '_> {
    pub(super) fn formatted(&mut self, def: &'static OpDef, parts: &mut OpParts) -> Parsed<()> {
        let mut reading = Reading {
            uses: SmallVec::new(),
            operand_types: smallvec![None; def.operands.len()],
            result_types: smallvec![None; def.results.len()],
        };
        for piece in pieces(def) {
            self.piece(def, piece, &mut reading, parts)?;
        }
        self.assemble(def, &reading, parts)
    }

    fn piece(
        &mut self,
        def: &'static OpDef,
        piece: &Piece,
        reading: &mut Reading<'s>,
        parts: &mut OpParts,
    ) -> Parsed<()> {
        match piece {
            Piece::Literal(text) => self.literal(text, def),
            Piece::Operand(group) => self.operand_group(def, *group, reading),
            Piece::Index { group, statics } => self.index_list(*group, statics, reading, parts),
            Piece::Attr(index) => {
                let attr = &def.attrs[*index];
                let value = self.short_attr(attr)?;
                parts.inherent.push((self.module.names.intern(attr.name), value));
                Ok(())
            }
            Piece::Keyword(index) => {
                let attr = &def.attrs[*index];
                let value = self.keyword_attr(attr)?;
                parts.inherent.push((self.module.names.intern(attr.name), value));
                Ok(())
            }
            Piece::OperandType(group) => {
                let many = def.operands[*group].arity == OperandArity::Many;
                reading.operand_types[*group] = Some(self.types_of_group(many)?);
                Ok(())
            }
            Piece::ResultType(group) => {
                let many = def.results[*group].arity == OperandArity::Many;
                reading.result_types[*group] = Some(self.types_of_group(many)?);
                Ok(())
            }
            Piece::Attrs => {
                if self.at(b'{') {
                    parts.discardable = self.dict_entries(b'}')?;
                }
                Ok(())
            }
            Piece::Opt(inner) => {
                if self.begins(def, inner) {
                    for piece in inner {
                        self.piece(def, piece, reading, parts)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Whether the pieces of an optional group start here.
    fn begins(&self, def: &OpDef, pieces: &[Piece]) -> bool {
        match pieces.first() {
            Some(Piece::Literal(text)) => match text.as_bytes() {
                [punct] if !punct.is_ascii_alphabetic() => self.at(*punct),
                _ => self.at_word(text),
            },
            // A value that starts a line is the result of the next op.
            Some(Piece::Operand(_)) => self.token.kind == TokenKind::Value && !self.first_on_line(),
            Some(Piece::Attr(index)) => match def.attrs[*index].form {
                AttrForm::Unit => self.at_word(def.attrs[*index].name),
                AttrForm::I64Enum(words) | AttrForm::I32Enum(words) => {
                    self.token.kind == TokenKind::Word && words.contains(&self.current())
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn literal(&mut self, text: &str, def: &OpDef) -> Parsed<()> {
        let found = match text.as_bytes() {
            b"->" => self.token.kind == TokenKind::Arrow,
            [punct] if !punct.is_ascii_alphabetic() => self.at(*punct),
            _ => self.at_word(text),
        };
        if !found {
            return Err(self.unexpected(&format!("`{text}` here in `{}`", def.name)));
        }
        self.bump();
        Ok(())
    }

    fn operand_group(&mut self, def: &OpDef, group: usize, reading: &mut Reading<'s>) -> Parsed<()> {
        let operand = &def.operands[group];
        if self.token.kind != TokenKind::Value {
            return Err(self.no_value(&format!("`{}`, a value as `%x`", operand.name)));
        }
        reading.uses.push((group, self.name_use("a value")?));
        while operand.arity == OperandArity::Many && self.at(b',') && self.peek().kind == TokenKind::Value {
            self.bump();
            reading.uses.push((group, self.name_use("a value")?));
        }
        Ok(())
    }

    /// `[%i, 0]`, or nothing.
    fn index_list(
        &mut self,
        group: usize,
        statics_name: &str,
        reading: &mut Reading<'s>,
        parts: &mut OpParts,
    ) -> Parsed<()> {
        if !self.accept(b'[') {
            return Ok(());
        }
        let mut statics: SmallVec<[i64; 4]> = SmallVec::new();
        let mut any_static = false;
        self.list(b']', "an index list", |p| {
            if p.token.kind == TokenKind::Value {
                reading.uses.push((group, p.name_use("an index")?));
                statics.push(DYNAMIC);
            } else {
                let lo = p.token.lo;
                let value = p.integer64("an index: a number or an `index` value as `%i`")?;
                if p.at(b':')
                    && matches!(p.peek().kind, TokenKind::Int | TokenKind::Value | TokenKind::Punct(b']'))
                {
                    let diagnostic = Diagnostic::error(
                        codes::EXPECTED_SOMETHING,
                        "a range cannot be an index; an index picks one element",
                    )
                    .at(p.span_from(lo), "an index stands here")
                    .help("take a contiguous part with `tg.subview %ref[start] [size]`, and index that");
                    return Err(p.diags.emit_error(diagnostic));
                }
                if value == DYNAMIC {
                    let span = p.span_from(lo);
                    return Err(p.error(
                        codes::MALFORMED_NUMBER,
                        span,
                        "the index is too small",
                        "out of range",
                    ));
                }
                statics.push(value);
                any_static = true;
            }
            Ok(())
        })?;
        if any_static {
            let value = self.module.i64s_attr(&statics);
            parts.inherent.push((self.module.names.intern(statics_name), value));
        }
        Ok(())
    }

    fn types_of_group(&mut self, many: bool) -> Parsed<Types> {
        let mut types = SmallVec::new();
        types.push(self.ty()?);
        while many && self.accept(b',') {
            types.push(self.ty()?);
        }
        Ok(types)
    }

    // ---- attributes in their short spelling ----

    pub(super) fn short_attr(&mut self, attr: &AttrDef) -> Parsed<Attr> {
        match attr.form {
            AttrForm::Unit => {
                self.expect_word(attr.name, "")?;
                Ok(self.module.attrs.unit())
            }
            AttrForm::I64 => {
                let value = self.integer64(&format!("`{}`, a number", attr.name))?;
                Ok(self.module.i64_attr(value))
            }
            AttrForm::Str => {
                let text = self.string(&format!("`{}`, a string", attr.name))?;
                Ok(self.module.attrs.str(&text))
            }
            AttrForm::Symbol => {
                let name = self.symbol(&format!("`{}`, a name as `@x`", attr.name))?;
                Ok(self.module.attrs.str(&name))
            }
            AttrForm::I64s | AttrForm::I32s => {
                self.expect(b'[', &format!("before `{}`, a list of numbers", attr.name))?;
                let mut values = Vec::new();
                self.list(b']', "a list of numbers", |p| {
                    values.push(p.integer64("a number")?);
                    Ok(())
                })?;
                Ok(match attr.form {
                    AttrForm::I32s => self.module.i32s_attr(&values),
                    _ => self.module.i64s_attr(&values),
                })
            }
            AttrForm::Strs => {
                self.expect(b'[', &format!("before `{}`, a list of strings", attr.name))?;
                let mut items = Vec::new();
                self.list(b']', "a list of strings", |p| {
                    let text = p.string("a string")?;
                    items.push(p.module.attrs.str(&text));
                    Ok(())
                })?;
                Ok(self.module.attrs.intern(AttrKind::Array(items.into())))
            }
            AttrForm::I64Enum(words) | AttrForm::I32Enum(words) => {
                let word = self.word_of(attr.name, words)?;
                let width = if matches!(attr.form, AttrForm::I64Enum(_)) { 64 } else { 32 };
                let ty = self.module.types.int(width);
                Ok(self.module.attrs.int(i128::try_from(word).unwrap_or(0), ty))
            }
            AttrForm::Keyword { .. } => self.keyword_attr(attr),
            AttrForm::Type => {
                let ty = self.ty()?;
                Ok(self.module.attrs.intern(AttrKind::Type(ty)))
            }
            AttrForm::Literal | AttrForm::AnyAttr => self.attr(),
        }
    }

    /// The position in `words` of the current word, or of the string with such a text (`"eq"`).
    fn word_of(&mut self, what: &str, words: &[&str]) -> Parsed<usize> {
        let text = match self.token.kind {
            TokenKind::Word => self.current(),
            TokenKind::Str => self.current().trim_matches('"'),
            _ => "",
        };
        match words.iter().position(|&word| word == text) {
            Some(at) => {
                self.bump();
                Ok(at)
            }
            None => Err(self.unexpected(&format!("`{what}`, one of `{}`", words.join("`, `")))),
        }
    }

    /// `<fast>`, `<nsw, nuw>`.
    fn keyword_attr(&mut self, attr: &AttrDef) -> Parsed<Attr> {
        let AttrForm::Keyword { mnemonic, words, many } = attr.form else { return self.attr() };
        self.expect(b'<', &format!("before `{}`", attr.name))?;
        let mut text = format!("#{mnemonic}<");
        loop {
            let at = self.word_of(attr.name, words)?;
            text.push_str(words[at]);
            if !(many && self.accept(b',')) {
                break;
            }
            text.push_str(", ");
        }
        self.expect(b'>', &format!("behind `{}`", attr.name))?;
        text.push('>');
        Ok(self.module.attrs.intern(AttrKind::Opaque(text.into())))
    }

    // ---- putting it together ----

    fn assemble(&mut self, def: &'static OpDef, reading: &Reading<'s>, parts: &mut OpParts) -> Parsed<()> {
        let same = def.has(Traits::SAME_TYPE);
        let common = if same || def.has(Traits::SAME_OPERANDS) {
            let operand = reading.operand_types.iter().flatten().find_map(|types| types.first());
            let result = reading.result_types.iter().flatten().find_map(|types| types.first());
            let known = operand.or(result.filter(|_| same)).copied();
            known.or_else(|| (0..def.operands.len()).find_map(|group| reading.type_by_result(def, group)))
        } else {
            None
        };
        let mut sizes: SmallVec<[i64; 8]> = SmallVec::new();
        let mut firsts: SmallVec<[Option<Value>; 8]> = SmallVec::new();
        for (group, operand) in def.operands.iter().enumerate() {
            let uses: SmallVec<[NameUse<'s>; 4]> = reading.of_group(group).collect();
            let types = reading.operand_types[group].as_deref();
            if let Some(types) = types
                && types.len() != uses.len()
                && operand.arity != OperandArity::One
            {
                let span = uses.first().map_or_else(|| self.span(), |used| used.span);
                let message = format!(
                    "`{}` has {}, and {} given",
                    operand.name,
                    counted(uses.len(), "value"),
                    types_are(types.len())
                );
                return Err(self.error(codes::OPERAND_TYPE_LIST, span, message, "starting here"));
            }
            let fixed = match operand.constraint {
                Constraint::Index => Some(self.module.types.index()),
                Constraint::I1 => Some(self.module.types.i1()),
                _ => common
                    .filter(|_| operand.constraint != Constraint::Any || same)
                    .or_else(|| reading.type_by_result(def, group)),
            };
            self.operand_name = operand.name;
            for (at, &used) in uses.iter().enumerate() {
                let ty = types.and_then(|types| types.get(at).copied()).or(fixed);
                let value = match ty {
                    None if !decides_a_type(def, group) => self.resolve_untyped(used)?,
                    _ => self.resolve(used, ty)?,
                };
                parts.operands.push(value);
                parts.places.push(used.span.lo);
                if at == 0 {
                    firsts.push(Some(value));
                }
            }
            if uses.is_empty() {
                firsts.push(None);
            }
            sizes.push(i64::try_from(uses.len()).unwrap_or(i64::MAX));
        }
        self.operand_name = "";
        let flexible = sizes
            .iter()
            .zip(def.operands)
            .any(|(&size, operand)| size != 0 && operand.arity != OperandArity::One);
        if def.has_segments() && flexible {
            let value = self.module.i32s_attr(&sizes);
            parts.inherent.push((self.module.names.intern(SEGMENT_SIZES), value));
        }
        for (group, result) in def.results.iter().enumerate() {
            let inferred =
                infer_type(self.module, result.infer, &|group| firsts.get(group).copied().flatten());
            match (&reading.result_types[group], inferred) {
                (Some(given), Some(inferred)) if given.as_slice() != [inferred] && !self.poisoned => {
                    let types = &self.module.types;
                    let given = given.first().map_or_else(String::new, |&ty| types.display(ty));
                    let wanted = types.display(inferred);
                    let span = self.span_from(self.prev_hi.saturating_sub(1));
                    let message = format!("`{}` gives `{wanted}`, not `{given}`", def.name);
                    return Err(self.error(codes::RESULT_TYPE, span, message, "the result type"));
                }
                (Some(given), _) => parts.results.extend(given.iter().copied()),
                (None, Some(inferred)) => parts.results.push(inferred),
                (None, None) => {
                    debug_assert!(result.infer != Infer::Explicit, "format without a result type")
                }
            }
        }
        Ok(())
    }
}

/// Whether a result's type follows from the operand group.
fn decides_a_type(def: &OpDef, group: usize) -> bool {
    def.results.iter().any(|result| match result.infer {
        Infer::SameAs(of) | Infer::BoolOf(of) | Infer::ElemOf(of) => of == group,
        Infer::Explicit | Infer::IsIndex | Infer::IsI1 => false,
    })
}
