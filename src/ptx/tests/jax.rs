//! Real kernels of JAX, where the workspace has them: every one is read, printed, read back and resolved.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use std::path::Path;

use tidegate_ptx::{parse, resolve, source::Source};

#[test]
fn every_module_is_read() {
    let mut folders =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/jax/modules"));
    let Some(folder) = folders.find(|folder| folder.is_dir()) else {
        println!("skipped: no ../shared/jax/modules");
        return;
    };
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        let source = Source::new(&text);
        let shown = |errors: &[tidegate_ptx::ParseError]| -> String {
            errors.iter().map(|error| source.render(&name, error)).collect()
        };
        let mut module = parse(&text).unwrap_or_else(|errors| panic!("{}", shown(&errors)));
        let program = resolve(&module).unwrap_or_else(|errors| panic!("{}", shown(&errors)));
        let kernel = program.functions.iter().find(|function| function.entry).unwrap();
        assert!(!kernel.body.is_empty(), "{name}");
        let printed = module.to_string();
        let mut again = parse(&printed).unwrap_or_else(|errors| panic!("{errors:?}\n{printed}"));
        module.clear_spans();
        again.clear_spans();
        assert!(module == again, "{name}");
        read += 1;
    }
    println!("{read} modules read");
}
