//! Lets this package's executables find an LLVM outside the loader's own folders at run time. `tidegate-passes` does
//! the linking (see its build script) and says where LLVM is; without its feature `mlir` it says nothing.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(libdir) = env::var_os("DEP_TIDEGATE_MLIR_LIBDIR") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{}", libdir.display());
    }
}
