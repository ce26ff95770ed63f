//! The program behind `tidegate compile`: the same command line, with MLIR and LLVM.

#[path = "../../cli/mod.rs"]
mod cli;
mod compile;

fn main() -> std::process::ExitCode {
    cli::main(compile::run)
}
