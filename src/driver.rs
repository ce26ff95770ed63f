//! From a verified module to what `compile` writes: one call for each step, each with its errors as diagnostics.
//!
//! ```text
//! only_kernel -> passes (pass manager) -> emit -> assemble -> sass_report
//! ```

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::ir::diag::{Diagnostic, Diagnostics, Reported, SourceMap, Span, codes};
use crate::ir::ops::{Opcode, TgOp};
use crate::ir::{Module, Op};
use crate::passes::lower::mlir::{Pipeline, Session, Stage};
use crate::passes::lower::nvgpu::{lower_to_nvgpu, report_mlir};
use crate::passes::lower::target::CodegenOptions;
use crate::passes::lower::tools::{AssembleOptions, Assembled, Nvdisasm, Ptxas, SassCounts, ToolError};

/// The kernels of a module, with their names.
pub fn kernels(module: &Module) -> Vec<(Op, &str)> {
    let ops = module.block_ops(module.body());
    ops.filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::Kernel))
        .map(|op| (op, module.attr_symbol(op, "sym_name").unwrap_or_default()))
        .collect()
}

/// Leaves only the kernel called `name` in the module.
///
/// # Errors
/// TG0807 when there is none of that name; the message lists what there is.
pub fn only_kernel(module: &mut Module, name: &str, diags: &mut Diagnostics) -> Result<(), Reported> {
    let kernels = kernels(module);
    if !kernels.iter().any(|kernel| kernel.1 == name) {
        let known: Vec<String> = kernels.iter().map(|kernel| format!("`@{}`", kernel.1)).collect();
        let other =
            module.block_ops(module.body()).find(|&op| module.attr_symbol(op, "sym_name") == Some(name));
        let mut diagnostic = Diagnostic::error(codes::NOT_A_KERNEL, format!("there is no kernel `@{name}`"));
        if let Some(op) = other {
            let label = format!("this is `{}`, and a `tg.kernel` is wanted", module.op_name(op));
            diagnostic = diagnostic.at(module.span(op), label);
        } else if let Some((role, kernel)) = find_role(module, name) {
            diagnostic = diagnostic
                .at(module.span(role), format!("this is a role of kernel `@{kernel}`"))
                .note("a role is part of a kernel and is compiled with it");
        }
        diagnostic = if known.is_empty() {
            diagnostic.note("the module has no kernels")
        } else {
            diagnostic.help(format!("the module has {}", known.join(", ")))
        };
        return Err(diags.emit_error(diagnostic));
    }
    let others: Vec<Op> =
        kernels.into_iter().filter(|kernel| kernel.1 != name).map(|kernel| kernel.0).collect();
    for op in others {
        // Kernels have no results, so nothing can use one.
        let _ = module.erase(op);
    }
    Ok(())
}

/// The role called `name`, with the name of the first kernel that has one.
fn find_role<'a>(module: &'a Module, name: &str) -> Option<(Op, &'a str)> {
    kernels(module).into_iter().find_map(|(kernel, of)| {
        let is_it = |op: Op| {
            module.opcode(op) == Opcode::Tg(TgOp::Role) && module.attr_symbol(op, "sym_name") == Some(name)
        };
        module.walk(kernel).into_iter().find(|&op| is_it(op)).map(|role| (role, of))
    })
}

/// What [`emit`] made.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The module's text at the stage that was asked for.
    pub text: String,
    /// What a launcher needs to know of each kernel, in the module's order.
    pub manifests: Vec<Json>,
    /// How long it took.
    pub times: EmitTimes,
}

/// How long the steps of [`emit`] took.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmitTimes {
    /// Making an MLIR context with its dialects and passes.
    pub session: Duration,
    /// Our lowering to nvgpu.
    pub lowering: Duration,
    /// MLIR's passes and LLVM's code generation.
    pub codegen: Duration,
}

