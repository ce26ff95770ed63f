//! Textual pipelines: `canonicalize,cse,allocate-smem{align=1024}`, as `mlir-opt` writes them.
//!
//! ```text
//! pipeline := element (`,` element)*
//! element  := anchor `(` pipeline `)` | name [`{` option* `}`]
//! anchor   := `builtin.module` | `tg.kernel` | `any`
//! option   := name `=` value | name          (a name alone means `true`)
//! ```
//!
//! Anchors are accepted so that what `mlir-opt` prints can be pasted; all passes here run on whole modules. Errors are
//! [`UNKNOWN_PASS`](codes::UNKNOWN_PASS), point into the pipeline's text, and suggest names that are near.

use std::fmt::Write;
use std::ops::Range;

use tidegate_ir::diag::{Diagnostic, Diagnostics, Reported, SourceMap, Span, codes, edit_distance};

use crate::pass::{OptionInfo, OptionKind, OptionValues, PassInfo, Registry};

/// The name that the text of a pipeline has in the source map.
pub const PIPELINE_FILE: &str = "<pipeline>";

/// A pass of a pipeline with its options.
#[derive(Clone, Debug)]
pub struct PipelineItem {
    /// The row of the pass.
    pub info: &'static PassInfo,
    /// Options that were given.
    pub options: OptionValues,
}

impl PipelineItem {
    /// The item as text.
    pub fn text(&self) -> String {
        let mut out = self.info.name.to_owned();
        if !self.options.is_empty() {
            out.push('{');
            for (index, (name, value)) in self.options.iter().enumerate() {
                let _ = write!(out, "{}{name}={value}", if index > 0 { " " } else { "" });
            }
            out.push('}');
        }
        out
    }
}

/// The text of a list of items; read back, it gives the same list.
pub fn pipeline_text(items: &[PipelineItem]) -> String {
    items.iter().map(PipelineItem::text).collect::<Vec<_>>().join(",")
}

/// What is wrong with a pipeline's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineError {
    /// Where, in bytes of the text.
    pub at: Range<usize>,
    /// What, in one line.
    pub message: String,
    /// What is there, for the label.
    pub label: String,
    /// Ways out.
    pub helps: Vec<String>,
}

/// Reads a pipeline and reports what is wrong with it.
///
/// # Errors
/// When something is; it is in `diags`, and the pipeline's text in `sources`.
pub fn parse_pipeline(
    text: &str,
    registry: &Registry,
    sources: &mut SourceMap,
    diags: &mut Diagnostics,
) -> Result<Vec<PipelineItem>, Reported> {
    read_pipeline(text, registry).map_err(|error| {
        let span = sources
            .try_add_file(PIPELINE_FILE, text.into())
            .map_or(Span::NONE, |file| sources.span(file, error.at.clone()));
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_PASS, error.message).at(span, error.label);
        for help in error.helps {
            diagnostic = diagnostic.help(help);
        }
        diags.emit_error(diagnostic)
    })
}

/// Reads a pipeline.
///
/// # Errors
/// The first thing that is wrong.
pub fn read_pipeline(text: &str, registry: &Registry) -> Result<Vec<PipelineItem>, PipelineError> {
    let mut reader = Reader { text, at: 0, registry, items: Vec::new() };
    reader.skip_space();
    if reader.at == text.len() {
        return Ok(Vec::new());
    }
    reader.list(0)?;
    reader.skip_space();
    if reader.at < text.len() {
        let at = reader.at..text.len();
        return Err(error(at, "malformed pipeline", "`,` or the end was expected here"));
    }
    Ok(reader.items)
}

const ANCHORS: &[&str] = &["builtin.module", "tg.kernel", "any"];
/// Deeper nesting of anchors is no pipeline that anybody writes.
const MAX_DEPTH: usize = 16;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    registry: &'a Registry,
    items: Vec<PipelineItem>,
}

