//! Fifteen kernels that JAX Pallas Mosaic GPU compiled, their inputs and what they have to give.

use crate::reference;
use std::path::PathBuf;
use tidegate_machine::finding::{Code, Finding};
use tidegate_ptx::manifest::{Array, DType};
use tidegate_ptx::manifest::{Manifest, Size};

/// A kernel: name, and its output from its inputs; how far the output may be off.
pub struct Jax {
    pub name: &'static str,
    pub reference: fn(&[Array]) -> Array,
    pub tolerance: f64,
    /// Findings that stand up to a second look: the kernel's own faults, as strictly read by the PTX ISA.
    pub known: &'static [(Code, &'static str)],
    /// Too large to run under every schedule in full: so many clusters are run then.
    pub clusters: Option<u64>,
}

const fn exact(name: &'static str, reference: fn(&[Array]) -> Array) -> Jax {
    Jax { name, reference, tolerance: 0.0, known: &[], clusters: None }
}

const fn matmul(name: &'static str) -> Jax {
    Jax {
        name,
        reference: |x| reference::matmul(&x[0], &x[1]),
        tolerance: 0.0,
        known: &[],
        clusters: Some(2),
    }
}

/// No `tcgen05.wait::ld` follows the loads, so nothing orders them before the columns are given back.
const NO_WAIT_LD: &[(Code, &str)] = &[(Code::Race, "tcgen05.dealloc")];
/// The last wait is `cp.async.bulk.wait_group.read 1`: the block may end while its last store reads shared memory.
const STORE_AT_EXIT: &[(Code, &str)] = &[(Code::ExitInFlight, "may end while")];

impl Jax {
    /// Whether a finding is one of the kernel's own that are known.
    pub fn knows(&self, finding: &Finding) -> bool {
        self.known.iter().any(|(code, text)| finding.code == *code && finding.message.contains(text))
    }
}

pub const KERNELS: &[Jax] = &[
    exact("producer_consumer", |x| reference::map(&x[0], |v| v * 2.0 + 1.0)),
    exact("tma_copy", |x| reference::map(&x[0], |v| v + 1.0)),
    exact("two_arrivals", |x| reference::zip(&x[0], &x[1], |a, b| a + b)),
    exact("rendezvous", |x| reference::exchange(&x[0])),
    exact("multislot_ring", |x| reference::sum_rows(&x[0])),
    exact("emit_pipeline_ws", |x| reference::map(&x[0], |v| v + 1.0)),
    exact("cluster_multicast", |x| reference::stack(&x[0])),
    matmul("ws_matmul_hopper"),
    matmul("emit_pipeline_matmul"),
    Jax { clusters: None, known: NO_WAIT_LD, ..matmul("tcgen05_small") },
    matmul("hopper_matmul_op_512"),
    matmul("hopper_matmul_op_cluster_512"),
    Jax { known: STORE_AT_EXIT, ..matmul("blackwell_matmul_op_512") },
    Jax { known: STORE_AT_EXIT, ..matmul("blackwell_matmul_op_2cta_512") },
    Jax {
        name: "attention_op",
        reference: |x| reference::attention(&x[0], &x[1], &x[2]),
        tolerance: 4e-3,
        known: &[],
        clusters: Some(2),
    },
];

impl Jax {
    /// PTX and manifest: kept here, or beside the project.
    pub fn read(&self) -> Option<(String, String)> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        [root.join("tests/kernels/jax"), root.join("../../../shared/jax/modules")].iter().find_map(|folder| {
            let ptx = std::fs::read_to_string(folder.join(format!("{}.ptx", self.name))).ok()?;
            let manifest =
                std::fs::read_to_string(folder.join(format!("{}.manifest.json", self.name))).ok()?;
            Some((ptx, manifest))
        })
    }

    /// Whole numbers from -4 to 4, of which matmuls are exact; for attention, sixteenths of them.
    pub fn inputs(&self, manifest: &Manifest) -> Vec<Array> {
        let mut out = Vec::new();
        for (i, o) in manifest.operands.iter().enumerate() {
            if o.direction == tidegate_ptx::manifest::Direction::Out {
                continue;
            }
            let shape: Vec<u64> =
                o.shape.iter().map(|d| if let Size::Known(n) = d { *n } else { 1 }).collect();
            let mut array = Array::random(o.dtype, &shape, 7 + i as u64).expect("a small array");
            if self.name == "attention_op" && o.dtype == DType::F16 {
                for half in array.bytes.chunks_exact_mut(2) {
                    let v = half::f16::from_le_bytes([half[0], half[1]]).to_f32() / 8.0;
                    half.copy_from_slice(&half::f16::from_f32(v).to_le_bytes());
                }
            }
            out.push(array);
        }
        out
    }
}
