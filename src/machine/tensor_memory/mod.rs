//! Tensor memory of a block: 128 lanes by 512 columns of 32 bits, who has allocated which columns, who touched them
//! (PTX ISA "Tensor Memory" and "Tensor Memory Allocation" of the tcgen05 instructions).
//!
//! An address is `lane << 16 | column`. Columns are allocated in powers of two of at least 32. With `cta_group::2` a warp
//! of each block of a pair allocates, both with the same instruction, and both get the same columns; blocks 2i and
//! 2i + 1 of a cluster are a pair.
//!
//! Races are found by column and by quarter of the lanes (the 32 lanes that one warp of a warpgroup reaches). There is no
//! proxy in tensor memory: whatever is ordered is seen. Loads and stores by warps are asynchronous until
//! `tcgen05.wait`; they count for components of their own, which the warp learns of when it waits.

mod check;
mod copy;
mod mma;
mod pair;

pub use check::Window;
pub use copy::{Copy, CopyShape};
pub use mma::{AOperand, Mma, Scaling};

use crate::engine::{Done, Effect, Issue, Pipe, Track};
use crate::finding::{Code, Finding, Place};
use crate::hardware::{Actor, AgentId, Hardware, Stop};
use crate::memory::Written;
use crate::shadow::Shadow;
use mma::Scratch;

/// Lanes of tensor memory.
pub const LANES: u32 = 128;
/// Columns of tensor memory.
pub const COLUMNS: u32 = 512;
/// Columns are allocated in units of these many.
const UNIT: u32 = 32;

/// The lane and the column of an address.
pub fn split(address: u32) -> (u32, u32) {
    (address >> 16, address & 0xffff)
}

/// Columns that a block has allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Allocation {
    first: u32,
    columns: u32,
    place: Place,
}

/// An allocation by a pair of blocks that waits for its other half.
#[derive(Clone, Copy, Debug)]
struct Request {
    agent: AgentId,
    place: Place,
    columns: u32,
    /// The other block has found columns for both.
    granted: Option<u32>,
}

/// The tensor memory of a block. See the module.
pub struct TensorMemory {
    /// Lane by lane, so that a row of an accumulator is one run.
    cells: Box<[u32]>,
    /// One bit a cell.
    written: Written,
    /// Quarter by quarter, four bytes a column.
    shadow: Shadow,
    allocations: Vec<Allocation>,
    relinquished: Option<Place>,
    /// The `cta_group` of the first instruction that had one: all have to have the same.
    group: Option<(u32, Place)>,
    request: Option<Request>,
    scratch: Scratch,
}

impl Default for TensorMemory {
    fn default() -> TensorMemory {
        let cells = (LANES * COLUMNS) as usize;
        TensorMemory {
            cells: vec![0; cells].into_boxed_slice(),
            written: Written::new(cells),
            shadow: Shadow::new(),
            allocations: Vec::new(),
            relinquished: None,
            group: None,
            request: None,
            scratch: Scratch::default(),
        }
    }
}

impl TensorMemory {
    /// Cells of a lane from a column on; none when they are not all there.
    #[inline]
    pub fn row(&self, lane: u32, column: u32, len: u32) -> &[u32] {
        let first = (lane * COLUMNS + column) as usize;
        self.cells.get(first..first + len as usize).unwrap_or(&[])
    }

    /// The same, to write to; they count as written.
    #[inline]
    pub fn row_mut(&mut self, lane: u32, column: u32, len: u32) -> &mut [u32] {
        let first = (lane * COLUMNS + column) as usize;
        self.written.set(first, len as usize);
        self.cells.get_mut(first..first + len as usize).unwrap_or(&mut [])
    }

    /// The allocated columns: first and count.
    pub fn allocated(&self) -> impl Iterator<Item = (u32, u32)> {
        self.allocations.iter().map(|a| (a.first, a.columns))
    }

    fn holds(&self, first: u32, columns: u32) -> bool {
        (first..first + columns)
            .all(|c| self.allocations.iter().any(|a| c >= a.first && c < a.first + a.columns))
    }

    fn is_free(&self, first: u32, columns: u32) -> bool {
        first + columns <= COLUMNS
            && self.allocations.iter().all(|a| a.first + a.columns <= first || first + columns <= a.first)
    }

    fn free_run(&self, columns: u32) -> Option<u32> {
        (0..COLUMNS).step_by(UNIT as usize).find(|&first| self.is_free(first, columns))
    }

