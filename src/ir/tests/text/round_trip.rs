//! Printing and reading back, for modules made at random.

use proptest::prelude::*;
use tidegate_ir::Module;
use tidegate_ir::diag::{Diagnostics, Renderer};
use tidegate_ir::ops::Opcode;
use tidegate_ir::text::{PrintOptions, parse, print};

use crate::generate::{self, Options};

/// The module that `text` reads as; panics with the diagnostics when it does not.
pub(crate) fn read(name: &str, text: &str) -> Module {
    let mut diags = Diagnostics::new();
    let (module, result) = parse(name, text, &mut diags);
    if result.is_err() {
        let shown = Renderer::plain().render_all(&module.sources, &diags.into_vec());
        panic!("{shown}\n--- in\n{text}");
    }
    module
}

pub(crate) fn same_lines(first: &str, second: &str) {
    if let Some((first, second)) = first.lines().zip(second.lines()).find(|(first, second)| first != second) {
        panic!("printing what was printed and read gives another text:\n  {first}\n  {second}");
    }
    assert_eq!(first.len(), second.len(), "printing what was printed and read gives more or less text");
}

/// What must hold for every module, in both forms, with and without locations.
pub(crate) fn check(module: &Module, locations: bool) {
    for generic in [false, true] {
        let options = PrintOptions { generic, locations };
        let text = print(module, options);
        let back = read("printed.mlir", &text);
        if let Some(difference) = module.difference(&back, locations) {
            panic!("{difference}\n--- in\n{text}");
        }
        let again = print(&back, options);
        same_lines(&text, &again);
        // And across the forms.
        let other = read("other.mlir", &print(&back, PrintOptions { generic: !generic, locations }));
        if let Some(difference) = module.difference(&other, locations) {
            panic!("across the forms: {difference}\n--- in\n{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_back(choices in prop::collection::vec(any::<u8>(), 0..600), locations: bool) {
        let module = generate::module(&choices, Options { for_mlir: false, locations }, None);
        check(&module, locations);
    }
}

#[test]
fn every_op_of_every_table_reads_back() {
    for opcode in Opcode::all() {
        for seed in 0..12 {
            let choices = generate::choices_of(seed, 160);
            let locations = seed % 2 == 1;
            let module = generate::module(&choices, Options { for_mlir: false, locations }, Some(opcode));
            check(&module, locations);
        }
    }
}

#[test]
fn equal_choices_give_equal_texts() {
    let text = || {
        let module = generate::module(&generate::choices_of(7, 400), Options::default(), None);
        print(&module, PrintOptions::default())
    };
    assert_eq!(text(), text());
}
