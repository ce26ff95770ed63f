//! Diagnostics for people: source lines with the labels under them, in the manner of rustc.
//!
//! The only user of `annotate-snippets`. That crate panics on ranges out of bounds or inside a character, so
//! every span goes through [`SourceFile::clamp`] first, and it sees only the lines that labels touch.
//!
//! ```
//! use tidegate_ir::diag::{codes, Diagnostic, SourceMap, render::Renderer};
//!
//! let mut sources = SourceMap::new();
//! let file = sources.add_file("k.tg", "%v = tg.load %full[%c0]\n".into());
//! let diagnostic = Diagnostic::new(codes::BARRIER_AS_ARRAY, "cannot load from barrier `%full`")
//!     .at(sources.span(file, 13..18), "a barrier has no elements");
//! assert_eq!(Renderer::plain().render(&sources, &diagnostic), "\
//! error[TG0101]: cannot load from barrier `%full`
//!  --> k.tg:1:14
//!   |
//! 1 | %v = tg.load %full[%c0]
//!   |              ^^^^^ a barrier has no elements
//! ");
//! ```

use super::diagnostic::{Diagnostic, Label, Severity, Suggestion};
use super::source::{FileId, SourceFile, SourceMap, Span};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Level, Patch, Snippet};
use std::borrow::Cow;
use std::ops::Range;

/// Turns diagnostics into text for a terminal or a file.
#[derive(Clone, Debug)]
pub struct Renderer {
    inner: annotate_snippets::Renderer,
}

impl Default for Renderer {
    fn default() -> Renderer {
        Renderer::plain()
    }
}

impl Renderer {
    /// Lines longer than this are cut around their labels unless [`width`](Renderer::width) says otherwise.
    pub const DEFAULT_WIDTH: usize = 140;

    /// Text without colours, for files and pipes.
    pub fn plain() -> Renderer {
        Renderer { inner: annotate_snippets::Renderer::plain().term_width(Renderer::DEFAULT_WIDTH) }
    }

    /// Text with ANSI colours.
    pub fn styled() -> Renderer {
        let inner = annotate_snippets::Renderer::styled().term_width(Renderer::DEFAULT_WIDTH);
        Renderer { inner: inner.hyperlink(false) }
    }

    /// Sets the width of the terminal in columns.
    #[must_use]
    pub fn width(self, columns: usize) -> Renderer {
        Renderer { inner: self.inner.term_width(columns) }
    }

    /// Draws with Unicode lines instead of ASCII characters.
    #[must_use]
    pub fn unicode(self, unicode: bool) -> Renderer {
        let style = if unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
        Renderer { inner: self.inner.decor_style(style) }
    }

    /// The text of one diagnostic; it ends in a line break.
    pub fn render(&self, sources: &SourceMap, diagnostic: &Diagnostic) -> String {
        let mut main = level(diagnostic.severity)
            .primary_title(diagnostic.message.as_str())
            .id(diagnostic.code.id())
            .elements(snippets(sources, &diagnostic.labels));
        for label in &diagnostic.labels {
            if sources.file_of(label.span).is_none() && !label.message.is_empty() {
                main = main.element(Level::NOTE.message(clean(&label.message)));
            }
        }
        for note in &diagnostic.notes {
            main = main.element(Level::NOTE.message(clean(note)));
        }
        for help in &diagnostic.helps {
            main = main.element(Level::HELP.message(clean(help)));
        }
        let mut report = Vec::new();
        for suggestion in &diagnostic.suggestions {
            match patch(sources, suggestion) {
                Some(snippet) => {
                    let title = Level::HELP.secondary_title(clean(&suggestion.message));
                    report.push(title.element(snippet));
                }
                None if suggestion.replacement.is_empty() => {
                    main = main.element(Level::HELP.message(clean(&suggestion.message)));
                }
                None => {
                    let text = format!("{}: `{}`", suggestion.message, suggestion.replacement);
                    main = main.element(Level::HELP.message(clean(&text)));
                }
            }
        }
        report.insert(0, main);
        let mut text = self.inner.render(&report);
        text.push('\n');
        text
    }

