//! How fast the machine runs PTX: lane-instructions a second, and JAX's kernels with and without races looked for.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark prints, and stops when it cannot run"
)]
#![allow(dead_code, unreachable_pub, reason = "the kernels' test uses the rest")]

#[path = "../tests/kernels/jax.rs"]
mod jax;
#[path = "../tests/kernels/reference.rs"]
mod reference;

use std::time::Instant;
use tidegate_machine::grid::Gauge;
use tidegate_machine::hardware::{Config, Counts};
use tidegate_machine::schedule::{RoundRobin, Schedule};
use tidegate_ptx::env::Dims;
use tidegate_ptx::launch::{Device, Launch, Module, RunOptions};
use tidegate_ptx::manifest::{Array, Manifest, Run};

fn options(races: bool) -> RunOptions {
    RunOptions {
        config: Config { races, uninitialised: races, ..Config::default() },
        ..RunOptions::default()
    }
}

fn in_turn(_: u64) -> Box<dyn Schedule> {
    Box::new(RoundRobin::default())
}

/// Arithmetic only, arithmetic with shared memory, and with global memory: the loop's body.
const LOOPS: &[(&str, &str)] = &[
    (
        "integer arithmetic",
        "mad.lo.s32 %r2, %r2, 5, %r1; xor.b32 %r3, %r2, %r3; shl.b32 %r4, %r3, 1; add.s32 %r2, %r4, %r2;",
    ),
    (
        "f32 arithmetic",
        "fma.rn.f32 %f1, %f1, %f2, %f3; add.f32 %f2, %f1, %f2; mul.f32 %f3, %f1, %f2; max.f32 %f1, %f1, %f3;",
    ),
    (
        "shared memory",
        "st.shared.b32 [%r5], %r2; ld.shared.b32 %r3, [%r5]; add.s32 %r2, %r2, %r3; xor.b32 %r2, %r2, %r1;",
    ),
    (
        "global memory",
        "st.global.b32 [%rd2], %r2; ld.global.b32 %r3, [%rd2]; add.s32 %r2, %r2, %r3; xor.b32 %r2, %r2, %r1;",
    ),
];

fn loop_kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) {{
        .reg .b32 %r<10>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .pred %p<2>; .shared .align 4 .b8 s[512];
        ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd1, %rd3;
        mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd3, %r9, 512; add.s64 %rd2, %rd2, %rd3;
        shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.s32 %r5, %r5, %r6; mov.b32 %r2, 1; mov.b32 %r3, 7;
        mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f3F000000; mov.b32 %r7, 0;
        L: {body} add.s32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 20000; @%p1 bra L; ret; }}"
    )
}

fn rate(body: &str, races: bool) -> (Counts, f64) {
    let module = Module::from_text(&loop_kernel(body)).unwrap();
    let mut device = Device::new();
    let loaded = device.load(&module).unwrap();
    let blocks = 4u32;
    let buffer = device.upload("x", &vec![0; 512 * blocks as usize]).unwrap();
    let launch = Launch {
        dims: Dims { grid: [blocks, 1, 1], block: [128, 1, 1], cluster: [1; 3], explicit_cluster: false },
        dynamic_shared_bytes: 0,
        dynamic_shared_symbol: None,
        dynamic_shared_align: 16,
        params: buffer.to_le_bytes().to_vec(),
    };
    let start = Instant::now();
    let outcome = device.launch(
        &loaded,
        module.kernel("k").unwrap(),
        &launch,
        &options(races),
        &Gauge::default(),
        &in_turn,
    );
    let outcome = outcome.unwrap();
    assert!(outcome.report.findings.is_empty(), "{:?}", outcome.report.findings);
    (outcome.report.counts, start.elapsed().as_secs_f64())
}

fn kernel(
    jax: &jax::Jax,
    module: &Module,
    manifest: &Manifest,
    inputs: &[Array],
    races: bool,
) -> (Counts, f64, Array) {
    let mut run = Run::new(manifest, module).unwrap();
    for (operand, array) in run.missing().into_iter().zip(inputs) {
        run.set(operand, array.clone()).unwrap();
    }
    let mut prepared = run.prepare().unwrap();
    let start = Instant::now();
    let outcome = prepared.run(&options(races), &Gauge::default(), &in_turn).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    assert!(outcome.report.findings.iter().all(|(f, _)| jax.knows(f)), "{:#?}", outcome.report.findings);
    (outcome.report.counts, seconds, prepared.outputs().pop().unwrap().1)
}

fn main() {
    println!("| loop | million lane-instructions a second | with races | cost of races |");
    println!("|---|---|---|---|");
    for (name, body) in LOOPS {
        let (counts, plain) = rate(body, false);
        let (_, races) = rate(body, true);
        let million = counts.lanes as f64 / 1e6;
        println!("| {name} | {:.0} | {:.0} | {:.2} |", million / plain, million / races, races / plain);
    }
    println!("\n| kernel | warp instructions | seconds | with races | cost of races | largest error |");
    println!("|---|---|---|---|---|---|");
    for jax in jax::KERNELS {
        let Some((ptx, manifest)) = jax.read() else { continue };
        let module = Module::from_text(&ptx).unwrap();
        let manifest = Manifest::from_json(&manifest).unwrap();
        let inputs = jax.inputs(&manifest);
        let expected = (jax.reference)(&inputs);
        let (counts, plain, output) = kernel(jax, &module, &manifest, &inputs, false);
        let (_, races, _) = kernel(jax, &module, &manifest, &inputs, true);
        let error = reference::largest_error(&output, &expected);
        println!(
            "| {} | {} | {plain:.3} | {races:.3} | {:.2} | {error} |",
            jax.name,
            counts.instructions,
            races / plain
        );
    }
}
