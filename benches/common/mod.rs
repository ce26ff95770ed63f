//! Timing whole processes against each other.
//!
//! Rivals run in alternation in the same call, so that a slow moment of the machine falls on both; what counts is
//! the ratio, taken pair by pair, and its median.

#![allow(dead_code, reason = "each bench uses a part")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

/// What one run of a process took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// From start to end.
    pub(crate) wall: Duration,
    /// Largest resident set, in bytes.
    pub(crate) peak: u64,
}

/// Runs a command with its output thrown away.
pub(crate) fn run(command: &mut Command) -> Run {
    let start = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let used = child.wait4().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(used.status.success(), "{command:?}: {}", used.status);
    Run { wall: start.elapsed(), peak: used.rusage.maxrss }
}

/// The middle one of some numbers.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Seconds and MB of a median run.
pub(crate) fn summary(runs: &[Run]) -> (f64, f64) {
    let wall = median(runs.iter().map(|run| run.wall.as_secs_f64()).collect());
    #[expect(clippy::cast_precision_loss, reason = "bytes of memory are far below 2^52")]
    let peak = median(runs.iter().map(|run| run.peak as f64 / 1e6).collect());
    (wall, peak)
}

/// Runs two commands in turn, `rounds` times after one warm-up each.
pub(crate) fn alternate(rounds: usize, a: &mut Command, b: &mut Command) -> (Vec<Run>, Vec<Run>) {
    run(a);
    run(b);
    (0..rounds).map(|_| (run(a), run(b))).unzip()
}

/// The median of the pairwise ratios of wall time, first by second.
pub(crate) fn ratio(a: &[Run], b: &[Run]) -> f64 {
    median(a.iter().zip(b).map(|(a, b)| a.wall.as_secs_f64() / b.wall.as_secs_f64()).collect())
}

/// The `tidegate` that was built with this bench.
pub(crate) fn tidegate() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_tidegate"))
}

/// A program named by an environment variable, or found on the path; `None` when it does not run.
pub(crate) fn program(variable: &str, name: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map_or_else(|| PathBuf::from(name), PathBuf::from);
    let runs = Command::new(&path).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    runs.is_ok_and(|status| status.success()).then_some(path)
}
