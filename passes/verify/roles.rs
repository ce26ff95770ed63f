//! Roles: their warps, registers and names, and synchronisation that all threads of a block or cluster must reach.

use tidegate_ir::diag::{Diagnostic, codes};
use tidegate_ir::ops::{Opcode, ScfOp, TgOp};
use tidegate_ir::{Block, Op, Value};

use super::context::{Check, Verifier, count_of};
use super::kernel::{KernelFacts, Sync};
use super::walk::Place;
use crate::analysis::threads::{self, WARPGROUP_WARPS};
use crate::analysis::uniform::{self, Among};

/// How deep control flow in roles is followed when their synchronisation is compared.
const MAX_DEPTH: usize = 64;

/// What a role does to all threads, in order.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Sync(TgOp),
    Loop([Key; 3], Vec<Step>),
    Branch(Key, Vec<Step>, Vec<Step>),
    /// Control flow that cannot be compared; equal to itself only.
    Unknown(Op),
}

/// A value, so that equal ones compare equal.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Key {
    Number(i64),
    Value(Value),
}

impl Verifier<'_> {
    // ---- single ops ----

    /// A role has one warp or whole warpgroups, and registers only in the latter case.
    pub(super) fn check_role(&self, op: Op) -> Check {
        if let Some(body) = self.m.region_block(op, 0) {
            self.check_args(op, body, &[], "none: a role sees what is defined around it")?;
        }
        let name = self.m.attr_symbol(op, "sym_name").unwrap_or("?");
        let threads = self.m.attr_i64(op, "num_threads");
        if threads.is_some() != self.m.attr_str(op, "thread_name").is_some() {
            return Err(self.error(
                op,
                codes::ATTRIBUTE_FORM,
                "attributes `thread_name` and `num_threads` come together, as in `threads [\"wg\" = 2]`",
                "one of them is missing",
            ));
        }
        if threads.is_some_and(|threads| threads < 1) {
            return Err(self.error(
                op,
                codes::ROLE_WARPS,
                format!(
                    "attribute `num_threads` of role @{name} is {}; a role has at least 1 thread",
                    threads.unwrap_or(0)
                ),
                "no threads",
            ));
        }
        if let Some(warps) = self.m.attr_i64(op, "warps") {
            if warps != 1 && (warps < 1 || warps % WARPGROUP_WARPS != 0) {
                return Err(self.error(
                    op,
                    codes::ROLE_WARPS,
                    format!(
                        "role @{name} has {}; a role is 1 warp, or whole warpgroups of 4 warps",
                        count_of(warps, "warp")
                    ),
                    "attribute `warps`: 1, 4, 8, ...",
                ));
            }
            let fitting = if warps == 1 { 1 } else { warps / WARPGROUP_WARPS };
            if let Some(threads) = threads
                && threads != fitting
            {
                return Err(self.error(
                    op,
                    codes::ROLE_WARPS,
                    format!(
                        "role @{name} has {} and {}; each thread is a warpgroup of 4 warps",
                        count_of(warps, "warp"),
                        count_of(threads, "thread")
                    ),
                    format!("{} make {}", count_of(warps, "warp"), count_of(fitting, "thread")),
                ));
            }
        }
        let Some(registers) = self.m.attr_i64(op, "registers") else { return Ok(()) };
        self.check_register_count(op, "registers", registers)?;
        if threads::role_warps(self.m, op) < WARPGROUP_WARPS {
            let mut error = self.error(
                op,
                codes::MAX_REGISTERS_FORM,
                format!("role @{name} has one warp, and registers are given out to whole warpgroups only"),
                "a role of one warp cannot have a number of its own",
            );
            *error = error.help("leave `registers` out here, or make the role a warpgroup (`warps 4`)");
            return Err(error);
        }
        Ok(())
    }

    fn check_register_count(&self, op: Op, name: &str, count: i64) -> Check {
        if (24..=256).contains(&count) && count % 8 == 0 {
            return Ok(());
        }
        Err(self.error(
            op,
            codes::MAX_REGISTERS_FORM,
            format!(
                "attribute `{name}` of `{}` is {count}; it is a multiple of 8 from 24 to 256",
                self.m.op_name(op)
            ),
            format!("the nearest is {}", (count.clamp(24, 256) + 4) / 8 * 8),
        ))
    }

    pub(super) fn check_set_max_registers(&self, op: Op, place: Place) -> Check {
        self.check_register_count(op, "count", self.m.attr_i64(op, "count").unwrap_or(0))?;
        match place.role {
            Some(role) if threads::role_warps(self.m, role) < WARPGROUP_WARPS => {
                let mut error = self.error(
                    op,
                    codes::NEEDS_WARPGROUP,
                    format!(
                        "`tg.set_max_registers` is executed by the four warps of a warpgroup, and role @{} has one warp",
                        self.m.attr_symbol(role, "sym_name").unwrap_or("?")
                    ),
                    "needs a warpgroup",
                );
                *error = error.label(self.m.span(role), "this role");
                Err(error)
            }
            _ => Ok(()),
        }
    }

    /// At least one role, each with a name of its own.
    pub(super) fn check_split(&self, op: Op) -> Check {
        let Some(block) = self.m.region_block(op, 0) else { return Ok(()) };
        self.check_args(op, block, &[], "none")?;
        let mut names: rustc_hash::FxHashMap<&str, Op> = rustc_hash::FxHashMap::default();
        let mut found = false;
        for role in self.m.block_ops(block) {
            found = true;
            let Some(name) = self.m.attr_symbol(role, "sym_name") else { continue };
            if let Some(first) = names.insert(name, role) {
                let mut error = self.error(
                    role,
                    codes::ROLE_STRUCTURE,
                    format!("there are two roles called @{name}; each role has its own name"),
                    "the second",
                );
                *error = error.label(self.m.span(first), "the first");
                return Err(error);
            }
        }
        if found {
            return Ok(());
        }
        Err(self.error(
            op,
            codes::ROLE_STRUCTURE,
            "`tg.warp_specialize` has no roles; there is at least one",
            "empty",
        ))
    }

    // ---- whole kernels ----

    pub(super) fn check_roles(&mut self, facts: &KernelFacts) {
        if let [first, second, ..] = facts.splits[..] {
            let mut error = self.error(
                second,
                codes::ROLE_STRUCTURE,
                "the warps of a block are divided once; this is the second `tg.warp_specialize` of the kernel",
                "the second",
            );
            *error = error.label(self.m.span(first), "the first");
            self.report(second, *error);
            return;
        }
        if let (Some(&split), Some((name, count))) = (facts.splits.first(), &facts.threads) {
            let mut error = self.error(
                split,
                codes::ROLE_STRUCTURE,
                format!("the kernel declares `threads [\"{name}\" = {count}]` and has roles; with roles, the roles say how many threads there are"),
                "roles here",
            );
            *error = error
                .label(self.m.span(facts.op), "threads here")
                .help("give the threads to a role: `role @consumer threads [\"wg\" = 2]`");
            self.report(split, *error);
        }
        self.check_outside(facts);
        self.check_register_budget(facts);
        for kind in [TgOp::BlockSync, TgOp::ClusterSync] {
            self.check_syncs(facts, kind);
        }
    }

    /// Outside of roles, all warps of the block execute an op as whole warpgroups.
    fn check_outside(&mut self, facts: &KernelFacts) {
        let small = facts.roles.iter().find(|&&role| threads::role_warps(self.m, role) < WARPGROUP_WARPS);
        let (Some(op), Some(&role)) = (facts.thread_op_outside, small) else { return };
        let mut error = self.error(
            op,
            codes::NEEDS_WARPGROUP,
            format!(
                "`{}` is outside of the roles, where whole warpgroups execute it; the warp of role @{} belongs to none",
                self.m.op_name(op),
                self.m.attr_symbol(role, "sym_name").unwrap_or("?")
            ),
            "executed by every thread of the block",
        );
        *error = error.label(self.m.span(role), "this role has one warp").help("move it into a role");
        self.report(op, *error);
    }

    fn check_register_budget(&mut self, facts: &KernelFacts) {
        let budget = self.limits().registers;
        let given = |role: Op| self.m.attr_i64(role, "registers");
        if !facts.roles.iter().any(|&role| given(role).is_some()) {
            return;
        }
        let lanes = |role: Op| threads::role_warps(self.m, role).saturating_mul(32);
        let total = facts.roles.iter().fold(0i64, |sum, &role| {
            sum.saturating_add(lanes(role).saturating_mul(given(role).unwrap_or(24)))
        });
        if total <= budget {
            return;
        }
        let parts: Vec<String> = facts
            .roles
            .iter()
            .take(8)
            .map(|&role| format!("{} x {}", lanes(role), given(role).unwrap_or(24)))
            .collect();
        let mut error = self.error(
            facts.splits.first().copied().unwrap_or(facts.op),
            codes::REGISTER_BUDGET,
            format!("the roles need {total} registers ({}); a block has {budget}", parts.join(" + ")),
            "too many registers",
        );
        for &role in facts.roles.iter().take(8) {
            let text = match given(role) {
                Some(count) => format!("{count} for each of {} CUDA threads", lanes(role)),
                None => format!("at least 24 for each of {} CUDA threads", lanes(role)),
            };
            *error = error.label(self.m.span(role), text);
        }
        self.report(facts.op, *error);
    }

    // ---- synchronisation ----

    fn check_syncs(&mut self, facts: &KernelFacts, kind: TgOp) {
        let is = |sync: &&Sync| self.m.opcode(sync.op) == Opcode::Tg(kind);
        let all: Vec<Sync> = facts.syncs.iter().filter(is).copied().collect();
        if let Some(first) = all.iter().find(|sync| sync.role.is_some())
            && !self.same_in_all_roles(facts)
        {
            let error = self.sync_in_role(facts, kind, *first);
            self.report(first.op, *error);
            return;
        }
        for sync in all {
            if let Some(error) = self.sync_under_condition(facts, kind, sync) {
                self.report(sync.op, *error);
                return;
            }
        }
    }

    fn sync_in_role(&self, facts: &KernelFacts, kind: TgOp, sync: Sync) -> Box<Diagnostic> {
        let (code, whom) = match kind {
            TgOp::ClusterSync => (codes::CLUSTER_SYNC_IN_ROLE, "all threads of all blocks of the cluster"),
            _ => (codes::BLOCK_SYNC_IN_ROLE, "all threads of the block"),
        };
        let has = |role: &&Op| {
            facts
                .syncs
                .iter()
                .any(|sync| sync.role == Some(**role) && self.m.opcode(sync.op) == Opcode::Tg(kind))
        };
        let lanes = |role: &Op| threads::role_warps(self.m, *role).saturating_mul(32);
        let running: Vec<&Op> = facts.roles.iter().filter(has).collect();
        let some: i64 = running.iter().map(|role| lanes(role)).sum();
        let every: i64 = facts.roles.iter().map(lanes).sum();
        let names: Vec<String> = running
            .iter()
            .filter_map(|role| self.m.attr_symbol(**role, "sym_name"))
            .map(|name| format!("@{name}"))
            .collect();
        let op_name = self.m.op_name(sync.op);
        let who = match running.len() {
            1 => format!("by role {} only", names.join(", ")),
            n if n == facts.roles.len() => "by all roles, but not the same number of times".to_owned(),
            _ => format!("by roles {} only", names.join(", ")),
        };
        let mut error = self.error(
            sync.op,
            code,
            format!(
                "`{op_name}` is run {who} ({some} of {every} threads of the block); {whom} must take part"
            ),
            "the others never come here",
        );
        if let Some(role) = sync.role {
            *error = error.label(self.m.span(role), "in this role");
        }
        *error = match kind {
            TgOp::ClusterSync => error
                .help("to synchronise single roles of several blocks, use a cluster barrier: `!tg.barrier_ref<1, arrivals = n, cluster = [...]>`")
                .help("or put it outside of the roles, before or behind them"),
            _ => error
                .help("to join the lanes of this role, use `tg.thread_sync`; to synchronise two roles, a barrier")
                .help("or put it outside of the roles, before or behind them"),
        };
        error
    }

    /// Whether every role synchronises the block and the cluster in the same way.
    fn same_in_all_roles(&self, facts: &KernelFacts) -> bool {
        let mut first: Option<Vec<Step>> = None;
        for &role in &facts.roles {
            let steps = self.m.region_block(role, 0).map_or_else(Vec::new, |body| self.steps(body, 0));
            match &first {
                None => first = Some(steps),
                Some(first) if *first != steps => return false,
                Some(_) => {}
            }
        }
        true
    }

    fn steps(&self, block: Block, depth: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        for op in self.m.block_ops(block) {
            match self.m.opcode(op) {
                Opcode::Tg(kind @ (TgOp::BlockSync | TgOp::ClusterSync)) => steps.push(Step::Sync(kind)),
                Opcode::Scf(kind) if !self.m.regions(op).is_empty() => {
                    if depth >= MAX_DEPTH {
                        steps.push(Step::Unknown(op));
                        continue;
                    }
                    let inner = |index: usize| {
                        self.m
                            .region_block(op, index)
                            .map_or_else(Vec::new, |block| self.steps(block, depth + 1))
                    };
                    let (a, b) = (inner(0), inner(1));
                    if a.is_empty() && b.is_empty() {
                        continue;
                    }
                    let key = |index: usize| self.m.get_operand(op, index).map(|value| self.key(value));
                    steps.push(match (kind, key(0), key(1), key(2)) {
                        (ScfOp::For, Some(lower), Some(upper), Some(step)) => {
                            Step::Loop([lower, upper, step], a)
                        }
                        (ScfOp::If, Some(condition), _, _) => Step::Branch(condition, a, b),
                        _ => Step::Unknown(op),
                    });
                }
                _ => {}
            }
        }
        steps
    }

    fn key(&self, value: Value) -> Key {
        self.constant(value).map_or(Key::Value(value), Key::Number)
    }

    /// The error when threads that must all take part decide differently whether they come to `sync`.
    fn sync_under_condition(&self, facts: &KernelFacts, kind: TgOp, sync: Sync) -> Option<Box<Diagnostic>> {
        let among = if kind == TgOp::ClusterSync { Among::Cluster } else { Among::Threads };
        let mut control = sync.control;
        while let Some(op) = control.filter(|&op| matches!(self.m.opcode(op), Opcode::Scf(_))) {
            for condition in uniform::conditions(self.m, op) {
                let Some(cause) = uniform::variation(self.m, facts.op, condition, among) else { continue };
                let code = match kind {
                    TgOp::ClusterSync => codes::CLUSTER_SYNC_IN_ROLE,
                    _ => codes::BLOCK_SYNC_IN_ROLE,
                };
                let whom = match kind {
                    TgOp::ClusterSync => "all threads of all blocks of the cluster",
                    _ => "all threads of the block",
                };
                let mut error = self.error(
                    sync.op,
                    code,
                    format!(
                        "`{}` is run under a condition that differs from thread to thread; {whom} must take part",
                        self.m.op_name(sync.op)
                    ),
                    "some threads do not come here",
                );
                *error = error
                    .label(self.m.span(op), format!("this `{}` decides", self.m.op_name(op)))
                    .label(
                        self.m.value_span(cause),
                        format!("{} differs from thread to thread", self.name(cause)),
                    )
                    .help(
                        "put it outside of the condition, or use a barrier between those that have to meet",
                    );
                return Some(error);
            }
            control = self.m.parent_op(op);
        }
        None
    }
}
