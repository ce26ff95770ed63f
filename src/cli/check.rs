//! `tidegate check`.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use tidegate::ir::diag::{Diagnostics, SourceMap};
use tidegate::ir::{Module, text};
use tidegate::passes::target::Target;
use tidegate::passes::verify::verify;

use super::args::{CheckArgs, ColorWhen, Format};
use super::report::{self, Outcome, say};
use super::{io, target};

/// How long a check may take before it says what it is doing.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) fn run(args: &CheckArgs, color: ColorWhen) -> Outcome {
    let target = match target(&args.target) {
        Ok(target) => target,
        Err(outcome) => return outcome,
    };
    // One map for all files, so that one report can point into any of them.
    let mut sources = SourceMap::new();
    let mut found = Vec::new();
    // All there are, also those over the limit.
    let (mut errors, mut warnings) = (0, 0);
    let start = Instant::now();
    for (number, path) in args.files.iter().enumerate() {
        // Only who waits wants to know, and only a person waits.
        if start.elapsed() > PATIENCE && std::io::stderr().is_terminal() {
            say(&format!("checking {} of {}: {}", number + 1, args.files.len(), path.display()));
        }
        let mut diags = Diagnostics::with_limit(args.limit);
        match io::read(path, &mut sources) {
            Err(diagnostic) => diags.emit(*diagnostic),
            Ok(file) => {
                let mut module = Module::new();
                module.sources = sources.clone();
                // What is found is in `diags`.
                match text::parse_into(&mut module, file, &mut diags) {
                    Ok(()) => {
                        let _ = verify(&module, Some(target), &mut diags);
                    }
                    Err(_) => verify_rest(&module, target, &mut diags),
                }
            }
        }
        errors += diags.error_count();
        warnings += diags.warning_count();
        let mut diagnostics = diags.into_vec();
        report::sort(&mut diagnostics);
        found.extend(diagnostics);
    }
    if let Err(message) = report::all(args.format, color, &sources, &found) {
        say(&format!("error: {message}"));
        return Outcome::Usage;
    }
    if args.format == Format::Human && !(args.quiet && found.is_empty()) {
        let files = args.files.len();
        say(&format!(
            "{files} file{} checked: {}",
            if files == 1 { "" } else { "s" },
            report::tally(errors, warnings)
        ));
    }
    if errors > 0 || (args.deny_warnings && warnings > 0) { Outcome::Findings } else { Outcome::Fine }
}

/// Verifies what could be read of a module with errors. Ops are missing from it, so only what is wrong with a barrier
/// whatever surrounds it is worth reporting.
fn verify_rest(module: &Module, target: &'static Target, diags: &mut Diagnostics) {
    let mut found = Diagnostics::unlimited();
    let _ = verify(module, Some(target), &mut found);
    for diagnostic in found.into_vec() {
        if diagnostic.is_error()
            && (diagnostic.code.id().starts_with("TG01") || diagnostic.code.id().starts_with("TG02"))
        {
            diags.emit(diagnostic);
        }
    }
}
