//! JAX's kernels of barriers and copies, where the workspace has them, and our own CUDA kernels of them: executed under
//! several schedules with every check on, results compared to the last bit.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use std::path::{Path, PathBuf};
use tidegate_machine::grid::Gauge;
use tidegate_machine::schedule::{Eager, HoldBack, Random, RoundRobin, Schedule};
use tidegate_ptx::launch::{Module, RunOptions};
use tidegate_ptx::manifest::{Array, DType, Manifest, Run, Size};
use tidegate_ptx::source::Source;

#[path = "cuda/inputs.rs"]
#[allow(dead_code, reason = "another test uses all of it")]
mod inputs;

fn schedule(which: u64) -> Box<dyn Schedule> {
    match which {
        0 => Box::new(RoundRobin::default()),
        1 => Box::new(Eager::default()),
        n if n % 2 == 0 => Box::new(Random::new(n)),
        n => Box::new(HoldBack::new(n)),
    }
}

fn module(text: &str, name: &str) -> Module {
    Module::from_text(text).unwrap_or_else(|errors| {
        let source = Source::new(text);
        panic!("{}", errors.iter().take(5).map(|e| source.render(name, e)).collect::<String>())
    })
}

fn options() -> RunOptions {
    let mut options = RunOptions::default();
    options.config.fuel = 3_000_000;
    options
}

/// Runs under a schedule; the arrays written, and what was found, with places in the text.
fn run(text: &str, module: &Module, run: &Run<'_>, which: u64) -> (Vec<(String, Array)>, Vec<String>) {
    let mut prepared = run.prepare().unwrap_or_else(|e| panic!("{e}"));
    let make = |cluster: u64| schedule(if which < 2 { which } else { which + 2 * cluster });
    let outcome = prepared.run(&options(), &Gauge::default(), &make).unwrap_or_else(|e| panic!("{e}"));
    let source = Source::new(text);
    let body: Vec<_> = module.code.program.functions.iter().flat_map(|f| &f.body).collect();
    let findings = outcome.report.findings.iter().map(|(f, _)| {
        let mut out = format!("schedule {which}: {f}\n");
        for l in &f.labels {
            let instr = body.get(l.place.0 as usize);
            let line = instr.map(|i| (source.position(i.span.start), i.opcode.join(".")));
            out += &format!("    {line:?}: {}\n", l.text);
        }
        for n in &f.notes {
            out += &format!("    note: {n}\n");
        }
        out
    });
    (prepared.outputs(), findings.collect())
}

fn floats(a: &Array) -> Vec<f32> {
    a.bytes.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn jax() -> Option<PathBuf> {
    let mut folders =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/jax/modules"));
    folders.find(|folder| folder.is_dir())
}

/// What each kernel computes (REFERENCE.md beside them).
fn expected(name: &str, inputs: &[Array]) -> Vec<f32> {
    let x = floats(&inputs[0]);
    match name {
        "producer_consumer" => x.iter().map(|v| v * 2. + 1.).collect(),
        "tma_copy" | "emit_pipeline_ws" => x.iter().map(|v| v + 1.).collect(),
        "two_arrivals" => x.iter().zip(floats(&inputs[1])).map(|(a, b)| a + b).collect(),
        "rendezvous" => [&x[128..], &x[..128]].concat(),
        "multislot_ring" => {
            let mut acc = vec![0f32; 128];
            for row in x.chunks_exact(128) {
                acc.iter_mut().zip(row).for_each(|(a, v)| *a += v);
            }
            acc
        }
        "cluster_multicast" => [&x[..], &x[..]].concat(),
        other => panic!("{other}"),
    }
}

#[test]
fn kernels_of_jax() {
    let Some(folder) = jax() else {
        println!("skipped: no ../shared/jax/modules");
        return;
    };
    let mut bad = String::new();
    for name in [
        "producer_consumer",
        "tma_copy",
        "two_arrivals",
        "rendezvous",
        "multislot_ring",
        "emit_pipeline_ws",
        "cluster_multicast",
    ] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).unwrap();
        let manifest = std::fs::read_to_string(folder.join(format!("{name}.manifest.json"))).unwrap();
        let manifest = Manifest::from_json(&manifest).unwrap();
        let module = module(&text, name);
        let mut launch = Run::new(&manifest, &module).unwrap();
        let mut inputs = Vec::new();
        for operand in launch.missing() {
            let o = &manifest.operands[operand];
            let extent = |size: &Size| match size {
                Size::Known(n) => *n,
                other => panic!("{other:?}"),
            };
            let shape: Vec<u64> = o.shape.iter().map(extent).collect();
            let array = Array::random(DType::F32, &shape, 7 + operand as u64).unwrap();
            launch.set(operand, array.clone()).unwrap();
            inputs.push(array);
        }
        for which in 0..8 {
            let start = std::time::Instant::now();
            let (outputs, findings) = run(&text, &module, &launch, which);
            for f in &findings {
                bad += &format!("{name}: {f}");
            }
            let same = floats(&outputs[0].1) == expected(name, &inputs);
            if !same {
                bad += &format!("{name}: wrong result under schedule {which}\n");
            }
            if which == 0 {
                println!("{name}: {:?}", start.elapsed());
            }
        }
    }
    assert!(bad.is_empty(), "{bad}");
}

/// The data of an npy file (version 1, little-endian, C order).
fn npy(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    bytes[10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))..].to_vec()
}

#[test]
fn kernels_of_cuda() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cuda");
    let mut bad = String::new();
    for name in [
        "bulk_1d",
        "clc",
        "cluster_dsmem",
        "cp_async",
        "cuda_barrier",
        "cuda_pipeline",
        "messages",
        "multicast",
        "tensormap_replace",
        "tma_reduce",
        "tma_swizzle",
    ] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).unwrap();
        let json = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let manifest = match Manifest::from_json(&json) {
            Ok(m) => m,
            Err(e) => {
                bad += &format!("{name}: {e}\n");
                continue;
            }
        };
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let module = module(&text, name);
        let mut launch = Run::new(&manifest, &module).unwrap();
        for operand in launch.missing() {
            let o = &json["operands"][operand];
            let dtype = o["dtype"].as_str().unwrap();
            let shape: Vec<u64> =
                o["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
            let count = shape.iter().product::<u64>() as usize;
            let bytes = inputs::fill(&o["fill"], dtype, count).unwrap();
            let dtype = DType::parse(dtype).unwrap();
            launch.set(operand, Array { dtype, shape, bytes }).unwrap();
        }
        for which in 0..6 {
            let (outputs, findings) = run(&text, &module, &launch, which);
            for f in findings.iter().take(3) {
                bad += &format!("{name}: {f}");
            }
            for (output, array) in outputs {
                let o = json["operands"].as_array().unwrap().iter().find(|o| o["name"] == output.as_str());
                let Some(file) = o.and_then(|o| o["expected"].as_str()) else { continue };
                let wanted = npy(&folder.join(file));
                if let Some(at) = (0..wanted.len()).find(|&i| array.bytes.get(i) != wanted.get(i)) {
                    bad += &format!("{name}: {output} differs at byte {at} under schedule {which}\n");
                }
            }
        }
    }
    assert!(bad.is_empty(), "{bad}");
}
