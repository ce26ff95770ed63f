//! The executing thread: its lanes, the one that acts for all, and joins.

use melior::ir::{Type as MlirType, Value as Mlir};
use tidegate_ir::diag::codes;

use super::{Lower, Lowering, refuse};
use crate::lower::{
    mlir::emit::{Comparison, Emitter},
    plan::shape::{Crew, WARP},
};

/// Who executes.
#[derive(Clone, Debug)]
pub(super) struct Thread<'c, 'a> {
    /// The number of its crew in the plan.
    pub(super) crew: usize,
    /// The lane of the block, `i32`.
    pub(super) tid: Mlir<'c, 'a>,
    /// The lane of the thread, `i32`.
    pub(super) lane: Mlir<'c, 'a>,
    /// The number of the thread in its crew, `i32`, when there are several.
    pub(super) index: Option<Mlir<'c, 'a>>,
    /// Whether the lane is the thread's first.
    pub(super) elected: Mlir<'c, 'a>,
    /// Whether only that lane executes.
    pub(super) single: bool,
    /// Whether the thread is the whole block.
    pub(super) whole_block: bool,
    /// The named barriers of the crew's threads, once one was needed.
    pub(super) barriers: Vec<u32>,
}

impl<'c, 'a> Thread<'c, 'a> {
    /// The thread of lane `tid`, in crew number `number`.
    pub(super) fn new(
        e: &Emitter<'c, 'a>,
        tid: Mlir<'c, 'a>,
        number: usize,
        crew: &Crew,
        block_lanes: u32,
    ) -> Lower<Self> {
        let whole = crew.total_lanes() == block_lanes;
        let relative = match crew.first_lane {
            0 => tid,
            first => e.binary("arith.subi", tid, e.i32(first.into())?)?,
        };
        let (lane, index) = match crew.threads {
            1 => (relative, None),
            _ => {
                let lanes = e.i32(crew.lanes.into())?;
                let lane = e.binary("arith.remui", relative, lanes)?;
                (lane, Some(e.binary("arith.divui", relative, lanes)?))
            }
        };
        let elected = match crew.threads {
            1 => e.compare(Comparison::Equal, tid, e.i32(crew.first_lane.into())?)?,
            _ => e.compare(Comparison::Equal, lane, e.i32(0)?)?,
        };
        Ok(Self {
            crew: number,
            tid,
            lane,
            index,
            elected,
            single: false,
            whole_block: whole && crew.threads == 1,
            barriers: Vec::new(),
        })
    }
}

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// Where ops of the elected lane go. Ops that follow one another share a branch.
    pub(super) fn elected(&mut self) -> Lower<Emitter<'c, 'a>> {
        if self.thread.single {
            return Ok(self.e);
        }
        if let Some(open) = self.open {
            return Ok(open);
        }
        let (then, op) = self.e.if_then_op(self.thread.elected)?;
        // What has no effects goes before the branch, so that ops in it may use it.
        self.e = self.e.before(Some(op));
        self.open = Some(then);
        Ok(then)
    }

    /// Ends the branch of the elected lane: an op of all lanes comes.
    pub(super) fn close(&mut self) -> Lower<()> {
        if let Some(open) = self.open.take() {
            open.yield_values(&[])?;
            self.e = self.e.before(None);
        }
        Ok(())
    }

    /// Joins the lanes of the thread.
    pub(super) fn join(&mut self) -> Lower<()> {
        if self.thread.single {
            return Ok(());
        }
        self.close()?;
        let crew = self.crew();
        if crew.lanes == WARP {
            return Ok(self.e.warp_barrier()?);
        }
        if self.thread.whole_block {
            return Ok(self.e.block_barrier()?);
        }
        self.at_own_barrier(&[], &|e, id, lanes| {
            e.named_barrier(id, lanes)?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Joins the lanes of the thread, a warpgroup or more; gives whether `flag`, an `i1`, is true in all of them.
    pub(super) fn join_all(&mut self, flag: Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        if self.thread.whole_block {
            return Ok(self.e.all_lanes(0, self.crew().lanes, flag)?);
        }
        let i1 = self.e.types().i1;
        let all = self.at_own_barrier(&[i1], &|e, id, lanes| Ok(vec![e.all_lanes(id, lanes, flag)?]))?;
        Ok(all.first().copied().unwrap_or(flag))
    }

    /// Has each thread of the crew act on its own named barrier, by constant numbers: with a computed one `ptxas`
    /// reserves all 16.
    #[allow(clippy::type_complexity, reason = "two uses")]
    fn at_own_barrier(
        &mut self,
        results: &[MlirType<'c>],
        act: &dyn Fn(&Emitter<'c, 'a>, u32, u32) -> Lower<Vec<Mlir<'c, 'a>>>,
    ) -> Lower<Vec<Mlir<'c, 'a>>> {
        let ids = self.barrier_ids()?;
        let mut e = self.e;
        let mut ends = Vec::new();
        let (Some((&last, others)), lanes) = (ids.split_last(), self.crew().lanes) else {
            return Ok(Vec::new());
        };
        for (number, &id) in others.iter().enumerate() {
            let Some(index) = self.thread.index else { break };
            let number = i64::try_from(number).unwrap_or(i64::MAX);
            let own = e.if_else(e.compare(Comparison::Equal, index, e.i32(number)?)?, results)?;
            let values = act(&own.then, id, lanes)?;
            own.then.yield_values(&values)?;
            e = own.otherwise;
            ends.push(own);
        }
        let mut values = act(&e, last, lanes)?;
        for own in ends.into_iter().rev() {
            own.otherwise.yield_values(&values)?;
            values = own.results;
        }
        Ok(values)
    }

    /// The named barriers of the threads of the crew.
    fn barrier_ids(&mut self) -> Lower<Vec<u32>> {
        if self.thread.barriers.is_empty() {
            let crew = self.crew();
            let first = self.named_barriers + 1;
            self.named_barriers += crew.threads;
            if self.named_barriers > 15 {
                let message = "the threads of the block need more than 15 named barriers to join their lanes";
                return Err(refuse(self.module(), crew.op, codes::NAMED_BARRIER_LIMIT, message).into());
            }
            self.thread.barriers = (first..=self.named_barriers).collect();
        }
        Ok(self.thread.barriers.clone())
    }
}
