//! Files, regions, blocks and ops in the generic form.

use smallvec::SmallVec;

use super::locs::Located;
use super::scope::NameUse;
use super::{Parsed, Parser, counted, types_are};
use crate::diag::{Diagnostic, Span, codes};
use crate::entity::{Attr, Block, Name, Region, Type, Value};
use crate::module::{InsertionPoint, OpSpec};
use crate::ops::{BuiltinOp, Format, Opcode, Traits};
use crate::text::lexer::{Token, TokenKind};

/// The names in front of `=`: name, number of results, place.
pub(super) type ResultNames<'s> = SmallVec<[(&'s str, u32, Span); 2]>;

/// The entries of a dictionary in the order of the text.
pub(super) type Entries = SmallVec<[(Name, Attr); 2]>;

/// What an op consists of before it is made.
#[derive(Default)]
pub(super) struct OpParts {
    pub(super) operands: SmallVec<[Value; 6]>,
    /// Where the names of the operands start.
    pub(super) places: SmallVec<[u32; 6]>,
    pub(super) results: SmallVec<[Type; 2]>,
    pub(super) inherent: Entries,
    pub(super) discardable: Entries,
    pub(super) regions: SmallVec<[Region; 2]>,
    pub(super) successors: Vec<Block>,
}

/// A named argument of a region's first block.
#[derive(Clone)]
pub(super) struct EntryArg<'s> {
    pub(super) name: &'s str,
    pub(super) span: Span,
    pub(super) ty: Type,
}

