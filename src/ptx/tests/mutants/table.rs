//! `docs/mutants.md`: the table of results, and the list of equivalent mutants.

use crate::run::{Case, Kernel, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/mutants.md")
}

/// The mutants that are known to do what the kernel does.
pub struct Equivalents {
    entries: Vec<Entry>,
}

struct Entry {
    kernel: String,
    kind: String,
    line: usize,
    reason: String,
    met: bool,
}

impl Entry {
    fn is(&self, kernel: &str, case: &Case) -> bool {
        self.kernel == kernel && self.kind == case.kind && self.line == case.line
    }
}

impl Equivalents {
    /// The rows `| kernel | kind | lines | reason |` under the heading `Equivalent mutants`.
    pub fn read() -> Equivalents {
        let text = std::fs::read_to_string(file()).expect("docs/mutants.md is there");
        let mut entries = Vec::new();
        let rows = text.lines().skip_while(|l| !l.starts_with("## Equivalent mutants"));
        for row in rows.filter(|l| l.starts_with("| ")) {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let &[kernel, kind, lines, reason] = &cells[..] else { panic!("not four cells: {row}") };
            for line in lines.split(',').filter_map(|l| l.trim().parse().ok()) {
                entries.push(Entry {
                    kernel: kernel.to_owned(),
                    kind: kind.to_owned(),
                    line,
                    reason: reason.to_owned(),
                    met: false,
                });
            }
        }
        Equivalents { entries }
    }

    /// There is this mutant.
    pub fn meet(&mut self, kernel: &str, case: &Case) {
        for entry in self.entries.iter_mut().filter(|e| e.is(kernel, case)) {
            entry.met = true;
        }
    }

    /// Why a mutant is equivalent, if it is.
    pub fn reason(&self, kernel: &str, case: &Case) -> Option<&str> {
        self.entries.iter().find(|e| e.is(kernel, case)).map(|e| e.reason.as_str())
    }

    /// Entries of which there is no mutant.
    pub fn unmet(&self) -> impl Iterator<Item = String> {
        self.entries.iter().filter(|e| !e.met).map(|e| format!("{}:{}: {}", e.kernel, e.line, e.kind))
    }
}

#[derive(Default)]
struct Row {
    mutants: usize,
    wrong: usize,
    rejected: usize,
    survived: usize,
    found: usize,
    codes: BTreeMap<&'static str, usize>,
}

impl Row {
    fn add(&mut self, verdict: &Verdict) {
        self.mutants += 1;
        match verdict {
            Verdict::Rejected(_) => self.rejected += 1,
            Verdict::Found(finding, _) => {
                self.found += 1;
                *self.codes.entry(finding.code.as_str()).or_default() += 1;
            }
            Verdict::Wrong(_) => self.wrong += 1,
            Verdict::Survived | Verdict::Panicked => self.survived += 1,
        }
    }

    fn show(&self, name: &str) -> String {
        let codes: Vec<String> = self.codes.iter().map(|(code, n)| format!("{code} {n}")).collect();
        format!(
            "| {name} | {} | {} | {} | {} | {} | {} |\n",
            self.mutants,
            self.found,
            self.wrong,
            self.rejected,
            self.survived,
            codes.join(", ")
        )
    }
}

/// The results as a table: by kind, and by kernel.
pub fn counts(kernels: &[Kernel], cases: &[(usize, Case)], verdicts: &[Verdict]) -> String {
    let mut kinds: BTreeMap<&str, Row> = BTreeMap::new();
    let mut by_kernel: BTreeMap<&str, Row> = BTreeMap::new();
    let mut total = Row::default();
    for ((k, case), verdict) in cases.iter().zip(verdicts) {
        kinds.entry(case.kind.split(": ").next().unwrap_or_default()).or_default().add(verdict);
        by_kernel.entry(&kernels[*k].name).or_default().add(verdict);
        total.add(verdict);
    }
    let mut out = String::new();
    for (title, rows) in [("changed", &kinds), ("kernel", &by_kernel)] {
        writeln!(
            out,
            "| {title} | mutants | a finding | a wrong result | does not load | equivalent | codes |"
        )
        .expect("a string takes it");
        out += "|---|---:|---:|---:|---:|---:|---|\n";
        for (name, row) in rows {
            out += &row.show(name);
        }
        out += &total.show("all");
        out += "\n";
    }
    out
}

/// Puts the table in its place in the document.
pub fn write(counts: &str) {
    const BEGIN: &str = "<!-- written by the test: begin -->\n";
    const END: &str = "<!-- written by the test: end -->\n";
    let text = std::fs::read_to_string(file()).expect("docs/mutants.md is there");
    let (before, rest) = text.split_once(BEGIN).expect("the table has a place");
    let (_, after) = rest.split_once(END).expect("the table's place ends");
    std::fs::write(file(), format!("{before}{BEGIN}\n{counts}{END}{after}"))
        .expect("docs/mutants.md is ours");
}
