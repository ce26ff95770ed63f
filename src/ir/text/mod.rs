//! The text form: one reader and one printer for the short and the generic form.
//!
//! The reader takes any mixture of the two; ops in double quotes are generic. The generic form is MLIR's own, and
//! `mlir-opt --allow-unregistered-dialect` takes what [`print()`] makes of it. Ops of dialects without a table are read
//! in the generic form, kept opaque, and printed back in it.
//!
//! Names of values are kept when they say something: `%full` stays `%full`, made unique with a number where needed;
//! numbers are given anew.

mod format;
mod lexer;
mod parser;
mod printer;

use std::sync::Arc;

pub use parser::{parse_into, type_error_code};
pub use printer::{PrintOptions, PrintedOp, add_printed_source, print, print_to};

use crate::diag::{Diagnostics, Reported};
use crate::module::Module;

/// Reads `text`, which diagnostics call `name`, as a module.
///
/// The module comes back even when there were errors, since it owns the text that diagnostics point into.
///
/// # Errors
/// The second part is an error when at least one was emitted to `diags`.
pub fn parse(name: &str, text: &str, diags: &mut Diagnostics) -> (Module, Result<(), Reported>) {
    let mut module = Module::new();
    let result = match module.sources.try_add_file(name, Arc::from(text)) {
        Ok(file) => parse_into(&mut module, file, diags),
        Err(error) => {
            let diagnostic =
                crate::diag::Diagnostic::error(crate::diag::codes::FILE_TOO_LARGE, error.to_string())
                    .note(format!("`{name}` has {} bytes", text.len()));
            Err(diags.emit_error(diagnostic))
        }
    };
    (module, result)
}

/// Appends `text` in double quotes, escaped as MLIR does: `\22`, `\\`, and `\hh` for control bytes.
pub(crate) fn quote(out: &mut String, text: &str) {
    use std::fmt::Write;
    out.push('"');
    let plain = |b: u8| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\';
    if text.bytes().all(plain) {
        out.push_str(text);
        out.push('"');
        return;
    }
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\22"),
            '\\' => out.push_str("\\\\"),
            c if c.is_ascii_control() => {
                let _ = write!(out, "\\{:02X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Whether `text` can stand as an attribute or symbol name without quotes.
pub(crate) fn is_bare_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
}
