//! What a kernel takes of a block, a cluster and a grid, against what the target has.

use std::fmt::Write;

use tidegate_ir::diag::codes;
use tidegate_ir::types::{DYNAMIC, Space};
use tidegate_ir::{Op, Value};

use super::context::{Verifier, count_of};
use super::kernel::KernelFacts;
use crate::analysis::smem_layout::{self, SmemItem, SmemLayout, SmemRequest};
use crate::analysis::smem_liveness::SmemLiveness;
use crate::analysis::threads;
use crate::target::Target;

/// Rows of the table of what takes shared memory.
const TABLE_ROWS: usize = 8;

impl Verifier<'_> {
    /// All limits of a kernel.
    pub(super) fn check_resources(&mut self, facts: &KernelFacts) {
        // What a kernel takes is too much only of some target.
        let Some(&limits) = self.target else { return };
        self.check_cluster_size(facts, &limits);
        self.check_grid(facts, &limits);
        self.check_threads(facts, &limits);
        self.check_smem(facts, &limits);
        self.check_tmem(facts, &limits);
    }

    fn check_cluster_size(&mut self, facts: &KernelFacts, limits: &Target) {
        let size = facts.cluster_size();
        if size > limits.cluster_non_portable {
            let mut error = self.error(
                facts.op,
                codes::CLUSTER_SIZE,
                format!(
                    "a cluster of {size} blocks; {} allows {}, and {} where device and launch agree to it",
                    limits.name, limits.cluster, limits.cluster_non_portable
                ),
                "the cluster is too large",
            );
            *error = error.note("the size of a cluster is the product of its extents");
            self.report(facts.op, *error);
        }
    }

    fn check_grid(&mut self, facts: &KernelFacts, limits: &Target) {
        // The last axis is x, the one before y, and all others together are z.
        // A grid of clusters has as many blocks as both together.
        let mut sizes = [1i64; 3];
        for axes in [&facts.grid, &facts.cluster] {
            for (index, (_, extent)) in axes.iter().rev().enumerate() {
                let slot = &mut sizes[index.min(2)];
                *slot = slot.saturating_mul(if *extent == DYNAMIC { 1 } else { *extent });
            }
        }
        for ((size, limit), name) in sizes.into_iter().zip(limits.grid).zip(["x", "y", "z"]) {
            if size > limit {
                let mut error = self.error(
                    facts.op,
                    codes::GRID_SIZE,
                    format!("the grid has {size} blocks along {name}; at most {limit} are possible"),
                    "the grid is too large",
                );
                *error = error.note("the last axis is x, the one before it y, and all others together are z");
                self.report(facts.op, *error);
                return;
            }
        }
    }

    fn check_threads(&mut self, facts: &KernelFacts, limits: &Target) {
        let warps = if facts.roles.is_empty() {
            facts.threads.as_ref().map_or(1, |threads| threads.1).saturating_mul(threads::WARPGROUP_WARPS)
        } else {
            facts
                .roles
                .iter()
                .fold(0, |sum: i64, &role| sum.saturating_add(threads::role_warps(self.m, role)))
        };
        let lanes = warps.saturating_mul(32);
        if lanes > limits.threads {
            let mut error = self.error(
                facts.op,
                codes::BLOCK_THREADS,
                format!(
                    "a block of this kernel has {lanes} CUDA threads ({}); at most {} are possible",
                    count_of(warps, "warp"),
                    limits.threads
                ),
                "too many warps",
            );
            for &role in &facts.roles {
                let warps = threads::role_warps(self.m, role);
                *error = error.label(self.m.span(role), format!("{} here", count_of(warps, "warp")));
            }
            self.report(facts.op, *error);
            return;
        }
        // Number 0 is the block's own; a thread of several warps takes one to join them.
        let joining = if facts.roles.is_empty() {
            facts.threads.as_ref().map_or(1, |threads| threads.1)
        } else {
            let multi = facts.roles.iter().filter(|&&role| threads::role_warps(self.m, role) > 1);
            multi.map(|&role| threads::role_threads(self.m, role)).sum()
        };
        if joining + 1 > limits.named_barriers {
            let error = self.error(
                facts.op,
                codes::NAMED_BARRIER_LIMIT,
                format!(
                    "{} and the block need {} named barriers; a block has {}",
                    count_of(joining, "thread"),
                    joining + 1,
                    limits.named_barriers
                ),
                "one joins the block, and one the warps of each thread",
            );
            self.report(facts.op, *error);
        }
    }

    // ---- shared memory ----

    fn check_smem(&mut self, facts: &KernelFacts, limits: &Target) {
        if facts.arrays.is_empty() && facts.barriers.is_empty() {
            return;
        }
        let requests = smem_layout::requests(self.m, facts.op);
        let mut layout = smem_layout::place(&requests, None);
        if layout.total > limits.smem_bytes {
            // Arrays whose lives cannot overlap may share bytes, as `allocate-smem` has them do.
            let liveness = SmemLiveness::new(self.m, facts.op);
            layout = smem_layout::place(&requests, Some(&|a, b| liveness.may_share(a, b)));
        }
        if layout.total <= limits.smem_bytes {
            return;
        }
        let at = layout
            .entries
            .iter()
            .rev()
            .max_by_key(|entry| entry.bytes)
            .map_or(facts.op, |entry| item_op(entry.item));
        let mut error = self.error(
            at,
            codes::SHARED_MEMORY_LIMIT,
            format!(
                "the kernel needs {} bytes of shared memory; {} allows {}",
                layout.total, limits.name, limits.smem_bytes
            ),
            "the largest allocation",
        );
        *error = error.label(self.m.span(facts.op), "in this kernel").note(self.smem_table(&layout));
        if let Some(help) = self.fitting_stages(&requests, limits.smem_bytes) {
            *error = error.help(help);
        } else {
            *error = error.help("take smaller tiles, or fewer of them");
        }
        self.report(facts.op, *error);
    }

    fn smem_table(&self, layout: &SmemLayout) -> String {
        let mut rows: Vec<(i64, String)> = Vec::new();
        let (mut barriers, mut barrier_count, mut scratch) = (0i64, 0i64, 0i64);
        for entry in &layout.entries {
            match entry.item {
                SmemItem::Array(op) => {
                    let value = self.m.results(op).next();
                    let text = value.map_or_else(String::new, |value| {
                        format!("{} {}", self.name(value), self.type_of(value))
                    });
                    rows.push((entry.bytes, text));
                }
                SmemItem::Barriers(_) => {
                    barriers = barriers.saturating_add(entry.bytes);
                    barrier_count = barriers / smem_layout::BARRIER_BYTES;
                }
                SmemItem::Scratch(_) => scratch = scratch.saturating_add(entry.bytes),
            }
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.0));
        let rest: i64 = rows.iter().skip(TABLE_ROWS).fold(0, |sum, row| sum.saturating_add(row.0));
        let more = rows.len().saturating_sub(TABLE_ROWS);
        rows.truncate(TABLE_ROWS);
        if more > 0 {
            rows.push((rest, format!("{} more", count_of(more, "array"))));
        }
        rows.push((barriers, count_of(barrier_count, "barrier")));
        rows.push((layout.padding, "alignment padding".to_owned()));
        rows.push((scratch, "compiler scratch".to_owned()));
        let mut text = "what takes it:".to_owned();
        for (bytes, what) in rows {
            let _ = write!(text, "\n{bytes:>10} bytes  {what}");
        }
        text
    }

    /// The largest number of stages with which the kernel would fit: stages are the leading dimension that most of
    /// the memory has in common.
    fn fitting_stages(&self, requests: &[SmemRequest], limit: i64) -> Option<String> {
        let mut bytes_by_lead: Vec<(i64, i64)> = Vec::new();
        for request in requests {
            let SmemItem::Array(_) = request.item else { continue };
            let Some(lead) = self.leading(request) else { continue };
            match bytes_by_lead.iter_mut().find(|(other, _)| *other == lead) {
                Some((_, bytes)) => *bytes = bytes.saturating_add(request.bytes),
                None => bytes_by_lead.push((lead, request.bytes)),
            }
            if bytes_by_lead.len() > 64 {
                return None;
            }
        }
        let (stages, _) = *bytes_by_lead.iter().max_by_key(|(_, bytes)| *bytes)?;
        let total_with = |count: i64| {
            let scaled: Vec<SmemRequest> = requests
                .iter()
                .map(|request| match self.leading(request) {
                    Some(lead) if lead == stages => {
                        SmemRequest { bytes: request.bytes / stages * count, offset: None, ..*request }
                    }
                    _ => SmemRequest { offset: None, ..*request },
                })
                .collect();
            smem_layout::place(&scaled, None).total
        };
        let (mut low, mut high) = (0, stages);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if total_with(middle) <= limit { low = middle } else { high = middle }
        }
        let names: Vec<String> = requests
            .iter()
            .filter(|request| self.leading(request) == Some(stages))
            .filter_map(|request| self.m.results(item_op(request.item)).next())
            .take(6)
            .map(|value| self.name(value))
            .collect();
        let ring = names.join(", ");
        if low == 0 {
            return Some(format!(
                "not even one stage of the ring of {stages} ({ring}) fits: take smaller tiles"
            ));
        }
        Some(format!(
            "{} would fit in place of {stages}: {ring} have {stages} as leading dimension",
            count_of(low, "stage")
        ))
    }

    /// The leading dimension of a ring.
    fn leading(&self, request: &SmemRequest) -> Option<i64> {
        let value = match request.item {
            SmemItem::Array(op) | SmemItem::Barriers(op) => self.m.results(op).next()?,
            SmemItem::Scratch(_) => return None,
        };
        let lead = match (self.array_ref(value), self.barrier(value)) {
            (Some(memory), _) if memory.rank() > 1 => *memory.shape.first()?,
            (None, Some(group)) => *group.shape.first()?,
            _ => return None,
        };
        (lead > 1).then_some(lead)
    }

    // ---- tensor memory ----

    fn check_tmem(&mut self, facts: &KernelFacts, limits: &Target) {
        let columns_of = |value: Value| {
            let memory = self.array_ref(value).filter(|memory| memory.space == Space::Tmem)?;
            let bits = i64::from(self.m.types.bit_width(memory.elem)?);
            let width = if memory.packed { bits } else { bits.max(32) };
            Some((memory.shape.get(1)?.saturating_mul(width) + 31) / 32)
        };
        let used: Vec<(Op, i64)> = facts
            .arrays
            .iter()
            .filter_map(|&op| Some((op, columns_of(self.m.results(op).next()?)?)))
            .collect();
        let Some(&(first, _)) = used.first() else { return };
        if limits.tmem_columns == 0 {
            let error = self.error(
                first,
                codes::NO_LOWERING,
                format!(
                    "tensor memory is part of the `tcgen05` tensor core, which {} does not have",
                    limits.name
                ),
                "the lowest target that has it is sm_100a",
            );
            self.report(first, *error);
            return;
        }
        let columns: i64 = used.iter().fold(0i64, |sum, (_, columns)| sum.saturating_add(*columns));
        let rounded = columns.clamp(32, 1 << 40).unsigned_abs().next_power_of_two();
        if i64::try_from(rounded).is_ok_and(|rounded| rounded <= limits.tmem_columns) {
            return;
        }
        let mut error = self.error(
            first,
            codes::TENSOR_MEMORY_LIMIT,
            format!(
                "the kernel needs {columns} columns of tensor memory, {rounded} after rounding up to a power of two; there are {}",
                limits.tmem_columns
            ),
            "an array takes a column for each 32 bits of a row",
        );
        for &(op, columns) in &used {
            *error = error.label(self.m.span(op), count_of(columns, "column"));
        }
        self.report(first, *error);
    }
}

fn item_op(item: SmemItem) -> Op {
    match item {
        SmemItem::Array(op) | SmemItem::Barriers(op) | SmemItem::Scratch(op) => op,
    }
}
