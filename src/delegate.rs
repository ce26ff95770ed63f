//! `tidegate compile`, seen from `tidegate`: another program does it.
//!
//! Loading MLIR and LLVM takes 40 ms and 60 MB, whether they are used or not. So they are in a program of their own,
//! `tidegate-compile`, beside this one; `check` and `opt` do without.

use std::path::PathBuf;

use crate::cli::args::{ColorWhen, CompileArgs};
use crate::cli::report::{Outcome, say};

/// The program, without the system's ending.
const PROGRAM: &str = "tidegate-compile";

/// Becomes `tidegate-compile`, with the same arguments. Comes back only when there is none.
pub(crate) fn run(_args: &CompileArgs, _color: ColorWhen) -> Outcome {
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(PROGRAM));
    let program =
        beside.unwrap_or_else(|| PathBuf::from(PROGRAM)).with_extension(std::env::consts::EXE_EXTENSION);
    let mut command = std::process::Command::new(&program);
    command.args(std::env::args_os().skip(1));
    let error = replace(command);
    if error.kind() == std::io::ErrorKind::NotFound {
        say(&format!("error: `{}` is not here", program.display()));
        say("  = note: compiling is its work; it is built with feature `mlir`, which this tidegate may lack");
        say(
            "  = help: `cargo build` with the default features builds both; `cargo xtask setup` installs what they need",
        );
    } else {
        say(&format!("error: cannot run `{}`: {error}", program.display()));
    }
    Outcome::Usage
}

/// Runs the command in place of this process.
#[cfg(unix)]
fn replace(mut command: std::process::Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(&mut command)
}

/// Runs the command, and ends as it ends.
#[cfg(not(unix))]
fn replace(mut command: std::process::Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(3)),
        Err(error) => error,
    }
}
