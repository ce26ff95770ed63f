//! `insert-fences`: publishes ordinary writes to shared memory to the asynchronous proxy where that is missing.
//!
//! What `tg.store` writes is seen by an asynchronous copy only after `tg.commit_smem` by the thread that wrote. The
//! analysis follows each thread's writes that it has not yet published along all paths, loops of no iterations
//! included, up to a point where they must have been:
//!
//! - the thread itself starts a copy from (or over) what it wrote;
//! - it lets another thread go on that does: it arrives on a barrier that a role with such a copy waits on, or reaches
//!   a block-wide synchronisation.
//!
//! There the fence goes; where only writes from before a loop need it, it goes in front of the loop. A copy that
//! overwrites what was only *read* needs none: the wait that says that the readers are done orders it, as in CUTLASS.
//!
//! With the option `diagnose` nothing is changed, and each missing fence is reported (TG0611).

use std::collections::BTreeSet;

use indexmap::IndexMap;
use tidegate_ir::builder::OpBuilder;
use tidegate_ir::diag::{Diagnostic, Reported, codes};
use tidegate_ir::ops::{Opcode, ScfOp, TgOp};
use tidegate_ir::types::Space;
use tidegate_ir::{Block, Module, Op, Value};

use super::places::{Reach, Root, root_of};
use crate::pass::{Changed, OptionValues, PassContext};

/// Runs the pass.
///
/// # Errors
/// With `diagnose`, when a fence is missing.
pub fn run(
    module: &mut Module,
    options: &OptionValues,
    ctx: &mut PassContext<'_>,
) -> Result<Changed, Reported> {
    let diagnose = options.flag("diagnose");
    let before = ctx.diags.error_count();
    let mut inserted = 0;
    let kernels: Vec<Op> =
        module.all_ops().into_iter().filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::Kernel)).collect();
    for kernel in kernels {
        if diagnose {
            for missing in missing_fences(module, kernel) {
                ctx.diags.emit(describe(module, &missing));
            }
            continue;
        }
        let found = Flow::new(module, kernel, true).run();
        for missing in found {
            OpBuilder::before(module, missing.at).tg_commit_smem();
            inserted += 1;
        }
    }
    ctx.count("fences inserted", inserted);
    ctx.diags.check_since(before)?;
    Ok((inserted > 0).into())
}

/// A place that writes reach unpublished although an asynchronous copy may follow.
#[derive(Clone, Debug)]
pub struct MissingFence {
    /// The op that needs a `tg.commit_smem` in front of it: the copy, or what lets its thread go on.
    pub at: Op,
    /// The copy.
    pub copy: Op,
    /// The unpublished writes.
    pub writes: Vec<Op>,
}

/// The fences that a kernel certainly lacks, in program order.
pub fn missing_fences(module: &Module, kernel: Op) -> Vec<MissingFence> {
    Flow::new(module, kernel, false).run()
}

fn describe(module: &Module, missing: &MissingFence) -> Diagnostic {
    let own = missing.at == missing.copy;
    let verb = match module.opcode(missing.copy) {
        Opcode::Tg(TgOp::CopyGmemToSmem) => "overwritten",
        _ => "read",
    };
    let message = if own {
        format!(
            "ordinary writes to shared memory are {verb} by an asynchronous copy, with no `tg.commit_smem` in between on some path"
        )
    } else {
        format!(
            "ordinary writes to shared memory are handed to a thread by whose asynchronous copy they are {verb}, with no `tg.commit_smem` in between on some path"
        )
    };
    let mut diagnostic = Diagnostic::error(codes::MISSING_PROXY_FENCE, message)
        .at(module.span(missing.at), if own { "this copy" } else { "lets the other thread go on" });
    if !own {
        diagnostic = diagnostic.label(module.span(missing.copy), "this copy");
    }
    for &write in missing.writes.iter().take(3) {
        diagnostic = diagnostic.label(module.span(write), "written here");
    }
    diagnostic.help("put `tg.commit_smem` behind the writes, where every path passes it")
}

/// Writes not yet published.
type Dirty = BTreeSet<Op>;

