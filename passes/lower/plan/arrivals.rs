//! How each barrier counts its arrivals, and which threads run on one lane.
//!
//! An arrival is made by a *thread*: a warpgroup, or one warp. The hardware counts arrivals of lanes, so each barrier
//! has one of two ways to count ([`Counting`]):
//!
//! - **elected**: the count is that of the type, and one lane arrives for its thread. Before it does, the lanes have
//!   to be joined, or it would release what the others have not done, and they might still look for a phase that the
//!   arrival lets pass. Free where a join is there already, and for copies, which one lane starts anyway.
//! - **all lanes**: the count is 128 times that of the type, and every lane arrives for itself. No join is needed.
//!
//! A thread whose code has nothing to do for more than one lane (a producer that waits and starts copies) runs on one
//! lane altogether: then there is nobody to join.

use rustc_hash::{FxHashMap, FxHashSet};
use tidegate_ir::ops::{Opcode, ScfOp, TgOp};
use tidegate_ir::types::{BarrierRefType, TypeKind};
use tidegate_ir::{Module, Op, Value};

use super::{
    shape::{Crew, KernelShape, WARPGROUP},
    sync,
    views::View,
};

/// The most that the hardware counts.
const MAX_COUNT: i64 = (1 << 20) - 1;

/// How a barrier counts arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counting {
    /// One lane arrives for its thread.
    Elected,
    /// Every lane arrives.
    AllLanes,
}

/// How a group of barriers is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarrierPlan {
    /// `tg.alloc_barrier`.
    pub alloc: Op,
    /// Barriers of the group.
    pub size: u32,
    /// How they count.
    pub counting: Counting,
    /// What a phase counts down from.
    pub count: u32,
    /// Whether asynchronous copies complete on them, or peers arrive on them.
    pub asynchronous: bool,
    /// Whether other blocks of the cluster reach them.
    pub remote: bool,
    /// Whether they are initialised before the kernel starts; otherwise `tg.init_barrier` does it.
    pub at_entry: bool,
    /// Whether all threads that arrive also wait for the phase right behind, so that the wait joins their lanes.
    pub rendezvous: bool,
}

/// How the barriers of a kernel count.
#[derive(Debug, Default)]
pub struct ArrivalPlan {
    /// The groups, in order of their allocation.
    pub groups: Vec<BarrierPlan>,
    by_root: FxHashMap<Value, usize>,
    single: FxHashSet<Op>,
    /// Whether a peer reaches into the block's shared memory.
    pub remote: bool,
    /// Whether the blocks of a cluster have to end together.
    pub sync_at_exit: bool,
}

impl ArrivalPlan {
    /// Plans the kernel of `shape`.
    pub fn of(module: &Module, shape: &KernelShape) -> Self {
        let mut this = Self::default();
        for crew in shape.crews.iter().filter(|crew| runs_on_one_lane(module, crew)) {
            this.single.insert(crew.op);
        }
        let ops = module.walk(shape.op);
        for &op in ops.iter().filter(|&&op| module.opcode(op) == Opcode::Tg(TgOp::AllocBarrier)) {
            this.group(module, shape, op, &ops);
        }
        this.remote = ops.iter().any(|&op| reaches_peers(module, op));
        this.sync_at_exit = this.remote && !phases_are_awaited(module, &ops);
        this
    }

