//! Kernels of tidegate IR to PTX: synchronisation as often as in the kernel, and no more of anything than JAX.
#![cfg(feature = "mlir")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::{env, fs, path::Path};

use tidegate_ir::Module;
use tidegate_ir::diag::Diagnostics;
use tidegate_ir::text::parse;
use tidegate_passes::{
    lower::{
        mlir::{Pipeline, Session, Stage},
        nvgpu::lower_to_nvgpu,
        target::{Chip, CodegenOptions, OptLevel},
        tools::{AssembleOptions, Nvdisasm, Ptxas, SassCounts, ToolError},
    },
    pass::{Instrumentation, PassManager, Registry, default_pipeline},
};

fn kernel(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(name).with_extension("mlir");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn messages(diags: &Diagnostics, module: &Module) -> String {
    let _ = module;
    diags.iter().map(|diagnostic| format!("{diagnostic:#?}\n")).collect()
}

/// Reads a kernel and runs the passes before lowering.
fn prepare(text: &str) -> Module {
    let mut diags = Diagnostics::new();
    let (mut module, read) = parse("kernel.mlir", text, &mut diags);
    assert!(read.is_ok(), "{}", messages(&diags, &module));
    let mut sources = std::mem::take(&mut module.sources);
    let manager =
        PassManager::from_text(&default_pipeline("sm_90a"), &Registry::standard(), &mut sources, &mut diags);
    module.sources = sources;
    let Ok(mut manager) = manager else { panic!("{}", messages(&diags, &module)) };
    let ran = manager.run(&mut module, &mut diags, &mut Instrumentation::default());
    assert!(ran.is_ok(), "{}", messages(&diags, &module));
    module
}

fn emit_with(
    text: &str,
    options: CodegenOptions,
    stage: Stage,
) -> Result<(String, serde_json::Value), String> {
    let module = prepare(text);
    let session = Session::new().unwrap();
    let mut diags = Diagnostics::new();
    let lowered = lower_to_nvgpu(&module, &session, options.chip, &mut diags);
    let Ok(mut lowered) = lowered else { return Err(messages(&diags, &module)) };
    let text = lowered.module.as_operation_text();
    let ptx = Pipeline::new(&session, options).emit(&mut lowered.module, stage);
    match ptx {
        Ok(ptx) => Ok((ptx, lowered.manifests.remove(0))),
        Err(error) => Err(format!("{error}\n{text}")),
    }
}

trait Text {
    fn as_operation_text(&self) -> String;
}

impl Text for melior::ir::Module<'_> {
    fn as_operation_text(&self) -> String {
        self.as_operation().to_string()
    }
}

fn emit(text: &str, stage: Stage) -> (String, serde_json::Value) {
    let options = CodegenOptions { line_tables: false, ..CodegenOptions::new(Chip::Sm90a) };
    emit_with(text, options, stage).unwrap_or_else(|error| panic!("{error}"))
}