    fn list(&self) -> String {
        let each = self.allocations.iter().map(|a| format!("{} columns from {}", a.columns, a.first));
        let list: Vec<_> = each.collect();
        if list.is_empty() { "none".to_owned() } else { list.join(", ") }
    }
}

impl Hardware {
    /// The tensor memory of a block, made when first used.
    pub fn tensor(&mut self, rank: u32) -> Option<&mut TensorMemory> {
        let block = self.blocks.get_mut(rank as usize)?;
        Some(block.tensor.get_or_insert_default())
    }

    fn tensor_misuse<T>(&mut self, actor: Actor, message: String, help: &str) -> Result<T, Stop> {
        let who = self.who(actor.agent, actor.lanes);
        let finding =
            Finding::new(Code::TensorMemory, message).at(actor.place, format!("by {who}")).help(help);
        self.fail(finding)
    }

    /// Checks an instruction's `cta_group`: all of a kernel have the same, and 2 needs a pair of blocks. Gives the
    /// ranks of the even and the odd block (the same one twice with `cta_group::1`).
    fn tensor_group(&mut self, actor: Actor, group: u32, what: &str) -> Result<(u32, u32), Stop> {
        let rank = self.agent(actor.agent).rank;
        let blocks = self.blocks.len() as u32;
        if group == 2 && (rank | 1) >= blocks {
            let message = format!(
                "{what} with cta_group::2 in a block of rank {rank} of a cluster of {blocks}: it has no other block to pair with"
            );
            return self.tensor_misuse(actor, message, "launch clusters of an even number of blocks");
        }
        let before = self.tensor(rank).and_then(|t| {
            t.group.get_or_insert((group, actor.place));
            t.group.filter(|g| g.0 != group)
        });
        if let Some((other, place)) = before {
            let message =
                format!("{what} with cta_group::{group} in a kernel that also uses cta_group::{other}");
            let finding = Finding::new(Code::TensorMemory, message)
                .at(actor.place, format!("cta_group::{group} here"))
                .at(place, format!("cta_group::{other} here"))
                .help("all tcgen05 instructions of a kernel have the same cta_group");
            return self.fail(finding);
        }
        Ok(if group == 2 { (rank & !1, rank | 1) } else { (rank, rank) })
    }

    /// `tcgen05.alloc`: the address of the first column, or nothing while the warp has to wait for
    /// [`crate::hardware::WaitOn::TensorColumns`] (then the same call is made again).
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: a count that is no power of two from 32 to 512, an allocation after
    /// `relinquish_alloc_permit`, different counts of a pair, mixed `cta_group`s.
    pub fn tensor_alloc(&mut self, actor: Actor, group: u32, columns: u32) -> Result<Option<u32>, Stop> {
        const WHAT: &str = "tcgen05.alloc";
        self.tensor_group(actor, group, WHAT)?;
        self.tensor_count(actor, WHAT, columns)?;
        let rank = self.agent(actor.agent).rank;
        if let Some(place) = self.tensor(rank).and_then(|t| t.relinquished) {
            let message = "tcgen05.alloc after tcgen05.relinquish_alloc_permit of the same block".to_owned();
            let finding = Finding::new(Code::TensorMemory, message)
                .at(actor.place, "allocates here")
                .at(place, "the block gave up its permit here")
                .help("relinquish the permit after the block's last allocation");
            return self.fail(finding);
        }
        let first = if group == 2 {
            self.tensor_alloc_pair(actor, columns)?
        } else {
            self.tensor(rank).and_then(|t| {
                let first = t.free_run(columns)?;
                t.allocations.push(Allocation { first, columns, place: actor.place });
                Some(first)
            })
        };
        if let Some(first) = first {
            self.version += 1;
            self.tensor_begin(rank, first, columns);
        }
        Ok(first)
    }

    /// A warp gets its columns: what was in them, and who touched them, is forgotten (whoever gave them back knew of
    /// it, and comes before).
    fn tensor_begin(&mut self, rank: u32, first: u32, columns: u32) {
        let Some(t) = self.tensor(rank) else { return };
        for lane in 0..LANES {
            t.written.unset((lane * COLUMNS + first) as usize, columns as usize);
        }
        for quarter in 0..4 {
            t.shadow.forget((quarter * COLUMNS + first) * 4, columns * 4);
        }
    }