/// The ops of one kind of thread: of the kernel outside of roles, or of a role.
struct Scope {
    op: Op,
    /// Whether several threads execute it.
    shared: bool,
    /// Asynchronous copies from or into shared memory.
    copies: Vec<Op>,
    /// Barrier groups that it waits on.
    waits: Vec<Root>,
}

struct Flow<'m> {
    module: &'m Module,
    kernel: Op,
    scopes: Vec<Scope>,
    /// Whether fences are wanted that only a transformation may ask for, and may be placed in front of loops.
    inserting: bool,
    found: IndexMap<Op, MissingFence>,
    depth: usize,
}

/// Loops nested deeper are followed without looking for a better place in front of them.
const MAX_DEPTH: usize = 6;

impl<'m> Flow<'m> {
    fn new(module: &'m Module, kernel: Op, inserting: bool) -> Self {
        let mut scopes: Vec<Scope> = Vec::new();
        for op in module.walk(kernel) {
            let opcode = module.opcode(op);
            if matches!(opcode, Opcode::Tg(TgOp::Kernel | TgOp::Role)) {
                let shared = is_shared(module, op);
                scopes.push(Scope { op, shared, copies: Vec::new(), waits: Vec::new() });
                continue;
            }
            let inner = module
                .ancestors(op)
                .find(|&outer| matches!(module.opcode(outer), Opcode::Tg(TgOp::Kernel | TgOp::Role)));
            let Some(scope) = scopes.iter_mut().find(|scope| Some(scope.op) == inner) else { continue };
            match opcode {
                Opcode::Tg(TgOp::CopyGmemToSmem | TgOp::CopySmemToGmem) => scope.copies.push(op),
                Opcode::Tg(TgOp::BarrierWait | TgOp::BarrierWaitParity | TgOp::BarrierTest) => {
                    scope.waits.extend(module.get_operand(op, 0).map(|barrier| root_of(module, barrier)));
                }
                _ => {}
            }
        }
        Self { module, kernel, scopes, inserting, found: IndexMap::new(), depth: 0 }
    }

    fn run(mut self) -> Vec<MissingFence> {
        if let Some(body) = self.module.region_block(self.kernel, 0) {
            self.block(body, self.kernel, &mut Dirty::new());
        }
        let mut found: Vec<MissingFence> = self.found.into_values().collect();
        let order: IndexMap<Op, usize> =
            self.module.walk(self.kernel).into_iter().enumerate().map(|(index, op)| (op, index)).collect();
        found.sort_by_key(|missing| order.get(&missing.at).copied());
        found
    }

    fn block(&mut self, block: Block, scope: Op, dirty: &mut Dirty) {
        for op in self.module.block_ops(block) {
            self.op(op, scope, dirty);
        }
    }

    fn op(&mut self, op: Op, scope: Op, dirty: &mut Dirty) {
        let module = self.module;
        let tg = match module.opcode(op) {
            Opcode::Tg(tg) => tg,
            Opcode::Scf(scf) => return self.control(op, scf, scope, dirty),
            Opcode::Builtin(_)
            | Opcode::Arith(_)
            | Opcode::Math(_)
            | Opcode::Vector(_)
            | Opcode::Opaque(_) => {
                return self.any_regions(op, scope, dirty);
            }
        };
        match tg {
            TgOp::Store => {
                let shared = module.get_operand(op, 1).is_some_and(|dest| {
                    module.types.as_ref(module.ty(dest)).is_none_or(|memory| memory.space == Space::Smem)
                });
                if shared {
                    dirty.insert(op);
                }
            }
            TgOp::CommitSmem => dirty.clear(),
            TgOp::CopyGmemToSmem | TgOp::CopySmemToGmem => {
                let touched = self.touched(dirty, op);
                self.need(op, op, touched, dirty);
            }
            TgOp::BarrierArrive | TgOp::BarrierArriveExpectTx => {
                let barrier =
                    module.get_operand(op, 0).map_or(Root::Unknown, |barrier| root_of(module, barrier));
                self.hand_over(op, scope, Some(barrier), dirty);
            }
            TgOp::BlockSync | TgOp::ClusterSync => self.hand_over(op, scope, None, dirty),
            TgOp::WarpSpecialize => self.roles(op, dirty),
            TgOp::Kernel | TgOp::Role => self.any_regions(op, scope, dirty),
            TgOp::Return
            | TgOp::AxisIndex
            | TgOp::Dim
            | TgOp::Alloc
            | TgOp::AllocBarrier
            | TgOp::InitBarrier
            | TgOp::InvalBarrier
            | TgOp::At
            | TgOp::Subview
            | TgOp::Load
            | TgOp::BarrierExpectTx
            | TgOp::BarrierWait
            | TgOp::BarrierWaitParity
            | TgOp::BarrierTest
            | TgOp::CommitGroup
            | TgOp::WaitSmemToGmem
            | TgOp::ThreadSync
            | TgOp::SetMaxRegisters
            | TgOp::DebugPrint
            | TgOp::Assert => {}
        }
    }