impl<'s> Parser<'s, '_> {
    pub(super) fn file(&mut self) {
        self.push_scope(false, true);
        let body = self.module.body();
        loop {
            match self.token.kind {
                TokenKind::End => break,
                TokenKind::Hash | TokenKind::Bang => {
                    if self.alias().is_err() {
                        self.resync(0);
                    }
                }
                TokenKind::Punct(b'}') => {
                    let span = self.span();
                    self.error(codes::UNEXPECTED_TOKEN, span, "unmatched `}`", "nothing is open here");
                    // More of them say nothing new.
                    while self.accept(b'}') {}
                }
                _ => self.op_or_resync(body, None),
            }
        }
        self.pop_scope();
        self.resolve_pending_locs();
        self.hoist_only_module();
    }

    /// A file that holds one `builtin.module` is that module.
    fn hoist_only_module(&mut self) {
        let body = self.module.body();
        let mut ops = self.module.block_ops(body);
        let (Some(only), None) = (ops.next(), ops.next()) else { return };
        drop(ops);
        if self.module.opcode(only) != Opcode::Builtin(BuiltinOp::Module) {
            return;
        }
        let inner = match self.module.regions(only) {
            [region] => match self.module.region_blocks(*region) {
                [] => None,
                [block] if self.module.block_args(*block).is_empty() => Some(*block),
                _ => return,
            },
            _ => return,
        };
        let top = self.module.top();
        let (inherent, discardable) = (self.module.inherent(only), self.module.discardable(only));
        let (loc, span) = (self.module.loc(only), self.module.span(only));
        self.module.unlink(only);
        if let Some(inner) = inner {
            self.module.splice(inner, body);
        }
        self.module.set_inherent(top, inherent);
        self.module.set_discardable(top, discardable);
        self.module.set_loc(top, loc);
        self.module.set_span(top, span);
        // Nothing uses the results of a module, so erasing cannot fail.
        let _ = self.module.erase(only);
    }

    /// `#loc1 = loc(...)`, `#map = affine_map<...>`, `!t = i32`.
    fn alias(&mut self) -> Parsed<()> {
        let token = self.bump();
        let text = self.text(token);
        let name = &text[1..];
        self.expect(b'=', "behind the name of an alias")?;
        if text.starts_with('!') {
            let ty = self.ty()?;
            self.type_aliases.insert(name, ty);
        } else if self.at_word("loc") {
            self.bump();
            self.expect(b'(', "behind `loc`")?;
            let loc = self.loc_body()?;
            self.expect(b')', "at the end of the location")?;
            self.loc_aliases.insert(name, loc);
        } else {
            let attr = self.attr()?;
            self.attr_aliases.insert(name, attr);
        }
        Ok(())
    }

    /// Reads one op to the end of `block`, or reports why not and goes on to the next one.
    pub(super) fn op_or_resync(&mut self, block: Block, parent: Option<Opcode>) {
        let outer = std::mem::replace(&mut self.poisoned, false);
        self.operand_name = "";
        let start = self.token.lo;
        let depth = self.depth;
        let mut names = ResultNames::new();
        match self.op(block, parent, &mut names) {
            Ok(()) => {}
            Err(_) => {
                self.depth = depth;
                for &(name, _, span) in &names {
                    self.poison(name, span);
                }
                self.resync(start);
            }
        }
        self.poisoned = outer;
    }

    /// Skips to the next token that starts a line outside of the braces opened on the way, or to the `}` that ends
    /// the region.
    fn resync(&mut self, start: u32) {
        let mut open = self.open_braces(start);
        if self.token.lo == start && self.token.kind != TokenKind::End && !self.at(b'}') {
            if self.at(b'{') {
                open.push(self.line_ends_behind(self.token));
            }
            self.bump();
        }
        loop {
            // A dictionary that is not closed on its line will not be closed any more; a region may be.
            let in_region = open.contains(&true);
            match self.token.kind {
                TokenKind::End => return,
                TokenKind::Punct(b'{') => open.push(self.line_ends_behind(self.token)),
                TokenKind::Punct(b'}') => {
                    if !in_region && self.first_on_line() {
                        return;
                    }
                    if open.pop().is_none() {
                        return;
                    }
                }
                kind => {
                    let starts_op = matches!(
                        kind,
                        TokenKind::Value
                            | TokenKind::Word
                            | TokenKind::Str
                            | TokenKind::Block
                            | TokenKind::Hash
                            | TokenKind::Bang
                            | TokenKind::Bad(_)
                    );
                    if !in_region && starts_op && self.first_on_line() {
                        return;
                    }
                }
            }
            self.bump();
        }
    }
    /// The braces that the text from `start` up to the current token opens and does not close; true for those at the
    /// end of a line, which open regions rather than dictionaries.
    fn open_braces(&self, start: u32) -> SmallVec<[bool; 8]> {
        let mut open = SmallVec::new();
        let mut lexer = self.lexer;
        lexer.pos = start as usize;
        loop {
            let token = lexer.next();
            if token.lo >= self.token.lo || token.kind == TokenKind::End {
                return open;
            }
            if token.is(b'{') {
                open.push(self.line_ends_behind(token));
            } else if token.is(b'}') {
                open.pop();
            }
        }
    }
    fn line_ends_behind(&self, token: Token) -> bool {
        let rest = self.lexer.text[token.hi as usize..].trim_start_matches([' ', '\t', '\r']);
        rest.is_empty() || rest.starts_with('\n') || rest.starts_with("//")
    }
    pub(super) fn first_on_line(&self) -> bool {
        let before = &self.lexer.text[self.prev_hi as usize..self.token.lo as usize];
        before.contains('\n')
    }

    fn op(&mut self, block: Block, parent: Option<Opcode>, names: &mut ResultNames<'s>) -> Parsed<()> {
        let start = self.token.lo;
        if self.token.kind == TokenKind::Value {
            loop {
                if self.token.kind != TokenKind::Value {
                    return Err(self.unexpected("the name of a result"));
                }
                let token = self.bump();
                let mut count = 1;
                if self.accept(b':') {
                    let lo = self.token.lo;
                    let value = self.integer64("a number of results")?;
                    count =
                        u32::try_from(value).ok().filter(|&count| (1..1 << 20).contains(&count)).unwrap_or(0);
                    if count == 0 {
                        let span = self.span_from(lo);
                        let message = format!("an op cannot have {value} results under one name");
                        return Err(self.error(codes::MALFORMED_NUMBER, span, message, "expected 1 or more"));
                    }
                }
                names.push((&self.text(token)[1..], count, self.lexer.span(token)));
                if !self.accept(b',') {
                    break;
                }
            }
            self.expect(b'=', "between results and op")?;
        }
        let name_token = self.token;
        let mut parts = OpParts::default();
        let opcode = match name_token.kind {
            TokenKind::Str => {
                let opcode = self.generic_name()?;
                self.generic(opcode, &mut parts)?;
                opcode
            }
            TokenKind::Word => {
                let opcode = self.short_name(parent)?;
                self.bump();
                match opcode.def().map(|def| (def, def.format)) {
                    Some((def, Format::Text(_))) => self.formatted(def, &mut parts)?,
                    Some((_, Format::Custom)) => parts = self.custom(opcode)?,
                    Some((def, Format::Generic)) => {
                        let span = self.lexer.span(name_token);
                        let message = format!("`{}` has no short form", def.name);
                        return Err(self.error(
                            codes::UNKNOWN_OP,
                            span,
                            message,
                            "write it in the generic form",
                        ));
                    }
                    None => return Err(self.unexpected("an op")),
                }
                opcode
            }
            _ => return Err(self.unexpected("an op")),
        };
        let loc = self.trailing_loc()?;
        let span = self.span_from(start);
        let name_span = self.lexer.span(name_token);
        if self.poisoned {
            for &(name, _, span) in names.iter() {
                self.poison(name, span);
            }
            return Ok(());
        }
        let bound: u32 = names.iter().map(|name| name.1).sum();
        if (!names.is_empty() || opcode.def().is_some())
            && bound as usize != parts.results.len()
            && bound != 0
        {
            let are = if bound == 1 { "is" } else { "are" };
            let message =
                format!("the op has {}, and {bound} {are} named", counted(parts.results.len(), "result"));
            return Err(self.error(codes::OPERAND_COUNT, name_span, message, "this op"));
        }
        // The op's place is its first line: its regions show themselves.
        let span = Span { lo: span.lo, hi: self.end_of_head(span, &parts) };
        let op = self.make(opcode, parts, span);
        if let Some(loc) = loc {
            self.set_loc(Located::Op(op), loc);
        }
        self.module.place(InsertionPoint::End(block), op);
        let mut results = self.module.results(op);
        for &(name, count, span) in names.iter() {
            let Some(first) = results.next() else { break };
            self.define(name, span, first, count);
            self.module.set_value_span(first, span);
            for _ in 1..count {
                results.next();
            }
        }
        Ok(())
    }

    fn end_of_head(&self, span: Span, parts: &OpParts) -> u32 {
        if parts.regions.is_empty() {
            return span.hi;
        }
        let base = self.lexer.base;
        let text = &self.lexer.text[(span.lo - base) as usize..(span.hi - base) as usize];
        let line = text.find('\n').map_or(text, |end| &text[..end]);
        let line = line.trim_end().strip_suffix('{').unwrap_or(line).trim_end();
        span.lo + u32::try_from(line.len()).unwrap_or(0)
    }

    // ---- the generic form ----

    fn generic(&mut self, opcode: Opcode, parts: &mut OpParts) -> Parsed<()> {
        let mut uses: SmallVec<[NameUse<'s>; 6]> = SmallVec::new();
        self.expect(b'(', "behind the name of the op")?;
        self.list(b')', "the operands", |p| {
            uses.push(p.name_use("an operand, as `%x`")?);
            Ok(())
        })?;
        if self.accept(b'[') {
            self.list(b']', "the successors", |p| {
                let block = p.successor()?;
                parts.successors.push(block);
                Ok(())
            })?;
        }
        if self.at(b'<') {
            self.bump();
            if !self.at(b'{') {
                return Err(self.unexpected("`{` behind `<`: inherent attributes stand in `<{...}>`"));
            }
            parts.inherent = self.dict_entries(b'}')?;
            self.expect(b'>', "behind the inherent attributes")?;
        }
        if self.accept(b'(') {
            let border = opcode.def().is_none_or(|def| def.has(Traits::ISOLATED));
            self.list(b')', "the regions", |p| {
                let region = p.module.create_region();
                p.region(region, opcode, None, border)?;
                parts.regions.push(region);
                Ok(())
            })?;
        }
        if self.at(b'{') {
            parts.discardable = self.dict_entries(b'}')?;
        }
        self.expect(b':', "and the op's type, as in `: (i32, i32) -> i32`")?;
        let lo = self.token.lo;
        self.expect(b'(', "before the operand types")?;
        let mut types: SmallVec<[Type; 6]> = SmallVec::new();
        self.list(b')', "the operand types", |p| {
            types.push(p.ty()?);
            Ok(())
        })?;
        self.expect_arrow("and the result types")?;
        if self.accept(b'(') {
            self.list(b')', "the result types", |p| {
                parts.results.push(p.ty()?);
                Ok(())
            })?;
        } else {
            parts.results.push(self.ty()?);
        }
        if types.len() != uses.len() {
            let span = self.span_from(lo);
            let message = format!(
                "the op has {}, and {} given",
                counted(uses.len(), "operand"),
                types_are(types.len())
            );
            return Err(self.error(codes::OPERAND_TYPE_LIST, span, message, "this type"));
        }
        for (used, ty) in uses.into_iter().zip(types) {
            self.push_operand(parts, used, Some(ty))?;
        }
        Ok(())
    }

    /// Resolves a name and makes its value the next operand.
    pub(super) fn push_operand(
        &mut self,
        parts: &mut OpParts,
        used: NameUse<'s>,
        ty: Option<Type>,
    ) -> Parsed<Value> {
        let value = self.resolve(used, ty)?;
        parts.operands.push(value);
        parts.places.push(used.span.lo);
        Ok(value)
    }

    fn successor(&mut self) -> Parsed<Block> {
        if self.token.kind != TokenKind::Block {
            return Err(self.unexpected("a block, as `^bb1`"));
        }
        let token = self.bump();
        let span = self.lexer.span(token);
        Ok(self.block_named(&self.text(token)[1..], span))
    }

    // ---- regions ----

    /// `{ ... }`. With `entry`, the first block has these arguments and is made even when it is empty.
    pub(super) fn region(
        &mut self,
        region: Region,
        parent: Opcode,
        entry: Option<&[EntryArg<'s>]>,
        border: bool,
    ) -> Parsed<()> {
        self.nested(|p| {
            let open = p.span();
            p.expect(b'{', "at the start of a region")?;
            p.push_scope(border, parent.has(Traits::ISOLATED));
            let result = p.region_body(region, parent, entry, open);
            p.pop_scope();
            result
        })
    }

    fn region_body(
        &mut self,
        region: Region,
        parent: Opcode,
        entry: Option<&[EntryArg<'s>]>,
        open: Span,
    ) -> Parsed<()> {
        let mut block = None;
        if let Some(args) = entry
            && (self.token.kind != TokenKind::Block || !args.is_empty())
        {
            let made = self.module.append_block(region);
            self.module.set_block_span(made, open);
            for arg in args {
                let value = self.module.append_arg(made, arg.ty);
                self.module.set_value_span(value, arg.span);
                self.define(arg.name, arg.span, value, 1);
            }
            block = Some(made);
        }
        loop {
            match self.token.kind {
                TokenKind::Punct(b'}') => {
                    self.bump();
                    break;
                }
                TokenKind::End => {
                    let diagnostic = Diagnostic::error(codes::EXPECTED_SOMETHING, "the region is not closed")
                        .at(self.span(), "expected `}`, found the end of the file")
                        .label(open, "opened here");
                    return Err(self.diags.emit_error(diagnostic));
                }
                TokenKind::Block => match self.block_head(region) {
                    Ok(made) => block = Some(made),
                    Err(_) => {
                        let start = self.token.lo;
                        self.resync(start);
                        // Ops of a block whose head failed still need a home.
                        block.get_or_insert_with(|| self.module.append_block(region));
                    }
                },
                _ => {
                    let target = *block.get_or_insert_with(|| {
                        let made = self.module.append_block(region);
                        self.module.set_block_span(made, open);
                        made
                    });
                    self.op_or_resync(target, Some(parent));
                }
            }
        }
        Ok(())
    }

    /// `^bb0(%a: i32, %b: f32 loc(...)):`.
    fn block_head(&mut self, region: Region) -> Parsed<Block> {
        let token = self.bump();
        let span = self.lexer.span(token);
        let block = self.define_block(&self.text(token)[1..], span, region)?;
        if self.accept(b'(') {
            self.list(b')', "the arguments of a block", |p| {
                let used = p.name_use("an argument, as `%x: i32`")?;
                p.expect(b':', "and the argument's type")?;
                let ty = p.ty()?;
                let value = p.module.append_arg(block, ty);
                p.module.set_value_span(value, used.span);
                p.define(used.name, used.span, value, 1);
                if let Some(loc) = p.trailing_loc()? {
                    p.set_loc(Located::Arg(value), loc);
                }
                Ok(())
            })?;
        }
        self.expect(b':', "behind the head of a block")?;
        Ok(block)
    }

    /// Ends the blocks of a short-form region that need a terminator and show none.
    pub(super) fn end_blocks(&mut self, region: Region, terminator: Opcode) {
        for block in self.module.region_blocks(region).to_vec() {
            let ended = self.module.last_op(block).is_some_and(|op| self.module.opcode(op).is_terminator());
            if !ended {
                let span = Span {
                    lo: self.lexer.base + self.prev_hi.saturating_sub(1),
                    hi: self.lexer.base + self.prev_hi,
                };
                self.module.insert(InsertionPoint::End(block), OpSpec::new(terminator).span(span));
            }
        }
    }
}