    /// Whether a warp that waits for columns would get them now.
    pub(crate) fn tensor_ready(&self, actor: Actor, columns: u32) -> bool {
        let rank = self.agent(actor.agent).rank as usize;
        let Some(own) = self.blocks.get(rank).and_then(|b| b.tensor.as_deref()) else { return true };
        match own.request {
            None => own.free_run(columns).is_some(),
            Some(r) if r.agent != actor.agent => false,
            Some(r) => r.granted.is_some() || self.tensor_pair_ready(rank, columns),
        }
    }

    fn tensor_count(&mut self, actor: Actor, what: &str, columns: u32) -> Result<(), Stop> {
        if columns.is_power_of_two() && (UNIT..=COLUMNS).contains(&columns) {
            return Ok(());
        }
        let message = format!("{what} of {columns} columns");
        self.tensor_misuse(actor, message, "the count is a power of two from 32 to 512")
    }

    /// `tcgen05.dealloc`: what touched the columns has to be known to the warp.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: not what was allocated, a wrong count, mixed `cta_group`s.
    pub fn tensor_dealloc(
        &mut self,
        actor: Actor,
        group: u32,
        address: u32,
        columns: u32,
    ) -> Result<(), Stop> {
        const WHAT: &str = "tcgen05.dealloc";
        self.tensor_group(actor, group, WHAT)?;
        self.tensor_count(actor, WHAT, columns)?;
        let rank = self.agent(actor.agent).rank;
        let list = self.tensor(rank).map(|t| t.list()).unwrap_or_default();
        let index = self
            .tensor(rank)
            .and_then(|t| t.allocations.iter().position(|a| a.first == address && a.columns == columns));
        let Some(index) = index else {
            let message = format!(
                "tcgen05.dealloc of {columns} columns at address {address:#x}, which is no allocation of the block; it has {list}"
            );
            let help = "give back what tcgen05.alloc gave: its address, with the same count, once";
            return self.tensor_misuse(actor, message, help);
        };
        self.tensor_order_warp(actor, WHAT, rank, 0xf, (address, columns), true);
        if let Some(t) = self.tensor(rank) {
            t.allocations.swap_remove(index);
        }
        self.version += 1;
        Ok(())
    }

    /// `tcgen05.relinquish_alloc_permit`
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: mixed `cta_group`s.
    pub fn tensor_relinquish(&mut self, actor: Actor, group: u32) -> Result<(), Stop> {
        self.tensor_group(actor, group, "tcgen05.relinquish_alloc_permit")?;
        let rank = self.agent(actor.agent).rank;
        if let Some(t) = self.tensor(rank) {
            t.relinquished.get_or_insert(actor.place);
        }
        Ok(())
    }

    /// `tcgen05.commit`: an arrival on each of these barriers (shared addresses) when all that the thread has issued
    /// before is done.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: mixed `cta_group`s.
    pub fn tensor_commit(&mut self, actor: Actor, group: u32, barriers: &[u32]) -> Result<(), Stop> {
        const WHAT: &str = "tcgen05.commit";
        self.tensor_group(actor, group, WHAT)?;
        self.issue(Issue {
            agent: actor.agent,
            lanes: actor.lanes,
            place: actor.place,
            what: WHAT,
            track: Track::Pipe(Pipe::Tcgen05),
            group: None,
            after: Default::default(),
            effect: Effect::None,
            done: barriers.iter().map(|&barrier| Done::Arrive { barrier, count: 1 }).collect(),
            generic: false,
        });
        Ok(())
    }

    /// `tcgen05.wait::ld` and `::st`: the warp knows that its loads (stores) are done.
    pub fn tensor_wait(&mut self, actor: Actor, stores: bool) {
        if !self.config.races {
            return;
        }
        let key = (Track::Pipe(Pipe::TensorAccess), !stores);
        let state = self.agent_mut(actor.agent);
        if let Some(&(comp, time)) = state.tracks.get(&key) {
            state.order.learn(actor.lanes, comp, crate::clock::ALL_LANES, time);
        }
    }

    /// A block has ended: its columns have to be given back.
    pub(crate) fn tensor_ended(&mut self, rank: u32, place: Place) {
        let Some(block) = self.blocks.get(rank as usize) else { return };
        let Some(t) = block.tensor.as_deref() else { return };
        let Some(left) = t.allocations.first().copied() else { return };
        let message = format!("block {:?} ends with tensor memory allocated: {}", block.ctaid, t.list());
        let finding = Finding::new(Code::TensorMemory, message)
            .at(left.place, "allocated here")
            .at(place, "the block's last warp ends here")
            .help("tcgen05.dealloc all columns before the block ends");
        self.report(finding);
    }
}

#[cfg(test)]
mod tests;
