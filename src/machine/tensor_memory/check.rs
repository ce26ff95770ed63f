//! Accesses to tensor memory: bounds, allocation, initialisation, order.

use super::{COLUMNS, LANES, TensorMemory, split};
use crate::clock::{ALL_LANES, Comp};
use crate::engine::{Op, Pipe, Track};
use crate::finding::{Code, Finding, Place};
use crate::hardware::{Actor, Hardware, Stop};
use crate::order::Knowledge;
use crate::shadow::{Access, Conflict, Epoch, Hit, Nature};

/// Where an access goes: `lanes` lanes from that of the address on, and columns by offset and count from it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window<'a> {
    /// `lane << 16 | column`
    pub address: u32,
    /// Lanes.
    pub lanes: u32,
    /// Runs of columns: offset from the address's column, and count.
    pub columns: &'a [(u32, u32)],
}

impl Hardware {
    /// A `tcgen05.ld` (`write`: `tcgen05.st`) of a warp: checks it, and gives the memory and the first lane in it. A store
    /// marks the cells as written when it writes them.
    ///
    /// The lane of the address is one of the warp's quarter, or one of the first 32 in any warp: then it counts from the
    /// start of its quarter (JAX's kernels give all warps the same address).
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: outside of the warp's quarter of the lanes, outside of tensor memory, not allocated.
    pub fn tensor_access(
        &mut self,
        actor: Actor,
        window: Window<'_>,
        write: bool,
    ) -> Result<(&mut TensorMemory, u32), Stop> {
        let what = if write { "tcgen05.st" } else { "tcgen05.ld" };
        let state = self.agent(actor.agent);
        let (rank, quarter) = (state.rank, state.index % 4);
        let (mut lane, column) = split(window.address);
        if lane < 32 {
            lane += quarter * 32;
        }
        if lane < quarter * 32 || lane + window.lanes > quarter * 32 + 32 {
            let message = format!(
                "{what} of lanes {lane} to {} by {}, which reaches lanes {} to {} only (32 times its rank in its warpgroup, and 31 on)",
                lane + window.lanes - 1,
                self.who(actor.agent, actor.lanes),
                quarter * 32,
                quarter * 32 + 31
            );
            let help = "add the lane to the address: (warp % 4) * 32 << 16";
            return self.tensor_misuse(actor, message, help);
        }
        for &(offset, count) in window.columns {
            self.tensor_bounds(actor, what, rank, (lane, window.lanes), (column + offset, count))?;
        }
        for &(offset, count) in window.columns {
            let range = (column + offset, count);
            if !write {
                self.tensor_written(actor, what, rank, (lane, window.lanes), range);
            }
            self.tensor_order_warp(actor, what, rank, 1 << quarter, range, write);
        }
        match self.tensor(rank) {
            Some(t) => Ok((t, lane)),
            None => Err(Stop),
        }
    }

    /// Lanes and columns that exist and are allocated.
    pub(super) fn tensor_bounds(
        &mut self,
        actor: Actor,
        what: &str,
        rank: u32,
        (lane, lanes): (u32, u32),
        (column, columns): (u32, u32),
    ) -> Result<(), Stop> {
        if lane + lanes > LANES || column + columns > COLUMNS {
            let who = self.who(actor.agent, actor.lanes);
            let message = format!(
                "{what} of {lanes} lanes from {lane} and {columns} columns from {column} of tensor memory, which has {LANES} lanes and {COLUMNS} columns"
            );
            return self.fail(Finding::new(Code::OutOfBounds, message).at(actor.place, format!("by {who}")));
        }
        let t = self.blocks.get(rank as usize).and_then(|b| b.tensor.as_deref());
        if t.is_some_and(|t| t.holds(column, columns)) {
            return Ok(());
        }
        let list = t.map_or("none".to_owned(), TensorMemory::list);
        let message = format!(
            "{what} of columns {column} to {} of tensor memory, which are not all allocated by the block of rank {rank}; it has {list}",
            column + columns - 1
        );
        let help = "tcgen05.alloc writes the address of allocated columns to shared memory: start from it, and stay within its count";
        self.tensor_misuse(actor, message, help)
    }

