//! Bodies: labels, declarations, instructions, scopes (ISA 4.3).

use super::{Noted, Parsed, Parser};
use crate::ast::{Guard, Instruction, Item, Linkage, Name, Operand, OperandKind, Span};
use crate::error::{did_you_mean, shorten};
use crate::lexer::Kind;

/// Directives within a body.
const DIRECTIVES: &[&str] =
    &[".reg", ".local", ".shared", ".param", ".global", ".const", ".loc", ".pragma", ".file"];

impl Parser<'_> {
    /// Everything up to and with the `}` of a block. Whether there is one.
    pub(super) fn block(&mut self, items: &mut Vec<Item>) -> bool {
        loop {
            if self.at_end() {
                return false;
            }
            if self.eat(b'}') {
                return true;
            }
            let item = self.token.kind == Kind::Dot && super::module::starts_item(self.text());
            if item && !matches!(self.text(), ".extern" | ".visible" | ".weak" | ".common")
                || self.at_function()
            {
                let message = format!("`{}` within the body of a function", self.text());
                self.fail_help(self.token.span, message, "the body before it does not end: a `}` is missing");
                return false;
            }
            let start = self.token.span;
            self.braces = 0;
            let depth = self.depth;
            if self.statement(items).is_err() {
                self.depth = depth;
                // What did not even begin is stepped over, except where recovery stops by itself.
                if self.token.span == start && !self.at(b'}') && !self.at_end() && !self.at(b'{') {
                    self.bump();
                }
                self.recover();
            }
        }
    }

    /// `.visible .entry` and the like.
    fn at_function(&self) -> bool {
        let linked = self.token.kind == Kind::Dot
            && matches!(self.text(), ".extern" | ".visible" | ".weak" | ".common");
        linked && {
            let next = self.second();
            next.kind == Kind::Dot && matches!(self.lexer.slice(next.span), ".entry" | ".func")
        }
    }

    fn statement(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        match self.token.kind {
            Kind::Sign(b'{', 0) => {
                let open = self.token.span;
                if let Err(noted) = self.enter("scopes") {
                    self.bump();
                    self.skip_braces();
                    // All of it was stepped over; there is nothing to recover from.
                    let Noted = noted;
                    return Ok(());
                }
                self.bump();
                let mut inner = Vec::new();
                let closed = self.block(&mut inner);
                self.depth -= 1;
                if !closed && self.errors.is_empty() {
                    self.fail_help(open, "this scope does not end", "close it with `}`");
                }
                items.push(Item::Scope(inner));
                Ok(())
            }
            Kind::Dot => self.directive(items),
            Kind::Word if self.second().kind == Kind::Sign(b':', 0) => {
                let name = self.name("a label")?;
                self.bump();
                self.labelled(name, items)
            }
            Kind::Word | Kind::Sign(b'@', 0) => {
                let instruction = self.instruction()?;
                items.push(Item::Instruction(instruction));
                Ok(())
            }
            Kind::Sign(b';', 0) => {
                let span = self.bump().span;
                self.fail_help(span, "`;` without an instruction before it", "take it out");
                Ok(())
            }
            _ => Err(self.wanted("an instruction, a label or a directive")),
        }
    }

    fn directive(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let start = self.token.span.start;
        match self.text() {
            ".loc" => {
                let line = self.loc()?;
                items.push(Item::Loc(line));
            }
            ".pragma" => items.extend(self.pragma()?.into_iter().map(Item::Pragma)),
            ".file" => self.file()?,
            ".section" => self.section()?,
            ".branchtargets" | ".calltargets" | ".callprototype" => {
                let message = format!("`{}` needs a label before it", self.text());
                let help = format!("write `name: {} ...;`", self.text());
                return Err(self.fail_help(self.token.span, message, help));
            }
            ".extern" | ".visible" | ".weak" | ".common" => {
                let linkage = self.linkage()?;
                let variables = self.variables(linkage, start)?;
                items.extend(variables.into_iter().map(Item::Variable));
            }
            text if super::variable::space(text).is_some() => {
                let variables = self.variables(Linkage::Internal, start)?;
                items.extend(variables.into_iter().map(Item::Variable));
            }
            text => {
                let message = format!("`{}` is not a directive of a body", shorten(text));
                let span = self.token.span;
                return Err(match did_you_mean(text, DIRECTIVES.iter().copied()) {
                    Some(help) => self.fail_help(span, message, help),
                    None => self.fail(span, message),
                });
            }
        }
        Ok(())
    }

    /// What follows `name:`.
    fn labelled(&mut self, name: Name, items: &mut Vec<Item>) -> Parsed<()> {
        if self.token.kind != Kind::Dot {
            items.push(Item::Label(name));
            return Ok(());
        }
        match self.text() {
            ".branchtargets" => {
                let targets = self.names("a label")?;
                items.push(Item::BranchTargets(name, targets));
            }
            ".calltargets" => {
                let targets = self.names("a function")?;
                items.push(Item::CallTargets(name, targets));
            }
            ".callprototype" => {
                self.bump();
                let returns = if self.at(b'(') { self.parameters("return values")? } else { Vec::new() };
                let sink = self.name("`_` in the place of the function")?;
                if sink.text != "_" {
                    let message =
                        format!("wanted `_` in the place of the function, found `{}`", shorten(&sink.text));
                    return Err(self.fail(sink.span, message));
                }
                let params = if self.at(b'(') { self.parameters("parameters")? } else { Vec::new() };
                let directives = self.header_directives(&mut Vec::new())?;
                self.expect(b';', "behind the prototype")?;
                items.push(Item::CallPrototype(name, returns, params, directives));
            }
            _ => items.push(Item::Label(name)),
        }
        Ok(())
    }

    /// `.word a, b, c;`
    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        self.bump();
        let mut out = vec![self.name(what)?];
        while self.eat(b',') {
            out.push(self.name(what)?);
        }
        self.expect(b';', "or `,` behind a name")?;
        Ok(out)
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let start = self.token.span.start;
        let guard = if self.eat(b'@') {
            let negated = self.eat(b'!');
            Some(Guard { negated, name: self.name("a predicate behind `@`")? })
        } else {
            None
        };
        let first = self.token;
        let word = self.text();
        if first.kind != Kind::Word || !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(self.wanted("an instruction"));
        }
        if guard.is_some() && self.second().kind == Kind::Sign(b':', 0) {
            let help = "put the label before the `@`";
            return Err(self.fail_help(first.span, "a label between a guard and its instruction", help));
        }
        let mut opcode = vec![word.to_owned()];
        self.bump();
        while self.token.kind == Kind::Dot {
            opcode.push(self.text().get(1..).unwrap_or_default().to_owned());
            self.bump();
        }
        let opcode_span = self.span_from(first.span.start);
        let call = word == "call";
        let mut operands = Vec::new();
        // A call always has operands, and compilers put the callee on a line of its own.
        if !self.at(b';') && (call || !self.next_statement()) {
            loop {
                operands.push(self.operand(call)?);
                if !self.eat(b',') {
                    break;
                }
            }
        }
        let span = self.span_from(start);
        if self.eat(b';') {
            let span = self.span_from(start);
            return Ok(Instruction { guard, opcode, opcode_span, operands, span });
        }
        if self.next_statement() {
            self.missing_semicolon("`;` behind the instruction");
            return Ok(Instruction { guard, opcode, opcode_span, operands, span });
        }
        Err(self.no_separator(operands.last()))
    }

    /// Behind an operand stands neither `,` nor `;`.
    fn no_separator(&mut self, last: Option<&Operand>) -> Noted {
        let found = self.found();
        let plus = matches!(last, Some(Operand { kind: OperandKind::Name(_), .. })) && self.at(b'*');
        if plus {
            let message = format!("wanted `,` or `;` behind the operand, found {found}");
            return self.fail_help(self.token.span, message, "operands are not computed: use an instruction");
        }
        self.wanted("`,` or `;` behind the operand")
    }

    /// The next token begins a line and could begin a statement: a `;` was forgotten before it.
    fn next_statement(&self) -> bool {
        match self.token.kind {
            Kind::Word | Kind::Sign(b'@' | b'{', 0) | Kind::Dot => self.token.first,
            Kind::Sign(b'}', 0) | Kind::End => true,
            _ => false,
        }
    }

    /// Tells at the end of what was read that a `;` is missing. Reading can go on here when a line begins.
    pub(super) fn missing_semicolon(&mut self, wanted: &str) -> Noted {
        if !self.next_statement() {
            return self.wanted(wanted);
        }
        let span = Span { start: self.end.saturating_sub(1), end: self.end };
        let message = format!("wanted {wanted}, found {}", self.found());
        self.fail_help(span, message, "end the line with `;`")
    }
}
