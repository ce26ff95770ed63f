//! The programs that tests and the demo call: where each was found, and the variables that tell children.

use std::{
    env, fmt,
    path::{Path, PathBuf},
    process::Command,
};

use xshell::Shell;

/// The oldest `ptxas` that takes what we emit for sm_100a (PTX 8.8).
const PTXAS_MINIMUM: (u32, u32) = (12, 9);

/// The programs found. Children learn of them through the variables that [`Tools::export`] sets.
pub(crate) struct Tools {
    /// The folder that holds LLVM's `bin` and `lib`.
    pub(crate) llvm: PathBuf,
    /// `mlir-opt` of LLVM 22.
    pub(crate) mlir_opt: Option<PathBuf>,
    /// LLVM's `FileCheck`.
    pub(crate) filecheck: Option<PathBuf>,
    /// LLVM's test runner.
    pub(crate) lit: Option<PathBuf>,
    /// NVIDIA's assembler of PTX.
    pub(crate) ptxas: Option<PathBuf>,
    /// NVIDIA's disassembler of cubins.
    pub(crate) nvdisasm: Option<PathBuf>,
}

impl Tools {
    /// Looks for the programs; installs nothing.
    pub(crate) fn find(shell: &Shell) -> Self {
        let llvm = llvm_prefix();
        let local = folder(shell);
        let cuda = |name: &str, package: &str| {
            let variable = format!("TIDEGATE_{}", name.to_uppercase());
            let installed = local.join(package).join("nvidia/cu13/bin").join(name);
            let mut places = vec![env::var_os(variable).map(PathBuf::from), which::which(name).ok()];
            for home in ["CUDA_HOME", "CUDA_PATH"] {
                places.push(env::var_os(home).map(|home| Path::new(&home).join("bin").join(name)));
            }
            places.push(Some(installed));
            places.into_iter().flatten().filter(|path| path.is_file())
        };
        let mut lit = vec![env::var_os("LIT").map(PathBuf::from)];
        lit.extend(["lit", "llvm-lit"].map(|name| which::which(name).ok()));
        lit.extend([Some(llvm.join("bin/lit")), Some(local.join("lit/bin/lit"))]);
        Self {
            mlir_opt: llvm_tool("MLIR_OPT", &llvm, "mlir-opt"),
            filecheck: llvm_tool("FILECHECK", &llvm, "FileCheck"),
            lit: lit.into_iter().flatten().find(|path| path.is_file()),
            ptxas: cuda("ptxas", "nvidia-cuda-nvcc").find(|path| recent_enough(path)),
            nvdisasm: cuda("nvdisasm", "nvidia-cuda-nvdisasm").next(),
            llvm,
        }
    }

    /// The programs by name, with the variable that carries each.
    fn entries(&self) -> [(&'static str, &'static str, Option<&Path>); 6] {
        [
            ("LLVM", "MLIR_SYS_220_PREFIX", Some(&self.llvm)),
            ("mlir-opt", "MLIR_OPT", self.mlir_opt.as_deref()),
            ("FileCheck", "FILECHECK", self.filecheck.as_deref()),
            ("lit", "LIT", self.lit.as_deref()),
            ("ptxas", "TIDEGATE_PTXAS", self.ptxas.as_deref()),
            ("nvdisasm", "TIDEGATE_NVDISASM", self.nvdisasm.as_deref()),
        ]
    }

    /// Are all there?
    pub(crate) fn complete(&self) -> bool {
        self.entries().iter().all(|(_, _, path)| path.is_some())
    }

    /// Sets the variables in `shell`, for all that it runs from now on.
    pub(crate) fn export(&self, shell: &Shell) {
        for (_, variable, path) in self.entries() {
            if let Some(path) = path {
                shell.set_var(variable, path);
            }
        }
        // What setup installed from PyPI lies beside its `bin` folder.
        if let Some(packages) = self.lit.as_deref().and_then(Path::parent).and_then(Path::parent)
            && packages.starts_with(folder(shell))
        {
            shell.set_var("PYTHONPATH", packages);
        }
    }
}

impl fmt::Display for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, variable, path) in self.entries() {
            let path = path.map_or_else(|| "not found".into(), |path| path.display().to_string());
            writeln!(f, "{name:<10} {path}  (${variable})")?;
        }
        Ok(())
    }
}

/// The folder that holds LLVM's `bin` and `lib`. `.cargo/config.toml` has the default.
pub(crate) fn llvm_prefix() -> PathBuf {
    env::var_os("MLIR_SYS_220_PREFIX").map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from)
}

/// Where cargo builds.
pub(crate) fn target(shell: &Shell) -> PathBuf {
    shell.current_dir().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Where setup installs what it fetches from PyPI: a folder for each package.
pub(crate) fn folder(shell: &Shell) -> PathBuf {
    target(shell).join("tools")
}

fn llvm_tool(variable: &str, llvm: &Path, name: &str) -> Option<PathBuf> {
    let given = env::var_os(variable).map(PathBuf::from);
    let versioned = which::which(format!("{name}-22")).ok();
    let places = [given, Some(llvm.join("bin").join(name)), versioned];
    places.into_iter().flatten().find(|path| path.is_file())
}

/// Does this `ptxas` know the targets and the PTX version that we emit?
fn recent_enough(ptxas: &Path) -> bool {
    let Ok(output) = Command::new(ptxas).arg("--version").output() else { return false };
    ptxas_release(&String::from_utf8_lossy(&output.stdout)).is_some_and(|release| release >= PTXAS_MINIMUM)
}

/// The release in the output of `ptxas --version`, whose third line reads `…, release 13.0, V13.0.48`.
fn ptxas_release(version: &str) -> Option<(u32, u32)> {
    let (_, rest) = version.split_once("release ")?;
    let (release, _) = rest.split_once(',')?;
    let (major, minor) = release.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_release_of_ptxas() {
        let version =
            "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.0, V13.0.48\n";
        assert_eq!(ptxas_release(version), Some((13, 0)));
        assert_eq!(ptxas_release("no release here"), None);
    }
}
