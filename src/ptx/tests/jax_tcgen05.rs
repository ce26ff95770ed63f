//! JAX's matrix products on tensor memory, where the workspace has them, from manifest to output. Every input is a whole
//! number, so that the outputs are right to the last bit.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use std::path::Path;

use serde_json::Value;
use tidegate_machine::hardware::Config;
use tidegate_ptx::launch::RunOptions;
use tidegate_ptx::manifest::{Array, DType, run_manifest};

/// f16 of whole numbers from -4 to 4.
fn whole(seed: u64, rows: usize, columns: usize) -> (Vec<f32>, Array) {
    let mut random = fastrand::Rng::with_seed(seed);
    let values: Vec<f32> = (0..rows * columns).map(|_| random.i32(-4..=4) as f32).collect();
    let bytes = values.iter().flat_map(|&v| half::f16::from_f32(v).to_le_bytes()).collect();
    (
        values,
        Array { dtype: DType::parse("float16").unwrap(), shape: vec![rows as u64, columns as u64], bytes },
    )
}

/// A kernel of JAX that multiplies two matrices of f16.
fn jax(name: &str, races: bool) {
    let mut folders =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/jax/modules"));
    let Some(folder) = folders.find(|folder| folder.is_dir()) else {
        println!("skipped: no ../shared/jax/modules");
        return;
    };
    let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).unwrap();
    let json = std::fs::read_to_string(folder.join(format!("{name}.manifest.json"))).unwrap();
    let manifest: Value = serde_json::from_str(&json).unwrap();
    let shape = |i: usize| -> [usize; 2] {
        [0, 1].map(|d| manifest["operands"][i]["shape"][d].as_u64().unwrap() as usize)
    };
    let ([m, k], [_, n]) = (shape(0), shape(1));
    let ((a, first), (b, second)) = (whole(1, m, k), whole(2, k, n));
    let options = RunOptions { config: Config { races, ..Config::default() }, ..RunOptions::default() };
    let start = std::time::Instant::now();
    let (outputs, outcome) = run_manifest(&text, &json, &[first, second], &options).unwrap();
    println!("{name}, races {races}: {:?}, {:?}", start.elapsed(), outcome.report.counts);
    let findings: Vec<_> = outcome.report.findings.iter().map(|f| &f.0).collect();
    assert!(findings.is_empty(), "{name}: {findings:#?}");
    let mut sums = vec![0f32; n];
    for row in 0..m {
        sums.fill(0.0);
        for (i, &factor) in a[row * k..][..k].iter().enumerate() {
            sums.iter_mut().zip(&b[i * n..][..n]).for_each(|(s, &b)| *s += factor * b);
        }
        let want: Vec<u8> = sums.iter().flat_map(|&s| half::f16::from_f32(s).to_le_bytes()).collect();
        assert_eq!(outputs[0].1.bytes[row * n * 2..][..n * 2], want[..], "{name}, row {row}");
    }
}

macro_rules! jax {
    ($($name:ident $races:literal $test:ident,)*) => { $(#[test] fn $test() { jax(stringify!($name), $races); })* };
}

jax! {
    tcgen05_small false small_without_races,
    tcgen05_small true small,
    blackwell_matmul_op_512 false matmul_without_races,
    blackwell_matmul_op_512 true matmul,
    blackwell_matmul_op_2cta_512 false matmul_of_pairs_without_races,
    blackwell_matmul_op_2cta_512 true matmul_of_pairs,
}
