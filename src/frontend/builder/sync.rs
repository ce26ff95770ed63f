//! Barriers, synchronisation, and what else a thread does besides moving data.

use super::body::{Body, condition};
use super::core::{Core, word_attr};
use super::place::{AnyBarrier, IntoBarrier};
use super::scalar::{IntoScalar, Scalar};
use crate::frontend::error::{BuildErrorKind, Site};
use crate::ir::ops::TgOp;
use crate::ir::types::MAX_ARRIVALS;

/// What [`Body::set_max_registers`] does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Registers {
    /// Takes registers that others have given back.
    Increase,
    /// Gives registers back.
    Decrease,
}

/// The most bytes that a barrier counts.
const MAX_BYTES: i64 = (1 << 20) - 1;

impl Body {
    // ---- barriers ----

    /// Makes one arrival on a barrier. Whoever waits for the phase sees what this thread has done.
    #[track_caller]
    pub fn barrier_arrive(&self, barrier: impl IntoBarrier) {
        let site = Site::here();
        self.with(|core| arrive(core, &barrier.into_barrier(), None, site));
    }
    /// Makes `count` arrivals at once on a barrier.
    #[track_caller]
    pub fn barrier_arrive_many(&self, barrier: impl IntoBarrier, count: i64) {
        let site = Site::here();
        self.with(|core| arrive(core, &barrier.into_barrier(), Some(count), site));
    }
    /// Announces `bytes` to the current phase of a barrier, then makes one arrival on it.
    #[track_caller]
    pub fn barrier_arrive_expect_tx(&self, barrier: impl IntoBarrier, bytes: i64) {
        let (site, barrier) = (Site::here(), barrier.into_barrier());
        self.with(|core| {
            let found = barrier.find(core, site)?;
            check_bytes(core, bytes, site)?;
            core.op(site, TgOp::BarrierArriveExpectTx, |b| {
                let (indices, statics) = b.split_indices(&found.indices);
                let bytes = b.module.i64_attr(bytes);
                b.tg_barrier_arrive_expect_tx(found.value, &indices, found.peer, statics, bytes)
            })
        });
    }
    /// Announces `bytes` to the current phase of a barrier; it makes no arrival.
    #[track_caller]
    pub fn barrier_expect_tx(&self, barrier: impl IntoBarrier, bytes: i64) {
        let (site, barrier) = (Site::here(), barrier.into_barrier());
        self.with(|core| {
            let found = barrier.find(core, site)?;
            check_bytes(core, bytes, site)?;
            core.op(site, TgOp::BarrierExpectTx, |b| {
                let (indices, statics) = b.split_indices(&found.indices);
                let bytes = b.module.i64_attr(bytes);
                b.tg_barrier_expect_tx(found.value, &indices, found.peer, statics, bytes)
            })
        });
    }
    /// Waits for the next completion of a barrier that this thread has not yet seen. The parity is kept for you.
    #[track_caller]
    pub fn barrier_wait(&self, barrier: impl IntoBarrier) {
        let site = Site::here();
        self.with(|core| wait(core, &barrier.into_barrier(), site));
    }
    /// Waits until the phase of that parity has completed. On a fresh barrier parity 1 (true) passes at once.
    #[track_caller]
    pub fn barrier_wait_parity(&self, barrier: impl IntoBarrier, parity: impl IntoScalar) {
        let (site, barrier, parity) = (Site::here(), barrier.into_barrier(), parity.into_arg());
        self.with(|core| {
            let found = barrier.find_own(core, "barrier_wait_parity", site);
            let parity = condition(core, "parity", parity, site);
            let (found, parity) = (found?, parity?);
            core.op(site, TgOp::BarrierWaitParity, |b| {
                let (indices, statics) = b.split_indices(&found.indices);
                b.tg_barrier_wait_parity(found.value, &indices, parity, statics)
            })
        });
    }
    /// Whether the phase of that parity has completed; never blocks.
    #[track_caller]
    pub fn barrier_test(&self, barrier: impl IntoBarrier, parity: impl IntoScalar) -> Scalar {
        let (site, barrier, parity) = (Site::here(), barrier.into_barrier(), parity.into_arg());
        Scalar::of(self.make(|core| {
            let found = barrier.find_own(core, "barrier_test", site);
            let parity = condition(core, "parity", parity, site);
            let (found, parity) = (found?, parity?);
            let made = core.result(site, TgOp::BarrierTest, |b| {
                let (indices, statics) = b.split_indices(&found.indices);
                b.tg_barrier_test(found.value, &indices, parity, statics)
            });
            made.value
        }))
    }
    /// Starts the life of a barrier allocated with
    /// [`scratch_uninitialized`](super::KernelBuilder::scratch_uninitialized); of the whole group without indices.
    #[track_caller]
    pub fn init_barrier(&self, barrier: impl IntoBarrier) {
        let (site, barrier) = (Site::here(), barrier.into_barrier());
        self.with(|core| {
            let found = whole_or_one(core, &barrier, "init_barrier", site)?;
            core.op(site, TgOp::InitBarrier, |b| {
                let (indices, statics) = b.split_indices(&found.indices);
                b.tg_init_barrier(found.value, &indices, statics)
            })
        });
    }
    /// Ends the life of a barrier; of the whole group without indices.
    #[track_caller]
    pub fn inval_barrier(&self, barrier: impl IntoBarrier) {
        let (site, barrier) = (Site::here(), barrier.into_barrier());
        self.with(|core| {
            let found = whole_or_one(core, &barrier, "inval_barrier", site)?;
            core.op(site, TgOp::InvalBarrier, |b| {
                let (indices, statics) = b.split_indices(&found.indices);
                b.tg_inval_barrier(found.value, &indices, statics)
            })
        });
    }

