//! Makes linking against the shared MLIR work where only the C API's static archives exist.
//!
//! `mlir-sys` in shared mode (`MLIR_SYS_LINK_SHARED=1`) asks the linker for `-lMLIR-C`. Debian and Ubuntu ship
//! `libMLIR.so`, but the C API only as `libMLIRCAPI*.a`. So this script writes a linker script of the name
//! `libMLIR-C.so` that lists the archives, and adds its folder to the search path, which cargo hands on to every
//! executable that depends on this package. In static mode nothing asks for it.
//!
//! The loader must find the shared libraries too. Ours get an `-rpath` (the root package's build script adds its own).
//! An executable of another package that is to run outside cargo adds one itself, or is run with `LD_LIBRARY_PATH`.
//!
//! Without the feature `mlir` this script does nothing.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

const PREFIX: &str = "MLIR_SYS_220_PREFIX";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={PREFIX}");
    if env::var_os("CARGO_FEATURE_MLIR").is_none() {
        return ExitCode::SUCCESS;
    }
    match link_mlir() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error=MLIR 22 is needed by the feature `mlir`: {error}");
            ExitCode::FAILURE
        }
    }
}

fn link_mlir() -> Result<(), String> {
    let libdir = llvm_libdir()?;
    if !libdir.join("libMLIR-C.so").exists() {
        let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?);
        let archives = c_api_archives(&libdir)
            .map_err(|error| format!("the C API's archives in {}: {error}", libdir.display()))?;
        fs::write(out.join("libMLIR-C.so"), linker_script(&archives))
            .and_then(|()| link_shared_libraries(&libdir, &out))
            .map_err(|error| format!("libMLIR-C.so in {}: {error}", out.display()))?;
        println!("cargo::rustc-link-search=native={}", out.display());
    }
    // For an LLVM outside the loader's own folders. Link arguments reach only this package's tests; the root package
    // repeats this one from the metadata.
    println!("cargo::rustc-link-arg=-Wl,-rpath,{}", libdir.display());
    println!("cargo::metadata=libdir={}", libdir.display());
    Ok(())
}

/// The folder of LLVM's libraries, from the same `llvm-config` that `mlir-sys` asks.
fn llvm_libdir() -> Result<PathBuf, String> {
    let llvm_config = match env::var_os(PREFIX) {
        Some(prefix) => Path::new(&prefix).join("bin/llvm-config"),
        None => PathBuf::from("llvm-config"),
    };
    let output = Command::new(&llvm_config)
        .arg("--libdir")
        .output()
        .map_err(|error| format!("cannot run {} (set {PREFIX}): {error}", llvm_config.display()))?;
    if !output.status.success() {
        return Err(format!("{} --libdir: {}", llvm_config.display(), output.status));
    }
    let libdir = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    Ok(PathBuf::from(libdir.trim()))
}

/// The names, as `-l` wants them, of the C API's archives; sorted.
fn c_api_archives(libdir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(libdir)? {
        let file = entry?.file_name();
        let name = file.to_str().and_then(|name| name.strip_prefix("lib")?.strip_suffix(".a"));
        names.extend(name.filter(|name| name.starts_with("MLIRCAPI")).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Links to the shared MLIR and LLVM in `out`: `cargo run` and `cargo test` have the loader search the native folders
/// under `target/`, so that doc tests and the crates of others, which no `-rpath` of ours reaches, find them too.
#[cfg(unix)]
fn link_shared_libraries(libdir: &Path, out: &Path) -> io::Result<()> {
    for entry in fs::read_dir(libdir)? {
        let file = entry?.file_name();
        let name = file.to_string_lossy();
        if (name.starts_with("libMLIR") || name.starts_with("libLLVM")) && name.contains(".so.") {
            let link = out.join(&file);
            match fs::remove_file(&link) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => std::os::unix::fs::symlink(libdir.join(&file), link)?,
            }
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn link_shared_libraries(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// The archives refer to one another, hence the group. `-lMLIR` again, since the linker drops a library that nothing
/// has asked for when it meets it.
fn linker_script(archives: &[String]) -> String {
    let archives: String = archives.iter().map(|name| format!("-l{name} ")).collect();
    format!("GROUP ( {archives}AS_NEEDED ( -lMLIRExecutionEngineShared -lMLIR ) )\n")
}
