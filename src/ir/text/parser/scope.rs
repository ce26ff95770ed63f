//! Names of values and blocks.
//!
//! A value is visible from its definition to the end of the region it is defined in, in nested regions too. A name
//! may be defined again only beyond the border of an op that is isolated, or that tidegate does not know (and that
//! may be isolated, as functions are).

use rustc_hash::FxHashMap;

use super::{Parsed, Parser, counted, nearest};
use crate::diag::{Diagnostic, Span, codes};
use crate::entity::{Block, Region, Type, Value};
use crate::text::lexer::{Token, TokenKind};
use crate::types::{BARRIER_USES, TypeKind};

/// A value's name in use: `%x`, `%x#1`.
#[derive(Copy, Clone, Debug)]
pub(super) struct NameUse<'s> {
    pub(super) name: &'s str,
    pub(super) number: u32,
    pub(super) span: Span,
}

#[derive(Copy, Clone, Debug)]
enum Meaning {
    /// `count` values in a row.
    Values { first: Value, count: u32 },
    /// Its op failed.
    Poisoned,
}

#[derive(Copy, Clone, Debug)]
struct Def {
    meaning: Meaning,
    span: Span,
    level: u32,
}

#[derive(Debug)]
struct Forward {
    value: Value,
    number: u32,
    span: Span,
    level: u32,
    /// Whether the text said the type.
    typed: bool,
}

#[derive(Debug)]
struct BlockDef {
    block: Block,
    /// Where it is defined; none while only used.
    defined: bool,
    span: Span,
}

#[derive(Debug)]
struct Level<'s> {
    undo: usize,
    /// The level from which on a name may not be defined again.
    border: u32,
    /// Whether names from outside mean nothing here, so that what is not defined by its end never will be.
    isolated: bool,
    /// The innermost isolated level.
    home: u32,
    blocks: FxHashMap<&'s str, BlockDef>,
}

/// For how many undefined names a near one is looked for: each search goes through all names, and more messages than
/// this are not shown.
const MAX_HINTS: u32 = 100;

#[derive(Default, Debug)]
pub(super) struct Scopes<'s> {
    /// How often a name near to an undefined one was looked for.
    hints: u32,
    values: FxHashMap<&'s str, Def>,
    /// What the names mean that are numbers, as most are in generated text.
    numbers: Vec<Option<Def>>,
    /// The first number that is a name like any other: the table stays in proportion to the text.
    number_limit: u32,
    undo: Vec<(&'s str, Option<Def>)>,
    levels: Vec<Level<'s>>,
    forward: FxHashMap<&'s str, Vec<Forward>>,
    /// Where names were defined whose regions have ended, for messages.
    gone: FxHashMap<&'s str, Span>,
}

impl<'s> Scopes<'s> {
    /// Scopes for a text of so many bytes.
    pub(super) fn for_text(bytes: usize) -> Self {
        Self { number_limit: u32::try_from(bytes / 8 + 64).unwrap_or(u32::MAX), ..Self::default() }
    }
    fn get(&self, name: &str) -> Option<&Def> {
        match number_of_name(name, self.number_limit) {
            Some(number) => self.numbers.get(number)?.as_ref(),
            None => self.values.get(name),
        }
    }
    /// Gives `name` another meaning, or none, and returns the one it had.
    fn set(&mut self, name: &'s str, def: Option<Def>) -> Option<Def> {
        match (number_of_name(name, self.number_limit), def) {
            (Some(number), def) => {
                if number >= self.numbers.len() {
                    self.numbers.resize(number + 1, None);
                }
                std::mem::replace(&mut self.numbers[number], def)
            }
            (None, Some(def)) => self.values.insert(name, def),
            (None, None) => self.values.remove(name),
        }
    }
}

/// The number that a name is, when it is one below `limit` and written without leading zeros.
#[inline]
fn number_of_name(name: &str, limit: u32) -> Option<usize> {
    let bytes = name.as_bytes();
    if bytes.len() > 9 || (bytes.len() > 1 && bytes[0] == b'0') {
        return None;
    }
    let mut number = 0u32;
    for &byte in bytes {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number * 10 + u32::from(byte - b'0');
    }
    (!bytes.is_empty() && number < limit).then_some(number as usize)
}

