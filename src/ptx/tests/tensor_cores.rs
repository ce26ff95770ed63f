//! Kernels that multiply matrices with warps and warpgroups, run to the end: our CUDA kernels against their expected outputs
//! and, where the workspace has them, JAX's against a product of whole numbers, which is exact in any order.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use tidegate_machine::finding::Code;
use tidegate_machine::grid::Gauge;
use tidegate_machine::hardware::Config;
use tidegate_machine::schedule::{RoundRobin, Schedule};
use tidegate_ptx::launch::{Module, Outcome, RunOptions};
use tidegate_ptx::manifest::{Array, DType, Manifest, Run};

#[path = "cuda/inputs.rs"]
mod inputs;

/// Runs a kernel on these operands; what is left in each.
fn run(folder: &Path, name: &str, manifest: &str, given: Vec<Array>, races: bool) -> (Vec<Array>, Outcome) {
    let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).unwrap();
    let module = Module::from_text(&text).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
    let manifest = Manifest::from_json(manifest).unwrap();
    let mut run = Run::new(&manifest, &module).unwrap();
    for (index, array) in given.into_iter().enumerate() {
        run.set(index, array).unwrap();
    }
    let mut prepared = run.prepare().unwrap();
    let config = Config { races, uninitialised: races, ..Config::default() };
    let options = RunOptions { config, ..RunOptions::default() };
    let start = Instant::now();
    let schedule = |_| Box::new(RoundRobin::default()) as Box<dyn Schedule>;
    let outcome = prepared.run(&options, &Gauge::default(), &schedule).unwrap();
    println!(
        "{name}: {} instructions, {:.2} s, races {races}",
        outcome.report.counts.instructions,
        start.elapsed().as_secs_f64()
    );
    let arrays = (0..manifest.operands.len()).map(|i| prepared.array(i).unwrap());
    (arrays.collect(), outcome)
}

fn clean(name: &str, outcome: &Outcome) {
    let findings: Vec<_> = outcome.report.findings.iter().map(|(f, _)| format!("{f}")).collect();
    assert!(findings.is_empty(), "{name}: {findings:#?}");
}

fn cuda() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cuda")
}

/// The data of an npy file (version 1, little-endian, C order).
fn npy(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    bytes[10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))..].to_vec()
}