    fn group(&mut self, module: &Module, shape: &KernelShape, alloc: Op, ops: &[Op]) {
        let root = module.result(alloc, 0);
        let TypeKind::BarrierRef(barrier) = module.types.kind(module.ty(root)) else { return };
        let uses: Vec<Op> =
            ops.iter().copied().filter(|&op| barrier_root(module, op) == Some(root)).collect();
        let remote = barrier.is_cluster() || uses.iter().any(|&op| reaches_peers(module, op));
        let copies = uses.iter().any(|&op| module.opcode(op) == Opcode::Tg(TgOp::CopyGmemToSmem));
        let counting = match remote || barrier.arrivals.saturating_mul(i64::from(WARPGROUP)) > MAX_COUNT {
            true => Counting::Elected,
            false => self.counting(module, shape, &uses),
        };
        let blocks = arriving_blocks(barrier, shape);
        let lanes = match counting {
            Counting::Elected => 1,
            Counting::AllLanes => i64::from(WARPGROUP),
        };
        let count = barrier.arrivals.saturating_mul(blocks).saturating_mul(lanes).clamp(1, MAX_COUNT);
        self.by_root.insert(root, self.groups.len());
        self.groups.push(BarrierPlan {
            alloc,
            size: u32::try_from(barrier.num_barriers()).unwrap_or(u32::MAX),
            counting,
            count: u32::try_from(count).unwrap_or(u32::MAX),
            asynchronous: copies || remote,
            remote,
            at_entry: !module.has_attr(alloc, "uninitialized"),
            rendezvous: counting == Counting::AllLanes && is_rendezvous(module, shape, barrier, &uses),
        });
    }

    /// All lanes arrive where an elected one would have to be joined with the others first.
    fn counting(&self, module: &Module, shape: &KernelShape, uses: &[Op]) -> Counting {
        for crew in shape.crews.iter().filter(|crew| !self.single.contains(&crew.op)) {
            let own = |op: &&Op| {
                module.opcode(**op) == Opcode::Tg(TgOp::BarrierArrive)
                    && module.ancestors(**op).any(|ancestor| ancestor == crew.op)
            };
            let arrivals: Vec<Op> = uses.iter().filter(own).copied().collect();
            if arrivals.is_empty() {
                continue;
            }
            let touched = sync::touched_before(module, crew);
            if arrivals.iter().any(|op| touched.contains(op)) {
                return Counting::AllLanes;
            }
        }
        Counting::Elected
    }

    /// The plan of the group that `root` allocates.
    pub fn barrier(&self, root: Value) -> Option<&BarrierPlan> {
        self.groups.get(*self.by_root.get(&root)?)
    }

    /// The plan of the group whose barrier `op` uses.
    pub fn used_by(&self, module: &Module, op: Op) -> Option<&BarrierPlan> {
        self.barrier(barrier_root(module, op)?)
    }

    /// Whether the threads of `crew` run on one lane each.
    pub fn is_single(&self, crew: &Crew) -> bool {
        self.single.contains(&crew.op)
    }
}

/// The allocation of the barrier that `op` uses.
pub fn barrier_root(module: &Module, op: Op) -> Option<Value> {
    let value = module.operand_named(op, "barrier")?;
    View::of(module, value).map(|view| view.root)
}

/// Whether nothing in the code of `crew` needs more than one lane.
fn runs_on_one_lane(module: &Module, crew: &Crew) -> bool {
    let is_array = |value: Value| module.types.as_vector(module.ty(value)).is_some();
    module.walk(crew.op).into_iter().filter(|&op| op != crew.op).all(|op| {
        let one = match module.opcode(op) {
            Opcode::Arith(_) | Opcode::Math(_) | Opcode::Scf(_) => true,
            Opcode::Vector(_) | Opcode::Builtin(_) | Opcode::Opaque(_) => false,
            Opcode::Tg(tg) => match tg {
                // On a cluster barrier each lane signals a block.
                TgOp::BarrierArrive => !on_cluster_barrier(module, op),
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
                | TgOp::Store
                | TgOp::BarrierArriveExpectTx
                | TgOp::BarrierExpectTx
                | TgOp::BarrierWait
                | TgOp::BarrierWaitParity
                | TgOp::BarrierTest
                | TgOp::CopyGmemToSmem
                | TgOp::CopySmemToGmem
                | TgOp::CommitGroup
                | TgOp::WaitSmemToGmem
                | TgOp::CommitSmem
                | TgOp::ThreadSync
                | TgOp::DebugPrint
                | TgOp::Assert => true,
                // All lanes execute it, before the one goes on alone.
                TgOp::SetMaxRegisters => module.parent_op(op) == Some(crew.op),
                TgOp::Kernel | TgOp::WarpSpecialize | TgOp::Role | TgOp::BlockSync | TgOp::ClusterSync => {
                    false
                }
            },
        };
        one && !module.operands(op).any(is_array) && !module.results(op).any(is_array)
    })
}

