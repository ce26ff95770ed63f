//! The kernels whose mutants are tried, and how one is tried.

use crate::jax::{Jax, KERNELS};
use crate::mutate;
use crate::reference;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use tidegate_machine::finding::Finding;
use tidegate_machine::grid::Gauge;
use tidegate_machine::hardware::Config;
use tidegate_machine::schedule::{Eager, HoldBack, Random, RoundRobin, Schedule};
use tidegate_machine::tensormap::Swizzle;
use tidegate_ptx::launch::{Module, RunOptions};
use tidegate_ptx::manifest::{Array, Manifest, Run};

/// A kernel whose mutants are tried.
pub struct Kernel {
    /// Whose it is, and its name: `jax/tma_copy`.
    pub name: String,
    ptx: String,
    manifest: Manifest,
    inputs: Vec<Array>,
    output: Array,
    fuel: u64,
    clusters: Option<u64>,
    tolerance: f64,
}

/// What is changed.
#[derive(Clone)]
pub enum Change {
    /// The PTX: it is this now.
    Text(String),
    /// The swizzle of a tensor map.
    Swizzle(usize, Swizzle),
}

/// A mutant of a kernel.
#[derive(Clone)]
pub struct Case {
    /// What kind of change.
    pub kind: String,
    /// The line of the PTX, or the number of the tensor map.
    pub line: usize,
    /// What was there.
    pub was: String,
    /// What is there now.
    pub change: Change,
}

