//! Tests of the manager with passes made for them.

use tidegate_ir::Module;
use tidegate_ir::diag::{Diagnostic, Diagnostics, Reported, SourceMap, codes};
use tidegate_ir::text::{PrintOptions, parse, print};

use super::{
    Changed, Instrumentation, Pass, PassContext, PassFailure, PassManager, PrintIr, Registry, RunReport,
};

/// A pass that does as it is told.
struct Told(&'static str, fn(&mut Module, &mut PassContext<'_>) -> Result<Changed, Reported>);

impl Pass for Told {
    fn name(&self) -> &'static str {
        self.0
    }
    fn description(&self) -> &'static str {
        "a pass for tests"
    }
    fn run(&mut self, module: &mut Module, ctx: &mut PassContext<'_>) -> Result<Changed, Reported> {
        (self.1)(module, ctx)
    }
}

fn kernel() -> Module {
    let mut diags = Diagnostics::new();
    parse("k.mlir", "tg.kernel @k() {\n  tg.thread_sync\n}\n", &mut diags).0
}

fn text(module: &Module) -> String {
    print(module, PrintOptions::default())
}

fn nothing() -> Told {
    Told("nothing", |_, _| Ok(Changed::No))
}
fn rename() -> Told {
    Told("rename", |module, ctx| {
        ctx.count("kernels renamed", 1);
        let kernel = module.all_ops()[1];
        let name = module.attrs.str("renamed");
        module.set_attr(kernel, "sym_name", name);
        Ok(Changed::Yes)
    })
}
fn fail() -> Told {
    Told("fail", |_, ctx| Err(ctx.diags.emit_error(Diagnostic::error(codes::PASS_FAILED, "no"))))
}
fn panic() -> Told {
    Told("panic", |_, _| panic!("on purpose"))
}

struct Outcome {
    result: Result<RunReport, Box<PassFailure>>,
    output: String,
    diags: Diagnostics,
}

fn run(passes: Vec<Told>, print_ir: PrintIr, verify: bool) -> Outcome {
    let mut manager = PassManager::new();
    for pass in passes {
        manager.push(Box::new(pass));
    }
    let mut diags = Diagnostics::new();
    let mut output = Vec::new();
    // A module called "renamed" is what the verifier of these tests refuses.
    let check = |module: &Module, diags: &mut Diagnostics| {
        if text(module).contains("renamed") {
            return Err(diags.emit_error(Diagnostic::error(codes::DUPLICATE_SYMBOL, "renamed")));
        }
        Ok(())
    };
    let mut instrumentation = Instrumentation {
        verify: if verify { Some(&check) } else { None },
        print: Some(text),
        print_ir,
        output: Some(&mut output),
        reproducer: true,
        catch_panics: true,
    };
    let result = manager.run(&mut kernel(), &mut diags, &mut instrumentation);
    Outcome { result, output: String::from_utf8(output).unwrap(), diags }
}

#[test]
fn modules_are_printed_when_asked() {
    let outcome = run(vec![nothing(), rename()], PrintIr { after_change: true, ..PrintIr::default() }, false);
    assert!(!outcome.output.contains("After nothing"), "{}", outcome.output);
    assert!(
        outcome.output.contains("// -----// IR Dump After rename //----- //\ntg.kernel @renamed"),
        "{}",
        outcome.output
    );
    let before =
        PrintIr { before: vec!["rename".into()], after: vec!["nothing".into()], ..PrintIr::default() };
    let outcome = run(vec![nothing(), rename()], before, false);
    assert!(
        outcome.output.contains("After nothing") && outcome.output.contains("Before rename"),
        "{}",
        outcome.output
    );
    assert!(!outcome.output.contains("renamed"));
}

#[test]
fn a_failure_comes_with_what_repeats_it() {
    let failure = run(vec![nothing(), fail(), rename()], PrintIr::default(), true).result.unwrap_err();
    assert_eq!((failure.pass, failure.internal), ("fail", false));
    let file = failure.reproducer.unwrap().file();
    assert!(file.starts_with("// configuration: --passes='fail,rename'\ntg.kernel @k"), "{file}");
    assert_eq!(failure.report.passes.len(), 2);
}

#[test]
fn a_pass_that_leaves_an_invalid_module_is_at_fault() {
    let outcome = run(vec![rename()], PrintIr::default(), true);
    let failure = outcome.result.unwrap_err();
    assert_eq!((failure.pass, failure.internal), ("rename", true));
    assert!(outcome.diags.iter().any(|diagnostic| diagnostic.code == codes::PASS_FAILED));
}

#[test]
fn a_panic_is_an_internal_error() {
    let outcome = run(vec![panic(), nothing()], PrintIr::default(), true);
    let failure = outcome.result.unwrap_err();
    assert!(failure.internal && failure.reproducer.is_some());
    let reported = outcome.diags.iter().find(|diagnostic| diagnostic.code == codes::INTERNAL_ERROR).unwrap();
    assert!(reported.message.contains("on purpose"), "{}", reported.message);
}

#[test]
fn reports_tell_what_each_pass_did() {
    let report = run(vec![nothing(), rename()], PrintIr::default(), false).result.unwrap();
    assert!(report.changed());
    assert!(report.statistics().contains("1 kernels renamed"), "{}", report.statistics());
    assert!(report.timing().contains("rename"));
}

#[test]
fn managers_come_from_text() {
    let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
    let registry = Registry::standard();
    let manager = PassManager::from_text("cse, dce", &registry, &mut sources, &mut diags).unwrap();
    assert_eq!(manager.pipeline(), "cse,dce");
    assert!(PassManager::from_text("cse, dead", &registry, &mut sources, &mut diags).is_err());
    let wrong = diags.iter().next().unwrap();
    assert_eq!(sources.slice(wrong.primary_span()), "dead");
}
