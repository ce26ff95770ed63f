//! Locations: `loc("kernel.py":37:4)`, `loc(#loc5)`.

use super::{MAX_NESTING, MAX_SIZE, Parsed, Parser};
use crate::diag::{Span, codes};
use crate::entity::{Loc, Op, Value};
use crate::loc::LocKind;
use crate::text::lexer::TokenKind;

/// What a location belongs to.
#[derive(Copy, Clone, Debug)]
pub(super) enum Located {
    Op(Op),
    Arg(Value),
}

/// A location, or the name of an alias that stands further down.
pub(super) enum LocRef<'s> {
    Known(Loc),
    Later(&'s str, Span),
}

impl<'s> Parser<'s, '_> {
    /// `loc(...)` behind an op or block argument, if there is one.
    pub(super) fn trailing_loc(&mut self) -> Parsed<Option<LocRef<'s>>> {
        if !self.at_word("loc") {
            return Ok(None);
        }
        self.bump();
        self.expect(b'(', "behind `loc`")?;
        let found = if self.token.kind == TokenKind::Hash && self.peek().is(b')') {
            let token = self.bump();
            let name = &self.text(token)[1..];
            match self.loc_aliases.get(name) {
                Some(&loc) => LocRef::Known(loc),
                None => LocRef::Later(name, self.lexer.span(token)),
            }
        } else {
            LocRef::Known(self.loc_body()?)
        };
        self.expect(b')', "at the end of the location")?;
        Ok(Some(found))
    }

    /// Sets the location of an op or argument now or, for an alias to come, at the end.
    pub(super) fn set_loc(&mut self, located: Located, loc: LocRef<'s>) {
        match loc {
            LocRef::Known(loc) => self.apply_loc(located, loc),
            LocRef::Later(name, span) => self.pending_locs.push((located, name, span)),
        }
    }
    fn apply_loc(&mut self, located: Located, loc: Loc) {
        match located {
            Located::Op(op) => self.module.set_loc(op, loc),
            Located::Arg(value) => self.module.set_value_loc(value, loc),
        }
    }
    pub(super) fn resolve_pending_locs(&mut self) {
        let mut missing: Option<&str> = None;
        for (located, name, span) in std::mem::take(&mut self.pending_locs) {
            match self.loc_aliases.get(name) {
                Some(&loc) => self.apply_loc(located, loc),
                None if missing == Some(name) => {}
                None => {
                    missing = Some(name);
                    let message = format!("location alias `#{name}` is not defined");
                    self.error(
                        codes::UNKNOWN_ALIAS,
                        span,
                        message,
                        "expected `#name = loc(...)` in this file",
                    );
                }
            }
        }
    }

    /// What stands between `loc(` and `)`.
    pub(super) fn loc_body(&mut self) -> Parsed<Loc> {
        self.nested(|p| p.loc_inner())
    }

    fn loc_inner(&mut self) -> Parsed<Loc> {
        match self.token.kind {
            TokenKind::Hash => {
                let token = self.bump();
                let name = &self.text(token)[1..];
                self.loc_aliases.get(name).copied().ok_or_else(|| {
                    let span = self.lexer.span(token);
                    let message = format!("location alias `#{name}` is not defined");
                    self.error(
                        codes::UNKNOWN_ALIAS,
                        span,
                        message,
                        "define it before its use in another location",
                    )
                })
            }
            TokenKind::Str => {
                let text = self.string("a name")?;
                let name = self.module.names.intern(&text);
                if self.accept(b':') {
                    let line = self.small("a line")?;
                    self.expect(b':', "and the column")?;
                    let column = self.small("a column")?;
                    let mut end = None;
                    if self.accept_word("to") {
                        let end_line = if self.at(b':') { line } else { self.small("a line")? };
                        self.expect(b':', "and the last column")?;
                        end = Some((end_line, self.small("a column")?));
                    }
                    return self.make_loc(LocKind::File { file: name, line, column, end }, &[]);
                }
                let mut child = None;
                if self.accept(b'(') {
                    child = Some(self.loc_body()?);
                    self.expect(b')', "behind the child location")?;
                }
                self.make_loc(LocKind::Named { name, child }, child.as_slice())
            }
            TokenKind::Word => match self.current() {
                "unknown" => {
                    self.bump();
                    Ok(self.module.locs.intern(LocKind::Unknown))
                }
                "callsite" => {
                    self.bump();
                    self.expect(b'(', "behind `callsite`")?;
                    let callee = self.loc_body()?;
                    self.expect_word("at", "and the place of the call")?;
                    let caller = self.loc_body()?;
                    self.expect(b')', "behind the place of the call")?;
                    self.make_loc(LocKind::CallSite { callee, caller }, &[callee, caller])
                }
                "fused" => {
                    let token = self.token;
                    let mut metadata = None;
                    if self.lexer.text.as_bytes().get(token.hi as usize) == Some(&b'<') {
                        let raw = self.opaque_text()?;
                        let inner = &raw["fused<".len()..raw.len() - 1];
                        metadata = Some(self.expand_aliases(inner)?.into_boxed_str());
                    } else {
                        self.bump();
                    }
                    self.expect(b'[', "behind `fused`")?;
                    let mut parts = Vec::new();
                    self.list(b']', "a fused location", |p| {
                        parts.push(p.loc_body()?);
                        Ok(())
                    })?;
                    self.make_loc(LocKind::Fused { metadata, parts: parts.clone().into() }, &parts)
                }
                _ => Err(self.unexpected("a location")),
            },
            _ => Err(self.unexpected(
                "a location: `\"file\":line:column`, `\"name\"`, `callsite(...)`, `fused[...]` or `unknown`",
            )),
        }
    }

    fn small(&mut self, what: &str) -> Parsed<u32> {
        let lo = self.token.lo;
        let value = self.integer(what)?;
        u32::try_from(value).map_err(|_| {
            let span = self.span_from(lo);
            self.error(
                codes::MALFORMED_NUMBER,
                span,
                format!("{value} is out of range"),
                "expected 0 to 2^32 - 1",
            )
        })
    }

    fn make_loc(&mut self, kind: LocKind, parts: &[Loc]) -> Parsed<Loc> {
        let mut depth = 0;
        let mut size = 1u64;
        for part in parts {
            let (part_depth, part_size) = self.loc_sizes.get(part).copied().unwrap_or((0, 1));
            depth = depth.max(part_depth + 1);
            size = size.saturating_add(part_size);
        }
        if depth > MAX_NESTING || size > MAX_SIZE {
            let span = self.span_from(self.prev_hi.saturating_sub(1));
            let message = format!(
                "a location has at most {MAX_NESTING} levels and {MAX_SIZE} parts when its aliases are written out"
            );
            return Err(self.error(codes::NESTING_TOO_DEEP, span, message, "this one has more"));
        }
        let loc = self.module.locs.intern(kind);
        if depth > 0 {
            self.loc_sizes.insert(loc, (depth, size));
        }
        Ok(loc)
    }
}
