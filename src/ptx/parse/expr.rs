//! Constants and constant expressions (ISA 4.5), folded.

use super::{Parsed, Parser};
use crate::ast::{Constant, Span};
use crate::error::shorten;
use crate::lexer::{Kind, Token};

/// The predefined constant of ISA 4.4: lanes of a warp.
const WARP_SZ: u64 = 32;

/// A binary operator (ISA 4.5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binary {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    Both,
    Either,
}

impl Binary {
    /// Binds tighter the higher: C's order.
    fn precedence(self) -> u8 {
        match self {
            Binary::Either => 2,
            Binary::Both => 3,
            Binary::Or => 4,
            Binary::Xor => 5,
            Binary::And => 6,
            Binary::Eq | Binary::Ne => 7,
            Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge => 8,
            Binary::Shl | Binary::Shr => 9,
            Binary::Add | Binary::Sub => 10,
            Binary::Mul | Binary::Div | Binary::Rem => 11,
        }
    }
}

/// The precedence of `+` and `-`: what an offset behind a name starts with.
pub(super) const SUM: u8 = 10;

impl Parser<'_> {
    /// The next token starts a constant expression, not a name.
    pub(super) fn at_constant(&self) -> bool {
        match self.token.kind {
            Kind::Number => true,
            Kind::Word => self.text() == "WARP_SZ",
            Kind::Sign(b'(' | b'-' | b'+' | b'!' | b'~', 0) => true,
            Kind::Dot => self.text().as_bytes().get(1).is_some_and(u8::is_ascii_digit),
            _ => false,
        }
    }

    /// A whole constant expression.
    pub(super) fn constant(&mut self) -> Parsed<Constant> {
        self.enter("constant expressions")?;
        let result = self.conditional();
        self.depth -= 1;
        result
    }

    fn conditional(&mut self) -> Parsed<Constant> {
        let start = self.token.span.start;
        let first = self.unary()?;
        let condition = self.operators(first, start, 0)?;
        if !self.at(b'?') {
            return Ok(condition);
        }
        let condition = self.truth(condition, self.span_from(start))?;
        self.bump();
        let yes = self.constant()?;
        self.expect(b':', "between the values of `?`")?;
        let no = self.constant()?;
        let (yes, no) = match (yes, no) {
            (Constant::Int { bits: a, unsigned: x }, Constant::Int { bits: b, unsigned: y }) => {
                let unsigned = x | y;
                (Constant::Int { bits: a, unsigned }, Constant::Int { bits: b, unsigned })
            }
            (Constant::F64(_), Constant::F64(_)) => (yes, no),
            _ => {
                let span = self.span_from(start);
                return Err(self.fail(span, "the values of `?` are of different types"));
            }
        };
        Ok(if condition { yes } else { no })
    }

    /// A constant expression that is an integer: its bits.
    pub(super) fn integer(&mut self, what: &str) -> Parsed<u64> {
        let start = self.token.span.start;
        if !self.at_constant() {
            return Err(self.wanted(what));
        }
        match self.constant()? {
            Constant::Int { bits, .. } => Ok(bits),
            _ => {
                let span = self.span_from(start);
                Err(self.fail(span, format!("wanted {what}, found a number with a point")))
            }
        }
    }

    /// An integer of 32 bits that is not negative.
    pub(super) fn small(&mut self, what: &str) -> Parsed<u32> {
        let start = self.token.span.start;
        let bits = self.integer(what)?;
        u32::try_from(bits).map_err(|_| {
            let span = self.span_from(start);
            self.fail(
                span,
                format!("{} is not {what}: it does not lie within 0 and {}", bits as i64, u32::MAX),
            )
        })
    }

    /// `+4` or `+-4*2` behind a name, when there is one.
    pub(super) fn offset(&mut self) -> Parsed<Option<i64>> {
        if self.at(b'-') {
            let help = "write `x+-4` to subtract: PTX only adds offsets";
            return Err(self.fail_help(self.token.span, "`-` behind a name", help));
        }
        if !self.at(b'+') {
            return Ok(None);
        }
        let start = self.token.span.start;
        let zero = Constant::Int { bits: 0, unsigned: false };
        self.enter("constant expressions")?;
        let sum = self.operators(zero, start, SUM);
        self.depth -= 1;
        match sum? {
            Constant::Int { bits, .. } => Ok(Some(bits as i64)),
            _ => {
                let span = self.span_from(start);
                Err(self.fail(span, "an offset is a whole number of bytes"))
            }
        }
    }

    /// What follows a first operand: operators that bind at least as tight as `least`.
    fn operators(&mut self, first: Constant, start: u32, least: u8) -> Parsed<Constant> {
        let mut left = first;
        while let Some((operator, width)) = self.operator() {
            let precedence = operator.precedence();
            if precedence < least {
                break;
            }
            let sign = Span { start: self.token.span.start, end: self.token.span.start + width };
            self.restart(sign.end);
            self.enter("constant expressions")?;
            let right_start = self.token.span.start;
            let right = self.unary().and_then(|right| self.operators(right, right_start, precedence + 1));
            self.depth -= 1;
            let right = right?;
            left = self.apply(operator, left, right, sign, start)?;
        }
        Ok(left)
    }

    /// The binary operator that the next token is, and its length. `%b` of `a %b` is taken for a register by the
    /// lexer.
    fn operator(&self) -> Option<(Binary, u32)> {
        let found = match self.token.kind {
            Kind::Sign(b'*', 0) => Binary::Mul,
            Kind::Sign(b'/', 0) => Binary::Div,
            Kind::Sign(b'%', 0) => Binary::Rem,
            Kind::Word if self.text().starts_with('%') => return Some((Binary::Rem, 1)),
            Kind::Sign(b'+', 0) => Binary::Add,
            Kind::Sign(b'-', 0) => Binary::Sub,
            Kind::Sign(b'<', b'<') => Binary::Shl,
            Kind::Sign(b'>', b'>') => Binary::Shr,
            Kind::Sign(b'<', 0) => Binary::Lt,
            Kind::Sign(b'>', 0) => Binary::Gt,
            Kind::Sign(b'<', b'=') => Binary::Le,
            Kind::Sign(b'>', b'=') => Binary::Ge,
            Kind::Sign(b'=', b'=') => Binary::Eq,
            Kind::Sign(b'!', b'=') => Binary::Ne,
            Kind::Sign(b'&', 0) => Binary::And,
            Kind::Sign(b'^', 0) => Binary::Xor,
            Kind::Sign(b'|', 0) => Binary::Or,
            Kind::Sign(b'&', b'&') => Binary::Both,
            Kind::Sign(b'|', b'|') => Binary::Either,
            _ => return None,
        };
        Some((found, self.token.span.end - self.token.span.start))
    }

    /// `-x`, `(x)`, `(.s64)x`, a literal.
    fn unary(&mut self) -> Parsed<Constant> {
        self.enter("constant expressions")?;
        let result = self.unary_inner();
        self.depth -= 1;
        result
    }

    fn unary_inner(&mut self) -> Parsed<Constant> {
        let start = self.token.span.start;
        match self.token.kind {
            Kind::Number => {
                let token = self.bump();
                self.literal(token)
            }
            Kind::Dot if self.at_constant() => {
                let token = self.lexer.number_at(self.token.span.start);
                self.restart(token.span.end);
                self.literal(token)
            }
            Kind::Word if self.text() == "WARP_SZ" => {
                self.bump();
                Ok(Constant::Int { bits: WARP_SZ, unsigned: false })
            }
            Kind::Sign(b'(', 0) => {
                self.bump();
                let cast = match self.token.kind {
                    Kind::Dot if self.text() == ".s64" => Some(false),
                    Kind::Dot if self.text() == ".u64" => Some(true),
                    _ => None,
                };
                let Some(unsigned) = cast else {
                    let value = self.constant()?;
                    self.expect(b')', "behind the expression")?;
                    return Ok(value);
                };
                self.bump();
                self.expect(b')', "behind the type")?;
                match self.unary()? {
                    Constant::Int { bits, .. } => Ok(Constant::Int { bits, unsigned }),
                    _ => {
                        let span = self.span_from(start);
                        Err(self.fail(span, "only integers can be cast to `.s64` and `.u64`"))
                    }
                }
            }
            Kind::Sign(sign @ (b'-' | b'+' | b'!' | b'~'), 0) => {
                self.bump();
                let value = self.unary()?;
                self.apply_unary(sign, value, start)
            }
            _ => Err(self.wanted("a constant")),
        }
    }

    fn apply_unary(&mut self, sign: u8, value: Constant, start: u32) -> Parsed<Constant> {
        let span = self.span_from(start);
        Ok(match (sign, value) {
            (_, Constant::F32(_)) => {
                return Err(self.fail_help(
                    span,
                    format!("`{}` cannot stand before the bits of an f32", char::from(sign)),
                    "write the bits of the result: the sign of an f32 is bit 31",
                ));
            }
            (b'-', Constant::Int { bits, unsigned }) => Constant::Int { bits: bits.wrapping_neg(), unsigned },
            (b'-', Constant::F64(bits)) => Constant::F64(bits ^ (1 << 63)),
            (b'+', value) => value,
            (b'!', value) => truth(!self.truth(value, span)?),
            (_, Constant::Int { bits, .. }) => Constant::Int { bits: !bits, unsigned: true },
            (_, Constant::F64(_)) => return Err(self.fail(span, "`~` is an operator of integers")),
        })
    }

    /// Whether a condition holds.
    fn truth(&mut self, value: Constant, span: Span) -> Parsed<bool> {
        match value {
            Constant::Int { bits, .. } => Ok(bits != 0),
            _ => Err(self.fail(span, "a condition is an integer")),
        }
    }

    fn apply(
        &mut self,
        operator: Binary,
        a: Constant,
        b: Constant,
        sign: Span,
        start: u32,
    ) -> Parsed<Constant> {
        match (a, b) {
            (Constant::Int { bits: a, unsigned: x }, Constant::Int { bits: b, unsigned: y }) => {
                let result = integers(operator, (a, x), (b, y));
                result.ok_or_else(|| self.fail(sign, "division by zero"))
            }
            (Constant::F64(a), Constant::F64(b)) => floats(operator, f64::from_bits(a), f64::from_bits(b))
                .ok_or_else(|| {
                    self.fail(sign, "this operator is for integers, not for numbers with a point")
                }),
            (Constant::F32(_), _) | (_, Constant::F32(_)) => {
                let span = self.span_from(start);
                Err(self.fail_help(
                    span,
                    "the bits of an f32 cannot be computed with",
                    "compute with `0d...` or decimal numbers, which are f64",
                ))
            }
            _ => {
                let span = self.span_from(start);
                Err(self.fail_help(
                    span,
                    "an integer and a number with a point in one expression",
                    "write the integer with a point: `2.0`",
                ))
            }
        }
    }

    /// The value of a number (ISA 4.5.1, 4.5.2).
    fn literal(&mut self, token: Token) -> Parsed<Constant> {
        let text = self.lexer.slice(token.span);
        let (digits, radix) = match text.as_bytes() {
            [b'0', b'f' | b'F', ..] => return self.float_bits(token.span, text, 8),
            [b'0', b'd' | b'D', ..] => return self.float_bits(token.span, text, 16),
            [b'0', b'x' | b'X', ..] => (text.get(2..), 16),
            [b'0', b'b' | b'B', ..] => (text.get(2..), 2),
            _ if text.contains(['.', 'e', 'E']) => return self.decimal(token.span, text),
            [b'0', _, ..] => (text.get(1..), 8),
            _ => (Some(text), 10),
        };
        let digits = digits.unwrap_or_default();
        let (digits, marked) = match digits.strip_suffix(['u', 'U']) {
            Some(rest) => (rest, true),
            None => (digits, false),
        };
        // `0U` is zero: its octal digits are none.
        let digits = if digits.is_empty() && radix == 8 { "0" } else { digits };
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
            let message = format!("`{}` is not a number", shorten(text));
            let help = match radix {
                16 => "behind `0x` stand hexadecimal digits, then perhaps `U`",
                8 => "behind a leading `0` stand octal digits; a decimal number does not start with 0",
                2 => "behind `0b` stand binary digits, then perhaps `U`",
                _ => "a name does not start with a digit",
            };
            return Err(self.fail_help(token.span, message, help));
        }
        match u64::from_str_radix(digits, radix) {
            Ok(bits) => Ok(Constant::Int { bits, unsigned: marked || bits > i64::MAX as u64 }),
            Err(_) => {
                let message = format!("`{}` does not fit in 64 bits", shorten(text));
                Err(self.fail(token.span, message))
            }
        }
    }

    /// `0f` and 8 digits, `0d` and 16.
    fn float_bits(&mut self, span: Span, text: &str, digits: usize) -> Parsed<Constant> {
        let hex = text.get(2..).unwrap_or_default();
        let bits = u64::from_str_radix(hex, 16).ok().filter(|_| hex.len() == digits && !hex.starts_with('+'));
        match bits {
            Some(bits) if digits == 8 => Ok(Constant::F32(bits as u32)),
            Some(bits) => Ok(Constant::F64(bits)),
            None => {
                let prefix = text.get(..2).unwrap_or_default();
                let message = format!("`{}` is not a number", shorten(text));
                Err(self.fail_help(
                    span,
                    message,
                    format!("behind `{prefix}` stand exactly {digits} hexadecimal digits"),
                ))
            }
        }
    }

    fn decimal(&mut self, span: Span, text: &str) -> Parsed<Constant> {
        let plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
        match text.parse::<f64>() {
            Ok(value) if plain => Ok(Constant::F64(value.to_bits())),
            _ => {
                let message = format!("`{}` is not a number", shorten(text));
                Err(self.fail(span, message))
            }
        }
    }
}