    fn control(&mut self, op: Op, scf: ScfOp, scope: Op, dirty: &mut Dirty) {
        match scf {
            ScfOp::If => {
                let mut otherwise = dirty.clone();
                if let Some(block) = self.module.region_block(op, 0) {
                    self.block(block, scope, dirty);
                }
                if let Some(block) = self.module.region_block(op, 1) {
                    self.block(block, scope, &mut otherwise);
                }
                dirty.extend(otherwise);
            }
            ScfOp::For | ScfOp::While => self.looping(op, scope, dirty),
            ScfOp::Condition | ScfOp::Yield => {}
        }
    }

    fn looping(&mut self, op: Op, scope: Op, dirty: &mut Dirty) {
        if self.inserting && !dirty.is_empty() && self.depth < MAX_DEPTH {
            let before = self.found.clone();
            let (mut with, mut without) = (dirty.clone(), Dirty::new());
            self.iterate(op, scope, &mut with);
            let with_entry = std::mem::replace(&mut self.found, before.clone());
            self.iterate(op, scope, &mut without);
            let extra: Vec<MissingFence> = with_entry
                .values()
                .filter(|missing| !self.found.contains_key(&missing.at))
                .cloned()
                .collect();
            let Some(first) = extra.first() else {
                self.found = with_entry;
                *dirty = with;
                return;
            };
            // Only what was written before the loop needs a fence there: one in front of it does.
            let writes = first.writes.iter().copied().filter(|write| dirty.contains(write)).collect();
            self.found.insert(op, MissingFence { at: op, copy: first.copy, writes });
            *dirty = without;
            return;
        }
        self.iterate(op, scope, dirty);
    }

    /// Goes through a loop until what reaches its start no longer grows.
    fn iterate(&mut self, op: Op, scope: Op, dirty: &mut Dirty) {
        let module = self.module;
        let Some(first) = module.region_block(op, 0) else { return self.any_regions(op, scope, dirty) };
        let second = module.region_block(op, 1);
        self.depth += 1;
        loop {
            let mut after = dirty.clone();
            self.block(first, scope, &mut after);
            let exit = after.clone();
            if let Some(second) = second {
                self.block(second, scope, &mut after);
            }
            let size = dirty.len();
            dirty.extend(after);
            if dirty.len() == size {
                if second.is_some() {
                    *dirty = exit;
                }
                break;
            }
        }
        self.depth -= 1;
    }

    /// Control flow that is not structured: any block may follow any other.
    fn any_regions(&mut self, op: Op, scope: Op, dirty: &mut Dirty) {
        let blocks: Vec<Block> = self
            .module
            .regions(op)
            .iter()
            .flat_map(|&region| self.module.region_blocks(region).iter().copied())
            .collect();
        if blocks.is_empty() {
            return;
        }
        loop {
            let size = dirty.len();
            for &block in &blocks {
                let mut after = dirty.clone();
                self.block(block, scope, &mut after);
                dirty.extend(after);
            }
            if dirty.len() == size {
                return;
            }
        }
    }

    fn roles(&mut self, op: Op, dirty: &mut Dirty) {
        let module = self.module;
        let Some(block) = module.region_block(op, 0) else { return };
        let roles: Vec<Op> =
            module.block_ops(block).filter(|&role| module.opcode(role) == Opcode::Tg(TgOp::Role)).collect();
        // Every thread starts its role when all have come here.
        for &role in &roles {
            self.hand_to(op, role, dirty);
        }
        let mut end = Dirty::new();
        for &role in &roles {
            let mut own = dirty.clone();
            if let Some(body) = module.region_block(role, 0) {
                self.block(body, role, &mut own);
                if let Some(last) = module.terminator(body) {
                    // Behind the roles the kernel's threads go on.
                    self.hand_to(last, self.kernel, &mut own);
                }
            }
            end.extend(own);
        }
        *dirty = end;
    }