    /// The texts of several diagnostics, each followed by an empty line.
    pub fn render_all<'a>(
        &self,
        sources: &SourceMap,
        diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    ) -> String {
        let mut text = String::new();
        for diagnostic in diagnostics {
            text.push_str(&self.render(sources, diagnostic));
            text.push('\n');
        }
        text
    }
}

/// Some of the lines of a file: what a snippet shows.
struct Window<'a> {
    file: &'a SourceFile,
    text: Cow<'a, str>,
    first_line: u32,
    /// Where the text starts in the file.
    start: usize,
}

impl<'a> Window<'a> {
    /// The lines that `spans` touch and those between.
    fn new(file: &'a SourceFile, spans: impl Iterator<Item = Span>) -> Window<'a> {
        let (lo, hi) = spans
            .map(|span| file.clamp(span))
            .fold((file.text().len(), 0), |(lo, hi), range| (lo.min(range.start), hi.max(range.end)));
        let first_line = file.line_col(lo).line;
        let last_line = file.line_col(hi.max(lo)).line;
        let start = file.line_range(first_line).map_or(0, |range| range.start);
        let end = file.line_range(last_line).map_or(file.text().len(), |range| range.end);
        let mut text = Cow::Borrowed(&file.text()[start..end]);
        // An empty last line is none to `annotate-snippets`, unless it has a line break.
        if last_line == file.line_count() && file.line(last_line) == Some("") && last_line > 1 {
            text.to_mut().push('\n');
        }
        Window { file, text, first_line, start }
    }

    /// The range of a span in the text of the window.
    fn range(&self, span: Span) -> Range<usize> {
        let range = self.file.clamp(span);
        range.start - self.start..range.end - self.start
    }
}

/// A snippet for each file that has labels, in the order of the labels.
fn snippets<'a>(sources: &'a SourceMap, labels: &'a [Label]) -> Vec<Element<'a>> {
    let mut files: Vec<FileId> = Vec::new();
    for file in labels.iter().filter_map(|label| sources.file_of(label.span)) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let snippet = |id: FileId| {
        let file = sources.file(id);
        let here = || labels.iter().filter(move |label| sources.file_of(label.span) == Some(id));
        let window = Window::new(file, here().map(|label| label.span));
        let annotations: Vec<_> = here()
            .map(|label| {
                let kind = if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let message = (!label.message.is_empty()).then(|| clean_line(&label.message));
                kind.span(window.range(label.span)).label(message)
            })
            .collect();
        Snippet::source(window.text)
            .path(clean_line(file.name()))
            .line_start(window.first_line as usize)
            .annotations(annotations)
            .into()
    };
    files.into_iter().map(snippet).collect()
}

/// The lines around a suggestion with the change marked; nothing if it has no place or changes nothing.
fn patch<'a>(sources: &'a SourceMap, suggestion: &'a Suggestion) -> Option<Snippet<'a, Patch<'a>>> {
    let file = sources.file(sources.file_of(suggestion.span)?);
    let window = Window::new(file, std::iter::once(suggestion.span));
    let range = window.range(suggestion.span);
    if window.text.get(range.clone()) == Some(suggestion.replacement.as_str()) {
        return None;
    }
    let first_line = window.first_line as usize;
    let patch = Patch::new(range, suggestion.replacement.as_str());
    Some(Snippet::source(window.text).path(clean_line(file.name())).line_start(first_line).patch(patch))
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
        Severity::Help => Level::HELP,
    }
}

/// Text without control characters, except line breaks: messages can quote what the input had.
fn clean(text: &str) -> String {
    annotate_snippets::normalize_untrusted_str(&text.replace("\r\n", "\n"))
}

/// Text without control characters, in one line: labels stand between source lines.
fn clean_line(text: &str) -> String {
    clean(text.trim_end()).replace('\n', " ")
}