/// What became of a mutant.
pub enum Verdict {
    /// It is no module, or no launch.
    Rejected(String),
    /// A finding, under a schedule.
    Found(Finding, &'static str),
    /// A wrong result, under a schedule.
    Wrong(&'static str),
    /// Nothing told it from the kernel.
    Survived,
    /// The machine itself failed: a mistake of ours.
    Panicked,
}

type Factory = fn(u64) -> Box<dyn Schedule>;

const SCHEDULES: [(&str, Factory); 6] = [
    ("round-robin", |_| Box::new(RoundRobin::default())),
    ("hold-back 0", |_| Box::new(HoldBack::new(0))),
    ("hold-back 1", |_| Box::new(HoldBack::new(1))),
    ("eager", |_| Box::new(Eager::default())),
    ("random 0", |c| Box::new(Random::new(c))),
    ("random 1", |c| Box::new(Random::new(1000 + c))),
];

/// The machine has findings in this one as it is: loads of tensor memory that nobody waits for.
const FAULTY: &str = "tcgen05_small";

/// The kernels that JAX compiled and that lie here, and those that tidegate compiled.
pub fn kernels() -> Vec<Kernel> {
    let mut out = Vec::new();
    for jax in KERNELS {
        // Those of JAX's own library are read from beside the project, where they need not be.
        let beside = jax.name.contains("_op");
        if jax.name == FAULTY || beside {
            continue;
        }
        let Some((ptx, manifest)) = jax.read() else { continue };
        out.push(Kernel::new(format!("jax/{}", jax.name), jax, ptx, &manifest));
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/ours");
    let double = Jax {
        name: "double",
        reference: |x| reference::map(&x[0], |v| v * 2.0),
        tolerance: 0.0,
        known: &[],
        clusters: None,
    };
    for jax in KERNELS.iter().chain([&double]) {
        let read = |suffix: &str| std::fs::read_to_string(folder.join(format!("{}{suffix}", jax.name)));
        let (Ok(ptx), Ok(manifest)) = (read(".ptx"), read(".manifest.json")) else { continue };
        out.push(Kernel::new(format!("ours/{}", jax.name), jax, ptx, &manifest));
    }
    out
}

impl Kernel {
    /// Runs the kernel as it is: what its mutants are held against.
    fn new(name: String, jax: &Jax, ptx: String, manifest: &str) -> Kernel {
        let manifest = Manifest::from_json(manifest).unwrap();
        let inputs = jax.inputs(&manifest);
        let module = Module::from_text(&ptx).unwrap();
        let clusters = jax.clusters.map(|_| 1);
        let (output, findings, instructions) =
            run(&module, &manifest, &inputs, clusters, SCHEDULES[0].1, u64::MAX).unwrap();
        assert!(findings.is_empty(), "{name}: {findings:?}");
        if clusters.is_none() {
            let error = reference::largest_error(&output, &(jax.reference)(&inputs));
            assert!(error <= jax.tolerance, "{name}: an error of {error}");
        }
        let fuel = 20 * instructions + 10_000;
        Kernel { name, ptx, manifest, inputs, output, fuel, clusters, tolerance: jax.tolerance }
    }

    /// All its mutants: of the text, in its order, and of the tensor maps.
    pub fn mutants(&self) -> Vec<Case> {
        let of_text = mutate::mutants(&self.ptx).into_iter().map(|m| Case {
            kind: m.kind.to_owned(),
            line: m.line,
            was: m.was,
            change: Change::Text(m.text),
        });
        let mut out: Vec<Case> = of_text.collect();
        for (i, map) in self.manifest.tensor_maps.iter().enumerate() {
            // Others need boxes of other widths: a driver refuses the map.
            let others: &[(Swizzle, &str)] = match map.swizzle {
                Swizzle::None => &[(Swizzle::B128, "128B")],
                _ => &[(Swizzle::None, "none"), (Swizzle::B64, "64B")],
            };
            for &(swizzle, name) in others {
                out.push(Case {
                    kind: format!("swizzle of a tensor map: {name}"),
                    line: i,
                    was: format!("tensor map {i}"),
                    change: Change::Swizzle(i, swizzle),
                });
            }
        }
        out
    }

    /// Runs a mutant under one schedule after the other, to the first that tells.
    pub fn judge(&self, case: &Case) -> Verdict {
        catch_unwind(AssertUnwindSafe(|| self.try_all(case))).unwrap_or(Verdict::Panicked)
    }

    fn try_all(&self, case: &Case) -> Verdict {
        let (text, manifest) = match &case.change {
            Change::Text(text) => (text, self.manifest.clone()),
            Change::Swizzle(map, swizzle) => {
                let mut manifest = self.manifest.clone();
                manifest.tensor_maps[*map].swizzle = *swizzle;
                (&self.ptx, manifest)
            }
        };
        let module = match Module::from_text(text) {
            Ok(module) => module,
            Err(errors) => return Verdict::Rejected(format!("{:?}", errors.first())),
        };
        for (name, schedule) in SCHEDULES {
            match run(&module, &manifest, &self.inputs, self.clusters, schedule, self.fuel) {
                Err(why) => return Verdict::Rejected(why),
                Ok((_, findings, _)) if !findings.is_empty() => {
                    let first = findings.into_iter().next().unwrap();
                    return Verdict::Found(first, name);
                }
                Ok((output, _, _)) => {
                    let same = output.bytes == self.output.bytes
                        || reference::largest_error(&output, &self.output) <= self.tolerance;
                    if !same {
                        return Verdict::Wrong(name);
                    }
                }
            }
        }
        Verdict::Survived
    }
}

/// Runs a kernel; output, findings, instructions.
fn run(
    module: &Module,
    manifest: &Manifest,
    inputs: &[Array],
    clusters: Option<u64>,
    schedule: Factory,
    fuel: u64,
) -> Result<(Array, Vec<Finding>, u64), String> {
    let mut run = Run::new(manifest, module).map_err(|e| format!("{e:?}"))?;
    for (operand, array) in run.missing().into_iter().zip(inputs) {
        run.set(operand, array.clone()).map_err(|e| format!("{e:?}"))?;
    }
    let mut prepared = run.prepare().map_err(|e| format!("{e:?}"))?;
    if let Some(n) = clusters {
        let dims = &mut prepared.launch.dims;
        dims.grid = [dims.grid[0].min(n as u32 * dims.cluster[0]), dims.cluster[1], dims.cluster[2]];
    }
    let options = RunOptions { config: Config { fuel, ..Config::default() }, threads: 1, stop_early: true };
    let outcome = prepared.run(&options, &Gauge::default(), &schedule).map_err(|e| format!("{e:?}"))?;
    let findings = outcome.report.findings.into_iter().map(|(f, _)| f).collect();
    let output = prepared.outputs().pop().ok_or("no output")?.1;
    Ok((output, findings, outcome.report.counts.instructions))
}
