//! Barriers: arrivals as planned, waits by all lanes.

use melior::ir::Value as Mlir;
use tidegate_ir::types::BarrierRefType;
use tidegate_ir::{Op, Value};

use super::{Lower, Lowering, index::Expr, unsupported};
use crate::lower::{
    mlir::emit::{BarrierGroup, Comparison, Emitter, Scope},
    plan::{
        arrivals::{BarrierPlan, Counting, Reach, arrivals_of_a_lane, reach},
        views::View,
    },
};

/// A barrier of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Barrier<'p, 'c, 'a> {
    pub(super) group: BarrierGroup<'c, 'a>,
    /// Its number in the group, `index`.
    pub(super) index: Mlir<'c, 'a>,
    pub(super) plan: &'p BarrierPlan,
    pub(super) ty: &'p BarrierRefType,
}

impl<'c, 'a> Barrier<'_, 'c, 'a> {
    /// Its address.
    pub(super) fn address(&self, e: &Emitter<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        Ok(e.barrier_address(self.group, self.index)?)
    }
}

impl<'p, 'c, 'a> Lowering<'p, 'c, 'a> {
    /// The group that the operand `barrier` of `op` is of, and the numbers of its barriers: the first, and how many.
    fn barrier_range(&self, e: &Emitter<'c, 'a>, op: Op, indices: &str) -> Lower<(Value, Expr<'c, 'a>, i64)> {
        let module = self.module();
        let value = module.operand_named(op, "barrier");
        let view = value.and_then(|value| View::of(module, value));
        let view = view.ok_or_else(|| unsupported(module, op, "uses a barrier of unknown origin"))?;
        let view = view.at(&module.index_list(op, indices), true);
        let ty = module.types.as_barrier(module.ty(view.root));
        let ty = ty.ok_or_else(|| unsupported(module, op, "uses something that is no barrier"))?;
        let mut number = Expr::number(0);
        for (start, &extent) in self.starts(e, op, &view.starts)?.into_iter().zip(ty.shape.iter()) {
            number = number.mul(e, extent)?.add(e, start)?;
        }
        let count = view.extents().iter().product();
        Ok((view.root, number, count))
    }

