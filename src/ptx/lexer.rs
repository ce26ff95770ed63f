//! Words of PTX (ISA chapter 4): taken from the text one at a time, never all at once.
//!
//! Opcodes and directives are cut at their dots: `ld.shared::cta.b32` is the word `ld` and the dot words
//! `.shared::cta` and `.b32`. Comments, `# 1 "file"` lines of a preprocessor and `@@DWARF` lines (ISA 11.5.1) are
//! skipped like blanks.

use crate::ast::Span;

/// What a token is. Its text is the span of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `add`, `%r1`, `$L__BB0_1`, `_`.
    Word,
    /// `.global`, `.4d`, `.shared::cta`.
    Dot,
    /// `12`, `0x1F`, `0f3F800000`, `1.5e3`: checked where it is used.
    Number,
    /// `"text"`
    Text,
    /// `,`, `{`, ...; of a sign of two characters (`<<`, `==`) both, else 0 is the second.
    Sign(u8, u8),
    /// A character or comment that cannot be read.
    Bad(Bad),
    /// The end of the text.
    End,
}

/// What cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// A character that PTX does not know.
    Character,
    /// `/*` without `*/`.
    Comment,
    /// `"` without another on its line.
    Text,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// What.
    pub(crate) kind: Kind,
    /// Where.
    pub(crate) span: Span,
    /// The first of its line.
    pub(crate) first: bool,
}

/// Reads tokens from a place of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    /// The next byte.
    at: usize,
}

impl<'a> Lexer<'a> {
    /// At the start of a text, which is shorter than 4 GiB.
    pub(crate) fn new(text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer { text, at }
    }

    /// The text of a span.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Goes to a place: the start of a token, or the end of a part of it.
    pub(crate) fn go_to(&mut self, at: u32) {
        self.at = at as usize;
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn ended(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Steps over bytes of a kind.
    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|&byte| !wanted(byte)).unwrap_or(rest.len());
    }

    fn token(&self, kind: Kind, start: usize, first: bool) -> Token {
        Token { kind, span: Span { start: start as u32, end: self.at as u32 }, first }
    }

    /// Steps over blanks and comments. Whether a line began; or the start of a comment that does not end.
    fn blanks(&mut self) -> Result<bool, usize> {
        let mut first = self.at == 0;
        loop {
            match self.byte(0) {
                _ if self.ended() => return Ok(first),
                b'\n' => {
                    first = true;
                    self.at += 1;
                }
                // A NUL ends texts that were taken out of binaries.
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => self.at += 1,
                b'/' if self.byte(1) == b'/' => self.skip_while(|byte| byte != b'\n'),
                b'#' if first => self.skip_while(|byte| byte != b'\n'),
                b'@' if self.byte(1) == b'@' => self.skip_while(|byte| byte != b'\n'),
                b'/' if self.byte(1) == b'*' => {
                    let start = self.at;
                    let rest = self.text.get(start + 2..).unwrap_or_default();
                    let Some(length) = rest.find("*/") else {
                        self.at = self.text.len();
                        return Err(start);
                    };
                    first |= rest.as_bytes().iter().take(length).any(|&byte| byte == b'\n');
                    self.at = start + length + 4;
                }
                _ => return Ok(first),
            }
        }
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Token {
        let first = match self.blanks() {
            Ok(first) => first,
            Err(start) => return self.token(Kind::Bad(Bad::Comment), start, false),
        };
        let start = self.at;
        if self.ended() {
            return self.token(Kind::End, start, first);
        }
        let byte = self.byte(0);
        let kind = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => {
                self.skip_while(is_name);
                Kind::Word
            }
            b'%' if is_name(self.byte(1)) => {
                self.at += 1;
                self.skip_while(is_name);
                Kind::Word
            }
            b'.' if is_name(self.byte(1)) => {
                self.at += 1;
                loop {
                    self.skip_while(is_name);
                    if self.byte(0) == b':' && self.byte(1) == b':' && is_name(self.byte(2)) {
                        self.at += 2;
                    } else {
                        break Kind::Dot;
                    }
                }
            }
            b'0'..=b'9' => {
                self.number();
                Kind::Number
            }
            b'"' => self.quoted(),
            _ => self.sign(byte),
        };
        self.token(kind, start, first)
    }

