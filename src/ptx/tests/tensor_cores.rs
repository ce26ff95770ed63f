//! Our CUDA kernels that multiply matrices with warps and warpgroups, run to the end, against their expected outputs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use tidegate_machine::finding::Code;
use tidegate_machine::grid::Gauge;
use tidegate_machine::schedule::{RoundRobin, Schedule};
use tidegate_ptx::launch::{Module, Outcome, RunOptions};
use tidegate_ptx::manifest::{Array, Manifest, Run};

#[allow(dead_code, reason = "shared with the tests of the manifests")]
#[path = "cuda/inputs.rs"]
mod inputs;

/// Runs a kernel on these operands; what is left in each.
fn run(folder: &Path, name: &str, manifest: &str, given: Vec<Array>) -> (Vec<Array>, Outcome) {
    let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).unwrap();
    let module = Module::from_text(&text).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
    let manifest = Manifest::from_json(manifest).unwrap();
    let mut run = Run::new(&manifest, &module).unwrap();
    for (index, array) in given.into_iter().enumerate() {
        run.set(index, array).unwrap();
    }
    let mut prepared = run.prepare().unwrap();
    let options = RunOptions::default();
    let schedule = |_| Box::new(RoundRobin::default()) as Box<dyn Schedule>;
    let outcome = prepared.run(&options, &Gauge::default(), &schedule).unwrap();
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
        let (arrays, outcome) = run(&cuda(), name, &text, given.collect());
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
