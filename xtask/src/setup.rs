//! Installs what is missing, and nothing else: a second run only looks at files.
//!
//! On Debian and Ubuntu LLVM comes from apt, elsewhere from the reader, who is told what to install. NVIDIA's
//! programs come from PyPI into `target/tools`, unless `$PATH` or `$CUDA_HOME` has them.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::tools::{Tools, folder, llvm_prefix};

/// What a chore cannot do without.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// To compile and link tidegate with the feature `mlir`.
    Build,
    /// To run the lit tests.
    Lit,
    /// To assemble PTX.
    Ptxas,
    /// To read SASS.
    Nvdisasm,
}

impl Need {
    /// Every need.
    pub(crate) const ALL: &[Self] = &[Self::Build, Self::Lit, Self::Ptxas, Self::Nvdisasm];
}

/// A package of Debian's and Ubuntu's, and a file by which to know that it is there.
struct SystemPackage {
    name: &'static str,
    need: Need,
    /// Relative to LLVM's folder, or absolute.
    file: &'static str,
}

const fn package(need: Need, name: &'static str, file: &'static str) -> SystemPackage {
    SystemPackage { name, need, file }
}

const SYSTEM_PACKAGES: &[SystemPackage] = &[
    package(Need::Build, "g++", "/usr/bin/c++"),
    package(Need::Build, "llvm-22-dev", "bin/llvm-config"),
    package(Need::Build, "libmlir-22-dev", "lib/libMLIRCAPIIR.a"),
    package(Need::Build, "libclang1-22", "lib/libclang-22.so.1"),
    package(Need::Build, "libclang-common-22-dev", "lib/clang/22/include/stdbool.h"),
    package(Need::Build, "libpolly-22-dev", "lib/libPolly.a"),
    package(Need::Build, "zlib1g-dev", "/usr/include/zlib.h"),
    package(Need::Build, "libzstd-dev", "/usr/include/zstd.h"),
    package(Need::Lit, "mlir-22-tools", "bin/mlir-opt"),
    package(Need::Lit, "llvm-22-tools", "bin/FileCheck"),
];

/// A package of PyPI's, pinned.
struct PythonPackage {
    name: &'static str,
    version: &'static str,
}

const PTXAS: PythonPackage = PythonPackage { name: "nvidia-cuda-nvcc", version: "13.5.37" };
const NVDISASM: PythonPackage = PythonPackage { name: "nvidia-cuda-nvdisasm", version: "13.5.37" };
const LIT: PythonPackage = PythonPackage { name: "lit", version: "18.1.8" };

/// Sets up what `needs` names and is missing.
///
/// Fails where LLVM is missing and cannot be installed. A program that only tests want is reported and left out of
/// the result: what to make of its absence is the chore's to say.
pub(crate) fn set_up(shell: &Shell, needs: &[Need]) -> Result<Tools> {
    install_system_packages(shell, needs)?;
    let tools = Tools::find(shell);
    let mut wanted = Vec::new();
    if needs.contains(&Need::Ptxas) && tools.ptxas.is_none() {
        wanted.push(&PTXAS);
    }
    if needs.contains(&Need::Nvdisasm) && tools.nvdisasm.is_none() {
        wanted.push(&NVDISASM);
    }
    if needs.contains(&Need::Lit) && tools.lit.is_none() {
        wanted.push(&LIT);
    }
    if wanted.is_empty() {
        return Ok(tools);
    }
    if let Err(error) = install_python_packages(shell, &wanted) {
        println!("note: {error:#}");
        for PythonPackage { name, version } in wanted {
            println!(
                "note: `{name}` {version} of PyPI is missing; install it, or put its programs on the path"
            );
        }
    }
    Ok(Tools::find(shell))
}

/// The packages that `needs` names and whose file is not there.
fn missing_system_packages(needs: &[Need]) -> Vec<&'static SystemPackage> {
    let llvm = llvm_prefix();
    let wanted = SYSTEM_PACKAGES.iter().filter(|package| needs.contains(&package.need));
    if on_debian() {
        return wanted.filter(|package| !llvm.join(package.file).exists()).collect();
    }
    // Elsewhere only these lie where the table says; the build itself says what else it misses.
    wanted.filter(|p| p.file.starts_with("bin/") && !llvm.join(p.file).exists()).collect()
}