impl<'s> Parser<'s, '_> {
    pub(super) fn push_scope(&mut self, border: bool, isolated: bool) {
        let depth = u32::try_from(self.scopes.levels.len() + 1).unwrap_or(u32::MAX);
        let (inherited, home) = self.scopes.levels.last().map_or((0, 0), |level| (level.border, level.home));
        self.scopes.levels.push(Level {
            undo: self.scopes.undo.len(),
            border: if border { depth } else { inherited },
            isolated,
            home: if isolated { depth } else { home },
            blocks: FxHashMap::default(),
        });
    }

    /// Ends the scope: reports blocks that were only used, and forgets the names defined in it.
    pub(super) fn pop_scope(&mut self) {
        let depth = self.level();
        let Some(level) = self.scopes.levels.pop() else { return };
        if level.isolated {
            self.settle_forward(depth);
        }
        let mut missing: Vec<(&str, Span)> = level
            .blocks
            .iter()
            .filter(|(_, def)| !def.defined)
            .map(|(name, def)| (*name, def.span))
            .collect();
        missing.sort_by_key(|missing| missing.1.lo);
        for (name, span) in missing {
            let message = format!("block `^{name}` is not defined in this region");
            self.error(codes::UNDEFINED_BLOCK, span, message, "used here");
        }
        let outer = self.level();
        if outer == 0 {
            // The end of the file: nobody looks up a name any more.
            return;
        }
        while self.scopes.undo.len() > level.undo {
            let Some((name, before)) = self.scopes.undo.pop() else { break };
            let ended = self.scopes.set(name, before);
            if let (Some(def), None) = (ended, before)
                && matches!(def.meaning, Meaning::Values { .. })
                && is_telling(name)
            {
                self.scopes.gone.insert(name, def.span);
            }
        }
        // What was not found here may still be defined further out.
        for uses in self.scopes.forward.values_mut() {
            for forward in uses {
                forward.level = forward.level.min(outer);
            }
        }
    }

    fn level(&self) -> u32 {
        u32::try_from(self.scopes.levels.len()).unwrap_or(u32::MAX)
    }

    /// Gives `name` to `count` values in a row.
    pub(super) fn define(&mut self, name: &'s str, span: Span, first: Value, count: u32) {
        let meaning = Meaning::Values { first, count };
        if !self.enter(name, span, meaning) {
            return;
        }
        if is_telling(name) {
            self.module.set_value_name(first, name);
        }
        if self.scopes.forward.is_empty() {
            return;
        }
        let level = self.level();
        let Some(mut uses) = self.scopes.forward.remove(name) else { return };
        uses.retain(|forward| {
            if forward.level < level {
                return true;
            }
            if forward.number < count {
                let value = nth(first, forward.number);
                let (wanted, found) = (self.module.ty(forward.value), self.module.ty(value));
                if forward.typed && wanted != found {
                    let (wanted, found) =
                        (self.module.types.display(wanted), self.module.types.display(found));
                    let diagnostic = Diagnostic::error(
                        codes::OPERAND_TYPE,
                        format!("`%{name}` is used as `{wanted}`, but it is `{found}`"),
                    )
                    .at(forward.span, format!("used as `{wanted}`"))
                    .label(span, format!("defined as `{found}`"));
                    self.diags.emit(diagnostic);
                }
                self.module.replace_all_uses(forward.value, value);
            } else {
                let message = format!(
                    "`%{name}` has {}; there is no number {}",
                    counted(count as usize, "result"),
                    forward.number
                );
                let label = format!("defined with {}", counted(count as usize, "result"));
                let diagnostic = Diagnostic::error(codes::UNDEFINED_VALUE, message)
                    .at(forward.span, "used here")
                    .label(span, label);
                self.diags.emit(diagnostic);
            }
            false
        });
        if !uses.is_empty() {
            self.scopes.forward.insert(name, uses);
        }
    }

    /// Notes that the op that was to define `name` failed.
    pub(super) fn poison(&mut self, name: &'s str, span: Span) {
        if self.scopes.get(name).is_some() {
            return;
        }
        self.enter(name, span, Meaning::Poisoned);
        self.scopes.forward.remove(name);
    }

    fn enter(&mut self, name: &'s str, span: Span, meaning: Meaning) -> bool {
        let border = self.scopes.levels.last().map_or(0, |level| level.border);
        let level = self.level();
        let before = self.scopes.set(name, Some(Def { meaning, span, level }));
        if let Some(before) = before.filter(|before| before.level >= border)
            && matches!(before.meaning, Meaning::Values { .. })
        {
            let diagnostic = Diagnostic::error(codes::VALUE_REDEFINED, format!("`%{name}` is defined twice"))
                .at(span, "second definition")
                .label(before.span, "first definition")
                .help("each value has one definition; give this one another name");
            self.diags.emit(diagnostic);
            self.scopes.set(name, Some(before));
            return false;
        }
        self.scopes.undo.push((name, before));
        true
    }

    /// `%x` or `%x#1`.
    pub(super) fn name_use(&mut self, what: &str) -> Parsed<NameUse<'s>> {
        if self.token.kind != TokenKind::Value {
            return Err(self.no_value(what));
        }
        let token = self.bump();
        self.number_of(token)
    }
    fn number_of(&mut self, token: Token) -> Parsed<NameUse<'s>> {
        let name = &self.text(token)[1..];
        let mut number = 0;
        if self.token.kind == TokenKind::Hash && self.token.lo == token.hi {
            let digits = &self.current()[1..];
            match digits.parse::<u32>() {
                Ok(value) => number = value,
                Err(_) => return Err(self.unexpected("the number of a result, as in `%x#1`")),
            }
            self.bump();
        }
        Ok(NameUse { name, number, span: self.span_from(token.lo) })
    }

    /// The value that a name means. When it is not defined yet, `ty` must be known: it is then a forward reference.
    pub(super) fn resolve(&mut self, used: NameUse<'s>, ty: Option<Type>) -> Parsed<Value> {
        let def = match (self.scopes.get(used.name), ty) {
            (Some(&def), Some(_)) if self.is_inside(&def) => def,
            (Some(&def), None) => def,
            // In an isolated op, a name from outside may be given anew further down.
            (_, Some(ty)) => return Ok(self.forward(used, ty, true)),
            (None, None) => return Err(self.undefined(used)),
        };
        self.value_of(used, def, ty)
    }
    /// Whether no isolated op stands between a definition and the current place.
    fn is_inside(&self, def: &Def) -> bool {
        self.scopes.levels.last().is_none_or(|level| def.level >= level.home)
    }
    fn value_of(&mut self, used: NameUse<'s>, def: Def, ty: Option<Type>) -> Parsed<Value> {
        let Meaning::Values { first, count } = def.meaning else {
            self.poisoned = true;
            let ty = ty.unwrap_or(self.module.types.none());
            return Ok(self.module.undefined_value(ty));
        };
        if used.number >= count {
            let message = format!(
                "`%{}` has {}; there is no number {}",
                used.name,
                counted(count as usize, "result"),
                used.number
            );
            let diagnostic = Diagnostic::error(codes::UNDEFINED_VALUE, message)
                .at(used.span, "used here")
                .label(def.span, format!("defined with {}", counted(count as usize, "result")));
            return Err(self.diags.emit_error(diagnostic));
        }
        let value = nth(first, used.number);
        if let Some(wanted) = ty
            && self.module.ty(value) != wanted
        {
            let found = self.module.ty(value);
            return Err(self.wrong_type(used, wanted, found, def.span));
        }
        Ok(value)
    }

    /// Whether `name`, without a sign, is that of a value.
    pub(super) fn is_value_name(&self, name: &str) -> bool {
        self.scopes.get(name).is_some()
    }

    /// The value that a name means, or will mean, where the text does not say its type.
    pub(super) fn resolve_untyped(&mut self, used: NameUse<'s>) -> Parsed<Value> {
        if self.scopes.get(used.name).is_some_and(|def| self.is_inside(def)) {
            return self.resolve(used, None);
        }
        Ok(self.forward(used, self.module.types.none(), false))
    }

    /// A stand-in for a value that is defined further down.
    fn forward(&mut self, used: NameUse<'s>, ty: Type, typed: bool) -> Value {
        let level = self.level();
        let uses = self.scopes.forward.entry(used.name).or_default();
        let same = |forward: &&Forward| {
            forward.number == used.number && forward.typed == typed && self.module.ty(forward.value) == ty
        };
        if let Some(known) = uses.iter().find(same) {
            return known.value;
        }
        let value = self.module.undefined_value(ty);
        uses.push(Forward { value, number: used.number, span: used.span, level, typed });
        value
    }

    /// A value of another type than the text says. A barrier that is taken for something else, or the reverse, gets
    /// the code that explains it.
    fn wrong_type(
        &mut self,
        used: NameUse<'s>,
        wanted: Type,
        found: Type,
        def: Span,
    ) -> crate::diag::Reported {
        let types = &self.module.types;
        let (wanted_text, found_text) = (types.display(wanted), types.display(found));
        let name = used.name;
        let mut code = codes::OPERAND_TYPE;
        let mut message = format!("`%{name}` is used as `{wanted_text}`, but it is `{found_text}`");
        let mut advice = Vec::new();
        let mut note = None;
        match (types.as_barrier(wanted), types.as_barrier(found)) {
            (None, Some(barrier)) => {
                code = match types.kind(wanted) {
                    TypeKind::Ref(_) if self.operand_name == "source" => codes::BARRIER_AS_ARRAY,
                    TypeKind::Ref(_) if self.operand_name == "dest" => codes::BARRIER_STORE,
                    TypeKind::Ref(_) => codes::BARRIER_FOR_ARRAY_REF,
                    _ => codes::BARRIER_ARRAY_OP,
                };
                message = format!("`%{name}` is {}, not an array", barrier.describe());
                note = Some(format!("it is used as `{wanted_text}`, but its type is `{found_text}`"));
                advice.push(BARRIER_USES.to_owned());
            }
            (Some(_), None) => {
                code = match types.kind(found) {
                    TypeKind::Ref(_) => codes::ARRAY_REF_FOR_BARRIER,
                    _ => codes::NOT_A_BARRIER_REF,
                };
                message = format!("`%{name}` is no barrier: its type is `{found_text}`");
                advice.push(
                    "barriers come from `tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>`".to_owned(),
                );
            }
            (Some(_), Some(_)) => {
                note = types.as_barrier(found).map(|known| format!("`%{name}` is {}", known.describe()))
            }
            (None, None) => {}
        }
        let number = matches!(types.kind(found), TypeKind::Index | TypeKind::Integer { .. });
        if wanted == types.i1() && number {
            let first = if found == types.index() {
                format!("`arith.index_cast %{name} : index to i32`, then `arith.trunci ... : i32 to i1`")
            } else {
                format!("`arith.trunci %{name} : {found_text} to i1`")
            };
            if self.operand_name == "parity" {
                code = codes::BARRIER_PARITY_TYPE;
                message = format!("a parity is one bit, and `%{name}` is `{found_text}`");
                advice.push(format!("take the lowest bit of the number of completions seen so far: {first}"));
            } else {
                advice.push(format!("`i1` is one bit; take the lowest one with {first}"));
            }
        }
        let mut diagnostic = Diagnostic::error(code, message)
            .at(used.span, format!("used as `{wanted_text}`"))
            .label(def, format!("defined as `{found_text}`"));
        if let Some(note) = note {
            diagnostic = diagnostic.note(note);
        }
        for help in advice {
            diagnostic = diagnostic.help(help);
        }
        self.diags.emit_error(diagnostic)
    }

    fn undefined(&mut self, used: NameUse<'s>) -> crate::diag::Reported {
        // Numbers say nothing: another one that is near is not what was meant.
        let named = used.name.bytes().any(|b| !b.is_ascii_digit());
        self.scopes.hints += u32::from(named);
        let search = named && self.scopes.hints <= MAX_HINTS;
        let near = search.then(|| nearest(used.name, self.scopes.values.keys().copied())).flatten();
        let mut diagnostic =
            Diagnostic::error(codes::UNDEFINED_VALUE, format!("`%{}` is not defined", used.name))
                .at(used.span, "no value of this name is visible here");
        if let Some(&span) = self.scopes.gone.get(used.name) {
            diagnostic = diagnostic.label(span, "defined here, in a region that has ended").help(
                "`scf.yield` hands values out of a loop or a branch; nothing leaves a role or a kernel",
            );
        } else if let Some(near) = near {
            let span = self.scopes.get(near).map_or(Span::NONE, |def| def.span);
            diagnostic = diagnostic
                .label(span, format!("`%{near}` is defined here"))
                .help(format!("did you mean `%{near}`?"));
        }
        self.diags.emit_error(diagnostic)
    }

    /// Settles the names that were used at `level` or deeper, in an isolated op that ends, and not defined in it: they
    /// mean what they mean outside, which the verifier may refuse, or are reported, each once.
    fn settle_forward(&mut self, level: u32) {
        if self.scopes.forward.is_empty() {
            return;
        }
        let mut left: Vec<(&'s str, Forward)> = Vec::new();
        self.scopes.forward.retain(|name, uses| {
            left.extend(
                uses.extract_if(.., |forward| forward.level >= level).map(|forward| (*name, forward)),
            );
            !uses.is_empty()
        });
        left.sort_by_key(|left| left.1.span.lo);
        let mut missing: Vec<&str> = Vec::new();
        for (name, forward) in left {
            let used = NameUse { name, number: forward.number, span: forward.span };
            if let Some(&def) = self.scopes.get(name) {
                let ty = forward.typed.then(|| self.module.ty(forward.value));
                if let Ok(value) = self.value_of(used, def, ty) {
                    self.module.replace_all_uses(forward.value, value);
                }
            } else if !missing.contains(&name) {
                missing.push(name);
                self.undefined(used);
            }
        }
    }

    // ---- blocks ----

    /// The block called `name` in the innermost region, made when it is new.
    pub(super) fn block_named(&mut self, name: &'s str, span: Span) -> Block {
        if let Some(known) = self.scopes.levels.last().and_then(|level| level.blocks.get(name)) {
            return known.block;
        }
        let block = self.module.create_block();
        if let Some(level) = self.scopes.levels.last_mut() {
            level.blocks.insert(name, BlockDef { block, defined: false, span });
        }
        block
    }

    /// Puts the block called `name` at the end of `region`.
    pub(super) fn define_block(&mut self, name: &'s str, span: Span, region: Region) -> Parsed<Block> {
        let block = self.block_named(name, span);
        let known = self.scopes.levels.last_mut().and_then(|level| level.blocks.get_mut(name));
        if let Some(known) = known {
            if known.defined {
                let diagnostic =
                    Diagnostic::error(codes::UNDEFINED_BLOCK, format!("block `^{name}` is defined twice"))
                        .at(span, "second definition")
                        .label(known.span, "first definition");
                return Err(self.diags.emit_error(diagnostic));
            }
            known.defined = true;
            known.span = span;
        }
        self.module.place_block(region, block);
        self.module.set_block_span(block, span);
        Ok(block)
    }
}

/// Whether a name says something, so that printing keeps it: not a number, nor `arg3` as printers make it.
fn is_telling(name: &str) -> bool {
    let digits = name.strip_prefix("arg").unwrap_or(name);
    !digits.bytes().all(|b| b.is_ascii_digit())
}

fn nth(first: Value, number: u32) -> Value {
    use crate::entity::EntityId;
    Value::from_index(first.index() + number as usize)
}
