//! Checks the files of `tests/verify`: each says on its lines which diagnostics are due there, and there are no others.
//!
//! `tests/README.md` documents the directives.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use tidegate_ir::diag::{Diagnostic, Diagnostics, Severity};
use tidegate_ir::text::parse;
use tidegate_passes::target::Target;
use tidegate_passes::verify::verify;

/// A diagnostic that a line asks for.
#[derive(Debug)]
struct Expected {
    line: u32,
    severity: Severity,
    code: String,
    text: String,
    /// Texts of labels, notes and helps.
    details: Vec<String>,
    /// The line it stands on.
    written: u32,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verify")
}

fn expectations(text: &str) -> Vec<Expected> {
    let mut found: Vec<Expected> = Vec::new();
    for (number, line) in (1u32..).zip(text.lines()) {
        let Some((_, comment)) = line.split_once("// ") else { continue };
        let Some((word, rest)) = comment.split_once(": ") else { continue };
        let (word, offset) = match word.split_once("@+") {
            Some((word, offset)) => (word, offset.parse().expect("a number behind `@+`")),
            None => (word, 0),
        };
        let severity = match word {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            "detail" => {
                let last = found.last_mut().expect("`detail:` belongs to a directive before it");
                last.details.push(rest.trim().to_owned());
                continue;
            }
            _ => continue,
        };
        let (code, text) = rest.split_once(' ').unwrap_or((rest, ""));
        assert!(code.starts_with("TG"), "line {number}: a code is wanted behind `{word}:`");
        found.push(Expected {
            line: number + offset,
            severity,
            code: code.to_owned(),
            text: text.trim().to_owned(),
            details: Vec::new(),
            written: number,
        });
    }
    found
}

/// All that a diagnostic says besides its message.
fn details(diagnostic: &Diagnostic) -> String {
    let labels = diagnostic.labels.iter().map(|label| label.message.as_str());
    let rest = diagnostic.notes.iter().chain(&diagnostic.helps).map(String::as_str);
    labels.chain(rest).collect::<Vec<_>>().join("\n")
}

/// What is wrong with one part of a file; empty when nothing is.
fn check(name: &str, text: &str) -> String {
    let target = text.lines().find_map(|line| line.trim().strip_prefix("// target: "));
    let target = target.map(|name| Target::find(name.trim()).expect("a known target"));
    let mut sink = Diagnostics::unlimited();
    let (module, _) = parse(name, text, &mut sink);
    if !sink.has_errors() {
        let _ = verify(&module, target, &mut sink);
    }
    let mut problems = String::new();
    let mut expected = expectations(text);
    for diagnostic in &sink {
        let line = module.sources.locate(diagnostic.primary_span()).map_or(0, |at| at.start.line);
        let fits = |e: &Expected| {
            e.line == line
                && e.severity == diagnostic.severity
                && e.code == diagnostic.code.id()
                && diagnostic.message.contains(&e.text)
                && e.details.iter().all(|text| details(diagnostic).contains(text.as_str()))
        };
        match expected.iter().position(fits) {
            Some(index) => {
                expected.remove(index);
            }
            None => {
                let _ = writeln!(problems, "  line {line}: surplus {diagnostic}");
                let _ = writeln!(problems, "    {}", details(diagnostic).replace('\n', "\n    "));
            }
        }
    }
    for missing in expected {
        let _ = writeln!(
            problems,
            "  line {}: missing {} {} {} {:?}",
            missing.written, missing.severity, missing.code, missing.text, missing.details
        );
    }
    problems
}

#[test]
fn diagnostics_are_as_the_files_say() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("tests/verify exists")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "mlir"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut problems = String::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut first = 0;
        for part in text.split("// -----\n") {
            let found = check(&name, part);
            if !found.is_empty() {
                let _ = writeln!(problems, "{name}, part that starts behind line {first}:\n{found}");
            }
            first += part.lines().count() + 1;
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}
