//! The reader: recursive descent over the tokens of one file.
//!
//! An error ends the op it is in and nothing else: reading goes on at the next op of the region, so one run reports
//! several errors. Results of an op that failed are *poisoned*: later uses of them are silent, and ops that use
//! them are dropped as well.

mod attrs;
mod custom;
mod formatted;
mod locs;
mod make;
mod op_names;
mod ops;
mod scope;
mod types;

use rustc_hash::FxHashMap;

use super::lexer::{BadToken, Lexer, Token, TokenKind};
use crate::diag::{Code, Diagnostic, Diagnostics, FileId, Reported, Span, codes, edit_distance};
use crate::entity::{Attr, Loc, Type};
use crate::module::Module;
use scope::Scopes;
pub use types::type_error_code;

/// How deep types, attributes, locations and regions may nest. The limit keeps hostile input off the stack.
const MAX_NESTING: u32 = 200;

/// The most parts that one attribute or location may have, and the most KiB that an opaque text may take, when
/// aliases are written out: aliases of aliases double with each level.
const MAX_SIZE: u64 = 1 << 16;

/// The size of a text that stands for itself.
fn text_size(text: &str) -> u64 {
    1 + text.len() as u64 / 64
}

type Parsed<T> = Result<T, Reported>;

/// Reads the ops of `file`, which must be in `module.sources`, into the body of `module`.
///
/// When the file holds a single `builtin.module`, that op's attributes and body become the module's own.
///
/// # Errors
/// When at least one error was emitted to `diags`. The module then holds what could be read, and must not be used for
/// anything but looking at.
pub fn parse_into(module: &mut Module, file: FileId, diags: &mut Diagnostics) -> Result<(), Reported> {
    let source = module.sources.file(file);
    let text = source.text().clone();
    let base = source.start();
    let before = diags.error_count();
    // Some editors put a byte order mark in front.
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let lexer = Lexer { text: &text, pos: start, base };
    module.reserve_for_text(text.len());
    let mut parser = Parser {
        lexer,
        token: Token { kind: TokenKind::End, lo: 0, hi: 0 },
        prev_hi: 0,
        module,
        diags,
        scopes: Scopes::for_text(text.len()),
        depth: 0,
        poisoned: false,
        dense_type: None,
        operand_name: "",
        type_aliases: FxHashMap::default(),
        attr_aliases: FxHashMap::default(),
        loc_aliases: FxHashMap::default(),
        pending_locs: Vec::new(),
        attr_spellings: FxHashMap::default(),
        sizes: FxHashMap::default(),
        type_sizes: FxHashMap::default(),
        loc_sizes: FxHashMap::default(),
    };
    parser.bump();
    parser.file();
    let Parser { diags, .. } = parser;
    diags.check_since(before)
}

struct Parser<'s, 'm> {
    lexer: Lexer<'s>,
    /// The token to be read next.
    token: Token,
    /// Where the token before it ended.
    prev_hi: u32,
    module: &'m mut Module,
    diags: &'m mut Diagnostics,
    scopes: Scopes<'s>,
    depth: u32,
    /// Whether the op being read uses a value whose op failed.
    poisoned: bool,
    /// The type of the `dense<...>` attribute that was read last.
    dense_type: Option<Type>,
    /// The operand group that is being resolved, for messages.
    operand_name: &'static str,
    type_aliases: FxHashMap<&'s str, Type>,
    attr_aliases: FxHashMap<&'s str, Attr>,
    loc_aliases: FxHashMap<&'s str, Loc>,
    /// Ops whose `loc(#alias)` stands before the alias.
    pending_locs: Vec<(locs::Located, &'s str, Span)>,
    /// What `#dialect.name<...>` was last found to mean.
    attr_spellings: FxHashMap<&'s str, Attr>,
    /// The written-out size of attributes, so that aliases of aliases cannot blow up.
    sizes: FxHashMap<Attr, u64>,
    /// And that of types.
    type_sizes: FxHashMap<Type, u64>,
    /// How deep locations nest and how many parts they have, for the same reason.
    loc_sizes: FxHashMap<Loc, (u32, u64)>,
}

impl<'s> Parser<'s, '_> {
    // ---- tokens ----

