//! Diagnostics for code scanning: a SARIF 2.1.0 log.
//!
//! One run. Its driver lists the codes that occur as rules, with title and explanation. A result has its
//! primary labels as locations and the other labels as related locations; notes and helps are lines of its
//! message; suggestions are fixes. Columns count Unicode code points, and `columnKind` says so. File names
//! become relative URI references, absolute paths `file` URIs.
//!
//! The partial fingerprint `tidegate/v1` is made of code, file name, the text of the line without its
//! indentation, and the number of equal ones before: it stays when lines move.

use super::codes::{Code, CodeInfo};
use super::diagnostic::{Diagnostic, Label, Severity, Suggestion};
use super::source::{FileId, SourceMap, Span};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The schema that the log names.
pub const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What the log says about the tool.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its semantic version.
    pub version: String,
    /// An absolute URI with more about it.
    pub information_uri: Option<String>,
}

impl Default for Tool {
    /// tidegate, in the version of this package.
    fn default() -> Tool {
        Tool {
            name: "tidegate".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            information_uri: None,
        }
    }
}

/// A SARIF log with one run that found `diagnostics`.
pub fn log<'a>(
    sources: &SourceMap,
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    tool: &Tool,
) -> Value {
    let diagnostics: Vec<&Diagnostic> = diagnostics.into_iter().collect();
    let mut codes: Vec<Code> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes.iter().map(|code| rule(code.info())).collect();

    let mut writer = Writer { sources, artifacts: Vec::new(), seen: HashMap::new() };
    let mut results = Vec::new();
    for diagnostic in &diagnostics {
        let index = codes.binary_search(&diagnostic.code).unwrap_or_default();
        results.push(writer.result(diagnostic, index));
    }
    let artifacts: Vec<Value> = writer
        .artifacts
        .iter()
        .map(|&file| {
            let file = sources.file(file);
            json!({ "location": { "uri": uri(file.name()) }, "length": file.text().len() })
        })
        .collect();

    let mut driver = json!({ "name": tool.name, "semanticVersion": tool.version });
    if let Some(information_uri) = &tool.information_uri {
        driver["informationUri"] = json!(information_uri);
    }
    driver["rules"] = Value::Array(rules);
    let successful = !codes.contains(&super::codes::INTERNAL_ERROR);
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "invocations": [{ "executionSuccessful": successful }],
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts,
            "results": results,
        }],
    })
}

/// As [`log`], as indented text with a line break at its end.
pub fn to_string<'a>(
    sources: &SourceMap,
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    tool: &Tool,
) -> String {
    format!("{:#}\n", log(sources, diagnostics, tool))
}

/// What is kept while results are written.
struct Writer<'a> {
    sources: &'a SourceMap,
    /// Files that results point into, in the order they came.
    artifacts: Vec<FileId>,
    /// How often a fingerprint was made.
    seen: HashMap<u64, u32>,
}

impl Writer<'_> {
    fn result(&mut self, diagnostic: &Diagnostic, rule_index: usize) -> Value {
        let (primary, other): (Vec<&Label>, Vec<&Label>) =
            diagnostic.labels.iter().partition(|label| label.primary);
        let mut text = diagnostic.message.clone();
        for label in diagnostic.labels.iter().filter(|label| self.sources.file_of(label.span).is_none()) {
            push_line(&mut text, "note", &label.message);
        }
        for note in &diagnostic.notes {
            push_line(&mut text, "note", note);
        }
        for help in &diagnostic.helps {
            push_line(&mut text, "help", help);
        }
        let mut result = json!({
            "ruleId": diagnostic.code.id(),
            "ruleIndex": rule_index,
            "level": level(diagnostic.severity),
            "message": { "text": text },
            "locations": self.locations(&primary, false),
        });
        let related = self.locations(&other, true);
        if !related.is_empty() {
            result["relatedLocations"] = Value::Array(related);
        }
        result["partialFingerprints"] = json!({ "tidegate/v1": self.fingerprint(diagnostic) });
        let fixes: Vec<Value> =
            diagnostic.suggestions.iter().filter_map(|suggestion| self.fix(suggestion)).collect();
        if !fixes.is_empty() {
            result["fixes"] = Value::Array(fixes);
        }
        result
    }

    fn locations(&mut self, labels: &[&Label], numbered: bool) -> Vec<Value> {
        let mut locations = Vec::new();
        for label in labels {
            let Some((artifact, region)) = self.place(label.span) else { continue };
            let mut location = json!({});
            if numbered {
                location["id"] = json!(locations.len());
            }
            location["physicalLocation"] = json!({ "artifactLocation": artifact, "region": region });
            if !label.message.is_empty() {
                location["message"] = json!({ "text": label.message });
            }
            locations.push(location);
        }
        locations
    }

    fn fix(&mut self, suggestion: &Suggestion) -> Option<Value> {
        let (artifact, region) = self.place(suggestion.span)?;
        Some(json!({
            "description": { "text": suggestion.message },
            "artifactChanges": [{
                "artifactLocation": artifact,
                "replacements": [{
                    "deletedRegion": region,
                    "insertedContent": { "text": suggestion.replacement },
                }],
            }],
        }))
    }

    /// The artifact location and the region of a span.
    fn place(&mut self, span: Span) -> Option<(Value, Value)> {
        let at = self.sources.locate(span)?;
        let index = self.artifacts.iter().position(|&file| file == at.file).unwrap_or_else(|| {
            self.artifacts.push(at.file);
            self.artifacts.len() - 1
        });
        let artifact = json!({ "uri": uri(self.sources.file(at.file).name()), "index": index });
        let region = json!({
            "startLine": at.start.line,
            "startColumn": at.start.column,
            "endLine": at.end.line,
            "endColumn": at.end.column,
        });
        Some((artifact, region))
    }

    fn fingerprint(&mut self, diagnostic: &Diagnostic) -> String {
        let at = self.sources.locate(diagnostic.primary_span());
        let (file, line) = at.map_or(("", ""), |at| {
            let file = self.sources.file(at.file);
            (file.name(), file.line(at.start.line).unwrap_or_default())
        });
        let hash = fnv1a(&[diagnostic.code.id(), file, line.trim()]);
        let count = self.seen.entry(hash).or_default();
        *count += 1;
        format!("{hash:016x}:{count}")
    }
}

fn rule(info: &CodeInfo) -> Value {
    json!({
        "id": info.id,
        "name": pascal_case(info.name),
        "shortDescription": { "text": info.title },
        "fullDescription": { "text": info.explanation.split("\n\n").next().unwrap_or_default() },
        "help": { "text": info.explanation, "markdown": info.explanation },
        "defaultConfiguration": { "level": level(info.severity) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note | Severity::Help => "note",
    }
}

fn push_line(text: &mut String, kind: &str, line: &str) {
    if !line.is_empty() {
        text.push('\n');
        text.push_str(kind);
        text.push_str(": ");
        text.push_str(line);
    }
}

/// `BARRIER_AS_ARRAY` as `BarrierAsArray`.
fn pascal_case(name: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_owned() + &rest.to_ascii_lowercase()
    };
    name.split('_').map(word).collect()
}

/// A file name as a URI reference: what is not unreserved or a slash is escaped.
fn uri(name: &str) -> String {
    let mut uri = String::with_capacity(name.len());
    if name.starts_with('/') {
        uri.push_str("file://");
    }
    for &byte in name.as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The 64-bit FNV-1a hash of some texts: the same on every machine and in every release.
fn fnv1a(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain(std::iter::once(0)));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
