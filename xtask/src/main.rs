//! `cargo xtask`: the project's chores, written in Rust so that they run wherever the project builds.
//!
//! Needs nothing of LLVM itself: it is what installs LLVM.

#![allow(clippy::print_stdout, reason = "printing is what a command line tool does")]

mod demo;
mod setup;
mod steps;
mod test;
mod tools;

use std::{path::Path, process::ExitCode};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use xshell::Shell;

use crate::setup::Need;

/// The chores of tidegate. All but `fmt` first set up what they miss.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Set up all that building and testing need: LLVM and MLIR, ptxas, nvdisasm, lit.
    Setup,
    /// Check and compile an example kernel, showing each command.
    Demo,
    /// Run every check that CI runs.
    Test {
        /// Leave out what an edit seldom breaks: docs, the builds without MLIR, cargo-deny.
        #[arg(long)]
        quick: bool,
        /// The steps to run; all if none is named.
        #[arg(value_name = "STEP")]
        steps: Vec<test::Step>,
    },
    /// Run the lit tests.
    Lit {
        /// Files and folders to run [default: lit].
        paths: Vec<String>,
    },
    /// Run the benchmarks.
    Bench {
        /// Names of benchmark targets; all if none is named.
        names: Vec<String>,
    },
    /// Format the code.
    Fmt,
    /// Write the generated pages of docs/ anew.
    Gen,
}

fn main() -> ExitCode {
    run(&Arguments::parse().chore).unwrap_or_else(|error| {
        println!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(chore: &Chore) -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the root folder")?;
    let shell = Shell::new()?;
    shell.change_dir(root);
    match chore {
        Chore::Setup => {
            let tools = setup::set_up(&shell, Need::ALL)?;
            print!("{tools}");
            Ok(if tools.complete() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Chore::Demo => demo::run(&shell),
        Chore::Test { quick, steps } => test::run(&shell, *quick, steps),
        Chore::Lit { paths } => test::run_lit(&shell, paths),
        Chore::Bench { names } => bench(&shell, names),
        Chore::Gen => {
            xshell::cmd!(shell, "cargo test --quiet --no-default-features --test reference")
                .env("UPDATE_DOCS", "1")
                .run()?;
            Ok(ExitCode::SUCCESS)
        }
        Chore::Fmt => {
            xshell::cmd!(shell, "cargo fmt --all").run()?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Runs the benchmarks in `benches/`.
fn bench(shell: &Shell, names: &[String]) -> Result<ExitCode> {
    let tools = setup::set_up(shell, &[Need::Build, Need::Ptxas])?;
    tools.export(shell);
    if !shell.path_exists("benches") {
        println!("no benchmarks yet: benches/ is missing");
        return Ok(ExitCode::SUCCESS);
    }
    // Without a name `--benches` would also start the unit tests' harness, which does not know Criterion's options.
    let targets: Vec<&str> = match names {
        [] => vec!["--bench", "*"],
        names => names.iter().flat_map(|name| ["--bench", name.as_str()]).collect(),
    };
    xshell::cmd!(shell, "cargo bench {targets...}").run()?;
    Ok(ExitCode::SUCCESS)
}
