//! Places in Rust code.

use std::fmt;
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

use crate::ir::diag::{FileId, SourceMap, Span};

/// A place in the Rust code that describes a kernel.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Site(&'static Location<'static>);

impl Site {
    /// The caller's place.
    #[track_caller]
    pub fn here() -> Self {
        Self(Location::caller())
    }
    /// The file, as the compiler was given it.
    pub fn file(self) -> &'static str {
        self.0.file()
    }
    /// The line, counted from 1.
    pub fn line(self) -> u32 {
        self.0.line()
    }
    /// The column, counted from 1.
    pub fn column(self) -> u32 {
        self.0.column()
    }
    pub(crate) fn location(self) -> &'static Location<'static> {
        self.0
    }

    /// The place as a span of `sources`, to which the file is added when it can be read; [`Span::NONE`] when not.
    pub(crate) fn span(self, sources: &mut SourceMap) -> Span {
        let Some(file) = sources.find(self.file()).or_else(|| read(sources, self.file())) else {
            return Span::NONE;
        };
        let source = sources.file(file);
        let Some(range) = source.line_range(self.line()) else { return Span::NONE };
        let Some(line) = source.line(self.line()) else { return Span::NONE };
        let skipped: usize =
            line.chars().take((self.column() as usize).saturating_sub(1)).map(char::len_utf8).sum();
        let rest = line.get(skipped..).unwrap_or("");
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let start = range.start + skipped;
        sources.span(file, start..start + word.max(rest.len().min(1)))
    }
}

/// Reads `name` below the working directory or one of the folders around it: cargo names files from the workspace's
/// root, and runs tests and examples in a package's.
fn read(sources: &mut SourceMap, name: &str) -> Option<FileId> {
    let start = std::env::current_dir().ok()?;
    let text =
        start.ancestors().find_map(|folder| std::fs::read_to_string(folder.join(Path::new(name))).ok())?;
    sources.try_add_file(name, Arc::from(text)).ok()
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file(), self.line(), self.column())
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
