//! `tidegate explain`.

use tidegate::ir::diag::codes::{self, Code};
use tidegate::ir::ops::Opcode;
use tidegate::reference;

use super::args::ExplainArgs;
use super::report::{Outcome, say};
use super::{io, written};

pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    if args.list {
        return written(io::write(None, list().as_bytes()));
    }
    let subject = args.subject.as_deref().unwrap_or_default();
    if let Some(code) = Code::lookup(subject) {
        let text = format!("{}: {}\n\n{}\n", code.id(), code.title(), code.explanation().trim());
        return written(io::write(None, text.as_bytes()));
    }
    if let Some(def) = Opcode::find(subject).and_then(Opcode::def) {
        return written(io::write(None, reference::op(def).as_bytes()));
    }
    say(&format!("error: `{subject}` is neither a diagnostic code nor an op"));
    say("  = help: `tidegate explain --list` lists them all");
    Outcome::Usage
}

fn list() -> String {
    let mut out = String::new();
    for (family, rows) in codes::families() {
        out.push_str(&format!("{family}\n"));
        for row in rows {
            out.push_str(&format!("  {}  {}\n", row.id, row.title));
        }
    }
    out.push_str("ops\n");
    for def in Opcode::all().filter_map(Opcode::def) {
        let first = def.doc.trim().lines().next().unwrap_or_default();
        out.push_str(&format!("  {}  {}\n", def.name, first.trim()));
    }
    out
}