    /// Writes that a copy reads or overwrites.
    fn touched(&self, dirty: &Dirty, copy: Op) -> Vec<Op> {
        let Some(reach) = copy_reach(self.module, copy) else { return Vec::new() };
        let write_reach = |write: Op| store_reach(self.module, write);
        dirty
            .iter()
            .copied()
            .filter(|&write| write_reach(write).is_none_or(|write| write.overlaps(&reach)))
            .collect()
    }

    /// The thread lets others go on: those that wait on `barrier`, or all when there is none.
    fn hand_over(&mut self, op: Op, scope: Op, barrier: Option<Root>, dirty: &mut Dirty) {
        if dirty.is_empty() {
            return;
        }
        let mut receivers = Vec::new();
        for other in &self.scopes {
            if other.op == scope && !(other.shared && self.inserting) {
                continue;
            }
            let woken = barrier.is_none_or(|barrier| {
                other
                    .waits
                    .iter()
                    .any(|&waited| waited == barrier || waited == Root::Unknown || barrier == Root::Unknown)
            });
            if woken {
                receivers.push(other.op);
            }
        }
        for receiver in receivers {
            self.hand_to(op, receiver, dirty);
        }
    }

    fn hand_to(&mut self, op: Op, receiver: Op, dirty: &mut Dirty) {
        let Some(scope) = self.scopes.iter().find(|scope| scope.op == receiver) else { return };
        let found = scope.copies.iter().find_map(|&copy| {
            let touched = self.touched(dirty, copy);
            (!touched.is_empty()).then_some((copy, touched))
        });
        if let Some((copy, touched)) = found {
            self.need(op, copy, touched, dirty);
        }
    }

    /// Notes a missing fence in front of `at`, behind which everything is published.
    fn need(&mut self, at: Op, copy: Op, writes: Vec<Op>, dirty: &mut Dirty) {
        if writes.is_empty() {
            return;
        }
        let entry = self.found.entry(at).or_insert_with(|| MissingFence { at, copy, writes: Vec::new() });
        for write in writes {
            if !entry.writes.contains(&write) {
                entry.writes.push(write);
            }
        }
        dirty.clear();
    }
}

/// Whether several threads execute the ops directly in a kernel or role.
fn is_shared(module: &Module, scope: Op) -> bool {
    let threads = module.attr_i64(scope, "num_threads").unwrap_or(1);
    let warps = module.attr_i64(scope, "warps").unwrap_or(4);
    let roles = module.opcode(scope) == Opcode::Tg(TgOp::Kernel)
        && module.walk(scope).into_iter().filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::Role)).count()
            > 1;
    threads > 1 || warps > 4 || roles
}

fn store_reach(module: &Module, store: Op) -> Option<Reach> {
    let (value, dest) = (module.get_operand(store, 0)?, module.get_operand(store, 1)?);
    let rank = module.types.as_ref(module.ty(dest))?.rank();
    let (extents, _) = module.types.as_value_array(module.ty(value))?;
    let ones = extents.iter().take_while(|&&extent| extent == 1).count();
    let lead = rank.saturating_sub(extents.len()) + ones;
    Some(Reach::new(module, dest, &module.index_list(store, "indices"), lead))
}

/// The shared-memory side of a copy: its indices are single positions, the rest is whole.
fn copy_reach(module: &Module, copy: Op) -> Option<Reach> {
    let (side, list): (Option<Value>, _) = match module.opcode(copy) {
        Opcode::Tg(TgOp::CopyGmemToSmem) => (module.operand_named(copy, "dest"), "dest_indices"),
        Opcode::Tg(TgOp::CopySmemToGmem) => (module.operand_named(copy, "source"), "source_indices"),
        _ => return None,
    };
    let list = module.index_list(copy, list);
    Some(Reach::new(module, side?, &list, list.len()))
}