/// Lowers all kernels of a module as far as `stage`. `assign-parity`, `infer-layouts` and `allocate-smem` have to have
/// run, as [`default_pipeline`](crate::passes::pass::default_pipeline) does.
///
/// # Errors
/// What cannot be lowered, and whatever MLIR or LLVM refuses, as diagnostics at the op they are about.
pub fn emit(
    module: &Module,
    stage: Stage,
    options: CodegenOptions,
    diags: &mut Diagnostics,
) -> Result<Emitted, Reported> {
    let mut times = EmitTimes::default();
    let clock = Instant::now();
    let session = Session::new().map_err(|error| report_mlir(module, &error, diags))?;
    times.session = clock.elapsed();
    let clock = Instant::now();
    let lowered = lower_to_nvgpu(module, &session, options.chip, diags)?;
    times.lowering = clock.elapsed();
    let clock = Instant::now();
    let mut mlir = lowered.module;
    let text = Pipeline::new(&session, options).emit(&mut mlir, stage);
    let text = text.map_err(|error| report_mlir(module, &error, diags))?;
    times.codegen = clock.elapsed();
    Ok(Emitted { text, manifests: lowered.manifests, times })
}

/// Has `ptxas` make a cubin of PTX. `sources` are the texts that the PTX's line tables name.
///
/// # Errors
/// TG0806 when there is no `ptxas`, TG0804 when it refuses the PTX or serialises tensor-core work: at the line of the
/// kernel that the refused instruction comes from, where the line tables tell.
pub fn assemble(
    ptx: &str,
    sources: &SourceMap,
    options: CodegenOptions,
    diags: &mut Diagnostics,
) -> Result<Assembled, Reported> {
    let ptxas = Ptxas::find().map_err(|error| report_tool(&error, diags))?;
    let mut assemble = AssembleOptions::new(options.chip);
    assemble.line_info = options.line_tables;
    ptxas.assemble(ptx, &assemble).map_err(|error| match &error {
        ToolError::Rejected { messages } | ToolError::Serialised { messages } => {
            let text = error.to_string();
            let mut diagnostic = Diagnostic::error(codes::PTXAS_ERROR, text);
            for message in messages {
                let span = message.line.map_or(Span::NONE, |line| source_of(ptx, line, sources));
                if span.is_none() {
                    diagnostic = diagnostic.note(message.to_string());
                } else if diagnostic.labels.is_empty() {
                    diagnostic = diagnostic.at(span, message.to_string());
                } else {
                    diagnostic = diagnostic.label(span, message.to_string());
                }
            }
            diags.emit_error(diagnostic)
        }
        _ => report_tool(&error, diags),
    })
}

/// The line of the source that line `line` (from 1) of the PTX comes from, by the `.loc` before it.
fn source_of(ptx: &str, line: u32, sources: &SourceMap) -> Span {
    let number = |word: Option<&str>| word.and_then(|word| word.trim_end_matches(',').parse::<u32>().ok());
    let before = ptx.lines().take(line as usize).filter_map(|line| line.trim().strip_prefix(".loc"));
    let place = before.last().and_then(|rest| {
        let mut words = rest.split_whitespace();
        Some((number(words.next())?, number(words.next())?))
    });
    let Some((file, line)) = place else { return Span::NONE };
    let mut files = ptx.lines().filter_map(|line| line.trim().strip_prefix(".file"));
    let name = files.find_map(|rest| {
        let (index, name) = rest.trim().split_once(char::is_whitespace)?;
        (number(Some(index)) == Some(file)).then(|| name.trim().trim_matches('"'))
    });
    let Some(file) = name.and_then(|name| sources.find(name)) else { return Span::NONE };
    let text = sources.file(file);
    let Some(range) = text.line_range(line) else { return Span::NONE };
    let shown = &text.text()[range.clone()];
    let start = range.start + (shown.len() - shown.trim_start().len());
    sources.span(file, start..start + shown.trim().len())
}

fn report_tool(error: &ToolError, diags: &mut Diagnostics) -> Reported {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    let code = match error {
        ToolError::NotFound { .. } | ToolError::Run { .. } | ToolError::Io { .. } => codes::TOOL_MISSING,
        _ => codes::PTXAS_ERROR,
    };
    diags.emit_error(Diagnostic::error(code, text))
}

