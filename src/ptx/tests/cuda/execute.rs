//! Runs a kernel by its manifest under several schedules and compares what it wrote with what was expected.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tidegate_machine::finding::Finding;
use tidegate_machine::grid::Gauge;
use tidegate_machine::hardware::Config;
use tidegate_machine::schedule::{HoldBack, Random, RoundRobin, Schedule};
use tidegate_ptx::launch::{Module, RunOptions};
use tidegate_ptx::manifest::{Array, Manifest, Run};
use tidegate_ptx::source::Source;

use crate::inputs;

/// Warp instructions of a cluster: far more than any of these kernels executes.
const FUEL: u64 = 1 << 26;

/// Where the expected contents of an operand are.
type Contents = Box<dyn Fn(&Value) -> Option<PathBuf> + Sync>;

/// A kernel, its manifest, and where its arrays are.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) ptx: PathBuf,
    pub(crate) manifest: PathBuf,
    /// The file of an operand's expected contents.
    pub(crate) expected: Contents,
}

/// What came of a kernel under one schedule.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    Right,
    /// Right, but with findings: their codes, ascending, each once.
    Findings(Vec<&'static str>),
    Wrong,
    /// It did not come to run, or it panicked.
    Broken,
}

/// What should come of a kernel.
pub(crate) enum Expected {
    Right,
    /// Right results, and these findings.
    Findings(&'static [&'static str]),
    /// It does not come to its end; why has this text in it.
    Stopped(&'static str),
}

/// The data of an npy file (version 1, little-endian, C order).
pub(crate) fn npy(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\0", "{}", path.display());
    bytes[10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))..].to_vec()
}

fn schedule(name: &str) -> Box<dyn Schedule> {
    match name {
        "in turn" => Box::new(RoundRobin::default()),
        "hold-back" => Box::new(HoldBack::new(1)),
        _ => Box::new(Random::new(7)),
    }
}

pub(crate) const SCHEDULES: [&str; 3] = ["in turn", "hold-back", "random"];

/// A difference from what was expected; nothing when there is none. Without tolerance, to the last bit, but any NaN
/// equals any NaN.
fn difference(got: &Array, want: &Array, rtol: f64, atol: f64) -> Option<String> {
    let size = got.dtype.bytes();
    let mut wrong = 0;
    let mut first = String::new();
    for i in 0..got.len().max(want.len()) {
        let (a, b) = (got.get(i), want.get(i));
        let (x, y) = (a.to_f64(), b.to_f64());
        let same = got.bytes.get(i * size..(i + 1) * size) == want.bytes.get(i * size..(i + 1) * size)
            || (x.is_nan() && y.is_nan())
            || ((rtol, atol) != (0.0, 0.0) && (x - y).abs() <= atol + rtol * y.abs());
        if !same {
            wrong += 1;
            if wrong <= 4 {
                let _ = write!(first, " {:?}: {a}, not {b};", got.index(i));
            }
        }
    }
    (wrong > 0).then(|| format!("{wrong} of {} are wrong:{first}", got.len()))
}

/// Findings as text, each place with its line of the PTX.
fn show(text: &str, module: &Module, findings: &[Finding]) -> String {
    let source = Source::new(text);
    let mut out = String::new();
    for f in findings.iter().take(3) {
        let _ = writeln!(out, "    {f}");
        for l in &f.labels {
            let functions = &module.code.functions;
            let at = functions.iter().position(|f| (f.start..f.end).contains(&l.place.0));
            let instr = at.and_then(|k| {
                let index = (l.place.0 - functions[k].start) as usize;
                module.code.program.functions[k].body.get(index)
            });
            let line = instr.map_or(0, |i| source.position(i.span.start).0);
            let _ = writeln!(out, "      line {line}: {} ({})", source.line(line).trim(), l.text);
        }
        for n in &f.notes {
            let _ = writeln!(out, "      note: {n}");
        }
    }
    out
}

