//! The table of all diagnostic codes.
//!
//! A row is a constant, the code it stands for, its severity, a title, and the explanation that
//! `tidegate explain` prints. Codes are never reused: tools and suppressions name them. They come in
//! families by their first two digits, one file of rows each, ascending:
//!
//! | family | about |
//! |---|---|
//! | `TG00xx` | text and parsing |
//! | `TG01xx` | a barrier is a reference and not an array |
//! | `TG02xx` | how barriers are used |
//! | `TG03xx` | structure, dominance and types |
//! | `TG04xx` | memory spaces and references |
//! | `TG05xx` | roles and synchronisation |
//! | `TG06xx` | asynchronous copies |
//! | `TG07xx` | resources of a block, a cluster, a grid |
//! | `TG08xx` | passes, lowering and tools |
//! | `TG09xx` | the front end: specs and builder |
//! | `TG10xx` | what a run finds |
//! | `TG11xx` | PTX texts, manifests, launches, results |
//! | `TG99xx` | faults of tidegate itself |

use super::diagnostic::Severity;
use std::fmt;

/// Declares the rows of a family: the constants, and a static with all of them.
macro_rules! codes {
    (static $rows:ident; $($name:ident = $id:literal, $severity:ident, $title:literal, $explanation:literal;)*) => {
        $(
            #[doc = concat!("`", $id, "`: ", $title, ".")]
            pub const $name: $crate::diag::codes::Code = $crate::diag::codes::Code::parse_row($id);
        )*

        pub(super) static $rows: &[$crate::diag::codes::CodeInfo] = &[$(
            $crate::diag::codes::CodeInfo {
                code: $name,
                name: stringify!($name),
                id: $id,
                severity: $crate::diag::diagnostic::Severity::$severity,
                title: $title,
                explanation: $crate::diag::codes::without_first_break($explanation),
            },
        )*];
    };
}

mod barrier_array;
mod barrier_use;
mod copies;
mod execution;
mod frontend;
mod internal;
mod launch;
mod lowering;
mod memory;
mod resources;
mod roles;
mod structure;
mod text;

pub use barrier_array::*;
pub use barrier_use::*;
pub use copies::*;
pub use execution::*;
pub use frontend::*;
pub use internal::*;
pub use launch::*;
pub use lowering::*;
pub use memory::*;
pub use resources::*;
pub use roles::*;
pub use structure::*;
pub use text::*;

/// The families in ascending order: first two digits of their codes, what they are about, their rows.
static FAMILIES: &[(u16, &str, &[CodeInfo])] = &[
    (0, "text and parsing", ROWS_00),
    (1, "a barrier is a reference and not an array", ROWS_01),
    (2, "how barriers are used", ROWS_02),
    (3, "structure, dominance and types", ROWS_03),
    (4, "memory spaces and references", ROWS_04),
    (5, "roles and synchronisation", ROWS_05),
    (6, "asynchronous copies", ROWS_06),
    (7, "resources of a block, a cluster, a grid", ROWS_07),
    (8, "passes, lowering and tools", ROWS_08),
    (9, "the front end: specs and builder", ROWS_09),
    (10, "what a run finds", ROWS_10),
    (11, "PTX texts, manifests, launches, results", ROWS_11),
    (99, "faults of tidegate itself", ROWS_99),
];

/// A diagnostic code: a handle into the table. The constants of [this module](self) are all there are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u16);

/// A row of the table.
#[derive(Debug)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// The name of its constant, `BARRIER_AS_ARRAY`.
    pub name: &'static str,
    /// How it is written, `TG0101`.
    pub id: &'static str,
    /// How grave it is unless a diagnostic says otherwise.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What is wrong, why it matters, a wrong example and a right one; Markdown.
    pub explanation: &'static str,
}

impl Code {
    /// The code of a row; `id` is `TG` and four digits, or the build fails.
    const fn parse_row(id: &str) -> Code {
        let id = id.as_bytes();
        assert!(id.len() == 6 && id[0] == b'T' && id[1] == b'G', "a code is TG and four digits");
        let mut number = 0;
        let mut at = 2;
        while at < 6 {
            assert!(id[at].is_ascii_digit(), "a code is TG and four digits");
            number = number * 10 + (id[at] - b'0') as u16;
            at += 1;
        }
        Code(number)
    }

    /// The code written as `text`, in any case; nothing if the table has none.
    pub fn lookup(text: &str) -> Option<Code> {
        all().find(|info| info.id.eq_ignore_ascii_case(text.trim())).map(|info| info.code)
    }

    /// The row of the table.
    pub fn info(self) -> &'static CodeInfo {
        static UNKNOWN: &CodeInfo = &ROWS_99[0];
        let family = FAMILIES.iter().find(|(number, ..)| *number == self.0 / 100);
        let rows = family.map_or(&[] as &[CodeInfo], |(_, _, rows)| rows);
        rows.iter().find(|info| info.code == self).unwrap_or(UNKNOWN)
    }

    /// How it is written, `TG0101`.
    pub fn id(self) -> &'static str {
        self.info().id
    }

    /// How grave it is unless a diagnostic says otherwise.
    pub fn severity(self) -> Severity {
        self.info().severity
    }

    /// What is wrong, in a few words.
    pub fn title(self) -> &'static str {
        self.info().title
    }

    /// The Markdown text that `tidegate explain` prints.
    pub fn explanation(self) -> &'static str {
        self.info().explanation
    }

    /// What its family is about.
    pub fn family(self) -> &'static str {
        FAMILIES.iter().find(|(number, ..)| *number == self.0 / 100).map_or("", |(_, about, _)| about)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The text of a row starts on a line of its own, behind the quotation mark.
const fn without_first_break(text: &str) -> &str {
    match text.as_bytes() {
        [b'\n', ..] => text.split_at(1).1,
        _ => text,
    }
}

/// All rows of the table, ascending by code.
pub fn all() -> impl Iterator<Item = &'static CodeInfo> {
    FAMILIES.iter().flat_map(|(_, _, rows)| rows.iter())
}

/// The families in ascending order: what they are about, and their rows.
pub fn families() -> impl Iterator<Item = (&'static str, &'static [CodeInfo])> {
    FAMILIES.iter().map(|(_, about, rows)| (*about, *rows))
}
