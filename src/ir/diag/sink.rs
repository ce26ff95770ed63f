//! The sink: collects diagnostics, counts them, and keeps a flood readable.

use super::codes;
use super::diagnostic::{Diagnostic, Severity};
use super::source::{SourceMap, Span};
use std::fmt;

/// Proof that an error was reported to a [`Diagnostics`]: what a pass returns instead of an error of its own.
///
/// Only the sink makes one, so a function that returns `Err(Reported)` cannot forget to say why.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reported(());

impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an error was reported")
    }
}

impl std::error::Error for Reported {}

/// Collects diagnostics.
///
/// Of each file at most [`limit`](Diagnostics::set_limit) errors and as many warnings are kept; the rest is
/// counted, and [`into_vec`](Diagnostics::into_vec) ends with a note that says how many there were. Which
/// file a diagnostic is of is known after [`track_files`](Diagnostics::track_files); before, all are of one.
#[derive(Debug)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    limit: usize,
    /// Start offset of each known file, ascending.
    file_starts: Vec<u32>,
    /// Counts by file: index 0 for no file, then one more than the position in `file_starts`.
    files: Vec<FileCounts>,
    errors: usize,
    warnings: usize,
}

#[derive(Clone, Copy, Default, Debug)]
struct FileCounts {
    errors: Count,
    warnings: Count,
}

#[derive(Clone, Copy, Default, Debug)]
struct Count {
    kept: usize,
    dropped: usize,
    /// Where the first dropped one is.
    first_dropped: Span,
}

impl Default for Diagnostics {
    fn default() -> Diagnostics {
        Diagnostics::new()
    }
}

impl Diagnostics {
    /// Errors (and warnings) kept for each file unless set otherwise.
    pub const DEFAULT_LIMIT: usize = 50;

    /// An empty sink with the default limit.
    pub fn new() -> Diagnostics {
        Diagnostics::with_limit(Diagnostics::DEFAULT_LIMIT)
    }

    /// An empty sink that keeps at most `limit` errors and `limit` warnings for each file.
    pub fn with_limit(limit: usize) -> Diagnostics {
        Diagnostics {
            kept: Vec::new(),
            limit,
            file_starts: Vec::new(),
            files: Vec::new(),
            errors: 0,
            warnings: 0,
        }
    }

    /// An empty sink that keeps everything.
    pub fn unlimited() -> Diagnostics {
        Diagnostics::with_limit(usize::MAX)
    }

    /// Sets how many errors and how many warnings are kept for each file from now on.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Makes the files of `sources` known, so that the limit holds for each of them. Call it again when files
    /// were added.
    pub fn track_files(&mut self, sources: &SourceMap) {
        self.file_starts = sources.files().iter().map(|file| file.start()).collect();
    }

    /// Takes a diagnostic.
    pub fn emit(&mut self, diagnostic: Diagnostic) {
        let span = diagnostic.primary_span();
        let file = self.file_starts.partition_point(|&start| start <= span.lo);
        if self.files.len() <= file {
            self.files.resize(file + 1, FileCounts::default());
        }
        let count = match diagnostic.severity {
            Severity::Error => {
                self.errors += 1;
                &mut self.files[file].errors
            }
            Severity::Warning => {
                self.warnings += 1;
                &mut self.files[file].warnings
            }
            Severity::Note | Severity::Help => {
                self.kept.push(diagnostic);
                return;
            }
        };
        if count.kept < self.limit {
            count.kept += 1;
            self.kept.push(diagnostic);
        } else {
            if count.dropped == 0 {
                count.first_dropped = span;
            }
            count.dropped += 1;
        }
    }

    /// Takes a diagnostic as an error, whatever its severity, and returns the proof.
    pub fn emit_error(&mut self, diagnostic: Diagnostic) -> Reported {
        self.emit(diagnostic.severity(Severity::Error));
        Reported(())
    }

    /// Takes all diagnostics of another sink, also what that one counted and did not keep.
    pub fn append(&mut self, other: Diagnostics) {
        let (errors, warnings) = (other.errors, other.warnings);
        let before = (self.errors, self.warnings);
        for diagnostic in other.into_vec() {
            self.emit(diagnostic);
        }
        self.errors = before.0 + errors;
        self.warnings = before.1 + warnings;
    }

    /// Number of errors, kept or not.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Number of warnings, kept or not.
    pub fn warning_count(&self) -> usize {
        self.warnings
    }

    /// Whether there was an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether nothing was taken.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.errors == 0 && self.warnings == 0
    }

    /// The proof that there was an error, if there was.
    ///
    /// # Errors
    /// [`Reported`] if an error was taken.
    pub fn check(&self) -> Result<(), Reported> {
        if self.has_errors() { Err(Reported(())) } else { Ok(()) }
    }

    /// As [`check`](Diagnostics::check), for errors since there were `before` of them
    /// ([`error_count`](Diagnostics::error_count)).
    ///
    /// # Errors
    /// [`Reported`] if an error was taken since.
    pub fn check_since(&self, before: usize) -> Result<(), Reported> {
        if self.errors > before { Err(Reported(())) } else { Ok(()) }
    }

    /// The diagnostics kept so far, in the order they came.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.kept.iter()
    }

    /// Ends the collection: what was kept, in the order it came, then a note for each file of which
    /// something was not kept: `… and 12 more errors`.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        let mut all = self.kept;
        for counts in &self.files {
            for (count, what) in [(counts.errors, "error"), (counts.warnings, "warning")] {
                if count.dropped > 0 {
                    let plural = if count.dropped == 1 { "" } else { "s" };
                    let text = format!("… and {} more {what}{plural}", count.dropped);
                    let label = format!("the first {what} not shown is here");
                    all.push(Diagnostic::new(codes::TOO_MANY_ERRORS, text).at(count.first_dropped, label));
                }
            }
        }
        all
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, iter: I) {
        for diagnostic in iter {
            self.emit(diagnostic);
        }
    }
}
