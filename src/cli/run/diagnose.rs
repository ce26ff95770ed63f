//! Findings, mistakes and refusals as diagnostics, with places in the PTX and in the source that it came from.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidegate::ir::diag::{Diagnostic, FileId, SourceMap, Span, codes};
use tidegate::machine::finding::{Finding, Place};
use tidegate::ptx::ParseError;
use tidegate::ptx::decode::Code;
use tidegate::ptx::manifest::{Kind, ManifestError};
use tidegate::ptx::program::Instr;

/// Sources over this many bytes are not shown.
const LARGEST: u64 = 16 << 20;

/// The texts that diagnostics point into.
pub(crate) struct Texts {
    pub(crate) sources: SourceMap,
    pub(crate) ptx: FileId,
    /// The folder of the PTX.
    folder: PathBuf,
    files: HashMap<u32, Option<FileId>>,
}

impl Texts {
    pub(crate) fn new(sources: SourceMap, ptx: FileId, path: &Path) -> Texts {
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Texts { sources, ptx, folder, files: HashMap::new() }
    }

    /// A mistake in the PTX.
    pub(crate) fn parse_error(&self, error: &ParseError) -> Diagnostic {
        let span = self.sources.span(self.ptx, error.span.start as usize..error.span.end as usize);
        let diagnostic = Diagnostic::new(codes::PTX_ERROR, error.message.clone()).at(span, "");
        match &error.help {
            Some(help) => diagnostic.help(help.clone()),
            None => diagnostic,
        }
    }

    /// What is wrong with a manifest, or with a launch by it. `file` is the manifest's.
    pub(crate) fn manifest_error(&self, error: &ManifestError, file: Option<FileId>) -> Diagnostic {
        let code = match error.kind {
            Kind::Manifest => codes::BAD_MANIFEST,
            Kind::Misfit => codes::MANIFEST_MISFIT,
            Kind::Operand => codes::OPERAND_MISFIT,
            Kind::Launch => codes::LAUNCH_REFUSED,
        };
        let mut diagnostic = Diagnostic::new(code, error.to_string());
        if let Some(file) = file {
            let text = self.sources.file(file);
            let range = error.place.and_then(|(line, column)| {
                let range = text.line_range(u32::try_from(line).ok()?)?;
                let at = (range.start + column.saturating_sub(1)).min(range.end.saturating_sub(1));
                Some(at..(at + 1).min(text.text().len()))
            });
            diagnostic = match range {
                Some(range) => diagnostic.at(self.sources.span(file, range), ""),
                None if matches!(error.kind, Kind::Manifest | Kind::Misfit) => {
                    diagnostic.note(format!("in `{}`", text.name()))
                }
                None => diagnostic,
            };
        }
        match &error.help {
            Some(help) => diagnostic.help(help.clone()),
            None => diagnostic,
        }
    }

    /// What a run found.
    pub(crate) fn finding(&mut self, code: &Code, finding: &Finding, clusters: u64) -> Diagnostic {
        // The tables have the same codes: a test holds them against each other.
        let known = codes::Code::lookup(finding.code.as_str()).unwrap_or(codes::INTERNAL_ERROR);
        let mut diagnostic = Diagnostic::error(known, finding.message.clone());
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for (i, label) in finding.labels.iter().enumerate() {
            let instr = instruction(code, label.place);
            let span = instr.map_or(Span::NONE, |instr| {
                self.sources.span(self.ptx, instr.span.start as usize..instr.span.end as usize)
            });
            diagnostic = match i {
                0 => diagnostic.at(span, label.text.clone()),
                _ => diagnostic.label(span, label.text.clone()),
            };
            let Some(source) = instr.and_then(|instr| instr.source) else { continue };
            if source.line == 0 || lines.contains(&(source.file, source.line)) {
                continue;
            }
            lines.push((source.file, source.line));
            let name = code.program.files.iter().find(|f| f.0 == source.file).map_or("?", |f| f.1.as_str());
            let place = match source.column {
                0 => format!("{name}:{}", source.line),
                column => format!("{name}:{}:{column}", source.line),
            };
            let text = format!("from {place}");
            diagnostic = match self.line(name, source.file, source.line, source.column) {
                Some(span) => diagnostic.label(span, text),
                None => diagnostic.note(format!("{}: {text}", label.text)),
            };
        }
        for note in &finding.notes {
            diagnostic = diagnostic.note(note.clone());
        }
        if clusters > 1 {
            diagnostic = diagnostic.note(format!("in cluster {} of {clusters}", finding.cluster));
        }
        match &finding.help {
            Some(help) => diagnostic.help(help.clone()),
            None => diagnostic,
        }
    }

    /// The place in a source that a `.loc` names, when the file can be read.
    fn line(&mut self, name: &str, number: u32, line: u32, column: u32) -> Option<Span> {
        let file = match self.files.get(&number) {
            Some(file) => *file,
            None => {
                let file = self.read(name);
                self.files.insert(number, file);
                file
            }
        }?;
        let text = self.sources.file(file);
        let range = text.line_range(line)?;
        let shown = &text.text()[range.clone()];
        let skipped = shown.len() - shown.trim_start().len();
        let start = match column {
            0 => skipped,
            column => shown.char_indices().nth(column as usize - 1).map_or(skipped, |(at, _)| at),
        };
        let end = shown.trim_end().len().max(start);
        Some(self.sources.span(file, range.start + start..range.start + end))
    }

    fn read(&mut self, name: &str) -> Option<FileId> {
        let path = [PathBuf::from(name), self.folder.join(name)].into_iter().find(|path| path.is_file())?;
        let size = std::fs::metadata(&path).ok()?.len();
        let text = if size <= LARGEST { std::fs::read_to_string(&path).ok()? } else { return None };
        self.sources.try_add_file(path.display().to_string(), Arc::from(text)).ok()
    }
}

/// The instruction at a place of the decoded code.
fn instruction(code: &Code, place: Place) -> Option<&Instr> {
    let index = code.functions.iter().position(|f| (f.start..f.end).contains(&place.0))?;
    code.program.functions.get(index)?.body.get((place.0 - code.functions[index].start) as usize)
}
