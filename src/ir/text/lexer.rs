//! Bytes to tokens, one at a time. The grammar is MLIR's; see *MLIR Language Reference, Identifiers and keywords*.

use crate::diag::Span;

/// What a token is. Its text is the slice of the source that its span names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// `arith.addi`, `to`.
    Word,
    /// `%x`, with the sign.
    Value,
    /// `^bb0`.
    Block,
    /// `@x`, `@"x y"`.
    Symbol,
    /// `#x`, `#gpu.space`; what follows in `<...>` is not part of it.
    Hash,
    /// `!x`, `!tg.ref`; likewise.
    Bang,
    /// `12`, `0x1F`.
    Int,
    /// `1.5`, `2.0e-3`.
    Float,
    /// `"text"`, with the quotes.
    Str,
    /// `->`.
    Arrow,
    /// `::`.
    DoubleColon,
    /// One of `( ) { } [ ] < > , : = ? + - * / |`.
    Punct(u8),
    /// The end of the text.
    End,
    /// Something that starts no token.
    Bad(BadToken),
}

/// Why there is no token.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum BadToken {
    /// A byte that starts no token.
    Byte,
    /// A string without an end on its line.
    OpenString,
    /// A string with an escape that there is not.
    Escape,
    /// `%`, `^`, `@`, `#`, `!` without a name.
    Nameless,
}

/// A token: kind and byte range in the text.
#[derive(Copy, Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) lo: u32,
    pub(super) hi: u32,
}

impl Token {
    pub(super) fn is(self, punct: u8) -> bool {
        self.kind == TokenKind::Punct(punct)
    }
}

/// A position in a text.
#[derive(Copy, Clone, Debug)]
pub(super) struct Lexer<'s> {
    pub(super) text: &'s str,
    pub(super) pos: usize,
    /// Offset of the text in the source map.
    pub(super) base: u32,
}

/// What each byte can be a part of: bit 0 a word, bit 1 the name behind a sign.
static BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        let word = b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
        table[byte] = (word as u8) | ((word || b == b'-') as u8) << 1;
        byte += 1;
    }
    table
};

#[inline]
fn is_word_byte(b: u8) -> bool {
    BYTES[usize::from(b)] & 1 != 0
}

#[inline]
fn is_suffix_byte(b: u8) -> bool {
    BYTES[usize::from(b)] & 2 != 0
}

impl<'s> Lexer<'s> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    #[inline]
    fn skip_while(&self, at: usize, accept: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + rest.iter().position(|&b| !accept(b)).unwrap_or(rest.len())
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.pos) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.pos += 1,
                Some(b'/') if self.byte(self.pos + 1) == b'/' => {
                    self.pos = self.skip_while(self.pos, |b| b != b'\n');
                }
                _ => return,
            }
        }
    }

    /// The next token; the position moves behind it.
    pub(super) fn next(&mut self) -> Token {
        self.skip_blank();
        let lo = self.pos;
        let Some(&first) = self.text.as_bytes().get(lo) else {
            return self.token(TokenKind::End, lo, lo);
        };
        let (kind, hi) = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => (TokenKind::Word, self.skip_while(lo + 1, is_word_byte)),
            b'0'..=b'9' => self.number(lo),
            b'%' => self.sigil(lo, TokenKind::Value, is_suffix_byte),
            b'^' => self.sigil(lo, TokenKind::Block, is_suffix_byte),
            b'#' => self.sigil(lo, TokenKind::Hash, is_suffix_byte),
            b'!' => self.sigil(lo, TokenKind::Bang, is_suffix_byte),
            b'@' if self.byte(lo + 1) == b'"' => match self.string(lo + 1) {
                (TokenKind::Str, hi) => (TokenKind::Symbol, hi),
                other => other,
            },
            b'@' => self.sigil(lo, TokenKind::Symbol, is_suffix_byte),
            b'"' => self.string(lo),
            b'-' if self.byte(lo + 1) == b'>' => (TokenKind::Arrow, lo + 2),
            b':' if self.byte(lo + 1) == b':' => (TokenKind::DoubleColon, lo + 2),
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b':' | b'=' | b'?' | b'+'
            | b'-' | b'*' | b'/' | b'|' => (TokenKind::Punct(first), lo + 1),
            _ => {
                let width = self.text[lo..].chars().next().map_or(1, char::len_utf8);
                (TokenKind::Bad(BadToken::Byte), lo + width)
            }
        };
        self.token(kind, lo, hi)
    }

    fn token(&mut self, kind: TokenKind, lo: usize, hi: usize) -> Token {
        self.pos = hi;
        #[expect(clippy::cast_possible_truncation, reason = "the source map takes no text of 4 GiB")]
        Token { kind, lo: lo as u32, hi: hi as u32 }
    }

    fn sigil(&self, lo: usize, kind: TokenKind, accept: impl Fn(u8) -> bool) -> (TokenKind, usize) {
        let mut hi = self.skip_while(lo + 1, accept);
        // A trailing `-` belongs to an arrow: `%a->`.
        while hi > lo + 1 && self.byte(hi - 1) == b'-' {
            hi -= 1;
        }
        if hi == lo + 1 { (TokenKind::Bad(BadToken::Nameless), hi) } else { (kind, hi) }
    }

    fn number(&self, lo: usize) -> (TokenKind, usize) {
        if self.byte(lo) == b'0' && self.byte(lo + 1) == b'x' && self.byte(lo + 2).is_ascii_hexdigit() {
            return (TokenKind::Int, self.skip_while(lo + 2, |b| b.is_ascii_hexdigit()));
        }
        let mut hi = self.skip_while(lo, |b| b.is_ascii_digit());
        if self.byte(hi) != b'.' {
            return (TokenKind::Int, hi);
        }
        hi = self.skip_while(hi + 1, |b| b.is_ascii_digit());
        if matches!(self.byte(hi), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(hi + 1), b'+' | b'-'));
            if self.byte(hi + 1 + sign).is_ascii_digit() {
                hi = self.skip_while(hi + 1 + sign, |b| b.is_ascii_digit());
            }
        }
        (TokenKind::Float, hi)
    }

    fn string(&self, lo: usize) -> (TokenKind, usize) {
        let mut at = lo + 1;
        let mut kind = TokenKind::Str;
        loop {
            match self.byte(at) {
                b'"' => return (kind, at + 1),
                b'\\' if self.byte(at + 1) != b'\n' && at + 1 < self.text.len() => {
                    let hex = self.byte(at + 1).is_ascii_hexdigit() && self.byte(at + 2).is_ascii_hexdigit();
                    if !hex && !matches!(self.byte(at + 1), b'"' | b'\\' | b'n' | b't') {
                        kind = TokenKind::Bad(BadToken::Escape);
                    }
                    // The escaped character may take several bytes.
                    at += 1;
                    at += self.text[at..].chars().next().map_or(1, char::len_utf8);
                }
                b'\n' => return (TokenKind::Bad(BadToken::OpenString), at),
                0 if at >= self.text.len() => return (TokenKind::Bad(BadToken::OpenString), self.text.len()),
                _ => at += 1,
            }
        }
    }

    /// The end of the bracketed text that starts at `lo` with `<`, `(`, `[` or `{`, the closing bracket included.
    /// Strings and arrows inside are passed over. `None` when it has no end.
    pub(super) fn balanced(&self, lo: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut open: Vec<u8> = Vec::new();
        let mut at = lo;
        while let Some(&b) = bytes.get(at) {
            match b {
                b'<' | b'(' | b'[' | b'{' => open.push(b),
                b'>' | b')' | b']' | b'}' => {
                    let wanted = match b {
                        b'>' => b'<',
                        b')' => b'(',
                        b']' => b'[',
                        _ => b'{',
                    };
                    if open.pop() != Some(wanted) {
                        return None;
                    }
                    if open.is_empty() {
                        return Some(at + 1);
                    }
                }
                b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
                b'"' => match self.string(at) {
                    (TokenKind::Str, hi) => {
                        at = hi;
                        continue;
                    }
                    _ => return None,
                },
                _ => {}
            }
            at += 1;
        }
        None
    }

    pub(super) fn span(&self, token: Token) -> Span {
        Span { lo: self.base + token.lo, hi: self.base + token.hi }
    }
    pub(super) fn slice(&self, token: Token) -> &'s str {
        &self.text[token.lo as usize..token.hi as usize]
    }
}

