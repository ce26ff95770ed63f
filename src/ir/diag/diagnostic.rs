//! The diagnostic: one message to the user, with its code, places, reasons and ways out.

use super::codes::Code;
use super::source::Span;
use std::fmt;

/// How grave a diagnostic is; the gravest is the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input is wrong: no output is made from it.
    Error,
    /// The input is accepted, and is likely not what was meant.
    Warning,
    /// Something worth knowing (also called information).
    Note,
    /// Advice.
    Help,
}

impl Severity {
    /// The lower-case word: `error`, `warning`, `note` or `help`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Help => "help",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place in the source, with what there is to say about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place. A label without one ([`Span::NONE`]) is shown as a note.
    pub span: Span,
    /// What is said there; may be empty.
    pub message: String,
    /// Whether this is where the problem is, and not a place that helps to understand it.
    pub primary: bool,
}

/// A change of the source that would help: `span` replaced by `replacement`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// What is replaced; an empty span inserts.
    pub span: Span,
    /// The new text; empty to delete.
    pub replacement: String,
    /// Why, as a request: `wait on the barrier instead`.
    pub message: String,
}

/// One message to the user.
///
/// Built in a chain; each call adds one part:
///
/// ```
/// use tidegate_ir::diag::{codes, Diagnostic, Span};
/// # let (load, def) = (Span::new(5, 9), Span::new(1, 4));
/// let diagnostic = Diagnostic::error(codes::BARRIER_AS_ARRAY, "cannot load from barrier `%full`")
///     .at(load, "a barrier has no elements")
///     .label(def, "`%full` is a barrier reference")
///     .note("a barrier is a reference to mbarriers and never an array")
///     .help("to wait for its phase, use `tg.barrier_wait`");
/// assert_eq!(diagnostic.primary_span(), load);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Which rule of the table it is about.
    pub code: Code,
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, in one line, lower case and without a full stop.
    pub message: String,
    /// The places, the primary ones first.
    pub labels: Vec<Label>,
    /// Facts that explain the problem.
    pub notes: Vec<String>,
    /// Ways out, in words.
    pub helps: Vec<String>,
    /// Ways out, as edits.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// A diagnostic as grave as the table says for `code`.
    pub fn new(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            suggestions: Vec::new(),
        }
    }

    /// An error, whatever the table says for `code`.
    pub fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, message).severity(Severity::Error)
    }

    /// A warning, whatever the table says for `code`.
    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, message).severity(Severity::Warning)
    }

    /// Information, whatever the table says for `code`.
    pub fn info(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, message).severity(Severity::Note)
    }

    /// Sets how grave it is.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// Adds a primary label: where the problem is. It stands behind earlier primary labels and before the rest.
    #[must_use]
    pub fn at(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        let index = self.labels.iter().take_while(|label| label.primary).count();
        self.labels.insert(index, Label { span, message: message.into(), primary: true });
        self
    }

    /// Adds a secondary label: a place that helps to understand the problem.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into(), primary: false });
        self
    }

    /// Adds a fact that explains the problem.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds a way out in words.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.helps.push(help.into());
        self
    }

    /// Adds a way out as an edit: `span` replaced by `replacement`.
    #[must_use]
    pub fn suggest(
        mut self,
        span: Span,
        replacement: impl Into<String>,
        message: impl Into<String>,
    ) -> Diagnostic {
        self.suggestions.push(Suggestion { span, replacement: replacement.into(), message: message.into() });
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The primary label, or the first one if none is primary.
    pub fn primary(&self) -> Option<&Label> {
        self.labels.iter().find(|label| label.primary).or_else(|| self.labels.first())
    }

    /// The span of the primary label; [`Span::NONE`] without labels.
    pub fn primary_span(&self) -> Span {
        self.primary().map_or(Span::NONE, |label| label.span)
    }
}

/// `error[TG0101]: message`, without places: for logs and panics.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)
    }
}
