//! Reading inputs and writing outputs whole or not at all.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidegate::ir::diag::{Diagnostic, FileId, SourceMap, codes};

/// Whether a path means the standard stream.
fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file into the source map.
///
/// # Errors
/// A diagnostic when the file cannot be read, is no UTF-8 text, or is too large.
pub(crate) fn read(path: &Path, sources: &mut SourceMap) -> Result<FileId, Box<Diagnostic>> {
    let name = if is_stdio(path) { "<stdin>".to_owned() } else { path.display().to_string() };
    let unreadable = |what: String| Box::new(Diagnostic::error(codes::UNREADABLE_FILE, what));
    let bytes = if is_stdio(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let bytes = bytes.map_err(|error| unreadable(format!("cannot read `{name}`: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let mut diagnostic =
            Diagnostic::error(codes::UNREADABLE_FILE, format!("`{name}` is not a text file"))
                .note(format!("byte {at} starts no UTF-8 character"));
        if error.as_bytes().starts_with(b"ML\xEFR") {
            diagnostic = diagnostic.help("this is MLIR bytecode; print it as text with `mlir-opt` first");
        }
        Box::new(diagnostic)
    })?;
    sources
        .try_add_file(name.as_str(), Arc::from(text))
        .map_err(|error| Box::new(Diagnostic::error(codes::FILE_TOO_LARGE, format!("`{name}`: {error}"))))
}

/// Writes to a file, or to standard output. A file is written beside its place and then moved there, so that what
/// was there stays until the new text is whole.
///
/// # Errors
/// A message that names the file.
pub(crate) fn write(path: Option<&Path>, bytes: &[u8]) -> Result<(), String> {
    let Some(path) = path.filter(|path| !is_stdio(path)) else {
        let mut out = io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            // The reader has seen enough, as `head` has.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(|error| format!("cannot write to standard output: {error}")),
        };
    };
    let describe = |error: io::Error| format!("cannot write `{}`: {error}", path.display());
    // What is not a plain file (a pipe, /dev/null) cannot be replaced.
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return fs::write(path, bytes).map_err(describe);
    }
    let mut beside = PathBuf::from(path);
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    beside.set_file_name(name);
    let result = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if result.is_err() {
        // Nothing to do about it if this fails too: the first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    result.map_err(describe)
}