    // ---- copies, fences, joins ----

    /// Closes the group of the copies to global memory that this thread has started since the last one.
    #[track_caller]
    pub fn commit_group(&self) {
        let site = Site::here();
        self.with(|core| core.op(site, TgOp::CommitGroup, |b| b.tg_commit_group()));
    }
    /// Waits until at most `count` groups of this thread's copies to global memory are unfinished.
    #[track_caller]
    pub fn wait_smem_to_gmem(&self, count: i64) {
        self.wait_groups(count, false, Site::here());
    }
    /// Waits until at most `count` groups of this thread's copies to global memory still read shared memory.
    #[track_caller]
    pub fn wait_smem_to_gmem_read(&self, count: i64) {
        self.wait_groups(count, true, Site::here());
    }
    fn wait_groups(&self, count: i64, read_only: bool, site: Site) {
        self.with(|core| {
            if count < 0 {
                let dtype = crate::frontend::DType::Index;
                core.error(BuildErrorKind::ConstantRange { value: count.to_string(), dtype }, site);
                return None;
            }
            core.op(site, TgOp::WaitSmemToGmem, |b| {
                let count = b.module.i64_attr(count);
                let read_only = read_only.then(|| b.module.attrs.unit());
                b.tg_wait_smem_to_gmem(count, read_only)
            })
        });
    }
    /// Publishes this thread's stores to shared memory to TMA and tensor cores, and joins its lanes.
    #[track_caller]
    pub fn commit_smem(&self) {
        let site = Site::here();
        self.with(|core| core.op(site, TgOp::CommitSmem, |b| b.tg_commit_smem()));
    }
    /// Joins the lanes of the executing thread.
    #[track_caller]
    pub fn thread_sync(&self) {
        let site = Site::here();
        self.with(|core| core.op(site, TgOp::ThreadSync, |b| b.tg_thread_sync()));
    }
    /// Joins all threads of the block; every one of them must execute it.
    #[track_caller]
    pub fn block_sync(&self) {
        let site = Site::here();
        self.with(|core| core.op(site, TgOp::BlockSync, |b| b.tg_block_sync()));
    }
    /// Joins all threads of all blocks of the cluster; every one of them must execute it.
    #[track_caller]
    pub fn cluster_sync(&self) {
        let site = Site::here();
        self.with(|core| core.op(site, TgOp::ClusterSync, |b| b.tg_cluster_sync()));
    }

