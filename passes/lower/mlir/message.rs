//! What MLIR and LLVM report, as values.

use std::fmt;

use melior::diagnostic::{Diagnostic, DiagnosticSeverity};

use super::location::{OpTag, SourceLine};

/// How bad a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MlirSeverity {
    /// The operation fails.
    Error,
    /// It goes on.
    Warning,
    /// More about another message.
    Note,
    /// A remark, of an optimisation say.
    Remark,
}

/// A message of MLIR or LLVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MlirMessage {
    /// How bad.
    pub severity: MlirSeverity,
    /// What it says.
    pub text: String,
    /// The op of ours it is about, as far as its location tells.
    pub op: Option<OpTag>,
    /// The line of source it is about, as far as its location tells.
    pub line: Option<SourceLine>,
    /// What it adds.
    pub notes: Vec<MlirMessage>,
}

impl MlirMessage {
    /// Takes all of `diagnostic`, which lives only during the call of the handler.
    pub(super) fn of(diagnostic: &Diagnostic<'_>) -> Self {
        let location = diagnostic.location();
        let notes = (0..diagnostic.note_count()).filter_map(|index| diagnostic.note(index).ok());
        Self {
            severity: match diagnostic.severity() {
                DiagnosticSeverity::Error => MlirSeverity::Error,
                DiagnosticSeverity::Warning => MlirSeverity::Warning,
                DiagnosticSeverity::Note => MlirSeverity::Note,
                DiagnosticSeverity::Remark => MlirSeverity::Remark,
            },
            text: diagnostic.to_string(),
            op: OpTag::of(location),
            line: SourceLine::of(location),
            notes: notes.map(|note| Self::of(&note)).collect(),
        }
    }

    /// A message without a place.
    pub(super) fn error(text: impl Into<String>) -> Self {
        Self { severity: MlirSeverity::Error, text: text.into(), op: None, line: None, notes: Vec::new() }
    }
}

impl fmt::Display for MlirMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = &self.line {
            write!(f, "{line}: ")?;
        }
        f.write_str(&self.text)?;
        for note in &self.notes {
            write!(f, " (note: {note})")?;
        }
        Ok(())
    }
}

/// The texts of `messages` in one line: errors, or whatever there is when none is an error.
pub(super) fn summary(messages: &[MlirMessage]) -> String {
    let errors: Vec<_> = messages.iter().filter(|message| message.severity == MlirSeverity::Error).collect();
    let chosen = if errors.is_empty() { messages.iter().collect() } else { errors };
    if chosen.is_empty() {
        return "no message was given".to_owned();
    }
    chosen.iter().map(|message| message.to_string()).collect::<Vec<_>>().join("; ")
}
