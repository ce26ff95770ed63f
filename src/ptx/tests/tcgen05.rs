//! Kernels on tensor memory, from their manifests to their outputs: those of `cuda/`. Every input is a
//! whole number, so that the outputs are right to the last bit.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::PathBuf;

use serde_json::Value;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Config;
use tidegate_ptx::launch::RunOptions;
use tidegate_ptx::manifest::{Array, DType, run_manifest};

#[path = "cuda/inputs.rs"]
mod inputs;

fn options(races: bool) -> RunOptions {
    RunOptions { config: Config { races, ..Config::default() }, ..RunOptions::default() }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

/// Runs a kernel of `cuda/` with races looked for, which gives these findings, and without.
fn cuda(name: &str, findings: &[Code]) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cuda");
    let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).unwrap();
    let json = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    let manifest: Value = serde_json::from_str(&json).unwrap();
    let operands = manifest["operands"].as_array().unwrap();
    let mut arrays = Vec::new();
    for o in operands.iter().filter(|o| o["direction"] != "out") {
        let dtype = o["dtype"].as_str().unwrap();
        let shape: Vec<u64> = o["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        let bytes = inputs::fill(&o["fill"], dtype, shape.iter().product::<u64>() as usize).unwrap();
        arrays.push(Array { dtype: DType::parse(dtype).unwrap(), shape, bytes });
    }
    for races in [false, true] {
        let (outputs, outcome) = run_manifest(&text, &json, &arrays, &options(races)).unwrap();
        let found: Vec<_> = outcome.report.findings.iter().map(|f| f.0.code).collect();
        assert_eq!(found, if races { findings } else { &[] }, "{name}");
        for (output, array) in outputs {
            let o = operands.iter().find(|o| o["name"] == output.as_str()).unwrap();
            let Some(file) = o["expected"].as_str() else {
                let found = format!("{:016x}", inputs::fnv1a64(&array.bytes));
                assert_eq!(o["expected_fnv1a64"], found, "{name}.{output}");
                continue;
            };
            let expected = std::fs::read(folder.join(file)).unwrap();
            let data = 10 + usize::from(u16::from_le_bytes([expected[8], expected[9]]));
            let mut expected = words(&expected[data..]);
            let mut found = words(&array.bytes);
            // A sum of nothing but negated zeros: the reference negates the sum, the machine its factors.
            if o["dtype"] == "float32" {
                for word in expected.iter_mut().chain(&mut found).filter(|w| **w == 1 << 31) {
                    *word = 0;
                }
            }
            assert!(expected == found, "{name}.{output}");
        }
    }
}

#[test]
fn loads_and_stores() {
    cuda("tcgen05_ldst", &[]);
}

#[test]
fn operands_in_shared_memory() {
    // Its last product has no __syncthreads before it: thread 0 may complete phase 3 before all have seen phase 2.
    cuda("tcgen05_mma", &[Code::Lapped]);
}

#[test]
fn a_in_tensor_memory() {
    cuda("tcgen05_ts", &[]);
}

#[test]
fn block_scaling() {
    cuda("tcgen05_mxf8", &[]);
}

#[test]
fn a_pair_of_blocks() {
    cuda("tcgen05_2cta", &[]);
}