fn truth(value: bool) -> Constant {
    Constant::Int { bits: u64::from(value), unsigned: false }
}

/// Integers by ISA 4.5.6: types as its table says. None: division by zero.
fn integers(operator: Binary, (a, x): (u64, bool), (b, y): (u64, bool)) -> Option<Constant> {
    let unsigned = x | y;
    let int = |bits| Constant::Int { bits, unsigned };
    let compare = || if unsigned { a.cmp(&b) } else { (a as i64).cmp(&(b as i64)) };
    let far = b >= 64;
    Some(match operator {
        Binary::Mul => int(a.wrapping_mul(b)),
        Binary::Div if unsigned => int(a.checked_div(b)?),
        Binary::Div if b == 0 => return None,
        Binary::Div => int((a as i64).wrapping_div(b as i64) as u64),
        Binary::Rem => Constant::Int { bits: a.checked_rem(b)?, unsigned: false },
        Binary::Add => int(a.wrapping_add(b)),
        Binary::Sub => int(a.wrapping_sub(b)),
        Binary::Shl => Constant::Int { bits: if far { 0 } else { a << b }, unsigned: x },
        Binary::Shr if x => Constant::Int { bits: if far { 0 } else { a >> b }, unsigned: x },
        Binary::Shr => Constant::Int { bits: ((a as i64) >> b.min(63)) as u64, unsigned: x },
        Binary::Lt => truth(compare().is_lt()),
        Binary::Gt => truth(compare().is_gt()),
        Binary::Le => truth(compare().is_le()),
        Binary::Ge => truth(compare().is_ge()),
        Binary::Eq => truth(a == b),
        Binary::Ne => truth(a != b),
        Binary::And => Constant::Int { bits: a & b, unsigned: true },
        Binary::Xor => Constant::Int { bits: a ^ b, unsigned: true },
        Binary::Or => Constant::Int { bits: a | b, unsigned: true },
        Binary::Both => truth(a != 0 && b != 0),
        Binary::Either => truth(a != 0 || b != 0),
    })
}

