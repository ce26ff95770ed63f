//! What a run of the pass manager tells: timings, statistics, reproducers.

use std::fmt::Write;
use std::time::Duration;

use indexmap::IndexMap;
use tidegate_ir::diag::Reported;

/// What one pass did.
#[derive(Clone, Debug)]
pub struct PassReport {
    /// Its name.
    pub name: &'static str,
    /// Whether it changed the module.
    pub changed: bool,
    /// How long it took, verification not counted.
    pub time: Duration,
    /// How long the verification behind it took.
    pub verify_time: Duration,
    /// Ops of the module before and after it.
    pub ops: (usize, usize),
    /// Its own statistics.
    pub counts: IndexMap<&'static str, u64>,
}

/// What a run did, pass by pass.
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// The passes that ran, in order.
    pub passes: Vec<PassReport>,
}

impl RunReport {
    /// Whether any pass changed the module.
    pub fn changed(&self) -> bool {
        self.passes.iter().any(|pass| pass.changed)
    }

    /// The times as a table, in the form of `mlir-opt -mlir-timing`.
    pub fn timing(&self) -> String {
        let total: Duration = self.passes.iter().map(|pass| pass.time + pass.verify_time).sum();
        let mut out = String::new();
        rule(&mut out);
        let _ = writeln!(out, "{:^79}", "... Execution time report ...");
        rule(&mut out);
        let _ = writeln!(out, "  Total Execution Time: {:.4} seconds\n", total.as_secs_f64());
        let _ = writeln!(out, "  ----Wall Time----  ----Name----");
        let mut line = |time: Duration, name: &str| {
            let share = if total.is_zero() { 0.0 } else { 100.0 * time.as_secs_f64() / total.as_secs_f64() };
            let _ = writeln!(out, "  {:>8.4} ({share:>5.1}%)  {name}", time.as_secs_f64());
        };
        let mut verify = Duration::ZERO;
        for pass in &self.passes {
            line(pass.time, pass.name);
            verify += pass.verify_time;
        }
        line(verify, "(verification between passes)");
        line(total, "Total");
        out
    }

    /// Numbers of ops and the passes' own counts as a table.
    pub fn statistics(&self) -> String {
        let mut out = String::new();
        rule(&mut out);
        let _ = writeln!(out, "{:^79}", "... Pass statistics report ...");
        rule(&mut out);
        for pass in &self.passes {
            let (before, after) = pass.ops;
            let _ = writeln!(out, "{}", pass.name);
            let _ = writeln!(out, "  {before:>8} ops before, {after} after");
            for (what, count) in &pass.counts {
                let _ = writeln!(out, "  {count:>8} {what}");
            }
        }
        out
    }
}

fn rule(out: &mut String) {
    let _ = writeln!(out, "===-{}-===", "-".repeat(71));
}

/// What repeats a failure: the module before the pass that failed, and the passes from there on.
#[derive(Clone, Debug)]
pub struct Reproducer {
    /// The pipeline that fails.
    pub pipeline: String,
    /// The module's text.
    pub module: String,
}

impl Reproducer {
    /// The text of the file: a configuration line, then the module. `tidegate opt` runs it when given the options of
    /// the first line.
    pub fn file(&self) -> String {
        format!("// configuration: --passes='{}'\n{}", self.pipeline, self.module)
    }
    /// The pipeline and the module of a file made by [`Reproducer::file`].
    pub fn parse(file: &str) -> Option<(&str, &str)> {
        let rest = file.strip_prefix("// configuration: --passes='")?;
        let (pipeline, module) = rest.split_once('\n')?;
        Some((pipeline.trim_end().strip_suffix('\'')?, module))
    }
}

/// A run that ended early.
#[derive(Clone, Debug)]
pub struct PassFailure {
    /// The proof that an error was reported.
    pub reported: Reported,
    /// The pass that failed, or behind which the module was invalid.
    pub pass: &'static str,
    /// Whether tidegate is at fault and not the module: the pass panicked, or left an invalid module.
    pub internal: bool,
    /// What repeats it, when a way to print modules was given.
    pub reproducer: Option<Reproducer>,
    /// What was done until then.
    pub report: RunReport,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproducers_are_read_back() {
        let reproducer =
            Reproducer { pipeline: "cse,allocate-smem{align=16}".into(), module: "a\nb\n".into() };
        let file = reproducer.file();
        assert_eq!(Reproducer::parse(&file), Some(("cse,allocate-smem{align=16}", "a\nb\n")));
        assert_eq!(Reproducer::parse("a\nb\n"), None);
    }

    #[test]
    fn tables_name_every_pass() {
        let pass = PassReport {
            name: "cse",
            changed: true,
            time: Duration::from_millis(3),
            verify_time: Duration::from_millis(1),
            ops: (10, 7),
            counts: [("ops merged", 3)].into_iter().collect(),
        };
        let report = RunReport { passes: vec![pass] };
        assert!(report.timing().contains("0.0030 ( 75.0%)  cse"), "{}", report.timing());
        assert!(
            report.statistics().contains("10 ops before, 7 after\n         3 ops merged"),
            "{}",
            report.statistics()
        );
    }
}