    /// A number that starts with a point (`.5`), which [`Self::next`] takes for a dot word.
    pub(crate) fn number_at(&mut self, start: u32) -> Token {
        self.at = start as usize;
        self.number();
        self.token(Kind::Number, start as usize, false)
    }

    /// Steps over everything that looks like a part of a number.
    fn number(&mut self) {
        let start = self.at;
        self.skip_while(is_name);
        let prefixed =
            matches!(self.text.as_bytes().get(start + 1), Some(b'x' | b'X' | b'f' | b'F' | b'd' | b'D'))
                && self.text.as_bytes().get(start) == Some(&b'0');
        if prefixed {
            return;
        }
        if self.byte(0) == b'.' {
            self.at += 1;
            self.skip_while(is_name);
        }
        let exponent = self.at > start && matches!(self.text.as_bytes().get(self.at - 1), Some(b'e' | b'E'));
        if exponent && matches!(self.byte(0), b'+' | b'-') && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.skip_while(is_name);
        }
    }

    /// A text in quotes, on one line. A backslash keeps the next character from ending it.
    fn quoted(&mut self) -> Kind {
        self.at += 1;
        loop {
            self.skip_while(|byte| !matches!(byte, b'"' | b'\n' | b'\\'));
            match self.byte(0) {
                b'"' => {
                    self.at += 1;
                    return Kind::Text;
                }
                b'\\' => {
                    self.at += 1;
                    if self.byte(0) == b'"' || self.byte(0) == b'\\' {
                        self.at += 1;
                    }
                }
                _ => return Kind::Bad(Bad::Text),
            }
        }
    }

    fn sign(&mut self, byte: u8) -> Kind {
        let next = self.byte(1);
        match (byte, next) {
            (b'<', b'<' | b'=') | (b'>', b'>' | b'=') | (b'=' | b'!', b'=') | (b'&', b'&') | (b'|', b'|') => {
                self.at += 2;
                Kind::Sign(byte, next)
            }
            _ if b"()[]{}<>,;:@!|&^~+-*/%=?".contains(&byte) => {
                self.at += 1;
                Kind::Sign(byte, 0)
            }
            _ => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                self.at += rest.chars().next().map_or(1, char::len_utf8);
                Kind::Bad(Bad::Character)
            }
        }
    }
}

/// A character within a name.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == Kind::End {
                return out;
            }
            out.push((token.kind, lexer.slice(token.span)));
        }
    }

    fn texts(text: &str) -> Vec<&str> {
        words(text).into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn opcodes_are_cut_at_dots() {
        assert_eq!(
            texts("cp.async.shared::cta.4d.16x256b [%rd1+-8], _;"),
            [
                "cp",
                ".async",
                ".shared::cta",
                ".4d",
                ".16x256b",
                "[",
                "%rd1",
                "+",
                "-",
                "8",
                "]",
                ",",
                "_",
                ";"
            ]
        );
    }

    #[test]
    fn numbers() {
        for number in
            ["0", "017U", "0b101", "0xFFu", "0f3F800000", "0d3FF0000000000000", "1.5", "1.", "1e5", "1.5e-3"]
        {
            assert_eq!(words(number), [(Kind::Number, number)], "{number}");
        }
        assert_eq!(texts("1+2"), ["1", "+", "2"]);
        assert_eq!(texts("0xe+2"), ["0xe", "+", "2"]);
        assert_eq!(texts("%r<12>;"), ["%r", "<", "12", ">", ";"]);
    }

    #[test]
    fn blanks_comments_and_skipped_lines() {
        let text = "# 1 \"a.cu\"\n@@DWARF .byte 1\n/* a\n * b */ x // y\n\0z";
        assert_eq!(texts(text), ["x", "z"]);
        assert_eq!(texts("\u{feff}x"), ["x"]);
    }

    #[test]
    fn what_cannot_be_read() {
        assert_eq!(words("é"), [(Kind::Bad(Bad::Character), "é")]);
        assert_eq!(words("/* x"), [(Kind::Bad(Bad::Comment), "/* x")]);
        assert_eq!(words("\"x"), [(Kind::Bad(Bad::Text), "\"x")]);
        assert_eq!(words(r#""a\"b" c"#), [(Kind::Text, r#""a\"b""#), (Kind::Word, "c")]);
    }

    #[test]
    fn signs_of_two_characters() {
        assert_eq!(texts("a<<b>=c&&d!=!e"), ["a", "<<", "b", ">=", "c", "&&", "d", "!=", "!", "e"]);
    }
}