/// Whether the barrier that `op` uses is a cluster barrier.
pub fn on_cluster_barrier(module: &Module, op: Op) -> bool {
    let barrier = module.operand_named(op, "barrier");
    let barrier = barrier.and_then(|value| module.types.as_barrier(module.ty(value)));
    barrier.is_some_and(BarrierRefType::is_cluster)
}

/// Whether `op` reaches into other blocks of the cluster.
pub fn reaches_peers(module: &Module, op: Op) -> bool {
    match module.opcode(op) {
        Opcode::Tg(TgOp::BarrierArrive | TgOp::BarrierArriveExpectTx | TgOp::BarrierExpectTx) => {
            on_cluster_barrier(module, op) || module.operand_named(op, "peer").is_some()
        }
        Opcode::Tg(TgOp::CopyGmemToSmem) => {
            module.has_attr(op, "multicast") || module.has_attr(op, "collective")
        }
        Opcode::Tg(_)
        | Opcode::Arith(_)
        | Opcode::Math(_)
        | Opcode::Scf(_)
        | Opcode::Vector(_)
        | Opcode::Builtin(_)
        | Opcode::Opaque(_) => false,
    }
}

/// Whether the barrier is one where threads meet: as many threads as it counts arrivals, each arriving once and then
/// waiting for the same phase before it goes on. By induction every phase takes one arrival of each, so a lane that is
/// through the wait knows that all lanes of its thread have arrived.
fn is_rendezvous(module: &Module, shape: &KernelShape, barrier: &BarrierRefType, uses: &[Op]) -> bool {
    let mut threads = 0;
    let mut paired = 0;
    for crew in &shape.crews {
        let own = uses.iter().copied().filter(|&op| module.ancestors(op).any(|ancestor| ancestor == crew.op));
        let arrivals: Vec<Op> =
            own.filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::BarrierArrive)).collect();
        threads += if arrivals.is_empty() { 0 } else { crew.threads };
        for arrive in arrivals {
            let next = std::iter::successors(module.next_op(arrive), |&op| module.next_op(op))
                .find(|&op| uses.contains(&op) || !module.regions(op).is_empty());
            let waits = next.is_some_and(|next| {
                matches!(module.opcode(next), Opcode::Tg(TgOp::BarrierWait | TgOp::BarrierWaitParity))
                    && module.operand_named(next, "barrier") == module.operand_named(arrive, "barrier")
                    && module.index_list(next, "indices") == module.index_list(arrive, "indices")
            });
            if !waits || module.attr_i64(arrive, "count").unwrap_or(1) != 1 {
                return false;
            }
            paired += 2;
        }
    }
    i64::from(threads) == barrier.arrivals && paired == uses.len()
}

/// Blocks along some axes of the cluster that count as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The axes, by number.
    pub axes: Vec<usize>,
    /// Where the blocks are, as distances in rank from the one that has coordinate 0 on these axes.
    pub distances: Vec<u32>,
}

