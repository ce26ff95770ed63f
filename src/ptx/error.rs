//! What is wrong with a text, and the words for it.

use thiserror::Error;

use crate::ast::Span;

/// So many mistakes are reported; reading stops there.
pub const MAX_ERRORS: usize = 100;

/// A mistake in a PTX text. [`crate::source::Source::render`] shows it with its line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ParseError {
    /// Where.
    pub span: Span,
    /// What was found and what is wanted.
    pub message: String,
    /// How to put it right, when that is known.
    pub help: Option<String>,
}

impl ParseError {
    /// A mistake without advice.
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        ParseError { span, message: message.into(), help: None }
    }

    /// Adds advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A piece of the text, short enough for a message.
pub(crate) fn shorten(text: &str) -> String {
    const LIMIT: usize = 40;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// "did you mean `x`?" for the candidate that is nearest to `name`, if one is near.
///
/// Bounded: names over 64 bytes and candidates after the first hundred thousand are not looked at.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    const LONG: usize = 64;
    const MANY: usize = 100_000;
    if name.len() > LONG {
        return None;
    }
    let mut limit = ((name.len() + 1) / 3).clamp(1, 4);
    let mut found: Option<&str> = None;
    for candidate in candidates.take(MANY) {
        if candidate == name || candidate.len() > LONG || candidate.len().abs_diff(name.len()) > limit {
            continue;
        }
        let distance = edit_distance(name.as_bytes(), candidate.as_bytes());
        if distance < limit || (distance == limit && found.is_none_or(|best| candidate < best)) {
            limit = distance;
            found = Some(candidate);
        }
    }
    found.map(|candidate| format!("did you mean `{candidate}`?"))
}

/// Levenshtein's distance of two short names.
fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, y) in row.iter_mut().skip(1).zip(b) {
            let value = (diagonal + usize::from(x != y)).min(left + 1).min(*cell + 1);
            diagonal = *cell;
            *cell = value;
            left = value;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        assert_eq!(edit_distance(b"kitten", b"sitting"), 3);
        assert_eq!(edit_distance(b"", b"abc"), 3);
        let names = ["%r1", "%rd10", "%ctaid.x", "DONE"];
        let near = |name| did_you_mean(name, names.iter().copied());
        assert_eq!(near("DON").as_deref(), Some("did you mean `DONE`?"));
        assert_eq!(near("%ctaid.xx").as_deref(), Some("did you mean `%ctaid.x`?"));
        assert_eq!(near("something"), None);
    }

    #[test]
    fn long_pieces_are_cut() {
        assert_eq!(shorten("abc"), "abc");
        assert_eq!(shorten(&"é".repeat(50)).chars().count(), 43);
    }
}