    /// Every cell has been written.
    pub(super) fn tensor_written(
        &mut self,
        actor: Actor,
        what: &str,
        rank: u32,
        (lane, lanes): (u32, u32),
        (column, columns): (u32, u32),
    ) {
        if !self.config.uninitialised {
            return;
        }
        let Some(t) = self.blocks.get(rank as usize).and_then(|b| b.tensor.as_deref()) else { return };
        let missing = (lane..lane + lanes)
            .find_map(|lane| t.written.first_missing((lane * COLUMNS + column) as usize, columns as usize));
        if let Some(cell) = missing {
            let (lane, column) = (cell as u32 / COLUMNS, cell as u32 % COLUMNS);
            let who = self.who(actor.agent, actor.lanes);
            let message = format!(
                "{what} reads lane {lane}, column {column} of tensor memory, which nothing has written"
            );
            self.report(
                Finding::new(Code::Uninitialised, message).at(actor.place, format!("read here by {who}")),
            );
        }
    }

    /// Order of an access by a warp. Loads and stores count for components of their own until they are waited for.
    pub(super) fn tensor_order_warp(
        &mut self,
        actor: Actor,
        what: &'static str,
        rank: u32,
        quarters: u32,
        columns: (u32, u32),
        write: bool,
    ) {
        if !self.config.races {
            return;
        }
        let knowledge = self.agent(actor.agent).order.joint(actor.lanes);
        let comp = if quarters == 0xf {
            let order = &self.agent(actor.agent).order;
            (order.comp, actor.lanes, order.time)
        } else {
            let (comp, time) = self.next_of(actor.agent, Track::Pipe(Pipe::TensorAccess), !write, what);
            (comp, ALL_LANES, time)
        };
        self.tensor_order(actor, what, comp, &knowledge, rank, (quarters, columns), write);
    }

    /// Bounds and order of an access by an asynchronous operation, to all lanes.
    pub(super) fn tensor_access_for(
        &mut self,
        op: &Op,
        rank: u32,
        columns: (u32, u32),
        write: bool,
    ) -> Result<(), Stop> {
        let actor = Actor { agent: op.agent, lanes: op.lanes, place: op.place };
        self.tensor_bounds(actor, op.what, rank, (0, LANES), columns)?;
        let (comp, time) = if write { op.writes } else { op.reads };
        let races = self.config.races;
        self.reach(actor, rank, races.then_some((comp, op.comp_lanes, time)))?;
        if races {
            let comp = (comp, op.comp_lanes, time);
            self.tensor_order(actor, op.what, comp, &op.knowledge, rank, (0xf, columns), write);
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "who, when, where and how of an access")]
    fn tensor_order(
        &mut self,
        actor: Actor,
        what: &str,
        (comp, lanes, time): (Comp, u32, u32),
        knowledge: &Knowledge,
        rank: u32,
        (quarters, (column, columns)): (u32, (u32, u32)),
        write: bool,
    ) {
        let epoch = Epoch { comp, lanes, time, place: actor.place, nature: Nature::Generic };
        let access = Access { epoch, knowledge, write, apart: false };
        let Some(t) = self.blocks.get_mut(rank as usize).and_then(|b| b.tensor.as_deref_mut()) else {
            return;
        };
        let mut first: Option<Hit> = None;
        for quarter in (0..4).filter(|q| quarters >> q & 1 == 1) {
            t.shadow.access((quarter * COLUMNS + column) * 4, columns * 4, &access, &mut |hit| {
                first.get_or_insert(hit);
            });
        }
        let Some(hit) = first else { return };
        let me = self.who(actor.agent, actor.lanes);
        let other = self.owner(hit.earlier.comp, hit.earlier.lanes);
        let (quarter, column) = (hit.offset / 4 / COLUMNS, hit.offset / 4 % COLUMNS);
        let now = if write { "written" } else { "read" };
        let then = if hit.conflict == Conflict::WriteAfterRead { "read" } else { "written" };
        let message = format!(
            "column {column}, lanes {} to {} of the tensor memory of rank {rank}: {now} ({what}) by {me} and {then} by {other}, with nothing to order the two",
            quarter * 32,
            quarter * 32 + 31
        );
        let mut finding = Finding::new(Code::Race, message)
            .at(actor.place, format!("{now} here by {me}"))
            .at(hit.earlier.place, format!("{then} here by {other}"))
            .help("tcgen05.mma and its like: tcgen05.commit on an mbarrier, and wait for it; tcgen05.ld and st: tcgen05.wait, then a barrier");
        if hit.earlier.place == Place::NONE {
            finding.labels.pop();
        }
        self.report(finding);
    }
}
