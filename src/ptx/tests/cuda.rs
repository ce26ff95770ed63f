//! The CUDA kernels in `cuda/`: every one is read and resolved, fits its manifest, and its inputs and expected outputs are
//! those that the manifest names.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::PathBuf;

use serde_json::Value;
use tidegate_ptx::{parse, resolve, source::Source};

#[path = "cuda/inputs.rs"]
mod inputs;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cuda")
}

/// All manifests, by name.
fn manifests() -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            found.push((name, serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap()));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(found.len() >= 60, "{} manifests", found.len());
    found
}

/// The data of an npy file (version 1, little-endian, C order).
fn npy(path: &std::path::Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\0", "{}", path.display());
    bytes[10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))..].to_vec()
}

#[test]
fn every_kernel_is_read() {
    let mut failures = Vec::new();
    for (name, manifest) in manifests() {
        let text = std::fs::read_to_string(folder().join(format!("{name}.ptx"))).unwrap();
        let errors = match parse(&text) {
            Ok(module) => {
                assert_eq!(parse(&module.to_string()).map(|_| ()), Ok(()), "{name}");
                resolve(&module).err().unwrap_or_default()
            }
            Err(errors) => errors,
        };
        let source = Source::new(&text);
        for error in errors.iter().take(3) {
            failures.push(format!("{name}:{:?} {}", source.position(error.span.start), error.message));
        }
        assert_eq!(manifest["kernel"], name.as_str());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn inputs_and_outputs_are_those_named() {
    for (name, manifest) in manifests() {
        for operand in manifest["operands"].as_array().unwrap() {
            let what = format!("{name}.{}", operand["name"].as_str().unwrap());
            let dtype = operand["dtype"].as_str().unwrap();
            let count =
                operand["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).product::<u64>();
            let size = inputs::size_of(dtype).unwrap() as u64;
            assert_eq!(operand["bytes"].as_u64(), Some(count * size), "{what}");
            let bytes = inputs::fill(&operand["fill"], dtype, count as usize).unwrap();
            if let Some(expected) = operand["input_fnv1a64"].as_str() {
                assert_eq!(format!("{:016x}", inputs::fnv1a64(&bytes)), expected, "{what}");
            }
            let Some(file) = operand["expected"].as_str() else { continue };
            let bytes = npy(&folder().join(file));
            assert_eq!(bytes.len() as u64, count * size, "{what}");
            if let Some(expected) = operand["expected_fnv1a64"].as_str() {
                assert_eq!(format!("{:016x}", inputs::fnv1a64(&bytes)), expected, "{what}");
            }
        }
    }
}
