//! Places in a text: lines, columns, and an error shown with its line.

use std::fmt::Write as _;

use crate::ast::Span;
use crate::error::ParseError;

/// A text whose lines can be looked up.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    text: &'a str,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    /// Finds the lines of a text: once, in linear time.
    pub fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1));
        Source { text, starts }
    }

    /// Line and column, from 1; columns count characters. A place behind the text is its end.
    pub fn position(&self, offset: u32) -> (usize, usize) {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index)).copied().unwrap_or(0);
        let column = self.text.get(start..offset).unwrap_or_default().chars().count() + 1;
        (line, column)
    }

    /// The text of a line (from 1) without its end; empty when there is no such line.
    pub fn line(&self, line: usize) -> &'a str {
        let Some(&start) = line.checked_sub(1).and_then(|index| self.starts.get(index)) else { return "" };
        let end = self.starts.get(line).map_or(self.text.len(), |next| next - 1);
        self.text.get(start..end).unwrap_or_default().trim_end_matches('\r')
    }

    /// The text of a span; empty when it lies outside.
    pub fn text(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// An error as plain text: `file:line:column: error: message`, the line, carets under it, and the advice.
    ///
    /// Lines longer than 160 characters are cut around the place.
    pub fn render(&self, file: &str, error: &ParseError) -> String {
        const WIDTH: usize = 160;
        const BEFORE: usize = 80;
        let (line, column) = self.position(error.span.start);
        let (last_line, last_column) = self.position(error.span.end);
        let mut out = format!("{file}:{line}:{column}: error: {}\n", error.message);
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let skipped = column.saturating_sub(BEFORE);
        let shown: String = self
            .line(line)
            .chars()
            .skip(skipped)
            .take(WIDTH)
            .map(|c| if c == '\t' { ' ' } else { c })
            .collect();
        let length = shown.chars().count();
        let at = (column - 1 - skipped).min(length);
        let end = if last_line == line { last_column.saturating_sub(1 + skipped) } else { length };
        let carets = end.min(length).saturating_sub(at).max(1);
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{margin} |");
        let _ = writeln!(out, "{number} | {shown}");
        let _ = writeln!(out, "{margin} | {}{}", " ".repeat(at), "^".repeat(carets));
        if let Some(help) = &error.help {
            let _ = writeln!(out, "{margin} = help: {help}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_lines() {
        let source = Source::new("ab\r\nécd\n");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(4), (2, 1));
        assert_eq!(source.position(5), (2, 1), "the middle of a character is its start");
        assert_eq!(source.position(6), (2, 2));
        assert_eq!(source.position(99), (3, 1));
        assert_eq!(source.line(1), "ab");
        assert_eq!(source.line(2), "écd");
        assert_eq!(source.line(3), "");
        assert_eq!(source.line(0), "");
        assert_eq!(source.line(9), "");
        assert_eq!(source.text(Span { start: 0, end: 2 }), "ab");
        assert_eq!(source.text(Span { start: 5, end: 2 }), "");
    }

    #[test]
    fn an_error_with_its_line() {
        let source = Source::new("ret;\n\tadd.u32 %r1;\n");
        let error = ParseError::new(Span { start: 6, end: 13 }, "no `add.u32`").help("write `add.s32`");
        assert_eq!(
            source.render("k.ptx", &error),
            "k.ptx:2:2: error: no `add.u32`\n  |\n2 |  add.u32 %r1;\n  |  ^^^^^^^\n  = help: write `add.s32`\n"
        );
    }

    #[test]
    fn a_long_line_is_cut() {
        let text = format!("{}x{}", "a".repeat(1000), "b".repeat(1000));
        let shown = Source::new(&text).render("k", &ParseError::new(Span { start: 1000, end: 1001 }, "m"));
        let lines: Vec<&str> = shown.lines().collect();
        let caret = lines[3].find('^');
        assert_eq!(lines[2].find('x'), caret);
        assert!(lines[2].len() < 200);
    }
}
