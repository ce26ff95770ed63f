//! `nvgpu` to PTX: the hand-written kernels of `tests/nvgpu`, their synchronisation, and what `ptxas` says of them.
#![cfg(feature = "mlir")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::{env, fs, path::Path};

use tidegate_passes::lower::{
    mlir::{MlirError, MlirMessage, OpTag, Pipeline, Session, SourceLine, Stage},
    target::{Chip, CodegenOptions, OptLevel},
    tools::{AssembleOptions, Nvdisasm, Ptxas, SassCounts, ToolError},
};

/// A kernel of `tests/nvgpu`, and how often each instruction has to be in its PTX, at any level of optimisation.
struct Kernel {
    name: &'static str,
    counts: &'static [(&'static str, usize)],
    /// The most registers and instructions it may take: what JAX Pallas Mosaic GPU takes for the same kernel.
    registers: u32,
    instructions: usize,
    named_barriers: u32,
}

const KERNELS: [Kernel; 6] = [
    Kernel {
        name: "producer_consumer",
        counts: &[
            ("mbarrier.init", 2),
            ("mbarrier.arrive.", 2),
            ("try_wait", 2),
            ("bar.sync", 1),
            ("fence.", 0),
        ],
        registers: 10,
        instructions: 88,
        named_barriers: 1,
    },
    Kernel {
        name: "tma_copy",
        counts: &[
            ("mbarrier.init", 1),
            ("arrive.expect_tx", 1),
            ("try_wait", 1),
            ("bar.sync", 2),
            ("fence.mbarrier_init", 1),
            ("fence.proxy.async", 1),
            ("commit_group", 1),
            ("wait_group", 1),
            ("complete_tx", 1),
        ],
        registers: 68,
        instructions: 208,
        named_barriers: 1,
    },
    Kernel {
        name: "two_arrivals",
        counts: &[
            ("mbarrier.init", 1),
            ("arrive.expect_tx", 2),
            ("try_wait", 1),
            ("bar.sync", 1),
            ("complete_tx", 2),
        ],
        registers: 10,
        instructions: 80,
        named_barriers: 1,
    },
    Kernel {
        name: "rendezvous",
        counts: &[("mbarrier.init", 1), ("mbarrier.arrive.", 1), ("try_wait", 1), ("bar.sync", 1)],
        registers: 14,
        instructions: 64,
        named_barriers: 1,
    },
    Kernel {
        name: "multislot_ring",
        counts: &[
            ("mbarrier.init", 4),
            ("arrive.expect_tx", 5),
            ("try_wait", 1),
            ("bar.sync", 2),
            ("complete_tx", 5),
        ],
        registers: 16,
        instructions: 200,
        named_barriers: 1,
    },
    Kernel {
        name: "cluster_multicast",
        counts: &[
            ("mbarrier.init", 2),
            ("arrive.expect_tx", 1),
            ("arrive.release.cluster", 1),
            ("try_wait", 2),
            ("bar.sync", 0),
            ("barrier.cluster", 2),
            ("complete_tx", 1),
        ],
        registers: 10,
        instructions: 128,
        named_barriers: 0,
    },
];

fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nvgpu").join(name).with_extension("mlir");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn emit(text: &str, options: CodegenOptions, stage: Stage) -> Result<String, MlirError> {
    let session = Session::new()?;
    let mut module = session.parse(text)?;
    let text = Pipeline::new(&session, options).emit(&mut module, stage)?;
    assert_eq!(session.take_messages(), [], "MLIR says nothing about a good kernel");
    Ok(text)
}

fn plain(chip: Chip) -> CodegenOptions {
    CodegenOptions { line_tables: false, ..CodegenOptions::new(chip) }
}

/// `ptxas`, or nothing where it is not installed. In CI it has to be there.
fn ptxas() -> Option<Ptxas> {
    present(Ptxas::find())
}

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

/// How many instructions of `ptx` contain `part`.
fn count(ptx: &str, part: &str) -> usize {
    ptx.lines().filter(|line| !line.trim_start().starts_with("//") && line.contains(part)).count()
}

#[test]
fn each_synchronising_instruction_comes_out_as_often_as_it_went_in() {
    for kernel in &KERNELS {
        for opt_level in [OptLevel::None, OptLevel::Some, OptLevel::Full] {
            let options = CodegenOptions { opt_level, ..plain(Chip::Sm90a) };
            let ptx = emit(&source(kernel.name), options, Stage::Ptx).unwrap();
            for (part, expected) in kernel.counts {
                assert_eq!(
                    count(&ptx, part),
                    *expected,
                    "`{part}` in {} at {opt_level:?}:\n{ptx}",
                    kernel.name
                );
            }
        }
    }
}

#[test]
fn ptxas_takes_each_kernel_for_each_chip_and_no_more_than_jax_does() {
    let Some(ptxas) = ptxas() else { return };
    for kernel in &KERNELS {
        for chip in Chip::ALL {
            let ptx = emit(&source(kernel.name), CodegenOptions::new(chip), Stage::Ptx).unwrap();
            assert!(ptx.contains(&format!(".target {chip}")), "{ptx}");
            let assembled = ptxas.assemble(&ptx, &AssembleOptions::new(chip)).unwrap();
            let [resources] = assembled.kernels.as_slice() else { panic!("one kernel: {assembled:?}") };
            assert_eq!(resources.kernel, kernel.name);
            assert_eq!((resources.spill_stores, resources.spill_loads, resources.stack), (0, 0, 0));
            assert_eq!(resources.named_barriers, kernel.named_barriers, "{}", kernel.name);
            if chip == Chip::Sm90a {
                assert!(resources.registers <= kernel.registers, "{resources:?}");
                let Some(nvdisasm) = present(Nvdisasm::find()) else { continue };
                let sass = SassCounts::of(&nvdisasm.disassemble(&assembled.cubin).unwrap());
                assert!(sass.all < kernel.instructions, "{}: {sass:?}", kernel.name);
                assert_eq!(sass.local_memory, 0, "{}", kernel.name);
            }
        }
    }
}

