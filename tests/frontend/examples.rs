//! The examples: the Rust builder and the text make the same module.

use tidegate::ir::diag::{Diagnostics, Renderer};
use tidegate::ir::text::{PrintOptions, parse, print};
use tidegate::ir::{EntityId, Module, Value};
use tidegate::passes::verify::verify;

/// The text of the module with its values numbered, so that names do not count.
fn nameless(mut module: Module) -> String {
    for index in 0..module.num_values() {
        module.set_value_name(Value::from_index(index), "");
    }
    print(&module, PrintOptions::default())
}

/// Reads, verifies and compares.
fn same(name: &str, text: &str, built: Module) {
    let mut found = Diagnostics::new();
    let (module, outcome) = parse(name, text, &mut found);
    let outcome = outcome.and_then(|()| verify(&module, None, &mut found));
    let shown = Renderer::plain().render_all(&module.sources, found.iter());
    assert!(outcome.is_ok() && found.is_empty(), "{shown}");
    assert_eq!(nameless(module), nameless(built), "{name}");
}

macro_rules! examples {
    ($($name:ident $path:literal;)*) => {
        $(
            #[path = $path]
            #[allow(dead_code, unreachable_pub, reason = "an example's `main` is not called here")]
            mod $name;
        )*

        $(#[test]
        fn $name() {
            let text = include_str!(concat!("../../examples/", stringify!($name), ".mlir"));
            same(concat!(stringify!($name), ".mlir"), text, $name::build().unwrap());
        })*

        const COMPARED: &[&str] = &[$(stringify!($name)),*];
    };
}

examples! {
    producer_consumer "../../examples/producer_consumer.rs";
    tma_copy "../../examples/tma_copy.rs";
    two_arrivals "../../examples/two_arrivals.rs";
    rendezvous "../../examples/rendezvous.rs";
    multislot_ring "../../examples/multislot_ring.rs";
    cluster_multicast "../../examples/cluster_multicast.rs";
    double "../../examples/double.rs";
}

#[test]
fn every_example_in_rust_is_compared() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let stem = path.file_stem().unwrap().to_str().unwrap();
            assert!(COMPARED.contains(&stem), "{stem} is not compared with a text");
        }
    }
}
