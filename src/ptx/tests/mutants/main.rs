//! The machine finds what goes wrong: kernels with one instruction or one bit changed give a finding or a wrong
//! result, or are known to be equivalent.
//!
//! `docs/mutants.md` has the results and the list of equivalents, which this test reads: a mutant that survives and is
//! not listed, and one that is listed and found, are failures. `TIDEGATE_MUTANTS=write` writes the table of results in
//! `docs/mutants.md` anew, `TIDEGATE_MUTANTS_LOG=FILE` what became of each mutant.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test stops and says why"
)]
#![allow(unreachable_pub, dead_code, reason = "the kernels are shared with another test")]

#[path = "../kernels/jax.rs"]
mod jax;
mod mutate;
#[path = "../kernels/reference.rs"]
mod reference;
mod run;
mod table;

use run::{Case, Kernel, Verdict};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::Equivalents;

/// Judges all, on all cores.
fn judge(kernels: &[Kernel], cases: &[(usize, Case)]) -> Vec<Verdict> {
    let next = AtomicUsize::new(0);
    let verdicts: Mutex<Vec<Option<Verdict>>> = Mutex::new(cases.iter().map(|_| None).collect());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some((kernel, case)) = cases.get(i) else { return };
                    let verdict = kernels[*kernel].judge(case);
                    verdicts.lock().unwrap()[i] = Some(verdict);
                }
            });
        }
    });
    verdicts.into_inner().unwrap().into_iter().map(|v| v.unwrap()).collect()
}

#[test]
fn each_mutant_is_found_or_equivalent() {
    let kernels = run::kernels();
    let mut equivalents = Equivalents::read();
    let mut cases = Vec::new();
    for (k, kernel) in kernels.iter().enumerate() {
        for case in kernel.mutants() {
            equivalents.meet(&kernel.name, &case);
            cases.push((k, case));
        }
    }
    assert!(cases.len() >= 300, "{} mutants only", cases.len());
    let verdicts = judge(&kernels, &cases);

    let mut log = String::new();
    let mut failures = String::new();
    for ((k, case), verdict) in cases.iter().zip(&verdicts) {
        let name = &kernels[*k].name;
        let mutant = format!("{name}:{}: {} of `{}`", case.line, case.kind, case.was);
        let listed = equivalents.reason(name, case);
        let text = match verdict {
            Verdict::Rejected(why) => format!("does not load: {why}"),
            Verdict::Found(finding, schedule) => format!("{finding} ({schedule})"),
            Verdict::Wrong(schedule) => format!("wrong result ({schedule})"),
            Verdict::Survived => "survives".to_owned(),
            Verdict::Panicked => "the machine panics".to_owned(),
        };
        writeln!(log, "{mutant}: {text}").unwrap();
        match (verdict, listed) {
            (Verdict::Panicked, _) | (Verdict::Survived, None) => {
                writeln!(failures, "{mutant}: {text}").unwrap()
            }
            (Verdict::Survived, Some(_)) | (_, None) => {}
            (_, Some(reason)) => {
                writeln!(failures, "{mutant}: {text}; docs/mutants.md calls it equivalent: {reason}")
                    .unwrap();
            }
        }
    }
    if let Ok(file) = std::env::var("TIDEGATE_MUTANTS_LOG") {
        std::fs::write(file, log).unwrap();
    }
    let counts = table::counts(&kernels, &cases, &verdicts);
    println!("{counts}");
    for entry in equivalents.unmet() {
        writeln!(failures, "docs/mutants.md lists {entry}, and there is no such mutant").unwrap();
    }
    assert!(failures.is_empty(), "\n{failures}");
    if std::env::var("TIDEGATE_MUTANTS").is_ok_and(|v| v == "write") {
        table::write(&counts);
    }
}