#[test]
fn all_that_synchronises_is_convergent_in_llvm_ir() {
    let llvm = emit(&source("tma_copy"), plain(Chip::Sm90a), Stage::Llvm).unwrap();
    let convergent: Vec<_> = llvm
        .lines()
        .filter(|line| line.starts_with("attributes #") && line.contains("convergent"))
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    let names =
        ["fence.proxy", "fence.mbarrier_init", "commit.group", "wait.group", "barrier.cta.sync", "try.wait"];
    for name in names {
        let call = llvm.lines().find(|line| line.contains("call ") && line.contains(name));
        let call = call.unwrap_or_else(|| panic!("a call of {name} in {llvm}"));
        let attributes = call.split_whitespace().rev().find(|word| word.starts_with('#'));
        assert!(attributes.is_some_and(|group| convergent.contains(&group)), "{call}");
    }
}

#[test]
fn line_tables_have_the_line_and_not_the_op() {
    let text = r#"
        gpu.module @m {
          llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
            %c = llvm.mlir.constant(7 : i32) : i32
            llvm.store %c, %out : i32, !llvm.ptr<1> loc("tg.op#12"("dir/ring.mlir":41:3))
            llvm.return loc("tg.op#13"("dir/ring.mlir":42:3))
          } loc("tg.op#1"("dir/ring.mlir":40:1))
        }"#;
    let ptx = emit(text, CodegenOptions::new(Chip::Sm90a), Stage::Ptx).unwrap();
    assert!(ptx.contains(".loc\t1 41 3"), "{ptx}");
    assert!(ptx.lines().any(|line| line.contains(".file") && line.contains("ring.mlir")), "{ptx}");
    assert!(!ptx.contains("tg.op"), "{ptx}");
    assert!(
        ptx.contains(".target sm_90a\n"),
        "`.target sm_90a, debug` would switch optimisations off: {ptx}"
    );
    let without = emit(text, plain(Chip::Sm90a), Stage::Ptx).unwrap();
    assert!(!without.contains(".loc"), "{without}");
}

#[test]
fn a_pass_that_fails_says_which_op_of_ours_it_is_about() {
    // There is no conversion of this.
    let text = r#"
        gpu.module @m {
          llvm.func @k(%p: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel} {
            %i = arith.index_cast %n : i32 to index
            %m = memref.alloc(%i) : memref<?xf32, strided<[?]>> loc("tg.op#99"("ring.mlir":5:2))
            llvm.return
          }
        }"#;
    let error = emit(text, plain(Chip::Sm90a), Stage::Ptx).unwrap_err();
    let ring = SourceLine { file: "ring.mlir".into(), line: 5, column: 2 };
    let about = |message: &MlirMessage| message.op == Some(OpTag(99)) && message.line.as_ref() == Some(&ring);
    assert!(error.messages().iter().any(about), "{error:?}");
}

#[test]
fn a_module_without_kernels_is_an_error() {
    assert_eq!(emit("module {}", plain(Chip::Sm90a), Stage::Ptx), Err(MlirError::NoKernel));
}

#[test]
fn stages_hold_their_own_dialects() {
    let text = source("producer_consumer");
    let nvgpu = emit(&text, plain(Chip::Sm90a), Stage::Nvgpu).unwrap();
    assert!(nvgpu.contains("nvgpu.mbarrier.try_wait.parity"), "{nvgpu}");
    let nvvm = emit(&text, plain(Chip::Sm90a), Stage::Nvvm).unwrap();
    assert!(
        nvvm.contains("nvvm.mbarrier.arrive") && !nvvm.contains("nvgpu.") && !nvvm.contains("scf."),
        "{nvvm}"
    );
    let llvm = emit(&text, plain(Chip::Sm90a), Stage::Llvm).unwrap();
    assert!(llvm.contains("define ptx_kernel void @producer_consumer"), "{llvm}");
    let ptx = emit(&text, plain(Chip::Sm90a), Stage::Ptx).unwrap();
    assert!(ptx.contains(".visible .entry producer_consumer"), "{ptx}");
}

#[test]
fn ptxas_errors_come_with_the_line_of_the_ptx() {
    let Some(ptxas) = ptxas() else { return };
    let ptx = emit(&source("rendezvous"), plain(Chip::Sm90a), Stage::Ptx).unwrap();
    let broken = ptx.replace("mbarrier.init", "mbarrier.inxt");
    let place = broken.lines().position(|line| line.contains("mbarrier.inxt")).unwrap();
    let error = ptxas.assemble(&broken, &AssembleOptions::new(Chip::Sm90a)).unwrap_err();
    let ToolError::Rejected { messages } = &error else { panic!("{error:?}") };
    assert_eq!(messages[0].line, Some(u32::try_from(place + 1).unwrap()), "{messages:?}");
    assert!(error.to_string().contains("inxt"), "{error}");
}

#[test]
fn a_ptxas_that_cannot_be_run_is_an_error() {
    let error = Ptxas::at("/nowhere/ptxas").assemble("", &AssembleOptions::new(Chip::Sm90a)).unwrap_err();
    assert!(matches!(error, ToolError::Run { .. }), "{error:?}");
}
