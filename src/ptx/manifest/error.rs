//! What is wrong with a manifest, or with a launch by it.

use std::fmt;

/// What a [`ManifestError`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The text is no manifest.
    Manifest,
    /// The manifest does not fit the PTX.
    Misfit,
    /// An array or a number does not fit its operand, or is missing.
    Operand,
    /// A driver would refuse the launch.
    Launch,
}

/// What is wrong with a manifest, or with a launch by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// What it is about.
    pub kind: Kind,
    /// The field: `params[2].operand`; may be empty.
    pub path: String,
    /// What was found and what is wanted.
    pub message: String,
    /// How to put it right, where that is known.
    pub help: Option<String>,
    /// Line and column in the manifest's text, from 1, where they are known.
    pub place: Option<(usize, usize)>,
}

impl ManifestError {
    /// An error of a field.
    pub(super) fn new(kind: Kind, path: impl Into<String>, message: impl Into<String>) -> ManifestError {
        ManifestError { kind, path: path.into(), message: message.into(), help: None, place: None }
    }

    /// Adds advice.
    pub(super) fn help(mut self, help: impl Into<String>) -> ManifestError {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for ManifestError {}
