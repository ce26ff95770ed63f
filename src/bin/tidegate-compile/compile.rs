//! `tidegate compile`.

use std::time::{Duration, Instant};

use tidegate::driver::{self, EmitTimes, Emitted};
use tidegate::ir::Module;
use tidegate::ir::diag::Diagnostics;
use tidegate::ir::text::{self, PrintOptions, print};
use tidegate::passes::lower::mlir::Stage;
use tidegate::passes::lower::target::{CodegenOptions, OptLevel};
use tidegate::passes::pass::default_pipeline;

use crate::cli::args::{ColorWhen, CompileArgs, Emit};
use crate::cli::passes::Verification;
use crate::cli::report::{self, Outcome, say};
use crate::cli::{io, passes, target, written};

pub(crate) fn run(args: &CompileArgs, color: ColorWhen) -> Outcome {
    let mut module = Module::new();
    let mut diags = Diagnostics::new();
    let result = compile(args, &mut module, &mut diags);
    let mut found = diags.into_vec();
    report::sort(&mut found);
    report::human(color, &module.sources, &found);
    let (bytes, manifests) = match result {
        Ok(made) => made,
        Err(outcome) => return outcome,
    };
    // Everything is made before anything is written.
    if let Some(path) = &args.manifest
        && let Err(message) = io::write(Some(path), manifests.as_bytes())
    {
        say(&format!("error: {message}"));
        return Outcome::Usage;
    }
    written(io::write(args.output.as_deref(), &bytes))
}

/// The bytes to write, and the manifests' text.
fn compile(
    args: &CompileArgs,
    module: &mut Module,
    diags: &mut Diagnostics,
) -> Result<(Vec<u8>, String), Outcome> {
    let clock = Instant::now();
    let target = target(&args.target)?;
    let file = io::read(&args.file, &mut module.sources).map_err(|diagnostic| {
        diags.emit(*diagnostic);
        Outcome::Findings
    })?;
    text::parse_into(module, file, diags).map_err(|_| Outcome::Findings)?;
    if let Some(name) = &args.kernel {
        driver::only_kernel(module, name, diags).map_err(|_| Outcome::Findings)?;
    }
    let pipeline = args.passes.clone().unwrap_or_else(|| default_pipeline(&args.target));
    passes::run(module, &pipeline, Verification::On(Some(target)), &args.debug, diags)?;
    let options = CodegenOptions {
        chip: target.chip,
        opt_level: match args.opt_level {
            0 => OptLevel::None,
            1 => OptLevel::Less,
            2 => OptLevel::Some,
            _ => OptLevel::Full,
        },
        line_tables: !args.no_line_tables,
    };
    let stage = match args.emit {
        Emit::Tg if args.manifest.is_none() => {
            return Ok((print(module, PrintOptions::default()).into_bytes(), String::new()));
        }
        Emit::Tg | Emit::Nvgpu | Emit::Manifest => Stage::Nvgpu,
        Emit::Nvvm => Stage::Nvvm,
        Emit::Llvm => Stage::Llvm,
        Emit::Ptx | Emit::Cubin | Emit::SassReport => Stage::Ptx,
    };
    let front = clock.elapsed();
    let emitted = driver::emit(module, stage, options, diags).map_err(|_| Outcome::Findings)?;
    if args.debug.timing {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let EmitTimes { session, lowering, codegen } = emitted.times;
        say(&format!("reading, verifying, passes: {:.2} ms", ms(front)));
        say(&format!("lowering to nvgpu: {:.2} ms", ms(lowering)));
        say(&format!("MLIR's context: {:.2} ms", ms(session)));
        say(&format!("MLIR's passes and LLVM: {:.2} ms", ms(codegen)));
    }
    let manifests = manifests(&emitted);
    let bytes = match args.emit {
        Emit::Tg => print(module, PrintOptions::default()).into_bytes(),
        Emit::Nvgpu | Emit::Nvvm | Emit::Llvm | Emit::Ptx => emitted.text.into_bytes(),
        Emit::Manifest => manifests.clone().into_bytes(),
        Emit::Cubin => {
            driver::assemble(&emitted.text, &module.sources, options, diags)
                .map_err(|_| Outcome::Findings)?
                .cubin
        }
        Emit::SassReport => {
            let assembled = driver::assemble(&emitted.text, &module.sources, options, diags)
                .map_err(|_| Outcome::Findings)?;
            let report = driver::sass_report(&emitted, &assembled, diags).map_err(|_| Outcome::Findings)?;
            format!("{report:#}\n").into_bytes()
        }
    };
    Ok((bytes, manifests))
}

/// One manifest as an object, several as a list.
fn manifests(emitted: &Emitted) -> String {
    match emitted.manifests.as_slice() {
        [one] => format!("{one:#}\n"),
        several => format!("{:#}\n", serde_json::Value::from(several.to_vec())),
    }
}
