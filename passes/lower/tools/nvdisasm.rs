//! Runs `nvdisasm` on a cubin, and counts what a kernel's machine code is made of.

use std::{fs, path::PathBuf, process::Command};

use super::{ToolError, find};

const TOOL: &str = "nvdisasm";

/// NVIDIA's disassembler.
#[derive(Clone, Debug)]
pub struct Nvdisasm {
    program: PathBuf,
}

/// How many instructions a disassembly has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SassCounts {
    /// All, with the padding at the end that makes code a multiple of 8 instructions.
    pub all: usize,
    /// All but `NOP`.
    pub without_nops: usize,
    /// Loads and stores of local memory: spills and arrays that did not fit registers.
    pub local_memory: usize,
}

impl Nvdisasm {
    /// Looks for `nvdisasm`; see the [module](super) for where.
    ///
    /// # Errors
    ///
    /// [`ToolError::NotFound`].
    pub fn find() -> Result<Self, ToolError> {
        find(TOOL, "TIDEGATE_NVDISASM").map(Self::at)
    }

    /// The `nvdisasm` at `program`.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into() }
    }

    /// The machine code in `cubin` as text.
    ///
    /// # Errors
    ///
    /// When it cannot be run, or refuses the file.
    pub fn disassemble(&self, cubin: &[u8]) -> Result<String, ToolError> {
        let io = |source| ToolError::Io { tool: TOOL, source };
        let folder = tempfile::tempdir().map_err(io)?;
        let input = folder.path().join("kernel.cubin");
        fs::write(&input, cubin).map_err(io)?;
        let output = Command::new(&self.program)
            .arg("--print-code")
            .arg(&input)
            .output()
            .map_err(|source| ToolError::Run { program: self.program.clone(), source })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            return Ok(text);
        }
        let output_text = String::from_utf8_lossy(&output.stderr).into_owned() + &text;
        Err(ToolError::Failed { tool: TOOL, status: output.status, output: output_text })
    }
}

impl SassCounts {
    /// Counts the instructions of a disassembly.
    pub fn of(sass: &str) -> Self {
        let mut counts = Self::default();
        for instruction in sass.lines().filter_map(instruction) {
            counts.all += 1;
            // A predicate `@P0` or `@!UP1` may come before the name.
            let mut words = instruction.split_whitespace();
            let name = words.find(|word| !word.starts_with('@')).unwrap_or_default().trim_end_matches(';');
            if name != "NOP" {
                counts.without_nops += 1;
            }
            if ["LDL", "STL"].iter().any(|local| name.starts_with(local)) {
                counts.local_memory += 1;
            }
        }
        counts
    }
}

/// The instruction in `    /*0120*/    @P0 BRA `(.L_x_1) ;`, or nothing.
fn instruction(line: &str) -> Option<&str> {
    let (address, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    (address.len() >= 4 && address.bytes().all(|byte| byte.is_ascii_hexdigit()) && rest.contains(';'))
        .then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_instructions_and_not_labels_or_comments() {
        let sass = "\t.section\t.text.k,\"ax\",@progbits\nk:\n.text.k:\n        \
            /*0000*/                   LDC R1, c[0x0][0x28] ;\n.L_x_5:\n        \
            /*0010*/              @!P0 BRA `(.L_x_0) ;\n        \
            /*0020*/                   @!UP0 SYNCS.EXCH.64 URZ, [UR7], UR10 ;\n        \
            /*0030*/                   STL [R1], R2 ;\n        \
            /*0040*/                   NOP;\n        /* a comment */\n";
        assert_eq!(SassCounts::of(sass), SassCounts { all: 5, without_nops: 4, local_memory: 1 });
    }
}
