//! Locations. An op has two: its [`Span`](crate::diag::Span) in the text that was read (none for built ops) and a
//! location that it carries through printing, passes and lowering (`loc(...)` in text, or the Rust line that built it).

use std::fmt::Write;

use crate::entity::{Loc, Name};
use crate::intern::{Interner, Names};
use crate::text::quote;

/// What a [`Loc`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LocKind {
    /// None was given. Printing with locations then gives the op's place in the text, if it has one.
    Unset,
    /// `loc(unknown)`, given as such.
    Unknown,
    /// `loc("kernel.py":37:4 to :28)`. Lines and columns count from 1; `end` is (line, column).
    File {
        /// The file's name.
        file: Name,
        /// Line.
        line: u32,
        /// Column.
        column: u32,
        /// Last line and column, when it is a range.
        end: Option<(u32, u32)>,
    },
    /// `loc("name"(child))`.
    Named {
        /// The name.
        name: Name,
        /// The location it stands for.
        child: Option<Loc>,
    },
    /// `loc(callsite(callee at caller))`.
    CallSite {
        /// Where in the called function.
        callee: Loc,
        /// Where it was called.
        caller: Loc,
    },
    /// `loc(fused[a, b])`.
    Fused {
        /// The text between `<` and `>`, if any.
        metadata: Option<Box<str>>,
        /// The parts.
        parts: Box<[Loc]>,
    },
}

/// The interned locations of a module.
#[derive(Clone, Debug)]
pub struct LocTable {
    set: Interner<Loc, LocKind>,
    unset: Loc,
}

impl Default for LocTable {
    fn default() -> Self {
        let mut set = Interner::new();
        let unset = set.intern(LocKind::Unset);
        Self { set, unset }
    }
}

impl LocTable {
    /// The location of that description.
    pub fn intern(&mut self, kind: LocKind) -> Loc {
        self.set.intern(kind)
    }
    /// What `loc` is.
    pub fn kind(&self, loc: Loc) -> &LocKind {
        self.set.get(loc)
    }
    /// No location.
    pub fn unset(&self) -> Loc {
        self.unset
    }
    /// Whether nothing is known.
    pub fn is_unknown(&self, loc: Loc) -> bool {
        matches!(self.kind(loc), LocKind::Unset | LocKind::Unknown)
    }

    /// The file, line and column that `loc` comes down to: the child of a name, the callee of a call site, the first
    /// part of a fused location that has one.
    pub fn file_line_column(&self, loc: Loc) -> Option<(Name, u32, u32)> {
        // Locations are built from the leaves up, so the walk ends.
        match self.kind(loc) {
            LocKind::Unset | LocKind::Unknown => None,
            LocKind::File { file, line, column, .. } => Some((*file, *line, *column)),
            LocKind::Named { child, .. } => child.and_then(|child| self.file_line_column(child)),
            LocKind::CallSite { callee, caller } => {
                self.file_line_column(*callee).or_else(|| self.file_line_column(*caller))
            }
            LocKind::Fused { parts, .. } => parts.iter().find_map(|&part| self.file_line_column(part)),
        }
    }

    /// Appends the text between `loc(` and `)`.
    pub fn write(&self, out: &mut String, names: &Names, loc: Loc) {
        match self.kind(loc) {
            LocKind::Unset | LocKind::Unknown => out.push_str("unknown"),
            LocKind::File { file, line, column, end } => {
                quote(out, names.get(*file));
                let _ = write!(out, ":{line}:{column}");
                match end {
                    None => {}
                    Some((end_line, end_column)) if end_line == line => {
                        let _ = write!(out, " to :{end_column}");
                    }
                    Some((end_line, end_column)) => {
                        let _ = write!(out, " to {end_line}:{end_column}");
                    }
                }
            }
            LocKind::Named { name, child } => {
                quote(out, names.get(*name));
                if let Some(child) = child {
                    out.push('(');
                    self.write(out, names, *child);
                    out.push(')');
                }
            }
            LocKind::CallSite { callee, caller } => {
                out.push_str("callsite(");
                self.write(out, names, *callee);
                out.push_str(" at ");
                self.write(out, names, *caller);
                out.push(')');
            }
            LocKind::Fused { metadata, parts } => {
                out.push_str("fused");
                if let Some(metadata) = metadata {
                    let _ = write!(out, "<{metadata}>");
                }
                out.push('[');
                for (index, &part) in parts.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    self.write(out, names, part);
                }
                out.push(']');
            }
        }
    }
}
