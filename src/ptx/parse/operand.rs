//! Operands (ISA chapter 6).

use super::{Parsed, Parser};
use crate::ast::{Constant, Name, Operand, OperandKind};
use crate::lexer::Kind;

impl Parser<'_> {
    /// An operand. Within `call` parentheses hold lists, elsewhere constant expressions.
    pub(super) fn operand(&mut self, call: bool) -> Parsed<Operand> {
        self.enter("operands")?;
        let start = self.token.span.start;
        let kind = self.operand_kind(call);
        self.depth -= 1;
        Ok(Operand { kind: kind?, span: self.span_from(start) })
    }

    fn operand_kind(&mut self, call: bool) -> Parsed<OperandKind> {
        match self.token.kind {
            Kind::Sign(b'{', 0) => {
                self.bump();
                self.braces += 1;
                let parts = self.list(b'}', "or `,` behind a part of the vector")?;
                self.braces = self.braces.saturating_sub(1);
                Ok(OperandKind::Vector(parts))
            }
            Kind::Sign(b'(', 0) if call => {
                self.bump();
                if self.eat(b')') {
                    return Ok(OperandKind::List(Vec::new()));
                }
                Ok(OperandKind::List(self.list(b')', "or `,` behind an argument")?))
            }
            Kind::Sign(b'[', 0) => self.address(),
            Kind::Sign(sign @ (b'!' | b'-'), 0) if self.name_follows() => {
                self.bump();
                let inner_start = self.token.span.start;
                let name = self.dotted_name()?;
                let inner = Operand { kind: OperandKind::Name(name.text), span: self.span_from(inner_start) };
                let inner = Box::new(inner);
                Ok(if sign == b'!' { OperandKind::Not(inner) } else { OperandKind::Negative(inner) })
            }
            Kind::Word if !self.at_constant() => self.named(),
            _ if self.at_constant() => self.constant().map(OperandKind::Constant),
            _ => Err(self.wanted("an operand")),
        }
    }

    /// Behind the sign stands a name, not a constant.
    fn name_follows(&self) -> bool {
        let next = self.second();
        next.kind == Kind::Word && self.lexer.slice(next.span) != "WARP_SZ"
    }

    /// Operands up to the sign that closes them.
    fn list(&mut self, close: u8, place: &str) -> Parsed<Vec<Operand>> {
        let mut out = Vec::new();
        loop {
            out.push(self.operand(false)?);
            if self.eat(b',') {
                continue;
            }
            self.expect(close, place)?;
            return Ok(out);
        }
    }

    /// `%tid.x`: a name with its component.
    fn dotted_name(&mut self) -> Parsed<Name> {
        let mut name = self.name("a name")?;
        while self.token.kind == Kind::Dot {
            name.text.push_str(self.text());
            name.span.end = self.bump().span.end;
        }
        Ok(name)
    }

    /// `x`, `x.y`, `x+4`, `x[4]`, `x|y`, `_`.
    fn named(&mut self) -> Parsed<OperandKind> {
        let start = self.token.span.start;
        let name = self.dotted_name()?;
        let sink = name.text == "_";
        if !sink && self.at(b'[') {
            return self.index(name);
        }
        if !sink && let Some(offset) = self.offset()? {
            return Ok(OperandKind::NameOffset(name.text, offset));
        }
        let first = if sink { OperandKind::Sink } else { OperandKind::Name(name.text) };
        if !self.at(b'|') {
            return Ok(first);
        }
        let first = Operand { kind: first, span: self.span_from(start) };
        self.bump();
        let second_start = self.token.span.start;
        if self.token.kind != Kind::Word {
            return Err(self.wanted("a register behind `|`"));
        }
        let name = self.dotted_name()?;
        let kind = if name.text == "_" { OperandKind::Sink } else { OperandKind::Name(name.text) };
        let second = Operand { kind, span: self.span_from(second_start) };
        Ok(OperandKind::Pair(Box::new(first), Box::new(second)))
    }

    /// `[4]`, `[%r1]`, `[%r1+4]` behind the name of an array.
    fn index(&mut self, array: Name) -> Parsed<OperandKind> {
        self.bump();
        let (register, index) = if self.token.kind == Kind::Word && !self.at_constant() {
            let register = self.dotted_name()?;
            (Some(register), self.offset()?.unwrap_or(0))
        } else {
            (None, self.integer("an index")? as i64)
        };
        self.expect(b']', "behind the index")?;
        Ok(OperandKind::Index { array, register, index })
    }

    /// `[x+4, {a, b}]`
    fn address(&mut self) -> Parsed<OperandKind> {
        self.bump();
        let (base, offset) = if self.token.kind == Kind::Word && !self.at_constant() {
            let name = self.dotted_name()?;
            (Some(name), self.offset()?.unwrap_or(0))
        } else if self.at_constant() {
            let start = self.token.span.start;
            match self.constant()? {
                Constant::Int { bits, .. } => (None, bits as i64),
                _ => {
                    let span = self.span_from(start);
                    return Err(self.fail(span, "an address is an integer"));
                }
            }
        } else {
            return Err(self.wanted("an address: a register, a variable or a number"));
        };
        let mut rest = Vec::new();
        while self.eat(b',') {
            rest.push(self.operand(false)?);
        }
        if !self.at(b']') {
            return Err(self.wanted("`]` behind the address"));
        }
        self.bump();
        let unified = self.eat_dot(".unified");
        Ok(OperandKind::Address { base, offset, rest, unified })
    }
}
