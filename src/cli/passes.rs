//! Running passes for `opt` and `compile`, with what the user wants to see on the way.

use std::path::Path;

use tidegate::ir::Module;
use tidegate::ir::diag::Diagnostics;
use tidegate::ir::text::{PrintOptions, print};
use tidegate::passes::pass::{Instrumentation, PassFailure, PassManager, PrintIr, Registry};
use tidegate::passes::target::Target;
use tidegate::passes::verify::verify;

use super::args::PassDebugArgs;
use super::io;
use super::report::{Outcome, say};

/// Whether the module is verified, before the first pass and after each.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verification {
    /// It is, against the limits of this target when one is given.
    On(Option<&'static Target>),
    /// It is not.
    Off,
}

/// Runs a pipeline over the module.
///
/// # Errors
/// How the command ends; what is to be said about the module is in `diags`.
pub(crate) fn run(
    module: &mut Module,
    pipeline: &str,
    verification: Verification,
    args: &PassDebugArgs,
    diags: &mut Diagnostics,
) -> Result<(), Outcome> {
    let registry = Registry::standard();
    let mut sources = std::mem::take(&mut module.sources);
    let manager = PassManager::from_text(pipeline, &registry, &mut sources, diags);
    module.sources = sources;
    let mut manager = manager.map_err(|_| Outcome::Usage)?;
    if let Some(unknown) = args.print_after.iter().find(|name| registry.find(name).is_none()) {
        say(&format!("error: --print-after: there is no pass `{unknown}`; see `tidegate opt --list-passes`"));
        return Err(Outcome::Usage);
    }
    let target = match verification {
        Verification::On(target) => target,
        Verification::Off => None,
    };
    let check = |module: &Module, diags: &mut Diagnostics| verify(module, target, diags);
    let mut stderr = std::io::stderr();
    let mut instrumentation = Instrumentation {
        verify: (verification != Verification::Off).then_some(&check),
        print: Some(|module: &Module| print(module, PrintOptions::default())),
        print_ir: PrintIr {
            after: args.print_after.clone(),
            after_all: args.print_after_all,
            after_change: args.print_after_change,
            ..PrintIr::default()
        },
        output: Some(&mut stderr),
        reproducer: args.reproducer.is_some(),
        catch_panics: true,
    };
    let result = manager.run(module, diags, &mut instrumentation);
    let (report, outcome) = match result {
        Ok(report) => (report, Ok(())),
        Err(failure) => {
            let outcome = failed(&failure, args.reproducer.as_deref());
            (failure.report, Err(outcome))
        }
    };
    if args.timing {
        say(&report.timing());
    }
    outcome
}

fn failed(failure: &PassFailure, reproducer: Option<&Path>) -> Outcome {
    if let (Some(path), Some(text)) = (reproducer, &failure.reproducer) {
        match io::write(Some(path), text.file().as_bytes()) {
            Ok(()) => say(&format!("note: `{}` repeats this failure with `tidegate opt`", path.display())),
            Err(message) => say(&format!("error: {message}")),
        }
    }
    if failure.internal { Outcome::Internal } else { Outcome::Findings }
}

/// What `--list-passes` prints.
pub(crate) fn list() -> String {
    let mut out = String::new();
    for info in Registry::standard().rows() {
        out.push_str(&format!("{}\n    {}\n", info.name, info.doc));
        for option in info.options {
            out.push_str(&format!("    {{{}={}}} {}\n", option.name, option.default, option.doc));
        }
    }
    out
}
