//! The files of `tests/parse_errors` say on their lines which errors are due there; there are no others.
//!
//! `// error: TG0004 words` wants an error of that code on this line whose message has these words; `// error@+1:` on
//! the next one. With `TIDEGATE_BLESS=1` the test writes what it finds into the files, to be reviewed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use tidegate_ir::diag::{Diagnostics, Renderer, codes};
use tidegate_ir::text::parse;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    line: u32,
    code: String,
    message: String,
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parse_errors");
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn wanted(text: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    for (number, line) in (1u32..).zip(text.lines()) {
        for directive in line.split("// error").skip(1) {
            let (offset, rest) = directive.split_once(": ").expect("`// error: TG0001 words`");
            let offset: u32 = offset.strip_prefix("@+").map_or(0, |offset| offset.parse().unwrap());
            let (code, words) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
            found.push(Problem { line: number + offset, code: code.into(), message: words.trim().into() });
        }
    }
    found
}

fn found(name: &str, text: &str) -> Vec<Problem> {
    let mut diags = Diagnostics::unlimited();
    let (module, _) = parse(name, text, &mut diags);
    let mut problems = Vec::new();
    for diagnostic in &diags {
        let place = module.sources.locate(diagnostic.primary_span());
        let line = place.unwrap_or_else(|| panic!("{diagnostic} has no place")).start.line;
        let rendered = Renderer::plain().render(&module.sources, diagnostic);
        assert!(rendered.contains(&format!("{name}:{line}:")), "{rendered}");
        problems.push(Problem {
            line,
            code: diagnostic.code.id().into(),
            message: diagnostic.message.clone(),
        });
    }
    problems.sort();
    problems
}

/// The text with a directive for each problem in place of the old ones.
fn blessed(text: &str, problems: &[Problem]) -> String {
    let mut out = String::new();
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in (1u32..).zip(&lines) {
        let line = line.split("// error").next().unwrap_or_default().trim_end();
        out.push_str(line);
        let last = number as usize == lines.len();
        for problem in problems.iter().filter(|p| p.line == number || (last && p.line > number)) {
            let offset =
                if problem.line == number { String::new() } else { format!("@+{}", problem.line - number) };
            let _ = write!(out, " // error{offset}: {} {}", problem.code, problem.message);
        }
        out.push('\n');
    }
    out
}

#[test]
fn errors_stand_where_they_are_due() {
    let mut wrong = String::new();
    for path in files() {
        let name = path.file_name().unwrap().to_string_lossy();
        let text = std::fs::read_to_string(&path).unwrap();
        let found = found(&name, &text);
        if std::env::var_os("TIDEGATE_BLESS").is_some() {
            std::fs::write(&path, blessed(&text, &found)).unwrap();
            continue;
        }
        let mut wanted = wanted(&text);
        for problem in found {
            let fits = |w: &Problem| {
                w.line == problem.line && w.code == problem.code && problem.message.contains(&w.message)
            };
            match wanted.iter().position(fits) {
                Some(at) => drop(wanted.remove(at)),
                None => {
                    let _ = writeln!(
                        wrong,
                        "{name}:{}: surplus {} {}",
                        problem.line, problem.code, problem.message
                    );
                }
            }
        }
        for Problem { line, code, message } in wanted {
            let _ = writeln!(wrong, "{name}:{line}: missing {code} {message}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_code_of_the_reader_is_hit() {
    let texts: String = files().iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let elsewhere = [
        // By `mutation.rs`, whose texts are not for the eye.
        codes::NESTING_TOO_DEEP,
        // By the command line.
        codes::UNREADABLE_FILE,
        codes::FILE_TOO_LARGE,
        codes::TOO_MANY_ERRORS,
    ];
    let (_, rows) = codes::families().next().unwrap();
    let missing: Vec<&str> = rows
        .iter()
        .filter(|row| !elsewhere.contains(&row.code) && !texts.contains(row.id))
        .map(|row| row.id)
        .collect();
    assert!(missing.is_empty(), "no file wants {missing:?}");
}