    fn bump(&mut self) -> Token {
        let token = self.token;
        self.prev_hi = token.hi;
        self.token = self.lexer.next();
        token
    }
    /// Continues at byte `pos` of the text.
    fn reset(&mut self, pos: usize) {
        self.lexer.pos = pos;
        #[expect(clippy::cast_possible_truncation, reason = "the source map takes no text of 4 GiB")]
        {
            self.prev_hi = pos as u32;
        }
        self.token = self.lexer.next();
    }
    fn text(&self, token: Token) -> &'s str {
        self.lexer.slice(token)
    }
    fn current(&self) -> &'s str {
        self.text(self.token)
    }
    fn span(&self) -> Span {
        self.lexer.span(self.token)
    }
    fn span_from(&self, lo: u32) -> Span {
        Span { lo: self.lexer.base + lo, hi: self.lexer.base + self.prev_hi.max(lo) }
    }
    /// The token behind the current one.
    fn peek(&self) -> Token {
        let mut lexer = self.lexer;
        lexer.next()
    }

    fn at(&self, punct: u8) -> bool {
        self.token.is(punct)
    }
    fn at_word(&self, word: &str) -> bool {
        self.token.kind == TokenKind::Word && self.current() == word
    }
    fn accept(&mut self, punct: u8) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }
    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }
    fn expect(&mut self, punct: u8, purpose: &str) -> Parsed<()> {
        if self.accept(punct) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{}` {purpose}", punct as char)))
    }
    fn expect_word(&mut self, word: &str, purpose: &str) -> Parsed<()> {
        if self.accept_word(word) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}` {purpose}")))
    }
    fn expect_arrow(&mut self, purpose: &str) -> Parsed<()> {
        if self.token.kind == TokenKind::Arrow {
            self.bump();
            return Ok(());
        }
        Err(self.unexpected(&format!("`->` {purpose}")))
    }
    /// Reads `item, item, ...` up to `close`, which is read as well.
    fn list(&mut self, close: u8, what: &str, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        if self.accept(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.accept(close) {
                return Ok(());
            }
            if !self.accept(b',') {
                return Err(self.unexpected(&format!("`,` or `{}` in {what}", close as char)));
            }
        }
    }
    /// Runs `read` one level deeper, or refuses when that is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let diagnostic = Diagnostic::error(codes::NESTING_TOO_DEEP, "this is nested too deeply")
                .at(self.span(), format!("level {} starts here", MAX_NESTING + 1))
                .note(format!("types, attributes, locations and regions nest up to {MAX_NESTING} levels"));
            return Err(self.diags.emit_error(diagnostic));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    // ---- errors ----

    fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Reported {
        self.diags.emit_error(Diagnostic::error(code, message).at(span, label))
    }
    /// "expected ..., found ..." at the current token.
    fn unexpected(&mut self, wanted: &str) -> Reported {
        let span = self.span();
        match self.token.kind {
            TokenKind::Bad(BadToken::OpenString) => {
                return self.error(
                    codes::UNTERMINATED,
                    span,
                    "the string has no end",
                    "a string ends with `\"` on the line it starts on",
                );
            }
            TokenKind::Bad(BadToken::Escape) => {
                return self.error(
                    codes::UNEXPECTED_TOKEN,
                    span,
                    "the string has an unknown escape",
                    "known are `\\\"`, `\\\\`, `\\n`, `\\t` and two hexadecimal digits behind `\\`",
                );
            }
            TokenKind::Bad(BadToken::Byte) if self.current() == ";" => {
                let diagnostic =
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, "an op ends with its line, without `;`")
                        .at(span, format!("expected {wanted}"));
                return self.diags.emit_error(diagnostic);
            }
            TokenKind::Bad(_) => {
                let found = self.current().escape_default().to_string();
                let found = if self.current().chars().all(char::is_control) {
                    found
                } else {
                    self.current().to_owned()
                };
                let message = format!("`{found}` starts nothing that can stand here");
                return self.error(codes::UNEXPECTED_TOKEN, span, message, format!("expected {wanted}"));
            }
            _ => {}
        }
        let mut span = span;
        let mut found = self.describe_token();
        if self.first_on_line() && self.prev_hi > 0 {
            // What is missing is missing at the end of the line before.
            let end = self.lexer.base + self.prev_hi;
            span = Span { lo: end, hi: end };
            if self.token.kind != TokenKind::End {
                found = "the end of the line".into();
            }
        }
        let diagnostic =
            Diagnostic::error(codes::EXPECTED_SOMETHING, format!("expected {wanted}, found {found}"))
                .at(span, format!("expected {wanted}"));
        self.diags.emit_error(diagnostic)
    }
    /// As [`Self::unexpected`], where a value should stand.
    fn no_value(&mut self, wanted: &str) -> Reported {
        let text = self.current();
        let diagnostic = match self.token.kind {
            TokenKind::Int | TokenKind::Float if !self.first_on_line() => {
                let ty = if self.token.kind == TokenKind::Int { "index" } else { "f32" };
                self.expected_value(wanted)
                    .help(format!("a number here is a value, too: `%n = arith.constant {text} : {ty}`"))
            }
            TokenKind::Word if self.is_value_name(text) && !self.first_on_line() => self
                .expected_value(wanted)
                .suggest(self.span(), format!("%{text}"), "names of values start with `%`"),
            _ => return self.unexpected(wanted),
        };
        self.diags.emit_error(diagnostic)
    }
    fn expected_value(&self, wanted: &str) -> Diagnostic {
        let found = self.describe_token();
        Diagnostic::error(codes::EXPECTED_SOMETHING, format!("expected {wanted}, found {found}"))
            .at(self.span(), format!("expected {wanted}"))
    }
    fn describe_token(&self) -> String {
        let text: String = self.current().chars().take(40).collect();
        match self.token.kind {
            TokenKind::End => "the end of the file".into(),
            TokenKind::Str => format!("the string {text}"),
            TokenKind::Int | TokenKind::Float => format!("the number `{text}`"),
            _ => format!("`{text}`"),
        }
    }

    // ---- small pieces ----

    /// An integer with an optional sign.
    fn integer(&mut self, what: &str) -> Parsed<i128> {
        let lo = self.token.lo;
        let negative = self.accept(b'-');
        if self.token.kind == TokenKind::Float {
            let (span, text) = (self.span(), self.current());
            let message = format!("expected {what}, found `{text}`");
            return Err(self.error(codes::MALFORMED_NUMBER, span, message, "expected a whole number"));
        }
        if self.token.kind != TokenKind::Int {
            return Err(self.unexpected(what));
        }
        let token = self.bump();
        let text = self.text(token);
        let magnitude = match text.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16),
            None => text.parse::<u128>(),
        };
        let value = magnitude.ok().and_then(|magnitude| {
            if negative { 0i128.checked_sub_unsigned(magnitude) } else { i128::try_from(magnitude).ok() }
        });
        match value {
            Some(value) => Ok(value),
            None => {
                let span = self.span_from(lo);
                Err(self.error(
                    codes::MALFORMED_NUMBER,
                    span,
                    "the number is too large",
                    "more than 127 bits",
                ))
            }
        }
    }
    fn integer64(&mut self, what: &str) -> Parsed<i64> {
        let lo = self.token.lo;
        let value = self.integer(what)?;
        i64::try_from(value).map_err(|_| {
            let span = self.span_from(lo);
            let message = format!("{value} does not fit 64 bits");
            self.error(
                codes::MALFORMED_NUMBER,
                span,
                message,
                format!("expected {what} from -2^63 to 2^63 - 1"),
            )
        })
    }
    fn string(&mut self, what: &str) -> Parsed<String> {
        if self.token.kind != TokenKind::Str {
            return Err(self.unexpected(what));
        }
        let token = self.bump();
        Ok(super::lexer::unquote(self.text(token)))
    }
    /// `@name` without the sign.
    fn symbol(&mut self, what: &str) -> Parsed<String> {
        if self.token.kind != TokenKind::Symbol {
            return Err(self.unexpected(what));
        }
        let token = self.bump();
        Ok(symbol_name(self.text(token)))
    }
    /// The text of a type or attribute of an unknown dialect: the current token and, right behind it, `<...>`.
    fn opaque_text(&mut self) -> Parsed<&'s str> {
        let token = self.token;
        let start = token.lo as usize;
        let mut end = token.hi as usize;
        if self.lexer.text.as_bytes().get(end) == Some(&b'<') {
            match self.lexer.balanced(end) {
                Some(close) => end = close,
                None => {
                    let span = self.span();
                    return Err(self.error(
                        codes::UNTERMINATED,
                        span,
                        "the `<` behind this name has no matching `>`",
                        "its brackets do not balance",
                    ));
                }
            }
        }
        self.reset(end);
        Ok(&self.lexer.text[start..end])
    }
}

/// The name in a symbol token.
fn symbol_name(token: &str) -> String {
    let name = token.strip_prefix('@').unwrap_or(token);
    if name.starts_with('"') { super::lexer::unquote(name) } else { name.to_owned() }
}

/// The candidate nearest to `name`, for "did you mean".
fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    all_nearest(name, candidates).into_iter().min()
}

/// The candidates that are equally near to `name`, and nearer than others.
fn all_nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut limit = (name.len() / 3).max(1);
    let mut found = Vec::new();
    for candidate in candidates {
        if candidate.len().abs_diff(name.len()) > limit {
            continue;
        }
        let distance = edit_distance(name, candidate);
        if distance < limit {
            limit = distance;
            found.clear();
        }
        if distance == limit {
            found.push(candidate);
        }
    }
    found
}

/// "1 operand", "2 operands".
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// "1 type is", "2 types are".
fn types_are(count: usize) -> String {
    format!("{} {}", counted(count, "type"), if count == 1 { "is" } else { "are" })
}
