//! Properties of whole kernels, over generated ones: they read back as they were printed, verify, and still verify
//! after every pass.

mod generate;

use proptest::prelude::*;
use tidegate::ir::Module;
use tidegate::ir::diag::{Diagnostics, render::Renderer};
use tidegate::ir::text::{PrintOptions, parse, print};
use tidegate::passes::pass::{Instrumentation, PassManager, Registry, default_pipeline};
use tidegate::passes::target::Target;
use tidegate::passes::verify::verify;

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
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

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
