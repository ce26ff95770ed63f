//! Directives that are not declarations: performance and cluster directives, `.pragma`, `.loc`, `.file`, `.section`.

use super::{Parsed, Parser};
use crate::ast::{Name, SourceLine};
use crate::error::{did_you_mean, shorten};
use crate::lexer::{Kind, Token};

/// Directives of a function's header (ISA 11.4, 11.7) and how many numbers they take, at least and at most.
const HEADER: &[(&str, usize, usize)] = &[
    ("abi_preserve", 1, 1),
    ("abi_preserve_after", 1, 1),
    ("abi_preserve_control", 1, 1),
    ("blocksareclusters", 0, 0),
    ("explicitcluster", 0, 0),
    ("local_maxnreg", 1, 1),
    ("maxclusterrank", 1, 1),
    ("maxnctapersm", 1, 1),
    ("maxnreg", 1, 1),
    ("maxntid", 1, 3),
    ("minnctapersm", 1, 1),
    ("minperctamemory", 1, 1),
    ("noreturn", 0, 0),
    ("reqnctapercluster", 1, 3),
    ("reqntid", 1, 3),
];

impl Parser<'_> {
    /// The directives between a function's header and its body: numbers and pragmas.
    pub(super) fn header_directives(&mut self, pragmas: &mut Vec<String>) -> Parsed<Vec<(Name, Vec<u64>)>> {
        let mut out = Vec::new();
        while self.token.kind == Kind::Dot {
            let text = self.text();
            let span = self.token.span;
            if super::module::starts_item(text) && text != ".pragma" {
                break;
            }
            if text == ".pragma" {
                pragmas.extend(self.pragma()?);
                continue;
            }
            let word = text.trim_start_matches('.');
            let Some(&(name, least, most)) = HEADER.iter().find(|(name, ..)| *name == word) else {
                let message = format!("`{}` is not a directive of a function", shorten(text));
                return Err(match did_you_mean(word, HEADER.iter().map(|(name, ..)| *name)) {
                    Some(help) => self.fail_help(span, message, help),
                    None => self.fail(span, message),
                });
            };
            self.bump();
            let mut numbers = Vec::new();
            if self.at_constant() {
                numbers.push(u64::from(self.small("a number")?));
                while self.eat(b',') {
                    numbers.push(u64::from(self.small("a number")?));
                }
            }
            if !(least..=most).contains(&numbers.len()) {
                let wanted = match (least, most) {
                    (0, 0) => "no numbers".to_owned(),
                    (1, 1) => "one number".to_owned(),
                    _ => format!("{least} to {most} numbers"),
                };
                let message = format!("`.{name}` takes {wanted}, found {}", numbers.len());
                let whole = self.span_from(span.start);
                return Err(self.fail(whole, message));
            }
            out.push((Name { text: name.to_owned(), span }, numbers));
        }
        Ok(out)
    }

    /// `.attribute(.managed, .unified(1, 2))`, from the parenthesis on.
    pub(super) fn attributes(&mut self) -> Parsed<Vec<(Name, Vec<u64>)>> {
        let mut out = Vec::new();
        self.expect(b'(', "behind `.attribute`")?;
        loop {
            if self.token.kind != Kind::Dot {
                return Err(self.wanted("an attribute: `.managed` or `.unified(number, number)`"));
            }
            let name = Name { text: self.text().trim_start_matches('.').to_owned(), span: self.token.span };
            self.bump();
            let mut numbers = Vec::new();
            if self.eat(b'(') {
                numbers.push(self.integer("a number")?);
                while self.eat(b',') {
                    numbers.push(self.integer("a number")?);
                }
                self.expect(b')', "behind the numbers")?;
            }
            out.push((name, numbers));
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b')', "behind the attributes")?;
        Ok(out)
    }

    /// `.pragma "a", "b";`
    pub(super) fn pragma(&mut self) -> Parsed<Vec<String>> {
        self.bump();
        let mut out = vec![self.quoted("a pragma in quotes")?];
        while self.eat(b',') {
            out.push(self.quoted("a pragma in quotes")?);
        }
        self.expect(b';', "behind the pragma")?;
        Ok(out)
    }

    /// `.loc 1 139 6`, with `, function_name L, inlined_at 1 2 3` (ISA 11.5.3), which are stepped over.
    pub(super) fn loc(&mut self) -> Parsed<SourceLine> {
        self.bump();
        let file = self.plain_number("the number of a `.file`")?;
        let line = self.plain_number("a line")?;
        let column = self.plain_number("a column")?;
        while self.at(b',') {
            self.bump();
            let word = self.name("`function_name` or `inlined_at`")?;
            match word.text.as_str() {
                "function_name" => {
                    self.name("a label of a debug section")?;
                    self.offset()?;
                }
                "inlined_at" => {
                    for what in ["the number of a `.file`", "a line", "a column"] {
                        self.plain_number(what)?;
                    }
                }
                _ => {
                    let message =
                        format!("wanted `function_name` or `inlined_at`, found `{}`", shorten(&word.text));
                    return Err(self.fail(word.span, message));
                }
            }
        }
        Ok(SourceLine { file, line, column })
    }

    /// A literal: numbers of `.loc` stand side by side, so they are no expressions.
    pub(super) fn plain_number(&mut self, what: &str) -> Parsed<u32> {
        let Token { kind, span, .. } = self.token;
        let value = self.text().parse::<u32>().ok().filter(|_| kind == Kind::Number);
        match value {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => {
                let message = format!("wanted {what}, a number up to {}, found {}", u32::MAX, self.found());
                Err(self.fail(span, message))
            }
        }
    }

    /// `.file 1 "path", timestamp, size`
    pub(super) fn file(&mut self) -> Parsed<()> {
        self.bump();
        let number = self.plain_number("the number of the file")?;
        let path = self.quoted("the path in quotes")?;
        if self.eat(b',') {
            self.integer("the time of the file")?;
            self.expect(b',', "between time and size")?;
            self.integer("the size of the file")?;
        }
        self.files.push((number, path));
        Ok(())
    }

    /// `.section .debug_info { ... }` (ISA 11.5.2): its braces are checked, the rest is for debuggers.
    pub(super) fn section(&mut self) -> Parsed<()> {
        let start = self.bump().span;
        if !matches!(self.token.kind, Kind::Dot | Kind::Word) {
            return Err(self.wanted("the name of the section"));
        }
        while matches!(self.token.kind, Kind::Dot | Kind::Word) {
            self.bump();
        }
        self.expect(b'{', "before the data of the section")?;
        if self.skip_braces() {
            Ok(())
        } else {
            Err(self.fail_help(start, "this section does not end", "close it with `}`"))
        }
    }
}
