//! The pass manager.

use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use tidegate_ir::Module;
use tidegate_ir::diag::{Diagnostic, Diagnostics, Reported, SourceMap, codes};

use super::{
    Changed, OptionValues, Pass, PassContext, PassFailure, PassReport, Registry, Reproducer, RunReport,
};
use crate::pipeline::{self, PipelineItem};

/// Verifies a module; `Err` when an error was reported.
pub type VerifyHook<'a> = &'a dyn Fn(&Module, &mut Diagnostics) -> Result<(), Reported>;

/// When to print the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintIr {
    /// Before these passes.
    pub before: Vec<String>,
    /// Before every pass.
    pub before_all: bool,
    /// After these passes.
    pub after: Vec<String>,
    /// After every pass.
    pub after_all: bool,
    /// After every pass that changed something.
    pub after_change: bool,
    /// After a pass that failed.
    pub after_failure: bool,
}

/// What happens around passes.
#[derive(Default)]
pub struct Instrumentation<'a> {
    /// Run before the first pass and after each one that changed something.
    pub verify: Option<VerifyHook<'a>>,
    /// How a module is printed; needed for `print_ir` and reproducers.
    pub print: Option<fn(&Module) -> String>,
    /// When it is printed.
    pub print_ir: PrintIr,
    /// Where to.
    pub output: Option<&'a mut dyn Write>,
    /// Whether the module before each pass is kept, so that a failure comes with a reproducer that starts at the
    /// pass that failed.
    pub reproducer: bool,
    /// Whether a panic of a pass is caught and becomes an internal error.
    pub catch_panics: bool,
}

impl fmt::Debug for Instrumentation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instrumentation").field("print_ir", &self.print_ir).finish_non_exhaustive()
    }
}

/// A list of passes to run.
#[derive(Default)]
pub struct PassManager {
    passes: Vec<(String, Box<dyn Pass>)>,
}

impl fmt::Debug for PassManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PassManager").field(&self.pipeline()).finish()
    }
}

impl PassManager {
    /// No passes.
    pub fn new() -> Self {
        Self::default()
    }
    /// The passes of a pipeline.
    ///
    /// # Errors
    /// When the text is no pipeline; it is reported with its place.
    pub fn from_text(
        text: &str,
        registry: &Registry,
        sources: &mut SourceMap,
        diags: &mut Diagnostics,
    ) -> Result<Self, Reported> {
        let items = pipeline::parse_pipeline(text, registry, sources, diags)?;
        let mut manager = Self::new();
        for item in &items {
            manager.push_item(item);
        }
        Ok(manager)
    }
    /// Appends a pass of a pipeline.
    pub fn push_item(&mut self, item: &PipelineItem) {
        self.passes.push((item.text(), (item.info.make)(&item.options)));
    }
    /// Appends a pass.
    pub fn push(&mut self, pass: Box<dyn Pass>) {
        self.passes.push((pass.name().to_owned(), pass));
    }
    /// Appends the pass called `name` of the standard registry, without options; unknown names are passed over.
    pub fn push_named(&mut self, name: &str) {
        if let Some(info) = Registry::standard().find(name) {
            self.push((info.make)(&OptionValues::default()));
        }
    }
    /// The passes as text.
    pub fn pipeline(&self) -> String {
        self.pipeline_from(0)
    }
    fn pipeline_from(&self, first: usize) -> String {
        self.passes.iter().skip(first).map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(",")
    }

