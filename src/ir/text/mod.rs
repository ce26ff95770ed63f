//! The text form.

/// Appends `text` in double quotes, escaped as MLIR does: `\"`, `\\`, `\n`, `\t`, and `\hh` for other control bytes.
pub(crate) fn quote(out: &mut String, text: &str) {
    use std::fmt::Write;
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\22"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\0A"),
            '\t' => out.push_str("\\09"),
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