/// What the machine code of each kernel is made of: registers, barriers and shared memory by `ptxas`, instructions by
/// `nvdisasm` (`null` where there is none), and how many instructions of each synchronising kind the PTX has.
///
/// # Errors
/// TG0804 when `nvdisasm` is there and fails.
pub fn sass_report(
    emitted: &Emitted,
    assembled: &Assembled,
    diags: &mut Diagnostics,
) -> Result<Json, Reported> {
    let sass = match Nvdisasm::find() {
        Ok(tool) => Some(tool.disassemble(&assembled.cubin).map_err(|error| report_tool(&error, diags))?),
        Err(_) => None,
    };
    let counts = sass.as_deref().map(SassCounts::of);
    let instructions: Vec<&str> = emitted
        .text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .collect();
    let count = |wanted: &dyn Fn(&str) -> bool| instructions.iter().filter(|line| wanted(line)).count();
    let has = |text: &'static str| move |line: &str| line.contains(text);
    let kernels: Vec<Json> = assembled
        .kernels
        .iter()
        .map(|kernel| {
            let manifest = emitted.manifests.iter().find(|manifest| manifest["entry"] == kernel.kernel.as_str());
            json!({
                "kernel": kernel.kernel,
                "registers": kernel.registers,
                "named_barriers": kernel.named_barriers,
                "static_shared_bytes": kernel.static_smem,
                "dynamic_shared_bytes": manifest.map_or(Json::Null, |manifest| manifest["dynamic_shared_bytes"].clone()),
                "stack_bytes": kernel.stack,
                "spill_store_bytes": kernel.spill_stores,
                "spill_load_bytes": kernel.spill_loads,
            })
        })
        .collect();
    Ok(json!({
        "kernels": kernels,
        "ptx_lines": emitted.text.lines().count(),
        "sass_instructions": counts.map(|counts| counts.all),
        "sass_instructions_without_nop": counts.map(|counts| counts.without_nops),
        "sass_local_memory_instructions": counts.map(|counts| counts.local_memory),
        "ptx": {
            "mbarrier_init": count(&has("mbarrier.init")),
            "mbarrier_arrive_expect_tx": count(&|line| line.contains("mbarrier.arrive") && line.contains("expect_tx")),
            "mbarrier_arrive": count(&|line| line.contains("mbarrier.arrive") && !line.contains("expect_tx")),
            "mbarrier_try_wait": count(&has("mbarrier.try_wait")),
            "mbarrier_test_wait": count(&has("mbarrier.test_wait")),
            "tma_load": count(&|line| line.contains("cp.async.bulk") && line.contains("complete_tx")),
            "tma_store": count(&|line| line.contains("cp.async.bulk") && line.contains(".bulk_group")),
            "fence_mbarrier_init": count(&has("fence.mbarrier_init")),
            "fence_proxy": count(&has("fence.proxy")),
            "bar_sync": count(&|line| line.contains("bar.sync") || line.contains("barrier.sync")),
            "cluster_barrier": count(&has("barrier.cluster")),
            "setmaxnreg": count(&has("setmaxnreg")),
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_ptx_leads_back_to_the_kernel() {
        let mut sources = SourceMap::new();
        sources.add_file("k.mlir", "tg.kernel @k() {\n  tg.block_sync\n}\n".into());
        let ptx = ".entry k()\n{\n\t.loc\t1 1 0\n\tmov.u32 %r1, 0;\n\t.loc\t1 2 3\n\tbar.sync 0;\n\tret;\n}\n\t.file\t1 \"k.mlir\"\n";
        assert_eq!(sources.slice(source_of(ptx, 6, &sources)), "tg.block_sync");
        assert_eq!(sources.slice(source_of(ptx, 4, &sources)), "tg.kernel @k() {");
        // Before any `.loc`, of another file, past the end.
        assert_eq!(source_of(ptx, 2, &sources), Span::NONE);
        assert_eq!(source_of(&ptx.replace("k.mlir", "else.mlir"), 6, &sources), Span::NONE);
        assert_eq!(source_of(&ptx.replace("1 2 3", "1 9 3"), 6, &sources), Span::NONE);
    }

    #[test]
    fn what_ptxas_refuses_is_a_diagnostic_at_the_line_it_comes_from() {
        if Ptxas::find().is_err() {
            assert!(std::env::var_os("CI").is_none(), "ptxas is missing");
            return;
        }
        let mut sources = SourceMap::new();
        sources.add_file("k.mlir", "tg.kernel @k() {\n  tg.block_sync\n}\n".into());
        let ptx = ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n\t.loc\t1 2 3\n\tnonsense.op 0;\n\tret;\n}\n\t.file\t1 \"k.mlir\"\n";
        let mut diags = Diagnostics::new();
        let options = CodegenOptions::new(crate::passes::lower::target::Chip::Sm90a);
        assert!(assemble(ptx, &sources, options, &mut diags).is_err());
        let found = diags.into_vec();
        assert_eq!(found[0].code, codes::PTXAS_ERROR);
        assert_eq!(sources.slice(found[0].primary_span()), "tg.block_sync");
    }
}
