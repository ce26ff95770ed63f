//! `cargo xtask demo`: one kernel from text to machine code and to its result, each command shown.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use xshell::{Cmd, Shell, cmd};

use crate::{
    setup::{Need, set_up},
    tools::{Tools, target},
};

/// The kernel that the demo takes through the compiler, and what it is compiled for.
const KERNEL: &str = "examples/multislot_ring.mlir";
const CHIP: &str = "sm_90a";
/// Its input and output, by numpy: rows of whole numbers, and their sum.
const DATA: &str = "examples/data/multislot_ring";

/// One thing that the demo shows.
struct Scene<'a> {
    says: &'static str,
    command: Cmd<'a>,
}

/// Sets up what is missing, builds, and plays the scenes.
pub(crate) fn run(shell: &Shell) -> Result<ExitCode> {
    let tools = set_up(shell, &[Need::Build, Need::Ptxas])?;
    tools.export(shell);
    if !shell.path_exists(KERNEL) {
        println!("nothing to show yet: {KERNEL} is missing");
        return Ok(ExitCode::FAILURE);
    }
    let target = target(shell);
    // Nothing of an earlier run may pass for this one's.
    shell.remove_path(target.join("demo"))?;
    shell.create_dir(target.join("demo"))?;
    println!("Building tidegate; the first time this takes about a minute.");
    cmd!(shell, "cargo build --quiet --bins").run()?;
    for Scene { says, command } in scenes(shell, &tools, target) {
        println!("\n{says}\n\n  $ {command}\n");
        let status = std::process::Command::from(command).status()?;
        if !status.success() {
            println!("\nThe command failed ({status}).");
            return Ok(ExitCode::FAILURE);
        }
    }
    match &tools.ptxas {
        Some(_) => println!(
            "\nDone: ptxas accepted the kernel, and it computes the right thing. All files are in target/demo."
        ),
        None => {
            println!(
                "\nDone, but for ptxas, which is not here: the kernel computes the right thing. All files are in target/demo."
            )
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What the demo shows, in order.
fn scenes<'a>(shell: &'a Shell, tools: &Tools, target: PathBuf) -> Vec<Scene<'a>> {
    let tidegate = relative(shell, target.join("debug/tidegate"));
    let ptx = relative(shell, target.join("demo/multislot_ring.ptx"));
    let manifest = relative(shell, target.join("demo/multislot_ring.json"));
    let cubin = relative(shell, target.join("demo/multislot_ring.cubin"));
    let mut scenes = vec![
        Scene {
            says: "Check: the kernel reads and verifies.",
            command: cmd!(shell, "{tidegate} check {KERNEL}"),
        },
        Scene {
            says: "Compile: through nvgpu, nvvm and LLVM to PTX.",
            command: cmd!(
                shell,
                "{tidegate} compile {KERNEL} --emit ptx --target {CHIP} -o {ptx} --manifest {manifest}"
            ),
        },
        Scene { says: "Its barriers, in PTX:", command: cmd!(shell, "grep -n mbarrier {ptx}") },
    ];
    if let Some(ptxas) = &tools.ptxas {
        let ptxas = relative(shell, ptxas.clone());
        scenes.push(Scene {
            says: "Assemble: NVIDIA's own assembler accepts it.",
            command: cmd!(shell, "{ptxas} -arch={CHIP} -v {ptx} -o {cubin}"),
        });
    }
    scenes.push(Scene {
        says: "Run: the PTX itself, on the CPU, under several schedules; the output is compared with numpy's.",
        command: cmd!(
            shell,
            "{tidegate} run {ptx} --manifest {manifest} --in x={DATA}.x.npy --expect o={DATA}.o.npy --schedule all"
        ),
    });
    scenes
}

/// The path as one would type it from the root folder.
fn relative(shell: &Shell, path: PathBuf) -> PathBuf {
    path.strip_prefix(shell.current_dir()).map_or_else(|_| path.clone(), PathBuf::from)
}