#[test]
fn cuda_kernels() {
    let mut wrong = Vec::new();
    for name in ["ldmatrix", "mma_sync", "wmma_api", "wgmma_f16", "wgmma_major", "wgmma_types"] {
        let text = std::fs::read_to_string(cuda().join(format!("{name}.json"))).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        let operands = json["operands"].as_array().unwrap();
        let manifest = Manifest::from_json(&text).unwrap();
        let given = operands.iter().zip(&manifest.operands).map(|(o, m)| {
            let shape: Vec<u64> =
                o["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
            let count = shape.iter().product::<u64>() as usize;
            let bytes = inputs::fill(&o["fill"], o["dtype"].as_str().unwrap(), count).unwrap();
            Array { dtype: m.dtype, shape, bytes }
        });
        let (arrays, outcome) = run(&cuda(), name, &text, given.collect(), true);
        if name == "wgmma_f16" {
            // It loads A into registers after the fence that has to come between (ISA 9.7.15.7.1).
            let fences = outcome.report.findings.iter().filter(|(f, _)| f.code == Code::MissingFence).count();
            assert_eq!((fences, outcome.report.findings.len()), (4, 4));
        } else {
            clean(name, &outcome);
        }
        for (o, array) in operands.iter().zip(&arrays) {
            let Some(file) = o["expected"].as_str() else { continue };
            let want = npy(&cuda().join(file));
            let n = array.dtype.bytes();
            let differ = array.bytes.chunks(n).zip(want.chunks(n)).filter(|(a, b)| a != b).count();
            if differ != 0 {
                wrong.push(format!("{file}: {differ} of {} elements differ", array.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn jax() -> Option<PathBuf> {
    let mut folders =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/jax/modules"));
    let found = folders.find(|folder| folder.is_dir());
    if found.is_none() {
        println!("skipped: no ../shared/jax/modules");
    }
    found
}

fn halves(array: &Array) -> Vec<f32> {
    array.bytes.as_chunks().0.iter().map(|c| half::f16::from_le_bytes(*c).to_f32()).collect()
}

fn matmul(name: &str, races: bool) {
    let Some(folder) = jax() else { return };
    let text = std::fs::read_to_string(folder.join(format!("{name}.manifest.json"))).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let shape = |i: usize| -> Vec<u64> {
        json["operands"][i]["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
    };
    let (a, b) =
        (Array::random(DType::F16, &shape(0), 1).unwrap(), Array::random(DType::F16, &shape(1), 2).unwrap());
    let (m, k, n) = (shape(0)[0] as usize, shape(0)[1] as usize, shape(1)[1] as usize);
    let (x, y) = (halves(&a), halves(&b));
    let mut want = vec![0f32; m * n];
    for row in 0..m {
        for i in 0..k {
            let factor = x[row * k + i];
            for (to, v) in want[row * n..][..n].iter_mut().zip(&y[i * n..][..n]) {
                *to += factor * v;
            }
        }
    }
    let (arrays, outcome) = run(&folder, name, &text, vec![a, b], races);
    clean(name, &outcome);
    let got = halves(&arrays[2]);
    let wrong: Vec<_> = (0..m * n).filter(|&i| got[i] != half::f16::from_f32(want[i]).to_f32()).collect();
    assert!(wrong.is_empty(), "{name}: {} of {} differ, first {:?}", wrong.len(), m * n, wrong.first());
}

macro_rules! matmuls {
    ($($test:ident $name:literal;)*) => {$(
        #[test]
        #[ignore = "a minute in a build without optimisation: cargo test --release -p tidegate-ptx -- --ignored"]
        fn $test() {
            matmul($name, false);
            matmul($name, true);
        }
    )*};
}

matmuls! {
    emit_pipeline "emit_pipeline_matmul";
    hopper_512 "hopper_matmul_op_512";
    hopper_cluster_512 "hopper_matmul_op_cluster_512";
    warp_specialised "ws_matmul_hopper";
}

/// The attention of REFERENCE.md, not scaled and not masked, in f64, within its tolerance.
#[test]
#[ignore = "a minute in a build without optimisation: cargo test --release -p tidegate-ptx -- --ignored"]
fn jax_attention() {
    let Some(folder) = jax() else { return };
    let text = std::fs::read_to_string(folder.join("attention_op.manifest.json")).unwrap();
    let (seq, heads, dim) = (512, 2, 64);
    let shape = [1, seq as u64, heads as u64, dim as u64];
    let mut random = fastrand::Rng::with_seed(3);
    let mut normal = || -> Array {
        let mut array = Array::zeros(DType::F16, &shape).unwrap();
        for to in array.bytes.as_chunks_mut::<2>().0 {
            let sum: f32 = (0..12).map(|_| random.f32()).sum::<f32>() - 6.0;
            *to = half::f16::from_f32(sum).to_le_bytes();
        }
        array
    };
    let given = vec![normal(), normal(), normal()];
    let values: Vec<Vec<f32>> = given.iter().map(halves).collect();
    let at = |pos: usize, head: usize, d: usize| (pos * heads + head) * dim + d;
    for races in [false, true] {
        let (arrays, outcome) = run(&folder, "attention_op", &text, given.clone(), races);
        clean("attention_op", &outcome);
        let got = halves(&arrays[3]);
        for head in 0..heads {
            for q in 0..seq {
                let scores: Vec<f64> = (0..seq)
                    .map(|k| {
                        (0..dim)
                            .map(|d| f64::from(values[0][at(q, head, d)] * values[1][at(k, head, d)]))
                            .sum()
                    })
                    .collect();
                let top = scores.iter().copied().fold(f64::MIN, f64::max);
                let p: Vec<f64> = scores.iter().map(|s| (s - top).exp()).collect();
                let total: f64 = p.iter().sum();
                for d in 0..dim {
                    let want =
                        (0..seq).map(|k| p[k] * f64::from(values[2][at(k, head, d)])).sum::<f64>() / total;
                    let found = f64::from(got[at(q, head, d)]);
                    assert!(
                        (found - want).abs() <= 4e-3 + 1e-2 * want.abs(),
                        "{q} {head} {d}: {found}, {want}"
                    );
                }
            }
        }
    }
}