/// The blocks that an arrival on a cluster barrier reaches: those that differ from the arriving one along the axes of one
/// of these sets only; the arriving one is in each. The barrier of a leader is reached along all axes together, and no
/// other is. `None` for barriers of one block.
pub fn reach(barrier: &BarrierRefType, shape: &KernelShape) -> Option<Vec<Reach>> {
    let scope = barrier.cluster.as_ref()?;
    let number = |name: &str| shape.cluster.iter().position(|axis| axis.0 == name);
    if scope.leader_tracked {
        let axes = scope.axes.iter().flat_map(|axes| axes.names()).filter_map(number).collect();
        return Some(vec![Reach { axes, distances: vec![0] }]);
    }
    let sets = scope.axes.iter().map(|axes| {
        let axes: Vec<usize> = axes.names().filter_map(number).collect();
        let mut distances = vec![0];
        for &axis in &axes {
            let (stride, extent) =
                (shape.cluster_stride(axis), shape.cluster.get(axis).map_or(1, |axis| axis.1));
            distances =
                (0..extent).flat_map(|at| distances.iter().map(move |rank| rank + at * stride)).collect();
        }
        distances.sort_unstable();
        Reach { axes, distances }
    });
    Some(sets.collect())
}

/// How many blocks arrive on each barrier of a group (on a leader's, where only that counts).
fn arriving_blocks(barrier: &BarrierRefType, shape: &KernelShape) -> i64 {
    let Some(sets) = reach(barrier, shape) else { return 1 };
    if barrier.cluster.as_ref().is_some_and(|scope| scope.leader_tracked) {
        let axes = sets.iter().flat_map(|set| &set.axes);
        let extents = axes.map(|&axis| shape.cluster.get(axis).map_or(1, |axis| i64::from(axis.1)));
        return extents.product();
    }
    // The block itself is in each set and counts once.
    1 + sets.iter().map(|set| i64::try_from(set.distances.len()).unwrap_or(1) - 1).sum::<i64>()
}

/// Whether the kernel waits for every phase that peers take part in, so that no block can end while a peer still reaches
/// into it. Answers yes only for code without loops and conditions around those ops.
fn phases_are_awaited(module: &Module, ops: &[Op]) -> bool {
    let straight = |op: Op| {
        !module
            .ancestors(op)
            .any(|parent| matches!(module.opcode(parent), Opcode::Scf(ScfOp::For | ScfOp::If | ScfOp::While)))
    };
    let reaching = ops.iter().copied().filter(|&op| reaches_peers(module, op));
    let mut roots: Vec<Value> = Vec::new();
    for op in reaching {
        if module.operand_named(op, "peer").is_some() || module.has_attr(op, "multicast") || !straight(op) {
            return false;
        }
        match barrier_root(module, op) {
            Some(root) if !roots.contains(&root) => roots.push(root),
            Some(_) => {}
            None => return false,
        }
    }
    roots.into_iter().all(|root| {
        let Some(barrier) = module.types.as_barrier(module.ty(root)) else { return false };
        if barrier.num_barriers() != 1 {
            return false;
        }
        let (mut arrivals, mut waits) = (0i64, 0i64);
        for &op in ops.iter().filter(|&&op| barrier_root(module, op) == Some(root)) {
            match module.opcode(op) {
                Opcode::Tg(TgOp::BarrierWait | TgOp::BarrierWaitParity) => waits += i64::from(straight(op)),
                Opcode::Tg(TgOp::BarrierArrive | TgOp::BarrierArriveExpectTx) => {
                    arrivals += module.attr_i64(op, "count").unwrap_or(1);
                }
                Opcode::Tg(TgOp::CopyGmemToSmem) => arrivals += i64::from(!module.has_attr(op, "raw")),
                _ => {}
            }
            if !straight(op) || module.operand_named(op, "predicate").is_some() {
                return false;
            }
        }
        // Several waiting threads may each wait for all phases; fewer waits than phases are too few in any case.
        let crews = module
            .walk(module.top())
            .into_iter()
            .filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::Role))
            .count();
        waits > 0 && arrivals == barrier.arrivals.saturating_mul(waits) && crews <= 1
    })
}

/// The number of lanes that arrive when `crew` arrives on a barrier that all lanes arrive on, and how often each does.
pub fn arrivals_of_a_lane(crew: &Crew, single: bool) -> u32 {
    if single { WARPGROUP } else { WARPGROUP / crew.lanes }
}