fn install_system_packages(shell: &Shell, needs: &[Need]) -> Result<()> {
    let missing = missing_system_packages(needs);
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = missing.iter().map(|package| package.name).collect();
    let llvm = llvm_prefix();
    if !on_debian() || llvm != Path::new("/usr/lib/llvm-22") {
        let files: String = missing.iter().map(|p| format!("\n  {}", llvm.join(p.file).display())).collect();
        bail!(
            "these parts of LLVM and MLIR 22 are missing:{files}\n\
             Install LLVM and MLIR 22 with their headers, libraries and tools (on Debian and Ubuntu the packages \
             {}), libclang 22, a C++ compiler, zlib and zstd, and set MLIR_SYS_220_PREFIX and TABLEGEN_220_PREFIX to \
             the folder that holds LLVM's `bin` and `lib`. Without them, `cargo build --no-default-features` builds \
             all but the lowering.",
            names.join(", ")
        );
    }
    apt_install(shell, &names)?;
    let missing: Vec<_> = missing_system_packages(needs).iter().map(|package| package.name).collect();
    if !missing.is_empty() {
        bail!("apt reported success, yet the files of these packages are missing: {}", missing.join(", "));
    }
    Ok(())
}

/// Installs packages by apt, with sudo unless we are root.
fn apt_install(shell: &Shell, names: &[&str]) -> Result<()> {
    println!("setting up by apt: {}", names.join(" "));
    let (env, variables): (_, &[&str]) = if is_root(shell) {
        ("env", &["DEBIAN_FRONTEND=noninteractive"])
    } else if which::which("sudo").is_ok() {
        ("sudo", &["env", "DEBIAN_FRONTEND=noninteractive"])
    } else {
        bail!(
            "not root, and no sudo: run `apt-get install --no-install-recommends {}` as root",
            names.join(" ")
        );
    };
    let wait = "DPkg::Lock::Timeout=300";
    cmd!(shell, "{env} {variables...} apt-get -q -o {wait} update").run()?;
    let install = cmd!(
        shell,
        "{env} {variables...} apt-get -q -y -o {wait} install --no-install-recommends {names...}"
    );
    if install.run().is_err() {
        bail!(
            "apt could not install: {}\nWhere apt knows no LLVM 22, add the LLVM project's own repository for Debian \
             and Ubuntu to its sources first.",
            names.join(" ")
        );
    }
    Ok(())
}

/// Installs each package into its own folder of `target/tools`, as a whole or not at all.
fn install_python_packages(shell: &Shell, packages: &[&PythonPackage]) -> Result<()> {
    let python = python_with_pip(shell)?;
    for PythonPackage { name, version } in packages {
        println!("setting up from PyPI: {name} {version}");
        let folder = folder(shell);
        let part = folder.join(format!("{name}.part"));
        let done = folder.join(name);
        shell.remove_path(&part)?;
        let requirement = format!("{name}=={version}");
        cmd!(
            shell,
            "{python} -m pip install --quiet --disable-pip-version-check --no-deps --target {part} {requirement}"
        )
        .env("PIP_ROOT_USER_ACTION", "ignore")
        .run()?;
        shell.remove_path(&done)?;
        fs::rename(&part, &done)?;
    }
    Ok(())
}

/// A Python that has pip: the user's, or a virtual environment made for the purpose, or Debian's package.
///
/// Installing to a folder of its own is allowed where Python is managed by the system.
fn python_with_pip(shell: &Shell) -> Result<PathBuf> {
    let has_pip = |python: &Path| {
        cmd!(shell, "{python} -m pip --version").quiet().ignore_stdout().ignore_stderr().run().is_ok()
    };
    let python = PathBuf::from("python3");
    if has_pip(&python) {
        return Ok(python);
    }
    if on_debian() {
        apt_install(shell, &["python3-pip"])?;
    } else {
        let environment = folder(shell).join("venv");
        let made = cmd!(shell, "{python} -m venv {environment}").quiet().ignore_stderr().run();
        let python = environment.join("bin/python3");
        if made.is_ok() && has_pip(&python) {
            return Ok(python);
        }
    }
    if has_pip(&python) {
        return Ok(python);
    }
    bail!("no Python 3 with pip (or with venv) on the path: install one")
}

/// Debian, or a system made from it that has apt.
fn on_debian() -> bool {
    Path::new("/etc/debian_version").exists() && which::which("apt-get").is_ok()
}

fn is_root(shell: &Shell) -> bool {
    cmd!(shell, "id -u").quiet().read().is_ok_and(|id| id == "0")
}

/// Are we in CI, where nothing may be skipped?
pub(crate) fn in_ci() -> bool {
    env::var_os("CI").is_some_and(|ci| ci == "true")
}
