//! Any bytes: reading never panics; what reads prints, in both forms, to a text that reads to the same module and
//! prints the same again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegate_ir::diag::{Diagnostics, Renderer};
use tidegate_ir::text::{PrintOptions, parse, print};

fuzz_target!(|text: &str| {
    let mut diags = Diagnostics::new();
    let (module, result) = parse("fuzz.mlir", text, &mut diags);
    for diagnostic in diags.into_vec() {
        Renderer::plain().render(&module.sources, &diagnostic);
    }
    for generic in [false, true] {
        let options = PrintOptions { generic, locations: false };
        let printed = print(&module, options);
        if result.is_ok() {
            let (back, again) = parse("printed.mlir", &printed, &mut Diagnostics::new());
            assert!(again.is_ok(), "what was printed does not read:\n{printed}");
            let difference = module.difference(&back, false);
            assert!(difference.is_none(), "{difference:?}\n{printed}");
            assert_eq!(print(&back, options), printed, "printing again gives another text");
        }
    }
});
