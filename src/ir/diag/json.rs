//! Diagnostics for tools: JSON lines, one object a diagnostic.
//!
//! The fields, always present and in this order:
//!
//! | field | value |
//! |---|---|
//! | `code` | `"TG0101"` |
//! | `severity` | `"error"`, `"warning"`, `"note"` or `"help"` |
//! | `title` | title of the code in the table |
//! | `message` | the message |
//! | `labels` | array of labels, the primary ones first |
//! | `notes`, `helps` | arrays of strings |
//! | `suggestions` | array of suggestions |
//!
//! A label has `primary` (a boolean), `message`, and the fields of a place. A suggestion has `message`,
//! `replacement`, and the fields of a place, which is what the replacement replaces. A place is:
//!
//! | field | value |
//! |---|---|
//! | `file` | name of the file, or `null` (as the rest) for something without a place |
//! | `byte_start`, `byte_end` | byte range in the file, from 0, end exclusive |
//! | `line_start`, `column_start` | of the first character, from 1; columns count characters |
//! | `line_end`, `column_end` | behind the last character |
//!
//! Fields may be added; those that are here keep their names and meanings.

use super::diagnostic::Diagnostic;
use super::source::{SourceMap, Span};
use serde_json::{Map, Value, json};

/// One diagnostic as a JSON object.
pub fn to_value(sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
    let labels: Vec<Value> = diagnostic
        .labels
        .iter()
        .map(|label| {
            with_place(sources, label.span, json!({ "primary": label.primary, "message": label.message }))
        })
        .collect();
    let suggestions: Vec<Value> = diagnostic
        .suggestions
        .iter()
        .map(|suggestion| {
            let fields = json!({ "message": suggestion.message, "replacement": suggestion.replacement });
            with_place(sources, suggestion.span, fields)
        })
        .collect();
    json!({
        "code": diagnostic.code.id(),
        "severity": diagnostic.severity.as_str(),
        "title": diagnostic.code.title(),
        "message": diagnostic.message,
        "labels": labels,
        "notes": diagnostic.notes,
        "helps": diagnostic.helps,
        "suggestions": suggestions,
    })
}

/// Diagnostics as JSON lines: one object a line, each line ended.
pub fn lines<'a>(sources: &SourceMap, diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&to_value(sources, diagnostic).to_string());
        text.push('\n');
    }
    text
}

/// Adds the fields of a place to an object.
fn with_place(sources: &SourceMap, span: Span, object: Value) -> Value {
    let mut fields = match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let at = sources.locate(span);
    let at = at.as_ref();
    fields.insert("file".into(), at.map(|at| sources.file(at.file).name()).into());
    fields.insert("byte_start".into(), at.map(|at| at.bytes.start).into());
    fields.insert("byte_end".into(), at.map(|at| at.bytes.end).into());
    fields.insert("line_start".into(), at.map(|at| at.start.line).into());
    fields.insert("column_start".into(), at.map(|at| at.start.column).into());
    fields.insert("line_end".into(), at.map(|at| at.end.line).into());
    fields.insert("column_end".into(), at.map(|at| at.end.column).into());
    Value::Object(fields)
}