/// None: not an operator of floating-point numbers.
fn floats(operator: Binary, a: f64, b: f64) -> Option<Constant> {
    let float = |value: f64| Constant::F64(value.to_bits());
    Some(match operator {
        Binary::Mul => float(a * b),
        Binary::Div => float(a / b),
        Binary::Add => float(a + b),
        Binary::Sub => float(a - b),
        Binary::Lt => truth(a < b),
        Binary::Gt => truth(a > b),
        Binary::Le => truth(a <= b),
        Binary::Ge => truth(a >= b),
        Binary::Eq => truth(a == b),
        Binary::Ne => truth(a != b),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Constant, String> {
        let mut parser = Parser::new(text);
        let result = parser.constant();
        match result {
            Ok(value) if parser.at_end() => Ok(value),
            Ok(_) => Err(format!("{} is left", parser.found())),
            Err(_) => Err(parser.errors.remove(0).message),
        }
    }

    fn int(text: &str) -> i64 {
        match value(text) {
            Ok(Constant::Int { bits, .. }) => bits as i64,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn literals() {
        for (text, wanted) in [
            ("0", 0),
            ("017", 15),
            ("0b101", 5),
            ("0xFf", 255),
            ("0U", 0),
            ("12u", 12),
            ("WARP_SZ", 32),
            ("00", 0),
        ] {
            assert_eq!(int(text), wanted, "{text}");
        }
        assert_eq!(value("18446744073709551615"), Ok(Constant::Int { bits: u64::MAX, unsigned: true }));
        assert_eq!(value("0f3F800000"), Ok(Constant::F32(0x3f80_0000)));
        assert_eq!(value("0d3FF0000000000000"), Ok(Constant::F64(0x3ff0_0000_0000_0000)));
        for (text, wanted) in [(".5", 0.5), ("1.", 1.0), ("1e3", 1000.0), (".5e-1", 0.05), ("1.5E+2", 150.0)]
        {
            assert_eq!(value(text), Ok(Constant::F64(f64::to_bits(wanted))), "{text}");
        }
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (text, wanted) in [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("10-4-3", 3),
            ("1<<4|3", 19),
            ("6&3^1", 3),
            ("7%3", 1),
            ("7 % 3", 1),
            ("-1 >> 4", -1),
            ("-1U >> 60", 15),
            ("1<2 && 3>4 || 5!=6", 1),
            ("!4 + ~3", -4),
            ("(3+4)*2 == 14 ? 7 : 8", 7),
            ("0 ? 1 : 0 ? 2 : 3", 3),
            ("-7/2", -3),
            ("1 << 64", 0),
            ("(.u64)-1 > 0", 1),
            ("-1 > 0", 0),
            ("1.5 < 2.0", 1),
            ("- - -4", -4),
        ] {
            assert_eq!(int(text), wanted, "{text}");
        }
        assert_eq!(value("1.5*2.0-1.0"), Ok(Constant::F64(2f64.to_bits())));
        assert_eq!(value("-1.5"), Ok(Constant::F64((-1.5f64).to_bits())));
    }

    #[test]
    fn what_is_no_constant() {
        for (text, wanted) in [
            ("1/0", "division by zero"),
            ("1%0", "division by zero"),
            ("08", "`08` is not a number"),
            ("0x", "`0x` is not a number"),
            ("12ab", "`12ab` is not a number"),
            ("0f3F", "`0f3F` is not a number"),
            ("1.2.", "` ` is left"),
            ("18446744073709551616", "`18446744073709551616` does not fit in 64 bits"),
            ("1+2.0", "an integer and a number with a point in one expression"),
            ("-0f3F800000", "`-` cannot stand before the bits of an f32"),
            ("~1.0", "`~` is an operator of integers"),
            ("1.0 ? 1 : 2", "a condition is an integer"),
            ("1 ? 2.0 : 3", "the values of `?` are of different types"),
            ("(1", "wanted `)` behind the expression, found the end of the text"),
            ("1+", "wanted a constant, found the end of the text"),
        ] {
            if text != "1.2." {
                assert_eq!(value(text), Err(wanted.to_owned()), "{text}");
            } else {
                assert!(value(text).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn depth_is_bounded() {
        for text in ["(".repeat(100_000), "-".repeat(100_000), "1?".repeat(100_000), "1+(".repeat(100_000)] {
            let error = value(&text);
            assert_eq!(
                error,
                Err(format!("constant expressions nest deeper than {} levels", super::super::MAX_DEPTH))
            );
        }
        let wide = format!("1{}", "+1".repeat(100_000));
        assert_eq!(int(&wide), 100_001);
    }
}