fn error(at: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> PipelineError {
    PipelineError { at, message: message.into(), label: label.into(), helps: Vec::new() }
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }
    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }
    fn eat(&mut self, c: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }
    /// The place of the next character, for errors.
    fn here(&self) -> Range<usize> {
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        self.at..self.at + width
    }
    fn word(&mut self) -> Range<usize> {
        self.skip_space();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        let length = self.rest().find(|c| !is_word(c)).unwrap_or(self.rest().len());
        let start = self.at;
        self.at += length;
        start..self.at
    }

    fn list(&mut self, depth: usize) -> Result<(), PipelineError> {
        loop {
            self.element(depth)?;
            if !self.eat(',') {
                return Ok(());
            }
        }
    }

    fn element(&mut self, depth: usize) -> Result<(), PipelineError> {
        let place = self.word();
        let name = &self.text[place.clone()];
        if name.is_empty() {
            return Err(error(self.here(), "malformed pipeline", "the name of a pass was expected here"));
        }
        self.skip_space();
        if self.rest().starts_with('(') {
            if !ANCHORS.contains(&name) {
                let mut wrong = error(place, format!("`{name}` cannot hold passes"), "unknown anchor");
                wrong.helps.push(format!("anchors are {}", list_of(ANCHORS.iter().copied())));
                return Err(wrong);
            }
            if depth >= MAX_DEPTH {
                return Err(error(place, "pipeline nested too deeply", "this level is too deep"));
            }
            self.eat('(');
            if self.eat(')') {
                return Ok(());
            }
            self.list(depth + 1)?;
            return if self.eat(')') {
                Ok(())
            } else {
                Err(error(self.here(), "malformed pipeline", "`,` or `)` was expected here"))
            };
        }
        let Some(info) = self.registry.find(name) else {
            let mut wrong = error(place, format!("unknown pass `{name}`"), "no pass has this name");
            let near = near_names(name, self.registry.rows().map(|row| row.name));
            if near.is_empty() {
                wrong.helps.push(format!("passes are {}", list_of(self.registry.rows().map(|row| row.name))));
            } else {
                wrong.helps.push(format!("did you mean {}?", list_of(near)));
            }
            return Err(wrong);
        };
        let options = if self.eat('{') { self.options(info)? } else { OptionValues::default() };
        self.items.push(PipelineItem { info, options });
        Ok(())
    }

    fn options(&mut self, info: &'static PassInfo) -> Result<OptionValues, PipelineError> {
        let mut options = OptionValues::default();
        loop {
            // `mlir-opt` puts spaces between options; a comma does no harm.
            while self.eat(',') {}
            if self.eat('}') {
                return Ok(options);
            }
            let place = self.word();
            let name = &self.text[place.clone()];
            if name.is_empty() {
                return Err(error(self.here(), "malformed pipeline", "an option or `}` was expected here"));
            }
            let Some(option) = info.options.iter().find(|option| option.name == name) else {
                let mut wrong =
                    error(place, format!("`{}` has no option `{name}`", info.name), "unknown option");
                let near = near_names(name, info.options.iter().map(|option| option.name));
                let all = list_of(info.options.iter().map(|option| option.name));
                wrong.helps.push(match (near.is_empty(), info.options.is_empty()) {
                    (_, true) => format!("`{}` takes no options", info.name),
                    (true, false) => format!("its options are {all}"),
                    (false, false) => format!("did you mean {}?", list_of(near)),
                });
                return Err(wrong);
            };
            let value = if self.eat('=') {
                let place = self.value();
                let value = self.text[place.clone()].to_owned();
                check_value(option, &value).map_err(|label| {
                    error(place, format!("invalid value for option `{name}` of `{}`", info.name), label)
                })?;
                value
            } else if option.kind == OptionKind::Flag {
                "true".to_owned()
            } else {
                return Err(error(
                    self.here(),
                    "malformed pipeline",
                    format!("`=` and a value for `{name}`"),
                ));
            };
            options.set(option.name, value);
        }
    }

    fn value(&mut self) -> Range<usize> {
        self.skip_space();
        let length = self
            .rest()
            .find(|c: char| c.is_whitespace() || matches!(c, '}' | '{' | ','))
            .unwrap_or(self.rest().len());
        let start = self.at;
        self.at += length;
        start..self.at
    }
}

/// What is wrong with `value`, if anything.
fn check_value(option: &OptionInfo, value: &str) -> Result<(), String> {
    match option.kind {
        OptionKind::Flag => match value {
            "true" | "false" => Ok(()),
            _ => Err("`true` or `false` was expected".to_owned()),
        },
        OptionKind::Number { min, max } => match value.parse::<i64>() {
            Ok(number) if (min..=max).contains(&number) => Ok(()),
            _ => Err(format!("a number from {min} to {max} was expected")),
        },
        OptionKind::Word(words) if words.contains(&value) => Ok(()),
        OptionKind::Word(words) => Err(format!("one of {} was expected", list_of(words.iter().copied()))),
    }
}

fn list_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The names of `known` that `name` may have been meant for, the nearest first.
pub fn near_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = ((name.chars().count() + 1) / 3).clamp(1, 4);
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .map(|known| (edit_distance(name, known), known))
        .filter(|&(distance, known)| {
            distance <= limit || (name.len() >= 3 && (known.starts_with(name) || name.starts_with(known)))
        })
        .collect();
    near.sort_unstable();
    near.truncate(3);
    near.into_iter().map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, PipelineError> {
        read_pipeline(text, &Registry::standard()).map(|items| pipeline_text(&items))
    }

    #[test]
    fn pipelines_are_read_as_mlir_opt_writes_them() {
        assert_eq!(read("").unwrap(), "");
        assert_eq!(read(" canonicalize , cse ").unwrap(), "canonicalize,cse");
        assert_eq!(read("builtin.module(canonicalize,tg.kernel(cse))").unwrap(), "canonicalize,cse");
        assert_eq!(read("allocate-smem{align=1024}").unwrap(), "allocate-smem{align=1024}");
        assert_eq!(read("insert-fences{diagnose}").unwrap(), "insert-fences{diagnose=true}");
        assert_eq!(read("builtin.module()").unwrap(), "");
    }

    #[test]
    fn errors_say_where_and_suggest_near_names() {
        let wrong = read("cse,canonicalise").unwrap_err();
        assert_eq!(wrong.at, 4..16);
        assert_eq!(wrong.message, "unknown pass `canonicalise`");
        assert_eq!(wrong.helps, ["did you mean `canonicalize`?"]);
        let wrong = read("allocate-smem{aling=3}").unwrap_err();
        assert_eq!((wrong.at, wrong.helps), (14..19, vec!["did you mean `align`?".to_owned()]));
        let wrong = read("allocate-smem{align=x}").unwrap_err();
        assert_eq!(wrong.at, 20..21);
        for text in [
            "cse,",
            "cse cse",
            "cse)",
            "builtin.module(cse",
            "foo(cse)",
            "cse{",
            "cse{x}",
            ",",
            "é",
            "cse{é=1}",
        ] {
            let wrong = read(text).unwrap_err();
            assert!(text.get(wrong.at.clone()).is_some(), "{text}: {wrong:?}");
        }
        assert!(read(&format!("{}cse{}", "any(".repeat(40), ")".repeat(40))).is_err());
    }

    #[test]
    fn distances() {
        assert_eq!(edit_distance("canonicalise", "canonicalize"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("abc", "abc"), 0);
    }
}