/// `ptxas`, or nothing where it is not installed. In CI it has to be there.
fn present<T>(found: Result<T, ToolError>) -> Option<T> {
    match found {
        Ok(tool) => Some(tool),
        Err(error) if env::var_os("CI").is_none() => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn count(ptx: &str, part: &str) -> usize {
    ptx.lines().filter(|line| !line.trim_start().starts_with("//") && line.contains(part)).count()
}

/// What JAX Pallas Mosaic GPU takes for a kernel: PTX lines, SASS instructions, registers, then named barriers and the
/// synchronising instructions of its PTX.
struct Jax {
    name: &'static str,
    ptx_lines: usize,
    sass: usize,
    registers: u32,
    named_barriers: u32,
    smem: i64,
    counts: [(&'static str, usize); 8],
}

macro_rules! jax {
    ($name:literal, $ptx:literal, $sass:literal, $registers:literal, $barriers:literal, $smem:literal,
     [$init:literal $expect:literal $arrive:literal $wait:literal $sync:literal $fence:literal $proxy:literal $cluster:literal]) => {
        Jax {
            name: $name,
            ptx_lines: $ptx,
            sass: $sass,
            registers: $registers,
            named_barriers: $barriers,
            smem: $smem,
            counts: [
                ("mbarrier.init", $init),
                ("arrive.expect_tx", $expect),
                ("mbarrier.arrive.", $arrive + $expect),
                ("try_wait", $wait),
                ("bar.sync", $sync),
                ("fence.mbarrier_init", $fence),
                ("fence.proxy", $proxy),
                ("barrier.cluster", $cluster),
            ],
        }
    };
}

const JAX: [Jax; 6] = [
    jax!("producer_consumer", 168, 88, 10, 16, 1040, [2 0 2 2 6 1 0 0]),
    jax!("tma_copy", 259, 208, 68, 2, 65544, [1 1 0 1 6 1 1 0]),
    jax!("two_arrivals", 128, 80, 10, 2, 2056, [1 2 0 1 5 1 0 0]),
    jax!("rendezvous", 132, 64, 14, 16, 1032, [1 0 1 1 6 1 0 0]),
    jax!("multislot_ring", 265, 200, 16, 2, 2080, [4 6 0 2 9 1 0 0]),
    jax!("cluster_multicast", 164, 128, 10, 2, 32784, [2 1 1 2 3 1 0 2]),
];

#[test]
fn no_kernel_takes_more_than_with_jax() {
    let tools = present(Ptxas::find()).zip(present(Nvdisasm::find()));
    println!(
        "kernel              ptx      sass     regs    barriers  smem  init expect arrive wait sync fence proxy cluster"
    );
    for jax in &JAX {
        let options = CodegenOptions::new(Chip::Sm90a);
        let (ptx, manifest) =
            emit_with(&kernel(jax.name), options, Stage::Ptx).unwrap_or_else(|error| panic!("{error}"));
        let counts: Vec<_> =
            jax.counts.iter().map(|(part, limit)| (*part, count(&ptx, part), *limit)).collect();
        for (part, found, limit) in &counts {
            assert!(found <= limit, "{}: {found} of `{part}`, JAX {limit}\n{ptx}", jax.name);
        }
        let lines = ptx.lines().count();
        assert!(lines < jax.ptx_lines, "{}: {lines} lines of PTX, JAX {}", jax.name, jax.ptx_lines);
        let smem = manifest["dynamic_shared_bytes"].as_i64().unwrap();
        assert!(smem <= jax.smem, "{}: {smem} bytes of shared memory, JAX {}", jax.name, jax.smem);
        let Some((ptxas, nvdisasm)) = &tools else { continue };
        let assembled = ptxas.assemble(&ptx, &AssembleOptions::new(Chip::Sm90a)).unwrap();
        let resources = &assembled.kernels[0];
        let sass = SassCounts::of(&nvdisasm.disassemble(&assembled.cubin).unwrap());
        println!(
            "{:18} {lines:3}/{:3}  {:3}/{:3}  {:3}/{:3}  {:2}/{:2}  {smem}/{}  {:?}",
            jax.name,
            jax.ptx_lines,
            sass.all,
            jax.sass,
            resources.registers,
            jax.registers,
            resources.named_barriers,
            jax.named_barriers,
            jax.smem,
            counts.iter().map(|(_, found, limit)| format!("{found}/{limit}")).collect::<Vec<_>>(),
        );
        assert!(sass.all <= jax.sass, "{}: {sass:?}, JAX {}\n{ptx}", jax.name, jax.sass);
        assert!(resources.registers <= jax.registers, "{}: {resources:?}, JAX {}", jax.name, jax.registers);
        assert!(resources.named_barriers <= jax.named_barriers, "{}: {resources:?}", jax.name);
        assert_eq!((resources.spill_loads, resources.spill_stores, resources.stack), (0, 0, 0));
    }
}

#[test]
fn the_nvgpu_form_has_the_barrier_ops_of_nvgpu() {
    let (nvgpu, _) = emit(&kernel("multislot_ring"), Stage::Nvgpu);
    for op in ["create", "init", "arrive.expect_tx", "try_wait.parity"] {
        assert!(nvgpu.contains(&format!("nvgpu.mbarrier.{op}")), "{op}: {nvgpu}");
    }
}

/// The kernels of a file, each as a text of its own.
fn kernels_of(file: &str) -> Vec<(String, String)> {
    let text = kernel(file);
    let starts: Vec<usize> = text.match_indices("tg.kernel @").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let texts = starts.iter().zip(ends).map(|(&start, end)| text[start..end].to_owned());
    texts.map(|text| (text["tg.kernel @".len()..text.find('(').unwrap()].to_owned(), text)).collect()
}

#[test]
fn every_op_lowers_for_every_chip_and_ptxas_takes_it() {
    let ptxas = present(Ptxas::find());
    for (name, text) in kernels_of("ops").into_iter().chain(kernels_of("sync")) {
        for chip in Chip::ALL {
            let (ptx, _) = emit_with(&text, CodegenOptions::new(chip), Stage::Ptx)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!ptx.contains("__nv_"), "{name} calls a library that is not there: {ptx}");
            let Some(ptxas) = &ptxas else { continue };
            let assembled = ptxas.assemble(&ptx, &AssembleOptions::new(chip));
            let assembled = assembled.unwrap_or_else(|error| panic!("{name} for {chip}: {error}\n{ptx}"));
            assert_eq!(assembled.kernels[0].kernel, name);
            // Named barriers of constant numbers: never all 16.
            assert!(assembled.kernels[0].named_barriers <= 4, "{name}: {:?}", assembled.kernels[0]);
        }
    }
}

#[test]
fn optimisation_neither_adds_nor_removes_synchronisation() {
    let parts = [
        "mbarrier.init",
        "mbarrier.arrive",
        "expect_tx",
        "try_wait",
        "test_wait",
        "mbarrier.inval",
        "bar.sync",
        "bar.red",
        "fence.",
        "barrier.cluster",
        "cp.async.bulk",
        "commit_group",
        "wait_group",
        "setmaxnreg",
        "mapa",
    ];
    let single = JAX.iter().map(|jax| (jax.name.to_owned(), kernel(jax.name)));
    for (name, text) in kernels_of("ops").into_iter().chain(kernels_of("sync")).chain(single) {
        let counts = |opt_level: OptLevel| {
            let options =
                CodegenOptions { opt_level, line_tables: false, ..CodegenOptions::new(Chip::Sm90a) };
            let (ptx, _) =
                emit_with(&text, options, Stage::Ptx).unwrap_or_else(|error| panic!("{name}: {error}"));
            parts.map(|part| (part, count(&ptx, part)))
        };
        assert_eq!(counts(OptLevel::None), counts(OptLevel::Full), "{name}");
    }
}

/// The codes and messages that lowering `text` after `passes` reports.
fn refusals(text: &str, passes: &str) -> Vec<String> {
    let mut diags = Diagnostics::new();
    let (mut module, read) = parse("kernel.mlir", text, &mut diags);
    assert!(read.is_ok(), "{}", messages(&diags, &module));
    let mut sources = std::mem::take(&mut module.sources);
    let manager = PassManager::from_text(passes, &Registry::standard(), &mut sources, &mut diags);
    module.sources = sources;
    let mut manager = manager.map_err(|_| ()).unwrap();
    manager.run(&mut module, &mut diags, &mut Instrumentation::default()).map_err(|_| ()).unwrap();
    let session = Session::new().unwrap();
    assert!(lower_to_nvgpu(&module, &session, Chip::Sm90a, &mut diags).is_err());
    diags.iter().map(ToString::to_string).collect()
}

#[test]
fn what_cannot_be_lowered_is_a_diagnostic() {
    let kernel = |body: &str| format!("tg.kernel @k(in %x: !tg.ref<128xf32, gmem>) {{\n{body}\n}}");
    let cases = [
        // An op of a dialect that nobody knows.
        (kernel("\"else.where\"() : () -> ()"), "cse", "error[TG0309]: `else.where` is of a dialect"),
        // Passes that have not run.
        (
            kernel(
                "%b = tg.alloc_barrier at 0 : !tg.barrier_ref<1, arrivals = 1>\n\
                 tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1>",
            ),
            "cse",
            "run `assign-parity` before lowering",
        ),
        (
            kernel("%v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>"),
            "cse",
            "run `infer-layouts` before lowering",
        ),
        (
            kernel(
                "%a = tg.alloc : !tg.ref<128xf32, smem>\n\
                 %v = arith.constant 1.0 : f32\n\
                 tg.store %v, %a[0] : f32, !tg.ref<128xf32, smem>",
            ),
            "infer-layouts",
            "run `allocate-smem` before lowering",
        ),
        // Nothing that the GPU has.
        (
            "tg.kernel @k(in %x: f32, out %o: !tg.ref<1xf32, gmem>) {\n\
             %r = arith.remf %x, %x : f32\n\
             tg.store %r, %o[0] : f32, !tg.ref<1xf32, gmem>\n}"
                .to_owned(),
            "cse",
            "error[TG0802]: `arith.remf` has no instruction on the GPU",
        ),
        (
            kernel(
                "%v = arith.constant 1.0 : f8E4M3FN\n\
                 %w = arith.addf %v, %v : f8E4M3FN",
            ),
            "cse",
            "error[TG0802]: `arith.addf` has no arithmetic on 8-bit floats",
        ),
        ("module {}".to_owned(), "cse", "error[TG0807]: the module has no kernel to lower"),
    ];
    for (text, passes, expected) in cases {
        let found = refusals(&text, passes);
        assert!(found.iter().any(|message| message.contains(expected)), "{expected}: {found:?}\n{text}");
    }
}

#[test]
fn the_manifest_tells_how_to_launch() {
    let (_, manifest) = emit(&kernel("cluster_multicast"), Stage::Nvgpu);
    assert_eq!(manifest["grid"], serde_json::json!([2, 1, 1]));
    assert_eq!(manifest["cluster"], serde_json::json!([2, 1, 1]));
    assert_eq!(manifest["block"], serde_json::json!([128, 1, 1]));
    assert_eq!(manifest["dynamic_shared_bytes"], 32784);
    let map = &manifest["tensor_maps"][0];
    assert_eq!(map["global_dim"], serde_json::json!([64, 128]), "innermost first");
    assert_eq!(map["box"], serde_json::json!([64, 64]), "each of two blocks loads half");
    assert_eq!(map["global_stride_bytes"], serde_json::json!([256]));
    assert_eq!(map["used_by"], serde_json::json!({ "loads": 1, "stores": 0 }));
    let kinds: Vec<_> = manifest["params"].as_array().unwrap().iter().map(|param| &param["kind"]).collect();
    assert_eq!(kinds, ["pointer", "tensor_maps"]);
    assert_eq!(manifest["operands"][1]["direction"], "out");
    let (_, dynamic) =
        emit(&kernels_of("ops").into_iter().find(|kernel| kernel.0 == "dynamic").unwrap().1, Stage::Nvgpu);
    let kinds: Vec<_> =
        dynamic["params"].as_array().unwrap().iter().map(|param| param["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["pointer", "extent", "extent", "pointer", "extent", "extent", "scalar", "scalar"]);
    assert_eq!(dynamic["grid"][0], serde_json::json!({ "launch": 0, "factor": 1 }));
}
