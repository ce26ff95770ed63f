//! Tests of the passes on text: each runs a pipeline with the verifier in between.

mod canonicalize;
mod fences;
mod interpret;
mod layouts;
mod parity;
mod programs;
mod smem;

use tidegate_ir::Module;
use tidegate_ir::diag::{Diagnostics, Reported};
use tidegate_ir::text::{PrintOptions, parse, print};

use crate::pass::{Instrumentation, PassManager, Registry};

pub(super) fn verify(module: &Module, diags: &mut Diagnostics) -> Result<(), Reported> {
    crate::verify::verify(module, None, diags)
}

pub(super) fn read(text: &str) -> Module {
    let mut diags = Diagnostics::new();
    let (module, result) = parse("test.tg", text, &mut diags);
    assert!(result.is_ok(), "{}", messages(&diags));
    module
}

pub(super) fn messages(diags: &Diagnostics) -> String {
    diags.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

pub(super) fn run_on(module: &mut Module, pipeline: &str) -> Result<(), String> {
    let mut diags = Diagnostics::new();
    let mut manager =
        PassManager::from_text(pipeline, &Registry::standard(), &mut module.sources, &mut diags)
            .map_err(|_| messages(&diags))?;
    let mut instrumentation = Instrumentation { verify: Some(&verify), ..Instrumentation::default() };
    manager.run(module, &mut diags, &mut instrumentation).map(|_| ()).map_err(|_| messages(&diags))
}

/// Runs a pipeline and returns the module's text, which must read back to the same.
pub(super) fn run(pipeline: &str, text: &str) -> String {
    let mut module = read(text);
    if let Err(messages) = run_on(&mut module, pipeline) {
        panic!("{messages}\n{}", print(&module, PrintOptions::default()));
    }
    let printed = print(&module, PrintOptions::default());
    assert_eq!(print(&read(&printed), PrintOptions::default()), printed, "printing is a fixed point");
    printed
}

/// Runs a pipeline twice: the second run must change nothing.
pub(super) fn run_twice(pipeline: &str, text: &str) -> String {
    let once = run(pipeline, text);
    assert_eq!(run(pipeline, &once), once, "idempotent");
    once
}

/// Asserts that the lines of `wanted` stand in `text` in this order, whatever stands between them and around.
#[track_caller]
pub(super) fn in_order(text: &str, wanted: &[&str]) {
    let mut rest = text;
    for line in wanted {
        let Some(at) = rest.find(line) else { panic!("`{line}` is not in\n{rest}\nof\n{text}") };
        rest = &rest[at + line.len()..];
    }
}