/// The value of a string token (quotes included in `raw`): `\"`, `\\`, `\n`, `\t` and `\hh` are resolved, as in MLIR.
/// Bytes that are not UTF-8 after that become replacement characters.
pub(super) fn unquote(raw: &str) -> String {
    let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw);
    if !inner.contains('\\') {
        return inner.to_owned();
    }
    let bytes = inner.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        match bytes.get(at + 1..).unwrap_or_default() {
            [b'n', ..] => out.push(b'\n'),
            [b't', ..] => out.push(b'\t'),
            [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                out.push(hex(*high) << 4 | hex(*low));
                at += 1;
            }
            [other, ..] => out.push(*other),
            [] => {}
        }
        at += 2;
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit.wrapping_sub(b'A').wrapping_add(10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, String)> {
        let mut lexer = Lexer { text, pos: 0, base: 0 };
        let mut found = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == TokenKind::End {
                return found;
            }
            found.push((token.kind, lexer.slice(token).to_owned()));
        }
    }

    #[test]
    fn tokens_of_an_op() {
        let found = kinds("%a-1 = tg.at %b[0] // x\n -> !tg.ref<4xf32> #gpu<dim x> ^bb0 @\"s t\" 1.5e-3");
        let texts: Vec<&str> = found.iter().map(|found| found.1.as_str()).collect();
        assert_eq!(
            texts,
            [
                "%a-1", "=", "tg.at", "%b", "[", "0", "]", "->", "!tg.ref", "<", "4", "xf32", ">", "#gpu",
                "<", "dim", "x", ">", "^bb0", "@\"s t\"", "1.5e-3"
            ]
        );
    }

    #[test]
    fn an_arrow_right_after_a_value_is_an_arrow() {
        let found = kinds("%a->%b");
        assert_eq!(found[1].0, TokenKind::Arrow);
    }

    #[test]
    fn open_strings_end_with_their_line() {
        assert_eq!(kinds("\"abc\nx")[0].0, TokenKind::Bad(BadToken::OpenString));
        assert_eq!(kinds("\"abc\\")[0].0, TokenKind::Bad(BadToken::OpenString));
        assert_eq!(kinds("\"abc\\é")[0].0, TokenKind::Bad(BadToken::OpenString));
    }

    #[test]
    fn strings_read_back_as_they_were_quoted() {
        for text in ["plain", "a\"b\\c\nd\te\u{1}f", "é→"] {
            let mut quoted = String::new();
            super::super::quote(&mut quoted, text);
            assert_eq!(unquote(&quoted), text);
        }
        assert_eq!(unquote("\"\\n\\t\\\"\\41\""), "\n\t\"A");
    }
}
