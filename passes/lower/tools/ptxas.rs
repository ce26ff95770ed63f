//! Runs `ptxas` on PTX.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{KernelResources, PtxasMessage, ToolError, find, ptxas_report};
use crate::lower::target::Chip;

const TOOL: &str = "ptxas";

/// NVIDIA's assembler.
#[derive(Clone, Debug)]
pub struct Ptxas {
    program: PathBuf,
}

/// How to assemble.
#[derive(Clone, Copy, Debug)]
pub struct AssembleOptions {
    /// The chip to assemble for.
    pub chip: Chip,
    /// Whether the cubin maps its instructions to source lines, where the PTX has line tables.
    pub line_info: bool,
    /// Whether notes on serialised tensor-core instructions are errors, as they should be.
    pub deny_serialisation: bool,
}

impl AssembleOptions {
    /// With line information, and with notes on serialisation as errors.
    pub const fn new(chip: Chip) -> Self {
        Self { chip, line_info: true, deny_serialisation: true }
    }
}

/// What `ptxas` made.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The cubin, an ELF file.
    pub cubin: Vec<u8>,
    /// What each kernel takes.
    pub kernels: Vec<KernelResources>,
    /// Warnings and notes.
    pub messages: Vec<PtxasMessage>,
}

impl Ptxas {
    /// Looks for `ptxas`; see the [module](super) for where.
    ///
    /// # Errors
    ///
    /// [`ToolError::NotFound`].
    pub fn find() -> Result<Self, ToolError> {
        find(TOOL, "TIDEGATE_PTXAS").map(Self::at)
    }

    /// The `ptxas` at `program`.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into() }
    }

    /// Where it is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Makes a cubin of `ptx`.
    ///
    /// # Errors
    ///
    /// When `ptxas` refuses the PTX, serialises what must not be, or cannot be run.
    pub fn assemble(&self, ptx: &str, options: &AssembleOptions) -> Result<Assembled, ToolError> {
        let io = |source| ToolError::Io { tool: TOOL, source };
        let folder = tempfile::tempdir().map_err(io)?;
        let (input, cubin) = (folder.path().join("kernel.ptx"), folder.path().join("kernel.cubin"));
        fs::write(&input, ptx).map_err(io)?;
        let mut command = Command::new(&self.program);
        command.arg("-v").arg(format!("-arch={}", options.chip));
        if options.line_info {
            command.arg("--generate-line-info");
        }
        let output = command
            .arg(&input)
            .arg("-o")
            .arg(&cubin)
            .output()
            .map_err(|source| ToolError::Run { program: self.program.clone(), source })?;
        let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
        text += &String::from_utf8_lossy(&output.stdout);
        let report = ptxas_report::parse(&text);
        if !output.status.success() {
            return Err(match report.messages {
                messages if messages.is_empty() => {
                    ToolError::Failed { tool: TOOL, status: output.status, output: text }
                }
                messages => ToolError::Rejected { messages },
            });
        }
        if options.deny_serialisation {
            let messages: Vec<_> =
                report.messages.iter().filter(|message| message.is_serialisation()).cloned().collect();
            if !messages.is_empty() {
                return Err(ToolError::Serialised { messages });
            }
        }
        let cubin = fs::read(&cubin).map_err(io)?;
        Ok(Assembled { cubin, kernels: report.kernels, messages: report.messages })
    }
}
