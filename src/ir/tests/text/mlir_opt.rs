//! The real `mlir-opt` takes our generic form, and what it prints reads back to the same module.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tidegate_ir::Module;
use tidegate_ir::ops::Opcode;
use tidegate_ir::text::{PrintOptions, print};

use crate::generate::{self, Options};
use crate::round_trip::read;

/// `$MLIR_OPT`, or what PATH and Debian's folders have. Without it the test is skipped, but in CI it fails.
fn mlir_opt() -> Option<PathBuf> {
    let named = std::env::var_os("MLIR_OPT").map(PathBuf::from);
    let names = ["mlir-opt-22", "/usr/lib/llvm-22/bin/mlir-opt", "mlir-opt"].map(PathBuf::from);
    let version = |program: &PathBuf| Command::new(program).arg("--version").output().ok();
    let found = named.into_iter().chain(names).find(|program| {
        version(program).is_some_and(|output| String::from_utf8_lossy(&output.stdout).contains("version 22."))
    });
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "mlir-opt 22 is missing; set MLIR_OPT");
        println!("skipped: mlir-opt 22 is not here");
    }
    found
}

const SPLIT: &str = "// -----\n";

/// What `mlir-opt` prints for each of the texts.
fn through_mlir_opt(program: &PathBuf, texts: &[String], flags: &[&str]) -> Vec<String> {
    let input = texts.join(&format!("\n{SPLIT}"));
    let mut child = Command::new(program)
        .args(["--allow-unregistered-dialect", "--split-input-file", "--mlir-print-op-generic"])
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn({
        let input = input.clone();
        move || stdin.write_all(input.as_bytes())
    });
    let output = child.wait_with_output().unwrap();
    // It stops reading when it fails.
    let _ = writer.join();
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let first: Vec<&str> = errors.lines().take(12).collect();
        let line = first.iter().find_map(|line| line.split(':').nth(1)?.parse::<usize>().ok()).unwrap_or(1);
        let from = line.saturating_sub(6);
        let around: Vec<&str> = input.lines().skip(from).take(8).collect();
        panic!("mlir-opt fails:\n{}\n--- around line {line}\n{}", first.join("\n"), around.join("\n"));
    }
    let printed = String::from_utf8(output.stdout).unwrap();
    let parts: Vec<String> = printed.split(SPLIT).map(str::to_owned).collect();
    assert_eq!(parts.len(), texts.len(), "mlir-opt prints as many modules as it reads");
    parts
}

fn check(program: &PathBuf, modules: &[Module], locations: bool) {
    let options = PrintOptions { generic: true, locations };
    let texts: Vec<String> = modules.iter().map(|module| print(module, options)).collect();
    let flags: &[&str] = if locations { &["--mlir-print-debuginfo"] } else { &[] };
    for ((module, text), printed) in modules.iter().zip(&texts).zip(through_mlir_opt(program, &texts, flags))
    {
        let back = read("mlir-opt.mlir", &printed);
        if let Some(difference) = module.difference(&back, locations) {
            panic!("{difference}\n--- we print\n{text}\n--- mlir-opt prints\n{printed}");
        }
    }
}

#[test]
fn every_op_goes_through_mlir_opt() {
    let Some(program) = mlir_opt() else { return };
    for locations in [false, true] {
        let options = Options { for_mlir: true, locations };
        let modules: Vec<Module> = Opcode::all()
            .flat_map(|opcode| (0..6).map(move |seed| (opcode, seed)))
            .filter(|(opcode, _)| !opcode.is_terminator())
            .map(|(opcode, seed)| generate::module(&generate::choices_of(seed, 60), options, Some(opcode)))
            .collect();
        check(&program, &modules, locations);
    }
}

#[test]
fn generated_modules_go_through_mlir_opt() {
    let Some(program) = mlir_opt() else { return };
    for locations in [false, true] {
        let options = Options { for_mlir: true, locations };
        let modules: Vec<Module> = (0..200)
            .map(|seed| generate::module(&generate::choices_of(1000 + seed, 400), options, None))
            .collect();
        check(&program, &modules, locations);
    }
}
