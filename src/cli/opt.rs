//! `tidegate opt`.

use tidegate::ir::diag::Diagnostics;
use tidegate::ir::text::{self, PrintOptions, print};
use tidegate::ir::{Module, diag::Diagnostic};
use tidegate::passes::verify::verify;

use super::args::{ColorWhen, OptArgs};
use super::passes::Verification;
use super::report::{self, Outcome};
use super::{io, passes, target, written};

pub(crate) fn run(args: &OptArgs, color: ColorWhen) -> Outcome {
    if args.list_passes {
        return written(io::write(None, passes::list().as_bytes()));
    }
    let target = match args.target.as_deref().map(target).transpose() {
        Ok(target) => target,
        Err(outcome) => return outcome,
    };
    let verification = if args.no_verify { Verification::Off } else { Verification::On(target) };
    let mut module = Module::new();
    let mut diags = Diagnostics::new();
    let result = transform(args, verification, &mut module, &mut diags);
    let mut found: Vec<Diagnostic> = diags.into_vec();
    report::sort(&mut found);
    report::human(color, &module.sources, &found);
    if let Err(outcome) = result {
        return outcome;
    }
    let options = PrintOptions { generic: args.generic, locations: args.print_locations };
    written(io::write(args.output.as_deref(), print(&module, options).as_bytes()))
}

fn transform(
    args: &OptArgs,
    verification: Verification,
    module: &mut Module,
    diags: &mut Diagnostics,
) -> Result<(), Outcome> {
    let file = match io::read(&args.file, &mut module.sources) {
        Ok(file) => file,
        Err(diagnostic) => {
            diags.emit(*diagnostic);
            return Err(Outcome::Findings);
        }
    };
    text::parse_into(module, file, diags).map_err(|_| Outcome::Findings)?;
    match &args.passes {
        // The pass manager verifies before the first pass.
        Some(pipeline) => passes::run(module, pipeline, verification, &args.debug, diags),
        None => match verification {
            Verification::On(target) => verify(module, target, diags).map_err(|_| Outcome::Findings),
            Verification::Off => Ok(()),
        },
    }
}
