//! Properties of whole kernels, over generated ones: they read back as they were printed, verify, and still verify
//! after every pass.

#[cfg(feature = "mlir")]
mod execute;
mod generate;
#[cfg(feature = "mlir")]
mod walk;

use proptest::prelude::*;
use tidegate::ir::Module;
use tidegate::ir::diag::{Diagnostics, render::Renderer};
use tidegate::ir::text::{PrintOptions, parse, print};
use tidegate::passes::pass::{Instrumentation, PassManager, Registry, default_pipeline};
use tidegate::passes::target::Target;
use tidegate::passes::verify::verify;

/// So many cases, or as many as `PROPTEST_CASES` says.
fn cases(usual: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(usual),
    }
}

/// The module of a text that must be accepted.
fn accepted(text: &str) -> Module {
    let mut diags = Diagnostics::new();
    let (module, result) = parse("generated.mlir", text, &mut diags);
    let result = result.and_then(|()| verify(&module, Target::find("sm_90a"), &mut diags));
    assert!(result.is_ok(), "{}\n{text}", rendered(&module, &diags));
    module
}

fn rendered(module: &Module, diags: &Diagnostics) -> String {
    diags.iter().map(|diagnostic| Renderer::plain().render(&module.sources, diagnostic)).collect()
}

fn run(module: &mut Module, pipeline: &str) {
    let mut diags = Diagnostics::new();
    let mut sources = module.sources.clone();
    let mut manager = PassManager::from_text(pipeline, &Registry::standard(), &mut sources, &mut diags)
        .unwrap_or_else(|_| panic!("{pipeline}"));
    let check = |module: &Module, diags: &mut Diagnostics| verify(module, Target::find("sm_90a"), diags);
    let mut instrumentation = Instrumentation { verify: Some(&check), ..Instrumentation::default() };
    let result = manager.run(module, &mut diags, &mut instrumentation);
    let failed = result.err().map(|failure| failure.pass);
    let text = print(module, PrintOptions::default());
    assert!(failed.is_none(), "{failed:?}\n{}\n{text}", rendered(module, &diags));
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn generated_kernels_verify_and_read_back(seed: u64) {
        let module = accepted(&generate::kernel(seed));
        for generic in [false, true] {
            let options = PrintOptions { generic, locations: false };
            let first = print(&module, options);
            let second = print(&accepted(&first), options);
            prop_assert_eq!(first, second);
        }
    }

    #[test]
    fn the_default_pipeline_keeps_them_verified(seed: u64) {
        let mut module = accepted(&generate::kernel(seed));
        run(&mut module, &default_pipeline("sm_90a"));
    }

    #[test]
    fn any_order_of_passes_keeps_them_verified(seed: u64, order in proptest::collection::vec(0usize..8, 1..6)) {
        let names = [
            "canonicalize", "cse", "dce", "licm", "assign-parity", "infer-layouts", "insert-fences", "allocate-smem",
        ];
        let mut module = accepted(&generate::kernel(seed));
        let pipeline: Vec<&str> = order.iter().map(|&index| names[index]).collect();
        run(&mut module, &pipeline.join(","));
    }

    #[test]
    fn every_pass_is_idempotent(seed: u64) {
        for pass in Registry::standard().rows() {
            let mut module = accepted(&generate::kernel(seed));
            run(&mut module, pass.name);
            let once = print(&module, PrintOptions::default());
            run(&mut module, pass.name);
            prop_assert_eq!(&print(&module, PrintOptions::default()), &once, "{}", pass.name);
        }
    }

    #[test]
    fn canonicalize_keeps_every_synchronising_op(seed: u64) {
        // Generated kernels have no dead branches with such ops in them; see lit/opt/canonicalize.mlir for those.
        let count = |module: &Module| {
            let text = print(module, PrintOptions { generic: true, locations: false });
            ["barrier_arrive", "barrier_wait", "commit_smem", "thread_sync", "block_sync", "copy_gmem_to_smem"]
                .map(|name| text.matches(&format!("\"tg.{name}\"")).count())
        };
        let mut module = accepted(&generate::kernel(seed));
        let before = count(&module);
        run(&mut module, "canonicalize,cse,licm,dce");
        let after = count(&module);
        prop_assert!(before.iter().zip(&after).all(|(before, after)| after <= before), "{:?} {:?}", before, after);
    }
}

/// Whatever verifies and has passed the usual passes goes through MLIR and LLVM; NVIDIA's assembler takes a sample.
#[cfg(feature = "mlir")]
mod lowering {
    use super::*;
    use tidegate::driver;
    use tidegate::passes::lower::mlir::Stage;
    use tidegate::passes::lower::target::{Chip, CodegenOptions};
    use tidegate::passes::lower::tools::Ptxas;

