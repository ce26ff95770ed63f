//! Steps that run one after another, and the table of how they went.

use std::{
    fmt,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::Result;

/// How a step ended.
pub(crate) enum Outcome {
    /// It did what it was to do.
    Passed,
    /// It did not run, for this reason.
    Skipped(String),
    /// It failed; its own output says why.
    Failed,
}

/// The steps run so far.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<(&'static str, Outcome, Duration)>,
}

impl Steps {
    /// Runs one step, its output going where ours goes, and prints how long it took.
    pub(crate) fn run(&mut self, name: &'static str, step: impl FnOnce() -> Result<Outcome>) {
        println!("\n==> {name}");
        let start = Instant::now();
        let outcome = step().unwrap_or_else(|error| {
            println!("{error:#}");
            Outcome::Failed
        });
        let time = start.elapsed();
        println!("<== {name}: {outcome} in {:.1} s", time.as_secs_f64());
        self.done.push((name, outcome, time));
    }

    /// Prints the table; fails if any step did.
    pub(crate) fn finish(self) -> ExitCode {
        println!("\n{:<16} {:>8}  result", "step", "time");
        for (name, outcome, time) in &self.done {
            println!("{name:<16} {:>6.1} s  {outcome}", time.as_secs_f64());
        }
        let total: Duration = self.done.iter().map(|(_, _, time)| *time).sum();
        println!("{:<16} {:>6.1} s", "total", total.as_secs_f64());
        if self.done.iter().any(|(_, outcome, _)| matches!(outcome, Outcome::Failed)) {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Skipped(reason) => write!(f, "skipped: {reason}"),
            Self::Failed => f.write_str("FAILED"),
        }
    }
}
