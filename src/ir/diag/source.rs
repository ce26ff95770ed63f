//! Source text and positions in it.
//!
//! All files of a [`SourceMap`] share one space of byte offsets, so a [`Span`] is eight bytes and needs no
//! file. Offset 0 belongs to no file, which leaves `0..0` for [`Span::NONE`]. Each file takes one byte more
//! than its text: the position behind its last character is its own, and an empty file still has one.
//!
//! Lines end in `\n` or `\r\n`. Columns count characters (Unicode scalar values) from 1, lines count from 1.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A range of bytes `lo..hi` in the offset space of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub lo: u32,
    /// Offset behind the last byte.
    pub hi: u32,
}

impl Span {
    /// The span of things without a place in any file; also the default.
    pub const NONE: Span = Span { lo: 0, hi: 0 };

    /// The span from `lo` up to `hi`. The two are swapped if they are in the wrong order.
    pub const fn new(lo: u32, hi: u32) -> Span {
        if lo <= hi { Span { lo, hi } } else { Span { lo: hi, hi: lo } }
    }

    /// The empty span at `pos`.
    pub const fn at(pos: u32) -> Span {
        Span { lo: pos, hi: pos }
    }

    /// Whether this is [`Span::NONE`].
    pub const fn is_none(self) -> bool {
        self.lo == 0 && self.hi == 0
    }

    /// Whether this span has a place in some file, that is, is not [`Span::NONE`].
    pub const fn is_some(self) -> bool {
        !self.is_none()
    }

    /// Number of bytes.
    pub const fn len(self) -> u32 {
        self.hi.saturating_sub(self.lo)
    }

    /// Whether it holds no byte. Such a span still has a place, between two bytes.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The smallest span that covers both; the other one if either is [`Span::NONE`].
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            other
        } else if other.is_none() {
            self
        } else {
            Span { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
        }
    }

    /// Whether `other` lies within this span.
    pub const fn contains(self, other: Span) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// The empty span at the start.
    pub const fn start(self) -> Span {
        Span::at(self.lo)
    }

    /// The empty span at the end.
    pub const fn end(self) -> Span {
        if self.hi < self.lo { Span::at(self.lo) } else { Span::at(self.hi) }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { f.write_str("Span::NONE") } else { write!(f, "{}..{}", self.lo, self.hi) }
    }
}

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(u32);

impl FileId {
    /// The position of the file in [`SourceMap::files`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A line and a column, both counted from 1; the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LineCol {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for LineCol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Where a span is, in the terms of its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpanLocation {
    /// The file.
    pub file: FileId,
    /// Byte range in the text of the file: in bounds and on character boundaries.
    pub bytes: Range<usize>,
    /// Line and column of the first character.
    pub start: LineCol,
    /// Line and column behind the last character.
    pub end: LineCol,
}

/// The offset space of a [`SourceMap`] cannot hold the file: all texts together would pass 4 GiB.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the source files together are larger than 4 GiB")]
pub struct SourceMapFull;

/// One file: a name, its text, and its place in the offset space.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
    start: u32,
    /// Byte offset in `text` of the start of each line; made when first asked for.
    lines: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// The name it was added under, usually a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Offset of the first byte in the space of the map.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Offset behind the last byte in the space of the map: the position of the end of the file.
    pub fn end(&self) -> u32 {
        self.start + self.text.len() as u32
    }

    /// The span of the whole text.
    pub fn span(&self) -> Span {
        Span { lo: self.start, hi: self.end() }
    }

    /// Number of lines. A text that ends in a line break has an empty last line; an empty text has one line.
    pub fn line_count(&self) -> u32 {
        self.lines().len() as u32
    }

    /// Text of a line (counted from 1) without its line break; nothing if there is no such line.
    pub fn line(&self, line: u32) -> Option<&str> {
        let range = self.line_range(line)?;
        let text = &self.text[range];
        let text = text.strip_suffix('\n').unwrap_or(text);
        Some(text.strip_suffix('\r').unwrap_or(text))
    }

    /// Byte range of a line (counted from 1) with its line break; nothing if there is no such line.
    pub fn line_range(&self, line: u32) -> Option<Range<usize>> {
        let lines = self.lines();
        let index = (line as usize).checked_sub(1)?;
        let start = *lines.get(index)? as usize;
        let end = lines.get(index + 1).map_or(self.text.len(), |&end| end as usize);
        Some(start..end)
    }

    /// Line and column of a byte offset in the text. An offset past the end means the end, one inside a
    /// character means that character.
    pub fn line_col(&self, byte: usize) -> LineCol {
        let byte = self.text.floor_char_boundary(byte);
        let lines = self.lines();
        let index = lines.partition_point(|&start| start as usize <= byte).saturating_sub(1);
        let column = self.text[lines[index] as usize..byte].chars().count();
        LineCol { line: index as u32 + 1, column: column as u32 + 1 }
    }

    /// The part of `span` that lies in this file, as a byte range of its text widened to whole characters.
    /// A span that ends before this file or starts behind it is taken to be at the nearer end.
    pub fn clamp(&self, span: Span) -> Range<usize> {
        let local = |pos: u32| (pos.clamp(self.start, self.end()) - self.start) as usize;
        let lo = self.text.floor_char_boundary(local(span.lo));
        let hi = self.text.ceil_char_boundary(local(span.hi.max(span.lo)));
        lo..hi
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect()
        })
    }
}

