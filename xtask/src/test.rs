//! `cargo xtask test`: every check that CI runs, in the order in which they are likely to fail.

use std::{fs, process::ExitCode};

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::Value;
use xshell::{Cmd, Shell, cmd};

use crate::{
    setup::{Need, in_ci, set_up},
    steps::{Outcome, Steps},
    tools::{Tools, target},
};

/// A step of `cargo xtask test`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// The programs that tests call are there.
    Tools,
    /// The code is formatted.
    Fmt,
    /// Clippy has nothing to say.
    Clippy,
    /// Nor without the feature `mlir`.
    ClippyNoMlir,
    /// The documentation builds, and its links hold.
    Doc,
    /// Tests without the feature `mlir`, and so without LLVM.
    TestNoMlir,
    /// Tests.
    Test,
    /// The lit tests.
    Lit,
    /// Licences and sources of the dependencies, by cargo-deny.
    Deny,
}

impl Step {
    /// All steps, with the name that each is called by.
    const ALL: [(Self, &str); 9] = [
        (Self::Tools, "tools"),
        (Self::Fmt, "fmt"),
        (Self::Clippy, "clippy"),
        (Self::ClippyNoMlir, "clippy-no-mlir"),
        (Self::Doc, "doc"),
        (Self::TestNoMlir, "test-no-mlir"),
        (Self::Test, "test"),
        (Self::Lit, "lit"),
        (Self::Deny, "deny"),
    ];

    /// What the step cannot do without.
    fn needs(self) -> &'static [Need] {
        match self {
            Self::Fmt | Self::ClippyNoMlir | Self::TestNoMlir | Self::Deny => &[],
            Self::Clippy | Self::Doc => &[Need::Build],
            Self::Tools | Self::Test | Self::Lit => Need::ALL,
        }
    }

    fn quick(self) -> bool {
        !matches!(self, Self::ClippyNoMlir | Self::Doc | Self::TestNoMlir | Self::Deny)
    }
}

/// Runs the named steps, or all, or the quick ones.
pub(crate) fn run(shell: &Shell, quick: bool, only: &[Step]) -> Result<ExitCode> {
    let chosen = Step::ALL.into_iter().filter(|(step, _)| match only {
        [] => !quick || step.quick(),
        only => only.contains(step),
    });
    let needs: Vec<_> = chosen.clone().flat_map(|(step, _)| step.needs()).copied().collect();
    let tools = set_up(shell, &needs)?;
    tools.export(shell);
    let mut steps = Steps::default();
    for (step, name) in chosen {
        steps.run(name, || run_step(shell, &tools, step));
    }
    Ok(steps.finish())
}

fn run_step(shell: &Shell, tools: &Tools, step: Step) -> Result<Outcome> {
    match step {
        Step::Tools => {
            print!("{tools}");
            Ok(if tools.complete() { Outcome::Passed } else { absent("a program that tests call") })
        }
        Step::Fmt => succeeds(cmd!(shell, "cargo fmt --all --check")),
        Step::Clippy => succeeds(cmd!(shell, "cargo clippy --workspace --all-targets -- -D warnings")),
        Step::ClippyNoMlir => succeeds(cmd!(
            shell,
            "cargo clippy --workspace --all-targets --no-default-features -- -D warnings"
        )),
        Step::Doc => {
            succeeds(cmd!(shell, "cargo doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
        }
        Step::TestNoMlir => {
            succeeds(cmd!(shell, "cargo test --workspace --no-default-features --no-fail-fast"))
        }
        Step::Test => succeeds(cmd!(shell, "cargo test --workspace --no-fail-fast")),
        Step::Lit => lit(shell, tools, &[]),
        Step::Deny if which::which("cargo-deny").is_err() => {
            Ok(Outcome::Skipped("cargo-deny is not installed".into()))
        }
        // Advisories would need the network.
        Step::Deny => succeeds(cmd!(shell, "cargo deny --offline check licenses bans sources")),
    }
}

/// `cargo xtask lit`.
pub(crate) fn run_lit(shell: &Shell, paths: &[String]) -> Result<ExitCode> {
    let tools = set_up(shell, &[Need::Build, Need::Lit, Need::Ptxas])?;
    tools.export(shell);
    let mut steps = Steps::default();
    steps.run("lit", || lit(shell, &tools, paths));
    Ok(steps.finish())
}

/// Runs lit over `paths`, or over all of `lit/`, with the executable that the tests were built with.
fn lit(shell: &Shell, tools: &Tools, paths: &[String]) -> Result<Outcome> {
    let (Some(lit), Some(_)) = (&tools.lit, &tools.filecheck) else {
        return Ok(absent("lit or FileCheck"));
    };
    cmd!(shell, "cargo build --bins").run()?;
    let target = target(shell);
    shell.set_var("TIDEGATE", target.join("debug/tidegate"));
    let report = target.join("lit.json");
    shell.remove_path(&report)?;
    let default = ["lit".to_owned()];
    let paths = if paths.is_empty() { &default } else { paths };
    let outcome = succeeds(cmd!(shell, "{lit} -v --output {report} {paths...}"))?;
    let report = fs::read_to_string(&report).context("lit left no report")?;
    println!("{}", closing_line(&report)?);
    Ok(outcome)
}

/// Counts the results of lit's own report, in a form that also programs read.
fn closing_line(report: &str) -> Result<String> {
    let report: Value = serde_json::from_str(report).context("lit's report")?;
    let tests = report["tests"].as_array().context("lit's report lists no tests")?;
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for test in tests {
        match test["code"].as_str() {
            Some("PASS" | "XFAIL" | "FLAKYPASS") => passed += 1,
            Some("UNSUPPORTED" | "EXCLUDED" | "SKIPPED") => skipped += 1,
            _ => failed += 1,
        }
    }
    Ok(format!("lit: {passed} passed, {failed} failed, {skipped} skipped"))
}

/// Runs a command that is itself the judge of its success.
fn succeeds(command: Cmd<'_>) -> Result<Outcome> {
    println!("$ {command}");
    let status = std::process::Command::from(command).status()?;
    Ok(if status.success() { Outcome::Passed } else { Outcome::Failed })
}

/// The outcome where something that a step calls is not there: nothing may be skipped in CI.
fn absent(what: &str) -> Outcome {
    if in_ci() {
        println!("{what} is missing");
        return Outcome::Failed;
    }
    Outcome::Skipped(format!("{what} is missing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_called_by_their_command_line_names() {
        for (step, name) in Step::ALL {
            assert_eq!(step.to_possible_value().unwrap().get_name(), name);
        }
    }

    #[test]
    fn counts_what_lit_reports() {
        let report =
            r#"{"tests": [{"code": "PASS"}, {"code": "XFAIL"}, {"code": "FAIL"}, {"code": "UNSUPPORTED"}]}"#;
        assert_eq!(closing_line(report).unwrap(), "lit: 2 passed, 1 failed, 1 skipped");
        assert!(closing_line("{}").is_err());
    }
}
