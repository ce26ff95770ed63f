//! The command line: arguments in, exit code out. What the commands do is done by the library.

pub(crate) mod args;
mod check;
mod explain;
pub(crate) mod io;
mod opt;
pub(crate) mod passes;
pub(crate) mod report;
mod run;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use report::{Outcome, say};

/// What does `compile`.
pub(crate) type Compile = fn(&args::CompileArgs, args::ColorWhen) -> Outcome;

/// Runs the command line and says how it ended.
pub(crate) fn main(compile: Compile) -> ExitCode {
    // A panic is a fault of ours: it gets one clear message instead of a trace, and an exit code of its own.
    std::panic::set_hook(Box::new(|info| {
        say(&format!("error: internal error in tidegate: {info}"));
        say("  = note: this is a fault of tidegate, not of your kernel; please report it with the input");
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            say(&std::backtrace::Backtrace::force_capture().to_string());
        }
    }));
    let cli = Cli::parse();
    let color = cli.color;
    let outcome = std::panic::catch_unwind(move || match cli.command {
        Command::Check(args) => check::run(&args, color),
        Command::Opt(args) => opt::run(&args, color),
        Command::Compile(args) => compile(&args, color),
        Command::Run(args) => run::run(&args, color),
        Command::Explain(args) => explain::run(&args),
        Command::Completions(args) => {
            let mut out = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "tidegate", &mut out);
            written(io::write(None, &out))
        }
    });
    outcome.unwrap_or(Outcome::Internal).into()
}

/// The outcome of a command whose last act was to write.
pub(crate) fn written(result: Result<(), String>) -> Outcome {
    match result {
        Ok(()) => Outcome::Fine,
        Err(message) => {
            say(&format!("error: {message}"));
            Outcome::Usage
        }
    }
}

/// The target called `name`, or a usage error that lists what there is.
pub(crate) fn target(name: &str) -> Result<&'static tidegate::passes::target::Target, Outcome> {
    tidegate::passes::target::Target::find(name).ok_or_else(|| {
        let known: Vec<&str> = tidegate::passes::target::TARGETS.iter().map(|target| target.name).collect();
        say(&format!("error[TG0805]: unknown target `{name}`"));
        say(&format!("  = help: the targets are {}", known.join(", ")));
        Outcome::Usage
    })
}