/// Runs a kernel under a schedule: what came of it, and why.
pub(crate) fn run(case: &Case, under: &str) -> (Verdict, String) {
    let broken = |why: String| (Verdict::Broken, why);
    let text = match std::fs::read_to_string(&case.ptx) {
        Ok(text) => text,
        Err(error) => return broken(error.to_string()),
    };
    let json = std::fs::read_to_string(&case.manifest).unwrap();
    let raw: Value = serde_json::from_str(&json).unwrap();
    let module = match Module::from_text(&text) {
        Ok(module) => module,
        Err(errors) => {
            let source = Source::new(&text);
            let mut why = format!("{} mistakes\n", errors.len());
            for e in errors.iter().take(4) {
                let line = source.position(e.span.start).0;
                let _ = writeln!(why, "    {line}: {}: {}", source.line(line).trim(), e.message);
            }
            return broken(why);
        }
    };
    let manifest = match Manifest::from_json(&json) {
        Ok(manifest) => manifest,
        Err(error) => return broken(error.to_string()),
    };
    let mut run = match Run::new(&manifest, &module) {
        Ok(run) => run,
        Err(errors) => {
            return broken(format!("{:?}", errors.iter().map(ToString::to_string).collect::<Vec<_>>()));
        }
    };
    let mut wanted = Vec::new();
    for (index, o) in raw["operands"].as_array().unwrap().iter().enumerate() {
        let shape: Vec<u64> = o["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        let dtype = manifest.operands[index].dtype;
        let count = shape.iter().product::<u64>() as usize;
        let bytes = inputs::fill(&o["fill"], o["dtype"].as_str().unwrap(), count).unwrap();
        run.set(index, Array { dtype, shape: shape.clone(), bytes }).unwrap();
        let expected = (case.expected)(o).map(|file| Array { dtype, shape, bytes: npy(&file) });
        wanted.push((o["name"].as_str().unwrap().to_owned(), expected, o["expected_fnv1a64"].clone()));
    }
    let mut prepared = match run.prepare() {
        Ok(prepared) => prepared,
        Err(error) => return broken(error.to_string()),
    };
    let options = RunOptions {
        config: Config { fuel: FUEL, ..Config::default() },
        stop_early: true,
        ..RunOptions::default()
    };
    let outcome = match prepared.run(&options, &Gauge::default(), &|_| schedule(under)) {
        Ok(outcome) => outcome,
        Err(error) => return broken(error.to_string()),
    };
    let findings: Vec<Finding> = outcome.report.findings.into_iter().map(|(f, _)| f).collect();
    let mut why = show(&text, &module, &findings);
    let mut wrong = false;
    for (index, (name, expected, hash)) in wanted.iter().enumerate() {
        let got = prepared.array(index).unwrap();
        let checks = &raw["checks"];
        let own = &checks["per_operand"][name];
        let limit = |what: &str| own[what].as_f64().or(checks[what].as_f64()).unwrap_or(0.0);
        let problem = match (expected, hash.as_str()) {
            (Some(expected), _) => difference(&got, expected, limit("rtol"), limit("atol")),
            (None, Some(hash)) if format!("{:016x}", inputs::fnv1a64(&got.bytes)) != hash => {
                Some("its hash is not the one expected".to_owned())
            }
            _ => None,
        };
        if let Some(problem) = problem {
            wrong = true;
            let _ = writeln!(why, "    {name}: {problem}");
        }
    }
    let mut codes: Vec<&str> = findings.iter().map(|f| f.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let verdict = match (wrong, codes.is_empty()) {
        (true, _) => Verdict::Wrong,
        (false, true) => Verdict::Right,
        (false, false) => Verdict::Findings(codes),
    };
    (verdict, why)
}

/// Runs kernels under every schedule; what did not come out as `expected` says.
/// With the environment variable `TIDEGATE_KERNEL`, only those whose name has that text in it.
pub(crate) fn run_all(cases: &[Case], expected: &dyn Fn(&str) -> Expected) -> Vec<String> {
    let only = std::env::var("TIDEGATE_KERNEL").unwrap_or_default();
    let mut failures = Vec::new();
    for case in cases.iter().filter(|c| c.name.contains(&only)) {
        let mut line = format!("{:28}", case.name);
        let mut reasons = String::new();
        for under in SCHEDULES {
            let start = std::time::Instant::now();
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(case, under)));
            let (verdict, why) = caught.unwrap_or_else(|_| (Verdict::Broken, "a panic\n".to_owned()));
            let _ = write!(line, " {verdict:?} ({} ms)", start.elapsed().as_millis());
            let fine = match (expected(&case.name), &verdict) {
                (Expected::Right, Verdict::Right) => true,
                (Expected::Findings(wanted), Verdict::Findings(codes)) => codes == wanted,
                (Expected::Stopped(text), Verdict::Wrong | Verdict::Broken) => why.contains(text),
                _ => false,
            };
            if !fine && reasons.len() < 4000 {
                let _ = write!(reasons, "\n  {under}: {verdict:?}\n{why}");
            }
            if verdict == Verdict::Broken {
                break;
            }
        }
        println!("{line}{reasons}");
        if !reasons.is_empty() {
            failures.push(format!("{}{reasons}", case.name));
        }
    }
    failures
}
