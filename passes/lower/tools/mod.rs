//! NVIDIA's own programs: `ptxas`, which makes a cubin of PTX, and `nvdisasm`, which shows the machine code in it.
//!
//! Neither is needed to compile to PTX. Each is looked for, in this order:
//! - `$TIDEGATE_PTXAS`, `$TIDEGATE_NVDISASM`: the program itself,
//! - the folders of `$PATH`,
//! - `bin` of `$CUDA_HOME` and of `$CUDA_PATH`,
//! - `target/tools`, where `cargo xtask setup` puts what it fetches, of the working folder or one above it.

mod nvdisasm;
mod ptxas;
mod ptxas_report;

use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

pub use nvdisasm::{Nvdisasm, SassCounts};
pub use ptxas::{AssembleOptions, Assembled, Ptxas};
pub use ptxas_report::{KernelResources, MessageKind, PtxasMessage};
use thiserror::Error;

/// Why one of NVIDIA's programs gave no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The program is nowhere to be found.
    #[error("{tool} not found: set {variable}, put it on PATH, set CUDA_HOME, or run `cargo xtask setup`")]
    NotFound {
        /// The program.
        tool: &'static str,
        /// The variable that names it.
        variable: &'static str,
    },
    /// The program could not be run.
    #[error("cannot run {}", program.display())]
    Run {
        /// The program.
        program: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A temporary file could not be written or read.
    #[error("cannot use a temporary file for {tool}")]
    Io {
        /// The program it was for.
        tool: &'static str,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// `ptxas` refused the PTX.
    #[error("ptxas refuses the PTX: {}", ptxas_report::summary(messages))]
    Rejected {
        /// All it said, errors and others.
        messages: Vec<PtxasMessage>,
    },
    /// `ptxas` made code, but not the code that was meant: it serialised tensor-core instructions or moved a wait
    /// (notes C7510 to C7519).
    #[error("ptxas changes how tensor-core instructions run: {}", ptxas_report::summary(messages))]
    Serialised {
        /// The notes in question.
        messages: Vec<PtxasMessage>,
    },
    /// The program failed and said nothing that we understand.
    #[error("{tool} failed with {status}: {output}")]
    Failed {
        /// The program.
        tool: &'static str,
        /// Its exit status.
        status: std::process::ExitStatus,
        /// All it said.
        output: String,
    },
}

/// Looks for a program of NVIDIA's.
fn find(tool: &'static str, variable: &'static str) -> Result<PathBuf, ToolError> {
    let current = env::current_dir().unwrap_or_default();
    candidates(tool, env::var_os(variable), |name| env::var_os(name), &current)
        .into_iter()
        .find(|path| path.is_file())
        .ok_or(ToolError::NotFound { tool, variable })
}

/// The places where `tool` may be, best first. With the variable set there is only that one.
fn candidates(
    tool: &str,
    explicit: Option<OsString>,
    variable: impl Fn(&str) -> Option<OsString>,
    current: &Path,
) -> Vec<PathBuf> {
    if let Some(path) = explicit.filter(|path| !path.is_empty()) {
        return vec![path.into()];
    }
    let mut places = Vec::new();
    if let Some(path) = variable("PATH") {
        places.extend(env::split_paths(&path).map(|folder| folder.join(tool)));
    }
    for home in ["CUDA_HOME", "CUDA_PATH"] {
        places.extend(variable(home).map(|home| Path::new(&home).join("bin").join(tool)));
    }
    let target = variable("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    for folder in current.ancestors() {
        let tools = folder.join(&target).join("tools");
        // A wheel of NVIDIA's, one folder for each package: nvidia-cuda-nvcc/nvidia/cu13/bin/ptxas.
        for package in ["nvidia-cuda-nvcc", "nvidia-cuda-nvdisasm"] {
            places.push(tools.join(package).join("nvidia/cu13/bin").join(tool));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(name: &str) -> Option<OsString> {
        match name {
            "PATH" => Some("/a:/b".into()),
            "CUDA_HOME" => Some("/cuda".into()),
            _ => None,
        }
    }

    #[test]
    fn the_variable_wins_and_stands_alone() {
        let places = candidates("ptxas", Some("/x/ptxas".into()), variables, Path::new("/w"));
        assert_eq!(places, [PathBuf::from("/x/ptxas")]);
    }

    #[test]
    fn the_path_comes_before_cuda_home_and_that_before_the_tools_of_setup() {
        let places = candidates("ptxas", None, variables, Path::new("/w/sub"));
        let expected = [
            "/a/ptxas",
            "/b/ptxas",
            "/cuda/bin/ptxas",
            "/w/sub/target/tools/nvidia-cuda-nvcc/nvidia/cu13/bin/ptxas",
        ];
        assert_eq!(places[..4], expected.map(PathBuf::from));
        let above = PathBuf::from("/w/target/tools/nvidia-cuda-nvcc/nvidia/cu13/bin/ptxas");
        assert!(places.contains(&above), "{places:?}");
    }

    #[test]
    fn an_absent_program_is_an_error_that_says_what_to_do() {
        let error = find("no-such-program", "TIDEGATE_NO_SUCH_PROGRAM").unwrap_err();
        assert!(error.to_string().contains("set TIDEGATE_NO_SUCH_PROGRAM"), "{error}");
    }
}
