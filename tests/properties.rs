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
    fn any_order_of_passes_keeps_them_verified(seed: u64, order in proptest::collection::vec(0usize..6, 1..6)) {
        let names = ["canonicalize", "cse", "dce", "licm", "assign-parity", "infer-layouts"];
        let mut module = accepted(&generate::kernel(seed));
        let pipeline: Vec<&str> = order.iter().map(|&index| names[index]).collect();
        run(&mut module, &pipeline.join(","));
    }
}