    /// The barrier that `op` works on, with its index computed at `e`.
    pub(super) fn barrier(&self, e: &Emitter<'c, 'a>, op: Op, indices: &str) -> Lower<Barrier<'p, 'c, 'a>> {
        let (root, number, _) = self.barrier_range(e, op, indices)?;
        let module = self.module();
        let parts = (
            self.prologue.barriers.get(&root).copied(),
            self.plan.arrivals.barrier(root),
            module.types.as_barrier(module.ty(root)),
        );
        let (Some(group), Some(plan), Some(ty)) = parts else {
            return Err(unsupported(module, op, "uses a barrier of unknown origin").into());
        };
        let index = e.to_index(number.materialize(e)?)?;
        Ok(Barrier { group, index, plan, ty })
    }

    /// `tg.init_barrier`: of one barrier or of a whole group, by the elected lane.
    pub(super) fn init_barrier(&mut self, op: Op) -> Lower<()> {
        let e = self.elected()?;
        self.each_barrier(op, &e, &|barrier, count, e, index| Ok(e.init_barrier(barrier, index, count)?))?;
        Ok(e.fence_barrier_init()?)
    }

    /// `tg.inval_barrier`.
    pub(super) fn inval_barrier(&mut self, op: Op) -> Lower<()> {
        let e = self.elected()?;
        self.each_barrier(op, &e, &|barrier, _, e, index| {
            Ok(e.invalidate_at(e.barrier_address(barrier, index)?)?)
        })
    }

    #[allow(clippy::type_complexity, reason = "one use")]
    fn each_barrier(
        &self,
        op: Op,
        e: &Emitter<'c, 'a>,
        act: &dyn Fn(BarrierGroup<'c, 'a>, u32, &Emitter<'c, 'a>, Mlir<'c, 'a>) -> Lower<()>,
    ) -> Lower<()> {
        let (root, first, count) = self.barrier_range(e, op, "indices")?;
        let (Some(&group), Some(plan)) =
            (self.prologue.barriers.get(&root), self.plan.arrivals.barrier(root))
        else {
            return Err(unsupported(self.module(), op, "uses a barrier of unknown origin").into());
        };
        for offset in 0..count {
            let number = first.add(e, Expr::number(offset))?.materialize(e)?;
            act(group, plan.count, e, e.to_index(number)?)?;
        }
        Ok(())
    }

    /// `tg.barrier_arrive`.
    pub(super) fn barrier_arrive(&mut self, op: Op) -> Lower<()> {
        let count = self.module().attr_i64(op, "count").unwrap_or(1);
        let plan = self.plan.arrivals.used_by(self.module(), op);
        if plan.is_some_and(|plan| plan.counting == Counting::AllLanes) {
            self.close()?;
            return self.arrive_with_all_lanes(op, "indices", count);
        }
        let e = self.elected_or_lanes(op)?;
        let barrier = self.barrier(&e, op, "indices")?;
        if barrier.ty.is_cluster() {
            return self.arrive_at_cluster(op, &barrier, count);
        }
        if let Some(rank) = self.module().operand_named(op, "peer") {
            let rank = e.to_i32(self.number(op, rank)?)?;
            let address = e.map_to_block(barrier.address(&e)?, rank)?;
            let count = if count == 1 { None } else { Some(e.i32(count)?) };
            return Ok(e.arrive_remote(address, count)?);
        }
        match count {
            1 => Ok(e.arrive(barrier.group, barrier.index)?),
            count => Ok(e.arrive_at(barrier.address(&e)?, e.i32(count)?)?),
        }
    }

    /// Every lane arrives for itself; a thread that runs on one lane arrives for all.
    pub(super) fn arrive_with_all_lanes(&mut self, op: Op, indices: &str, count: i64) -> Lower<()> {
        let e = self.e;
        let barrier = self.barrier(&e, op, indices)?;
        let times = count * i64::from(arrivals_of_a_lane(self.crew(), self.thread.single));
        match times {
            1 => Ok(e.arrive(barrier.group, barrier.index)?),
            times => Ok(e.arrive_at(barrier.address(&e)?, e.i32(times)?)?),
        }
    }

    /// Where an arrival on a cluster barrier goes: to several blocks, by several lanes where there are any.
    fn elected_or_lanes(&mut self, op: Op) -> Lower<Emitter<'c, 'a>> {
        let module = self.module();
        let barrier = module.operand_named(op, "barrier");
        let cluster = barrier.and_then(|value| module.types.as_barrier(module.ty(value)));
        if cluster.is_some_and(BarrierRefType::is_cluster) && !self.thread.single {
            self.close()?;
            return Ok(self.e);
        }
        self.elected()
    }

    /// An arrival reaches each block along the barrier's axes: lane k signals block k.
    fn arrive_at_cluster(&mut self, op: Op, barrier: &Barrier<'p, 'c, 'a>, count: i64) -> Lower<()> {
        let shape = &self.plan.shape;
        let sets = reach(barrier.ty, shape).unwrap_or_default();
        let e = self.e;
        let address = barrier.address(&e)?;
        let count = if count == 1 { None } else { Some(e.i32(count)?) };
        let rank = self.cluster_rank(&e)?;
        let [set] = sets.as_slice() else {
            let e = self.elected()?;
            for (number, set) in sets.iter().enumerate() {
                let base = self.base(&e, rank, set)?;
                for &distance in &set.distances {
                    let block = e.add(base, e.i32(distance.into())?)?;
                    if number == 0 {
                        e.arrive_remote(e.map_to_block(address, block)?, count)?;
                        continue;
                    }
                    // The block itself is in each set, and was reached with the first.
                    let other = e.if_then(e.compare(Comparison::NotEqual, block, rank)?)?;
                    other.arrive_remote(other.map_to_block(address, block)?, count)?;
                    other.yield_values(&[])?;
                }
            }
            return Ok(());
        };
        let base = self.base(&e, rank, set)?;
        let targets = &set.distances;
        let whole_cluster = targets.len() == usize::try_from(shape.cluster_blocks()).unwrap_or(0);
        let blocks = i64::try_from(targets.len()).unwrap_or(i64::MAX);
        if self.thread.single || blocks > i64::from(self.crew().lanes) {
            let e = self.elected()?;
            // One fence releases for all arrivals.
            for &target in targets {
                let block = match whole_cluster {
                    true => e.i32(target.into())?,
                    false => e.add(base, e.i32(target.into())?)?,
                };
                e.arrive_remote(e.map_to_block(address, block)?, count)?;
            }
            return Ok(());
        }
        let lane = self.thread.lane;
        let signals = e.if_then(e.compare(Comparison::Below, lane, e.i32(blocks)?)?)?;
        let block = if whole_cluster {
            lane
        } else {
            // The distance that belongs to the lane.
            let mut distance = signals.i32(targets.first().copied().unwrap_or(0).into())?;
            for (number, &target) in (0..).zip(targets).skip(1) {
                let own = signals.compare(Comparison::Equal, lane, signals.i32(number)?)?;
                distance = signals.select(own, signals.i32(target.into())?, distance)?;
            }
            signals.add(base, distance)?
        };
        signals.arrive_remote(signals.map_to_block(address, block)?, count)?;
        signals.yield_values(&[])?;
        let _ = op;
        Ok(())
    }

    /// The block that is at 0 on the axes of `set`, and elsewhere where block `rank` is.
    fn base(&self, e: &Emitter<'c, 'a>, rank: Mlir<'c, 'a>, set: &Reach) -> Lower<Mlir<'c, 'a>> {
        let shape = &self.plan.shape;
        let mut base = rank;
        for &axis in &set.axes {
            let (stride, extent) = (shape.cluster_stride(axis), shape.cluster[axis].1);
            let coordinate = e.binary("arith.divui", rank, e.i32(stride.into())?)?;
            let coordinate = e.binary("arith.remui", coordinate, e.i32(extent.into())?)?;
            let part = e.mul(coordinate, e.i32(stride.into())?)?;
            base = e.binary("arith.subi", base, part)?;
        }
        Ok(base)
    }

    /// `tg.barrier_arrive_expect_tx`.
    pub(super) fn barrier_arrive_expect_tx(&mut self, op: Op) -> Lower<()> {
        let bytes = self.module().attr_i64(op, "bytes").unwrap_or(0);
        let e = self.elected()?;
        let barrier = self.barrier(&e, op, "indices")?;
        if let Some(rank) = self.module().operand_named(op, "peer") {
            let rank = e.to_i32(self.number(op, rank)?)?;
            let address = e.map_to_block(barrier.address(&e)?, rank)?;
            return Ok(e.arrive_expect_remote(address, e.i32(bytes)?)?);
        }
        if barrier.ty.is_cluster() {
            return Err(unsupported(self.module(), op, "on a cluster barrier has no lowering").into());
        }
        let all_lanes = barrier.plan.counting == Counting::AllLanes;
        self.expect(&e, &barrier, bytes)?;
        if all_lanes {
            self.close()?;
            self.arrive_with_all_lanes(op, "indices", 1)?;
        }
        Ok(())
    }

    /// Announces `bytes`; on a barrier that counts elected arrivals, arrives as well.
    pub(super) fn expect(&self, e: &Emitter<'c, 'a>, barrier: &Barrier<'p, 'c, 'a>, bytes: i64) -> Lower<()> {
        match barrier.plan.counting {
            Counting::Elected => Ok(e.arrive_expect(barrier.group, barrier.index, e.index(bytes)?)?),
            Counting::AllLanes => Ok(e.expect_at(barrier.address(e)?, e.i32(bytes)?, Scope::Block)?),
        }
    }

    /// `tg.barrier_expect_tx`.
    pub(super) fn barrier_expect_tx(&mut self, op: Op) -> Lower<()> {
        let bytes = self.module().attr_i64(op, "bytes").unwrap_or(0);
        let e = self.elected()?;
        let barrier = self.barrier(&e, op, "indices")?;
        let address = barrier.address(&e)?;
        match self.module().operand_named(op, "peer") {
            Some(rank) => {
                let rank = e.to_i32(self.number(op, rank)?)?;
                Ok(e.expect_at(e.map_to_block(address, rank)?, e.i32(bytes)?, Scope::Cluster)?)
            }
            None => Ok(e.expect_at(address, e.i32(bytes)?, Scope::Block)?),
        }
    }

    /// `tg.barrier_wait_parity`. What peers have released is acquired at the scope of the cluster.
    pub(super) fn barrier_wait(&mut self, op: Op) -> Lower<()> {
        self.close()?;
        let e = self.e;
        let barrier = self.barrier(&e, op, "indices")?;
        let parity = self.named_number(op, "parity")?;
        match barrier.plan.remote && (barrier.ty.is_cluster() || has_remote_arrivals(self, op)) {
            true => Ok(e.wait_at(barrier.address(&e)?, parity, Scope::Cluster)?),
            false => Ok(e.wait(barrier.group, barrier.index, parity)?),
        }
    }

    /// `tg.barrier_test`.
    pub(super) fn barrier_test(&mut self, op: Op) -> Lower<()> {
        self.close()?;
        let e = self.e;
        let barrier = self.barrier(&e, op, "indices")?;
        let parity = self.named_number(op, "parity")?;
        let scope = if barrier.plan.remote { Scope::Cluster } else { Scope::Block };
        let done = e.test_at(barrier.address(&e)?, parity, scope)?;
        // What a thread does follows from the answer, so all its lanes need the same one.
        let done = match self.thread.single {
            true => done,
            false => self.same_in_all_lanes(done)?,
        };
        self.set_number(op, done);
        Ok(())
    }

    /// The answer that all lanes of the thread go by: whether all of them have seen the phase complete.
    fn same_in_all_lanes(&mut self, done: Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        let e = self.e;
        if self.crew().lanes != crate::lower::plan::shape::WARP {
            return self.join_all(done);
        }
        let all = e.i32(-1)?;
        let kind = ("kind", e.attribute("#nvvm<vote_sync_kind all>")?);
        Ok(e.value("nvvm.vote.sync", &[all, done], e.types().i1, &[kind])?)
    }
}

/// Whether any arrival on the barrier comes from another block by an arrive op (copies complete by themselves).
fn has_remote_arrivals(lowering: &Lowering<'_, '_, '_>, wait: Op) -> bool {
    let module = lowering.module();
    let root = crate::lower::plan::arrivals::barrier_root(module, wait);
    module.walk(lowering.plan.shape.op).into_iter().any(|op| {
        module.operand_named(op, "peer").is_some()
            && crate::lower::plan::arrivals::barrier_root(module, op) == root
    })
}
