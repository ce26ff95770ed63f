//! The machine code of the examples beside that of JAX Pallas Mosaic GPU for the same kernels (`jax.tsv`), and what
//! compiling them costs.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark prints, and stops when it cannot run"
)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{median, run, summary, tidegate};
use serde_json::Value;

/// The columns: JAX's name in `jax.tsv`, ours in the report, and the heading. The first three and the synchronising
/// instructions are the goal: no more than JAX in any row.
const COLUMNS: &[(&str, &str, &str)] = &[
    ("ptx_lines", "/ptx_lines", "PTX lines"),
    ("sass_instrs", "/sass_instructions", "SASS"),
    ("regs", "/kernels/0/registers", "registers"),
    ("named_barriers", "/kernels/0/named_barriers", "named barriers"),
    ("dyn_smem", "/kernels/0/dynamic_shared_bytes", "dynamic SMEM"),
    ("init", "/ptx/mbarrier_init", "init"),
    ("expect", "/ptx/mbarrier_arrive_expect_tx", "expect"),
    ("arrive", "/ptx/mbarrier_arrive", "arrive"),
    ("trywait", "/ptx/mbarrier_try_wait", "try_wait"),
    ("tma_ld", "/ptx/tma_load", "TMA load"),
    ("tma_st", "/ptx/tma_store", "TMA store"),
    ("fence_init", "/ptx/fence_mbarrier_init", "fence init"),
    ("fence_proxy", "/ptx/fence_proxy", "fence proxy"),
    ("barsync", "/ptx/bar_sync", "bar.sync"),
];

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(format!("{name}.mlir"))
}

fn report(name: &str) -> Value {
    let output = Command::new(tidegate())
        .arg("compile")
        .arg(example(name))
        .args(["--emit", "sass-report"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Milliseconds that a compile spends in our own code, as `--timing` tells.
fn own_time(name: &str) -> f64 {
    let output = Command::new(tidegate()).arg("compile").arg(example(name)).arg("--timing").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let own = ["reading, verifying, passes: ", "lowering to nvgpu: "];
    let times = text.lines().filter_map(|line| {
        let rest = own.iter().find_map(|key| line.strip_prefix(key))?;
        rest.strip_suffix(" ms")?.parse::<f64>().ok()
    });
    times.sum()
}

fn main() {
    let jax = include_str!("jax.tsv");
    let mut lines = jax.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    println!(
        "Ours / JAX's, sm_90a, both by the same kind of `ptxas` report; JAX's better of two in each column.\n"
    );
    let headings: Vec<&str> = COLUMNS.iter().map(|column| column.2).collect();
    println!("| kernel | {} |", headings.join(" | "));
    println!("|---{}|", "|---".repeat(COLUMNS.len()));
    let (mut less, mut more, mut equal) = (0, 0, 0);
    let mut kernels = Vec::new();
    for line in lines {
        let row: Vec<&str> = line.split('\t').collect();
        let ours = report(row[0]);
        let mut cells = Vec::new();
        for (theirs, pointer, _) in COLUMNS {
            let theirs: u64 = row[names.iter().position(|name| name == theirs).unwrap()].parse().unwrap();
            let Some(value) = ours.pointer(pointer).and_then(Value::as_u64) else {
                cells.push(format!("? / {theirs}"));
                continue;
            };
            match value.cmp(&theirs) {
                std::cmp::Ordering::Less => less += 1,
                std::cmp::Ordering::Equal => equal += 1,
                std::cmp::Ordering::Greater => more += 1,
            }
            let mark = if value > theirs { "**" } else { "" };
            cells.push(format!("{mark}{value} / {theirs}{mark}"));
        }
        println!("| {} | {} |", row[0], cells.join(" | "));
        kernels.push(row[0].to_owned());
    }
    println!("\n{less} figures below JAX's, {equal} equal, {more} above.");

    println!(
        "\nCompiling to PTX, whole process (start to exit), and what of it is not MLIR, LLVM or loading them:\n"
    );
    println!("| kernel | ms | peak MB | ours, ms | share |\n|---|---|---|---|---|");
    let mut all = Vec::new();
    for name in &kernels {
        let mut command = Command::new(tidegate());
        command.arg("compile").arg(example(name));
        run(&mut command);
        let runs: Vec<_> = (0..9).map(|_| run(&mut command)).collect();
        let (seconds, mb) = summary(&runs);
        all.push(seconds);
        let ours = median((0..9).map(|_| own_time(name)).collect());
        let share = ours / (seconds * 1e3) * 100.0;
        println!("| {name} | {:.0} | {mb:.0} | {ours:.2} | {share:.1} % |", seconds * 1e3);
    }
    println!(
        "\nMedian over the kernels: {:.0} ms. JAX takes 59 to 93 ms for the smallest after an import of 1.2 s, in 300 MB.",
        median(all) * 1e3
    );
}