    fn ptx(seed: u64) -> String {
        let text = generate::kernel(seed);
        let mut module = accepted(&text);
        run(&mut module, &default_pipeline("sm_90a"));
        let mut diags = Diagnostics::new();
        let emitted = driver::emit(&module, Stage::Ptx, CodegenOptions::new(Chip::Sm90a), &mut diags);
        match emitted {
            Ok(emitted) => emitted.text,
            Err(_) => panic!("{}\n{text}", rendered(&module, &diags)),
        }
    }

    proptest! {
        #![proptest_config(cases(128))]

        #[test]
        fn lowering_never_fails_inside_mlir(seed: u64) {
            let ptx = ptx(seed);
            prop_assert!(ptx.contains(".entry k("));
        }
    }

    #[test]
    fn ptxas_accepts_a_sample() {
        if Ptxas::find().is_err() {
            assert!(std::env::var_os("CI").is_none(), "ptxas is missing");
            eprintln!("skipped: there is no ptxas here");
            return;
        }
        for seed in 0..24 {
            let ptx = ptx(seed);
            let mut diags = Diagnostics::new();
            let assembled =
                driver::assemble(&ptx, &Default::default(), CodegenOptions::new(Chip::Sm90a), &mut diags);
            assert!(assembled.is_ok(), "seed {seed}: {diags:?}\n{ptx}");
        }
    }
}

/// Whatever is generated is lowered, executed on the PTX machine under one or two schedules, with races and unwritten
/// memory looked for, and compared with the walk.
#[cfg(feature = "mlir")]
mod execution {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Instant;

    use super::*;
    use crate::execute::{Order, bytes, compare, lower, params};
    use crate::walk::{Arg, Elem};
    use tidegate::driver;
    use tidegate::passes::lower::target::Chip;

    /// So many kernels, or as many as this variable says.
    const KERNELS: &str = "TIDEGATE_GENERATED_KERNELS";

    /// The schedules of a kernel.
    fn orders(seed: u64) -> Vec<Order> {
        match seed % 6 {
            0 => vec![Order::HoldBack(0)],
            1 => vec![Order::HoldBack(1), Order::Eager],
            2 => vec![Order::HoldBack(seed)],
            3 => vec![Order::Eager],
            4 => vec![Order::Random(seed)],
            _ => vec![Order::RoundRobin, Order::HoldBack(seed)],
        }
    }

    /// Generates, lowers, executes and compares a kernel; the number of schedules.
    fn check(seed: u64) -> Result<usize, String> {
        let kernel = generate::generate(seed);
        let fail = |error: String| format!("seed {seed}: {error}\n{}", kernel.text);
        let lowered = lower("generated.mlir", &kernel.text, Chip::Sm90a).map_err(fail)?;
        let (op, _) = driver::kernels(&lowered.module)[0];
        let mut rng = fastrand::Rng::with_seed(seed);
        let args: Vec<Arg> = params(&lowered.module, op, kernel.steps as i64)
            .into_iter()
            .map(|(name, shape, elem)| match shape {
                Some(shape) if name == "y" => Arg::Array { shape, bytes: None },
                Some(shape) => {
                    let count = shape.iter().product::<i64>() as usize;
                    Arg::Array { shape, bytes: Some(bytes(elem, count, |_| f64::from(rng.i32(-8..9)))) }
                }
                None => Arg::Number(match elem {
                    Elem::Int(_) => elem.int(i128::from(rng.i32(-4..5))),
                    Elem::Float(_) => elem.float(f64::from(rng.i32(-4..5))),
                }),
            })
            .collect();
        let orders = orders(seed);
        compare(&lowered, "k", &args, &[], &orders).map_err(fail)?;
        Ok(orders.len())
    }

    #[test]
    fn generated_kernels_do_what_the_walk_does() {
        let count = std::env::var(KERNELS).ok().and_then(|text| text.parse().ok()).unwrap_or(1000u64);
        let first =
            std::env::var("TIDEGATE_FIRST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0u64);
        let clock = Instant::now();
        let (next, runs) = (AtomicU64::new(first), AtomicU64::new(0));
        let failures = std::sync::Mutex::new(Vec::new());
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= first + count {
                            return;
                        }
                        match check(seed) {
                            Ok(schedules) => {
                                runs.fetch_add(schedules as u64, Ordering::Relaxed);
                            }
                            Err(error) => {
                                failures.lock().expect("no thread panics with it").push((seed, error))
                            }
                        }
                    }
                });
            }
        });
        let mut failures = failures.into_inner().expect("no thread panics with it");
        failures.sort();
        let seconds = clock.elapsed().as_secs_f64();
        println!("{count} kernels, {} runs, {seconds:.1} s", runs.into_inner());
        let shown: Vec<&str> = failures.iter().take(3).map(|failure| failure.1.as_str()).collect();
        let lines: Vec<&str> = failures.iter().filter_map(|failure| failure.1.lines().next()).collect();
        assert!(
            failures.is_empty(),
            "{} kernels differ:\n{}\n\n{}",
            failures.len(),
            lines.join("\n"),
            shown.join("\n\n")
        );
    }
}
