//! `tidegate opt` against `mlir-opt`: reading, verifying and printing large modules in the generic form.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark prints, and stops when it cannot run"
)]

mod common;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use common::{alternate, program, ratio, run, summary, tidegate};

/// A module of about `ops` ops: four kinds in turn, as a kernel author never writes and a generator does.
fn module(ops: usize) -> String {
    let mut text = String::from(
        "\"builtin.module\"() ({\n  \"tg.kernel\"() <{sym_name = \"k\"}> ({\n  ^bb0(%arg0: i32):\n",
    );
    let mut last = String::from("%arg0");
    for index in (0..ops / 2).step_by(2) {
        let (barrier, sum) = (index, index + 1);
        write!(
            text,
            "    %{barrier} = \"tg.alloc_barrier\"() : () -> !tg.barrier_ref<1, arrivals = 1>\n    \
             %{sum} = \"arith.addi\"({last}, %arg0) <{{overflowFlags = #arith.overflow<none>}}> : (i32, i32) -> i32\n    \
             \"tg.barrier_arrive\"(%{barrier}) : (!tg.barrier_ref<1, arrivals = 1>) -> ()\n    \
             \"tg.barrier_wait\"(%{barrier}) : (!tg.barrier_ref<1, arrivals = 1>) -> ()\n"
        )
        .unwrap();
        last = format!("%{sum}");
    }
    text.push_str("    \"tg.return\"() : () -> ()\n  }) : () -> ()\n}) : () -> ()\n");
    text
}

fn opt(file: &Path) -> Command {
    let mut command = Command::new(tidegate());
    command.args(["opt", "--generic"]).arg(file);
    command
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let write = |ops: usize| {
        let path = folder.path().join(format!("{ops}.mlir"));
        std::fs::write(&path, module(ops)).unwrap();
        path
    };
    let base = write(200_000);
    println!("`tidegate opt --generic` on a generic-form module of 200,000 ops (read, verify, print):\n");
    match program("MLIR_OPT", "mlir-opt-22") {
        Some(mlir_opt) => {
            let mut rival = Command::new(&mlir_opt);
            rival.args(["--allow-unregistered-dialect", "-mlir-print-op-generic"]).arg(&base);
            let (ours, theirs) = alternate(7, &mut opt(&base), &mut rival);
            let ((our_s, our_mb), (their_s, their_mb)) = (summary(&ours), summary(&theirs));
            println!("| | seconds | peak MB |\n|---|---|---|");
            println!("| tidegate opt | {our_s:.3} | {our_mb:.0} |");
            println!("| mlir-opt | {their_s:.3} | {their_mb:.0} |");
            println!("| mlir-opt / tidegate | {:.1} | {:.1} |", ratio(&theirs, &ours), their_mb / our_mb);
        }
        None => println!("skipped: there is no mlir-opt here (MLIR_OPT or mlir-opt-22)"),
    }
    println!("\nGrowth:\n\n| ops | seconds | peak MB | µs per op |\n|---|---|---|---|");
    for ops in [200_000usize, 500_000, 1_000_000, 2_000_000] {
        let path = write(ops);
        run(&mut opt(&path));
        let runs: Vec<_> = (0..3).map(|_| run(&mut opt(&path))).collect();
        let (seconds, mb) = summary(&runs);
        #[expect(clippy::cast_precision_loss, reason = "a few million")]
        let each = seconds * 1e6 / ops as f64;
        println!("| {ops} | {seconds:.3} | {mb:.0} | {each:.2} |");
    }
}