/// All source files of a compilation, in one space of byte offsets.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file. The same name may be added more than once.
    ///
    /// # Panics
    /// When all texts together pass 4 GiB; [`SourceMap::try_add_file`] returns an error instead.
    pub fn add_file(&mut self, name: impl Into<Arc<str>>, text: Arc<str>) -> FileId {
        match self.try_add_file(name, text) {
            Ok(file) => file,
            Err(full) => panic!("{full}"),
        }
    }

    /// Adds a file, unless all texts together would pass 4 GiB.
    ///
    /// # Errors
    /// [`SourceMapFull`] if there is no room; the map is as before.
    pub fn try_add_file(
        &mut self,
        name: impl Into<Arc<str>>,
        text: Arc<str>,
    ) -> Result<FileId, SourceMapFull> {
        let start = self.files.last().map_or(1, |last| last.end() + 1);
        let length = u32::try_from(text.len()).map_err(|_| SourceMapFull)?;
        // One position more, for the start of the next file.
        start.checked_add(length).and_then(|end| end.checked_add(1)).ok_or(SourceMapFull)?;
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile { name: name.into(), text, start, lines: OnceLock::new() });
        Ok(id)
    }

    /// The files, in the order they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// A file of this map.
    ///
    /// # Panics
    /// If `file` is of another map that has more files.
    pub fn file(&self, file: FileId) -> &SourceFile {
        &self.files[file.index()]
    }

    /// The last file added under `name`.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files.iter().rposition(|file| file.name() == name).map(|index| FileId(index as u32))
    }

    /// The span of the byte range `bytes` of the text of a file; ends past the text mean its end.
    pub fn span(&self, file: FileId, bytes: Range<usize>) -> Span {
        let file = self.file(file);
        let pos = |byte: usize| file.start + byte.min(file.text.len()) as u32;
        Span::new(pos(bytes.start), pos(bytes.end))
    }

    /// The file that holds an offset; nothing for offset 0 and past the last file.
    pub fn file_at(&self, pos: u32) -> Option<FileId> {
        let index = self.files.partition_point(|file| file.start <= pos).checked_sub(1)?;
        (pos <= self.files[index].end()).then_some(FileId(index as u32))
    }

    /// The file that a span starts in; nothing for [`Span::NONE`].
    pub fn file_of(&self, span: Span) -> Option<FileId> {
        if span.is_none() { None } else { self.file_at(span.lo) }
    }

    /// File, line and column of a span. A span that runs past its file ends with it.
    pub fn locate(&self, span: Span) -> Option<SpanLocation> {
        let id = self.file_of(span)?;
        let file = self.file(id);
        let bytes = file.clamp(span);
        let start = file.line_col(bytes.start);
        let end = if bytes.is_empty() { start } else { file.line_col(bytes.end) };
        Some(SpanLocation { file: id, bytes, start, end })
    }

    /// The text under a span; empty for [`Span::NONE`].
    pub fn slice(&self, span: Span) -> &str {
        match self.file_of(span) {
            Some(id) => {
                let file = self.file(id);
                &file.text[file.clamp(span)]
            }
            None => "",
        }
    }

    /// The whole lines that a span touches, without the last line break; empty for [`Span::NONE`].
    pub fn snippet(&self, span: Span) -> &str {
        let Some(at) = self.locate(span) else { return "" };
        let file = self.file(at.file);
        let start = file.line_range(at.start.line).map_or(0, |range| range.start);
        let end = file.line_range(at.end.line).map_or(file.text.len(), |range| range.end);
        let text = &file.text[start..end];
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// `file:line:column` of the start of a span, for messages; `<unknown>` for [`Span::NONE`].
    pub fn describe(&self, span: Span) -> String {
        match self.locate(span) {
            Some(at) => format!("{}:{}", self.file(at.file).name(), at.start),
            None => "<unknown>".to_owned(),
        }
    }
}
