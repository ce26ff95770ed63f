//! The tidegate command line.

mod cli;
mod delegate;

fn main() -> std::process::ExitCode {
    cli::main(delegate::run)
}
