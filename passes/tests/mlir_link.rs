//! MLIR is linked, and melior reaches it.
#![cfg(feature = "mlir")]

use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{Module, operation::OperationLike},
    utility::{register_all_dialects, register_all_passes},
};

/// A context with every dialect of MLIR.
fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

#[test]
fn parses_verifies_and_prints_a_module() {
    register_all_passes();
    let context = context();
    let source = "gpu.module @m {\n  gpu.func @k() kernel {\n    gpu.return\n  }\n}\n";
    let module = Module::parse(&context, source).expect("the module parses");
    assert!(module.as_operation().verify());
    assert!(module.as_operation().to_string().contains("gpu.func @k() kernel"));
}

#[test]
fn a_module_that_does_not_parse_is_an_answer_and_not_an_abort() {
    assert!(Module::parse(&context(), "gpu.func @k(").is_none());
}
