//! `allocate-smem`: gives every array and barrier group in shared memory its place.
//!
//! The places are those of [`analysis::smem_layout`](crate::analysis::smem_layout), by which the verifier says whether a
//! kernel fits; arrays share bytes where [`analysis::smem_liveness`](crate::analysis::smem_liveness) is certain that
//! they are never in use together. Written are
//!
//! - `offset` on `tg.alloc` (shared memory only) and `tg.alloc_barrier`; what the author gave is kept;
//! - `smem_bytes` on the kernel: what the launch asks for;
//! - `scratch_offset` and `scratch_bytes` on each kernel and role whose ops need scratch (see
//!   [`analysis::scratch`](crate::analysis::scratch)).

use std::fmt::Write;

use tidegate_ir::diag::{Diagnostic, Reported, codes};
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::{Module, Op};

use crate::analysis::smem_layout::{self, SmemEntry, SmemItem, SmemLayout, SmemRequest};
use crate::analysis::smem_liveness::SmemLiveness;
use crate::analysis::threads::scope_threads;
use crate::pass::{Changed, OptionValues, PassContext};
use crate::target::COMMON;

/// Bytes of shared memory that a kernel takes.
pub const SMEM_BYTES_ATTR: &str = "smem_bytes";
/// Where the scratch of a kernel's or role's first thread begins.
pub const SCRATCH_OFFSET_ATTR: &str = "scratch_offset";
/// Scratch of each thread, in bytes.
pub const SCRATCH_BYTES_ATTR: &str = "scratch_bytes";

/// Runs the pass.
///
/// # Errors
/// When a kernel needs more than a block can have, or a place that the author gave is not aligned.
pub fn run(
    module: &mut Module,
    options: &OptionValues,
    ctx: &mut PassContext<'_>,
) -> Result<Changed, Reported> {
    let align = options.number("align").unwrap_or(1);
    let limit = options.number("limit").unwrap_or(COMMON.smem_bytes);
    let reuse = options.get("reuse") != Some("false");
    let before = ctx.diags.error_count();
    let kernels: Vec<Op> =
        module.all_ops().into_iter().filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::Kernel)).collect();
    let mut changed = false;
    for kernel in kernels {
        // Scratch is the compiler's own: it is placed anew, since the ops may need more than they did.
        let scopes: Vec<Op> = module
            .walk(kernel)
            .into_iter()
            .filter(|&op| matches!(module.opcode(op), Opcode::Tg(TgOp::Kernel | TgOp::Role)))
            .collect();
        let old: Vec<_> = scopes.iter().map(|&scope| module.discardable(scope)).collect();
        for &scope in &scopes {
            module.remove_attr(scope, SCRATCH_OFFSET_ATTR);
            module.remove_attr(scope, SCRATCH_BYTES_ATTR);
        }
        let mut requests = smem_layout::requests(module, kernel);
        for request in &mut requests {
            if matches!(request.item, SmemItem::Array(_)) {
                request.alignment = request.alignment.max(prior_power(align));
            }
        }
        let liveness = SmemLiveness::new(module, kernel);
        let may_share = |a: Op, b: Op| reuse && liveness.may_share(a, b);
        let layout = smem_layout::place(&requests, Some(&may_share));
        check(module, kernel, &requests, &layout, limit, ctx);
        changed |= write(module, kernel, &layout, ctx);
        changed |= scopes.iter().zip(old).any(|(&scope, old)| module.discardable(scope) != old);
    }
    ctx.diags.check_since(before)?;
    Ok(changed.into())
}

fn prior_power(align: i64) -> i64 {
    if align < 1 { 1 } else { 1 << align.ilog2() }
}

fn check(
    module: &Module,
    kernel: Op,
    requests: &[SmemRequest],
    layout: &SmemLayout,
    limit: i64,
    ctx: &mut PassContext<'_>,
) {
    for request in requests {
        let (Some(offset), SmemItem::Array(op)) = (request.offset, request.item) else { continue };
        if offset % request.alignment != 0 {
            let message = format!(
                "the array is placed at byte {offset} of shared memory, which is no multiple of {}",
                request.alignment
            );
            let diagnostic = Diagnostic::error(codes::COPY_SHARED_ALIGNMENT, message)
                .at(module.span(op), format!("needs a multiple of {}", request.alignment))
                .help("leave `at` out, and it is given a place that fits");
            ctx.diags.emit(diagnostic);
        }
    }
    if layout.total > limit {
        let mut largest: Vec<&SmemEntry> = layout.entries.iter().collect();
        largest.sort_by_key(|entry| std::cmp::Reverse(entry.bytes));
        let mut table = "what takes it:".to_owned();
        for entry in largest.iter().take(8) {
            let _ = write!(table, "\n{:>10} bytes  {}", entry.bytes, describe(module, entry.item));
        }
        let diagnostic = Diagnostic::error(
            codes::SHARED_MEMORY_LIMIT,
            format!("the kernel needs {} bytes of shared memory, and a block can have {limit}", layout.total),
        )
        .at(module.span(kernel), "this kernel")
        .note(table)
        .help("take fewer stages or smaller tiles");
        ctx.diags.emit(diagnostic);
    }
}

fn describe(module: &Module, item: SmemItem) -> String {
    let of = |op: Op| {
        let value = module.results(op).next();
        let ty = value.map_or_else(String::new, |value| module.types.display(module.ty(value)).to_string());
        match value.and_then(|value| module.value_name(value)) {
            Some(name) => format!("`%{name}`, {ty}"),
            None => ty,
        }
    };
    match item {
        SmemItem::Array(op) | SmemItem::Barriers(op) => of(op),
        SmemItem::Scratch(_) => "scratch of the compiler, for array ops that cross lanes".to_owned(),
    }
}

fn write(module: &mut Module, kernel: Op, layout: &SmemLayout, ctx: &mut PassContext<'_>) -> bool {
    let mut changed = false;
    for entry in &layout.entries {
        match entry.item {
            SmemItem::Array(op) | SmemItem::Barriers(op) => {
                if module.attr_i64(op, "offset") != Some(entry.offset) {
                    let offset = module.i64_attr(entry.offset);
                    module.set_attr(op, "offset", offset);
                    changed = true;
                    ctx.count("allocations placed", 1);
                }
            }
            SmemItem::Scratch(scope) => {
                let threads = scope_threads(module, scope).max(1);
                let (offset, bytes) = (module.i64_attr(entry.offset), module.i64_attr(entry.bytes / threads));
                module.set_attr(scope, SCRATCH_OFFSET_ATTR, offset);
                module.set_attr(scope, SCRATCH_BYTES_ATTR, bytes);
            }
        }
    }
    if module.attr_i64(kernel, SMEM_BYTES_ATTR) != Some(layout.total) {
        let total = module.i64_attr(layout.total);
        module.set_attr(kernel, SMEM_BYTES_ATTR, total);
        changed = true;
    }
    changed
}
