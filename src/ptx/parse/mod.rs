//! Text to [`ast::Module`](Module): what stands where, not what it means.
//!
//! One pass with one token of lookahead. A mistake is noted and reading goes on behind the next `;`, so that a text
//! shows all its mistakes at once. Everything that nests (scopes, vectors, initialisers, constant expressions) counts
//! its depth, so no text exhausts the stack.

mod body;
mod directive;
mod expr;
mod module;
mod operand;
mod variable;

pub(crate) use variable::TYPES;

use crate::ast::{Module, Name, Span};
use crate::error::{MAX_ERRORS, ParseError, shorten};
use crate::lexer::{Bad, Kind, Lexer, Token};

/// How deep scopes, vectors, initialisers and expressions may nest.
const MAX_DEPTH: u32 = 96;

/// Reads a text.
///
/// # Errors
///
/// All mistakes in the order of the text, at most [`MAX_ERRORS`].
pub fn parse(text: &str) -> Result<Module, Vec<ParseError>> {
    if u32::try_from(text.len()).is_err() {
        let message = format!("the text has {} bytes; at most {} can be read", text.len(), u32::MAX);
        return Err(vec![ParseError::new(Span::default(), message)]);
    }
    let mut parser = Parser::new(text);
    let module = parser.module();
    if parser.errors.is_empty() { Ok(module) } else { Err(parser.errors) }
}

/// A mistake was noted; the caller leaves what it was reading.
#[derive(Clone, Copy, Debug)]
struct Noted;

/// What a rule gives.
type Parsed<T> = Result<T, Noted>;

/// The reader's state.
struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token, not yet taken.
    token: Token,
    /// Where the last taken token ends.
    end: u32,
    /// How deep the rules nest.
    depth: u32,
    /// `{` of vectors and initialisers that are open, for recovery.
    braces: u32,
    errors: Vec<ParseError>,
    /// `.file` directives; they may stand within bodies.
    files: Vec<(u32, String)>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let token = lexer.next();
        Parser { lexer, token, end: 0, depth: 0, braces: 0, errors: Vec::new(), files: Vec::new() }
    }

    // Tokens.

    /// Takes the next token.
    fn bump(&mut self) -> Token {
        let token = self.token;
        self.end = token.span.end;
        self.token = self.lexer.next();
        token
    }

    /// Reads on at a place, giving up the next token.
    fn restart(&mut self, at: u32) {
        self.lexer.go_to(at);
        self.end = at;
        self.token = self.lexer.next();
    }

    /// The token behind the next.
    fn second(&self) -> Token {
        let mut ahead = self.lexer;
        ahead.next()
    }

    /// The text of the next token.
    fn text(&self) -> &'a str {
        self.lexer.slice(self.token.span)
    }

    fn at(&self, sign: u8) -> bool {
        self.token.kind == Kind::Sign(sign, 0)
    }

    fn at_end(&self) -> bool {
        self.token.kind == Kind::End
    }

    fn eat(&mut self, sign: u8) -> bool {
        let found = self.at(sign);
        if found {
            self.bump();
        }
        found
    }

    /// The next token is this dot word: takes it.
    fn eat_dot(&mut self, word: &str) -> bool {
        let found = self.token.kind == Kind::Dot && self.text() == word;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, sign: u8, place: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.wanted(&format!("`{}` {place}", char::from(sign)))) }
    }

    /// A span from a place to the end of what was taken last.
    fn span_from(&self, start: u32) -> Span {
        Span { start, end: self.end.max(start) }
    }

    /// Takes a name.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.token.kind != Kind::Word {
            return Err(self.wanted(what));
        }
        let text = self.text().to_owned();
        Ok(Name { text, span: self.bump().span })
    }

    // Mistakes.

    fn note(&mut self, error: ParseError) -> Noted {
        self.errors.push(error);
        if self.errors.len() >= MAX_ERRORS {
            // Enough: the rest of the text is not looked at.
            let end = Span { start: self.token.span.end, end: self.token.span.end };
            self.lexer.go_to(u32::MAX);
            self.token = Token { kind: Kind::End, span: end, first: false };
        }
        Noted
    }

    fn fail(&mut self, span: Span, message: impl Into<String>) -> Noted {
        self.note(ParseError::new(span, message))
    }

    fn fail_help(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Noted {
        self.note(ParseError::new(span, message).help(help))
    }

    /// What the next token is, in words.
    fn found(&self) -> String {
        match self.token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shorten(self.text())),
        }
    }

    /// The next token is not what is wanted.
    fn wanted(&mut self, what: &str) -> Noted {
        let span = self.token.span;
        match self.token.kind {
            Kind::Bad(Bad::Character) => {
                let message = format!("PTX does not use the character {}; wanted {what}", self.found());
                self.fail(span, message)
            }
            Kind::Bad(Bad::Comment) => {
                let start = Span { start: span.start, end: span.start + 2 };
                self.fail_help(start, "this comment does not end", "close it with `*/`")
            }
            Kind::Bad(Bad::Text) => {
                self.fail_help(span, "this text in quotes does not end on its line", "close it with `\"`")
            }
            _ => {
                let message = format!("wanted {what}, found {}", self.found());
                self.fail(span, message)
            }
        }
    }

    /// Enters a rule that nests. The caller leaves with `self.depth -= 1`.
    fn enter(&mut self, what: &str) -> Parsed<()> {
        if self.depth >= MAX_DEPTH {
            let message = format!("{what} nest deeper than {MAX_DEPTH} levels");
            return Err(self.fail(self.token.span, message));
        }
        self.depth += 1;
        Ok(())
    }

    /// After a mistake: goes behind the next `;`, or before a `}` or a directive of the module.
    fn recover(&mut self) {
        let mut open = std::mem::take(&mut self.braces);
        while !self.at_end() {
            match self.token.kind {
                Kind::Sign(b';', _) => {
                    self.bump();
                    return;
                }
                Kind::Sign(b'{', _) => open += 1,
                Kind::Sign(b'}', _) if open == 0 => return,
                Kind::Sign(b'}', _) => open -= 1,
                Kind::Dot if self.token.first && module::starts_item(self.text()) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Steps over everything to the `}` that closes the `{` before, without recursion. Whether there is one.
    fn skip_braces(&mut self) -> bool {
        let mut open = 1_u32;
        while !self.at_end() {
            match self.bump().kind {
                Kind::Sign(b'{', _) => open += 1,
                Kind::Sign(b'}', _) => {
                    open -= 1;
                    if open == 0 {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// The text between quotes, as it stands.
    fn quoted(&mut self, what: &str) -> Parsed<String> {
        if self.token.kind != Kind::Text {
            return Err(self.wanted(what));
        }
        let text = self.text();
        self.bump();
        Ok(text.get(1..text.len().saturating_sub(1)).unwrap_or_default().to_owned())
    }
}
