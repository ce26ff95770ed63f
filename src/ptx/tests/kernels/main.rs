//! JAX's kernels run on the machine: right results, and no finding under any schedule but those that are the
//! kernel's own (`Jax::known`).
//!
//! Ten lie here, made by JAX 0.8's Pallas Mosaic GPU from kernels of our own; the five that are JAX's own (attention
//! and matmuls) are read from beside the project when they are there.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test stops and says why"
)]
#![allow(unreachable_pub, reason = "shared with the bench")]

mod jax;
mod reference;

use jax::{Jax, KERNELS};
use tidegate_machine::finding::Finding;
use tidegate_machine::grid::Gauge;
use tidegate_machine::schedule::{Eager, HoldBack, Random, RoundRobin, Schedule};
use tidegate_ptx::launch::{Module, RunOptions};
use tidegate_ptx::manifest::Array;
use tidegate_ptx::manifest::Manifest;
use tidegate_ptx::manifest::Run;

type Factory = Box<dyn Fn(u64) -> Box<dyn Schedule> + Sync>;

fn schedules() -> Vec<(String, Factory)> {
    let mut out: Vec<(String, Factory)> = vec![
        ("hold-back 0".to_owned(), Box::new(|_| Box::new(HoldBack::new(0)))),
        ("hold-back 1".to_owned(), Box::new(|_| Box::new(HoldBack::new(1)))),
        ("hold-back 2".to_owned(), Box::new(|_| Box::new(HoldBack::new(2)))),
        ("eager".to_owned(), Box::new(|_| Box::new(Eager::default()))),
    ];
    for seed in 0..20 {
        out.push((format!("random {seed}"), Box::new(move |c| Box::new(Random::new(seed * 1000 + c)))));
    }
    out
}

/// Runs a kernel; output, findings.
fn run(
    module: &Module,
    manifest: &Manifest,
    inputs: &[Array],
    clusters: Option<u64>,
    schedule: &Factory,
) -> (Array, Vec<Finding>) {
    let mut run = Run::new(manifest, module).unwrap();
    for (operand, array) in run.missing().into_iter().zip(inputs) {
        run.set(operand, array.clone()).unwrap();
    }
    let mut prepared = run.prepare().unwrap();
    if let Some(n) = clusters {
        let dims = &mut prepared.launch.dims;
        dims.grid = [dims.grid[0].min(n as u32 * dims.cluster[0]), dims.cluster[1], dims.cluster[2]];
    }
    let outcome = prepared.run(&RunOptions::default(), &Gauge::default(), &**schedule).unwrap();
    let findings = outcome.report.findings.into_iter().map(|(f, _)| f).collect();
    (prepared.outputs().pop().unwrap().1, findings)
}

fn show(module: &Module, findings: &[Finding]) -> String {
    let mut out = String::new();
    for f in findings.iter().take(4) {
        out += &format!("{f}\n");
        for l in &f.labels {
            let function = &module.code.functions[0];
            let body = &module.code.program.functions[0].body;
            let instr = body.get((l.place.0.wrapping_sub(function.start)) as usize);
            let text =
                instr.map_or(String::new(), |i| format!("{} (.loc {:?})", i.opcode.join("."), i.source));
            out += &format!("    {text}: {}\n", l.text);
        }
        for n in &f.notes {
            out += &format!("    note: {n}\n");
        }
    }
    out
}

fn check(jax: &Jax) {
    let Some((ptx, text)) = jax.read() else {
        println!("{}: skipped, its PTX is not here", jax.name);
        return;
    };
    let module =
        Module::from_text(&ptx).unwrap_or_else(|e| panic!("{}: {:#?}", jax.name, &e[..e.len().min(5)]));
    let manifest = Manifest::from_json(&text).unwrap();
    let inputs = jax.inputs(&manifest);
    let expected = (jax.reference)(&inputs);
    let in_turn: Factory = Box::new(|_| Box::new(RoundRobin::default()));
    let (output, mut findings) = run(&module, &manifest, &inputs, None, &in_turn);
    // A fault that is listed has to be there: else the list is out of date.
    assert_eq!(
        jax.known.is_empty(),
        !findings.iter().any(|f| jax.knows(f)),
        "{}\n{}",
        jax.name,
        show(&module, &findings)
    );
    findings.retain(|f| !jax.knows(f));
    assert!(findings.is_empty(), "{}\n{}", jax.name, show(&module, &findings));
    assert_eq!((output.dtype, &output.shape), (expected.dtype, &expected.shape));
    let error = reference::largest_error(&output, &expected);
    assert!(error <= jax.tolerance, "{}: an error of {error}", jax.name);
    for (name, schedule) in schedules() {
        let (output, mut findings) = run(&module, &manifest, &inputs, jax.clusters, &schedule);
        findings.retain(|f| !jax.knows(f));
        assert!(findings.is_empty(), "{} under {name}\n{}", jax.name, show(&module, &findings));
        if jax.clusters.is_none() {
            let error = reference::largest_error(&output, &expected);
            assert!(error <= jax.tolerance, "{} under {name}: an error of {error}", jax.name);
        } else {
            // What these clusters wrote is right; the rest is as it was, zero.
            let wrong = (0..output.len()).find(|&i| {
                let (a, b) = (output.get(i).to_f64(), expected.get(i).to_f64());
                a != 0.0 && (a - b).abs() > jax.tolerance
            });
            assert_eq!(wrong, None, "{} under {name}", jax.name);
            assert!(
                (0..output.len()).any(|i| output.get(i).to_f64() != 0.0),
                "{}: nothing written",
                jax.name
            );
        }
    }
}

macro_rules! kernels {
    ($($name:ident)*) => {
        $(#[test] fn $name() {
            check(KERNELS.iter().find(|k| k.name == stringify!($name)).unwrap());
        })*

        #[test]
        fn each_kernel_has_a_test() {
            assert_eq!([$(stringify!($name)),*].len(), KERNELS.len());
        }
    };
}

kernels! {
    producer_consumer tma_copy two_arrivals rendezvous multislot_ring emit_pipeline_ws cluster_multicast
    ws_matmul_hopper emit_pipeline_matmul tcgen05_small hopper_matmul_op_512 hopper_matmul_op_cluster_512
    blackwell_matmul_op_512 blackwell_matmul_op_2cta_512 attention_op
}
