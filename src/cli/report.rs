//! Telling the user: diagnostics in the asked-for format, and what the exit code is.

use std::io::{IsTerminal, Write};

use tidegate::ir::diag::render::Renderer;
use tidegate::ir::diag::{Diagnostic, SourceMap, Span, json, sarif};

use super::args::{ColorWhen, Format};
use super::io;

/// How a command ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// 0: nothing to object to.
    Fine,
    /// 1: the input has findings.
    Findings,
    /// 2: the command cannot be done as given.
    Usage,
    /// 3: a fault of tidegate.
    Internal,
}

impl From<Outcome> for std::process::ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Findings => 1,
            Outcome::Usage => 2,
            Outcome::Internal => 3,
        })
    }
}

/// Writes a line on the error stream.
pub(crate) fn say(text: &str) {
    // When the error stream is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The renderer for the error stream.
pub(crate) fn renderer(color: ColorWhen) -> Renderer {
    let terminal = std::io::stderr().is_terminal();
    let styled = match color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    match std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok()) {
        Some(columns) if terminal && columns >= 40 => renderer.width(columns),
        _ => renderer,
    }
}

/// Puts diagnostics in the order of the text, those without a place last.
pub(crate) fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| {
        let span = diagnostic.primary_span();
        if span == Span::NONE { u32::MAX } else { span.lo }
    });
}

/// Reports for people, on the error stream.
pub(crate) fn human(color: ColorWhen, sources: &SourceMap, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        let text = renderer(color).render_all(sources, diagnostics);
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Reports in `format`.
///
/// # Errors
/// A message when standard output cannot be written.
pub(crate) fn all(
    format: Format,
    color: ColorWhen,
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
) -> Result<(), String> {
    match format {
        Format::Human => {
            human(color, sources, diagnostics);
            Ok(())
        }
        Format::Json => io::write(None, json::lines(sources, diagnostics).as_bytes()),
        Format::Sarif => {
            io::write(None, sarif::to_string(sources, diagnostics, &sarif::Tool::default()).as_bytes())
        }
    }
}

/// `2 errors, 1 warning`.
pub(crate) fn tally(errors: usize, warnings: usize) -> String {
    let parts: Vec<String> = [(errors, "error"), (warnings, "warning")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| format!("{count} {noun}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
}