    /// Runs the passes.
    ///
    /// # Errors
    /// When a pass fails, or the module is invalid before the first or behind one of them.
    pub fn run(
        &mut self,
        module: &mut Module,
        diags: &mut Diagnostics,
        instrumentation: &mut Instrumentation<'_>,
    ) -> Result<RunReport, Box<PassFailure>> {
        let mut report = RunReport::default();
        if let Some(verify) = instrumentation.verify {
            verify(module, diags).map_err(|reported| {
                let report = RunReport::default();
                Box::new(PassFailure { reported, pass: "(input)", internal: false, reproducer: None, report })
            })?;
        }
        for index in 0..self.passes.len() {
            let name = self.passes[index].1.name();
            let print = &instrumentation.print_ir;
            if print.before_all || print.before.iter().any(|wanted| wanted == name) {
                dump(module, instrumentation, "Before", name, "");
            }
            let before = match (instrumentation.reproducer, instrumentation.print) {
                (true, Some(print)) => Some(print(module)),
                _ => None,
            };
            let ops_before = module.all_ops().len();
            let start = Instant::now();
            let mut ctx = PassContext::new(diags);
            let outcome =
                run_pass(&mut *self.passes[index].1, module, &mut ctx, instrumentation.catch_panics);
            let counts = std::mem::take(&mut ctx.counts);
            let time = start.elapsed();
            let (changed, mut failure) = match outcome {
                Ok(changed) => (changed, None),
                Err(failure) => (Changed::Yes, Some(failure)),
            };
            let mut verify_time = Duration::ZERO;
            if let (None, Changed::Yes, Some(verify)) = (failure, changed, instrumentation.verify) {
                let start = Instant::now();
                if verify(module, diags).is_err() {
                    failure = Some((invalid_after(name, diags), true));
                }
                verify_time = start.elapsed();
            }
            // A module left by a panic may be in pieces; the count is for people only.
            let ops_after = if failure.is_some() { ops_before } else { module.all_ops().len() };
            let ops = (ops_before, ops_after);
            report.passes.push(PassReport { name, changed: changed.yes(), time, verify_time, ops, counts });
            if let Some((reported, internal)) = failure {
                if instrumentation.print_ir.after_failure && !internal {
                    dump(module, instrumentation, "After", name, " Failed");
                }
                let pipeline = self.pipeline_from(index);
                let reproducer = before.map(|module| Reproducer { pipeline, module });
                return Err(Box::new(PassFailure { reported, pass: name, internal, reproducer, report }));
            }
            let print = &instrumentation.print_ir;
            if print.after_all
                || (print.after_change && changed.yes())
                || print.after.iter().any(|wanted| wanted == name)
            {
                dump(module, instrumentation, "After", name, "");
            }
        }
        Ok(report)
    }
}

/// Runs one pass. The flag says whether tidegate is at fault.
fn run_pass(
    pass: &mut dyn Pass,
    module: &mut Module,
    ctx: &mut PassContext<'_>,
    catch_panics: bool,
) -> Result<Changed, (Reported, bool)> {
    if !catch_panics {
        return pass.run(module, ctx).map_err(|reported| (reported, false));
    }
    let name = pass.name();
    match catch_unwind(AssertUnwindSafe(|| pass.run(module, ctx))) {
        Ok(outcome) => outcome.map_err(|reported| (reported, false)),
        Err(payload) => {
            let reason = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("no reason given");
            let text = format!("pass `{name}` came to a state taken to be impossible: {reason}");
            Err((ctx.diags.emit_error(Diagnostic::error(codes::INTERNAL_ERROR, text)), true))
        }
    }
}

fn invalid_after(name: &str, diags: &mut Diagnostics) -> Reported {
    let text = format!("the module is not valid after pass `{name}`");
    let diagnostic = Diagnostic::error(codes::PASS_FAILED, text)
        .note("the verifier accepted it before, so the pass is wrong and not the kernel");
    diags.emit_error(diagnostic)
}

fn dump(module: &Module, instrumentation: &mut Instrumentation<'_>, when: &str, pass: &str, suffix: &str) {
    if let (Some(print), Some(output)) = (instrumentation.print, instrumentation.output.as_mut()) {
        // Printing is for people who look on; a closed pipe is no reason to stop compiling.
        let _ = writeln!(
            output,
            "// -----// IR Dump {when} {pass}{suffix} //----- //\n{}\n",
            print(module).trim_end()
        );
    }
}