    // ---- the rest ----

    /// Changes the number of registers that each lane of the executing warpgroup has: a multiple of 8, 24 to 256.
    #[track_caller]
    pub fn set_max_registers(&self, count: i64, action: Registers) {
        let site = Site::here();
        self.with(|core| {
            check_registers(core, count, site)?;
            core.op(site, TgOp::SetMaxRegisters, |b| {
                let word = if action == Registers::Increase { "increase" } else { "decrease" };
                let action = word_attr(b, TgOp::SetMaxRegisters, "action", word);
                let count = b.module.i64_attr(count);
                b.tg_set_max_registers(count, action)
            })
        });
    }
    /// Prints a line from one lane of the executing thread; each `{}` of the format stands for an argument.
    #[track_caller]
    pub fn debug_print(&self, format: &str, args: impl IntoIterator<Item = Scalar>) {
        let site = Site::here();
        let args: Vec<Scalar> = args.into_iter().collect();
        self.with(|core| {
            let placeholders = format.matches("{}").count();
            if placeholders != args.len() {
                core.error(BuildErrorKind::FormatArguments { placeholders, args: args.len() }, site);
                return None;
            }
            let values: Option<Vec<_>> = args.iter().map(|arg| arg.value(core, site)).collect();
            let values = values?;
            core.op(site, TgOp::DebugPrint, |b| {
                let format = b.module.attrs.str(format);
                b.tg_debug_print(&values, format)
            })
        });
    }
    /// Stops the kernel with the message when the condition is false.
    #[track_caller]
    pub fn assert(&self, holds: impl IntoScalar, message: &str) {
        let (site, holds) = (Site::here(), holds.into_arg());
        self.with(|core| {
            let holds = condition(core, "assert", holds, site)?;
            core.op(site, TgOp::Assert, |b| {
                let message = b.module.attrs.str(message);
                b.tg_assert(holds, message)
            })
        });
    }
}

pub(super) fn arrive(core: &mut Core, barrier: &AnyBarrier, count: Option<i64>, site: Site) -> Option<()> {
    let found = barrier.find(core, site)?;
    if let Some(found) = count.filter(|count| !(1..=MAX_ARRIVALS).contains(count)) {
        core.error(BuildErrorKind::ArrivalCount { found }, site);
        return None;
    }
    core.op(site, TgOp::BarrierArrive, |b| {
        let (indices, statics) = b.split_indices(&found.indices);
        let count = count.filter(|&count| count != 1).map(|count| b.module.i64_attr(count));
        b.tg_barrier_arrive(found.value, &indices, found.peer, statics, count)
    })
    .map(|_| ())
}

pub(super) fn wait(core: &mut Core, barrier: &AnyBarrier, site: Site) -> Option<()> {
    // A thread waits on its own block's barrier: mbarrier waits reach no further.
    let found = barrier.find_own(core, "barrier_wait", site)?;
    core.op(site, TgOp::BarrierWait, |b| {
        let (indices, statics) = b.split_indices(&found.indices);
        b.tg_barrier_wait(found.value, &indices, None, statics)
    })
    .map(|_| ())
}

/// A barrier, or without indices the whole group.
fn whole_or_one(
    core: &mut Core,
    barrier: &AnyBarrier,
    op: &'static str,
    site: Site,
) -> Option<super::place::FoundBarrier> {
    if barrier.indices.is_empty() && barrier.peer.is_none() {
        let value = core.value(barrier.raw, site)?;
        return Some(super::place::FoundBarrier { value, indices: Vec::new(), peer: None });
    }
    barrier.find_own(core, op, site)
}

fn check_bytes(core: &mut Core, found: i64, site: Site) -> Option<()> {
    if (0..=MAX_BYTES).contains(&found) {
        return Some(());
    }
    core.error(BuildErrorKind::ExpectedBytes { found }, site);
    None
}

pub(super) fn check_registers(core: &mut Core, found: i64, site: Site) -> Option<()> {
    if (24..=256).contains(&found) && found % 8 == 0 {
        return Some(());
    }
    core.error(BuildErrorKind::Registers { found }, site);
    None
}
