//! Matrix multiply-accumulate by warpgroups (ISA 9.7.15, "Asynchronous Warpgroup Level Matrix Instructions"):
//! `wgmma.mma_async`, `wgmma.fence`, `wgmma.commit_group`, `wgmma.wait_group`.
//!
//! Each warp of a warpgroup does its own 16 rows of the 64: an asynchronous operation of the warp, on its pipe, that
//! happens when the machine says so: after its issue and before the `wgmma.wait_group` that covers it returns.
//! Until then the registers of D and A belong to it.

mod decode;
mod product;
#[cfg(test)]
mod tests;

use super::tile::Element;
use crate::exec::{Exec, Flow, Locked};
use crate::isa::asynchronous::Work;
use crate::regs::{Base, Lanes32, S32, S64, SP};
pub(super) use decode::decode;
use std::collections::VecDeque;
use std::sync::Arc;
use tidegate_machine::engine::{Effect, Groups, Issue, OpId, Pipe, Track};
use tidegate_machine::finding::{Code, Finding};
use tidegate_machine::hardware::Stop;
use tidegate_machine::matrix::{Major, SmemMatrix};
use tidegate_machine::memory::RESERVED;

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `wgmma.mma_async`
    Mma(Arc<Mma>),
    /// `wgmma.fence`
    Fence,
    /// `wgmma.commit_group`
    Commit,
    /// `wgmma.wait_group`: how many of the latest groups may be pending.
    Wait(u32),
}

/// The type of D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Accumulator {
    F32,
    F16,
    S32,
}

/// Where A is.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Four registers of each thread: the warp's 16 rows, 32 bytes of each.
    Registers([S32; 4]),
    /// Behind a descriptor.
    Shared(S64),
}

/// A `wgmma.mma_async`. All have 32 bytes of K: 16 numbers of 16 bits, 256 of one.
#[derive(Debug)]
pub struct Mma {
    /// Columns of D.
    n: usize,
    /// Columns of A.
    k: usize,
    accumulator: Accumulator,
    a_type: Element,
    b_type: Element,
    d: Vec<S32>,
    a: Source,
    b: S64,
    /// D is added to where this predicate (negated) holds.
    scale_d: (SP, bool),
    negate_a: bool,
    negate_b: bool,
    a_major: Major,
    b_major: Major,
    satfinite: bool,
}

/// What a warp remembers of its WGMMAs.
#[derive(Debug, Default)]
pub struct State {
    /// The latest one.
    last: Option<OpId>,
    /// Of each committed group that was not waited for: the latest operation up to its end.
    groups: VecDeque<Option<OpId>>,
    /// The 32-bit registers as they were at the last `wgmma.fence` (or as a WGMMA left them), and the absolute slot of
    /// the first. Empty before the first fence.
    fenced: (u32, Vec<Lanes32>),
}

/// What locks are called, by the accumulator: WGMMAs of the same shape may follow each other on the same registers.
const WHAT: [&str; 3] =
    ["wgmma.mma_async with f32 sums", "wgmma.mma_async with f16 sums", "wgmma.mma_async with s32 sums"];
const WHAT_A: &str = "wgmma.mma_async that reads A from registers";

impl Op {
    /// Whether the instruction looks at locks of a kind by itself.
    pub(super) fn continues(&self, what: &str) -> bool {
        matches!(self, Op::Mma(_)) && (what == WHAT_A || WHAT.contains(&what))
    }

    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        if let Some(flow) = x.aligned()? {
            return Ok(flow);
        }
        match self {
            Op::Mma(mma) => mma.issue(x),
            Op::Fence => {
                if x.hw.config.races {
                    let base = x.regs.base().r32;
                    let fenced = &mut x.state.wgmma.fenced;
                    fenced.0 = base;
                    fenced.1.clear();
                    fenced.1.extend_from_slice(x.regs.frame32());
                }
                Ok(Flow::Next)
            }
            Op::Commit => {
                x.hw.commit_group(x.actor(), Groups::Wgmma);
                let state = &mut x.state.wgmma;
                state.groups.push_back(state.last);
                Ok(Flow::Next)
            }
            Op::Wait(allow) => {
                if let Some(on) = x.hw.wait_group(x.actor(), Groups::Wgmma, *allow, false, false) {
                    return Ok(Flow::Wait(on));
                }
                release(x, *allow);
                Ok(Flow::Next)
            }
        }
    }
}

/// Registers of the operations of all groups but the latest `allow` are the warp's again.
fn release(x: &mut Exec<'_>, allow: u32) {
    let state = &mut *x.state;
    let done = state.wgmma.groups.len().saturating_sub(allow as usize);
    let Some(upto) = state.wgmma.groups.drain(..done).next_back().flatten() else { return };
    let (first, fenced) = &mut state.wgmma.fenced;
    state.locked.retain(|locked| {
        let ours = locked.what == WHAT_A || WHAT.contains(&locked.what);
        if !ours || locked.op > upto {
            return true;
        }
        // What the operations wrote is in order with later WGMMAs without a fence.
        for &slot in &locked.slots {
            let kept = slot.checked_sub(*first).and_then(|i| fenced.get_mut(i as usize));
            if let (Some(kept), Some(now)) = (kept, x.regs.absolute(slot)) {
                *kept = *now;
            }
        }
        false
    });
}

impl Mma {
    fn what(&self) -> &'static str {
        WHAT[self.accumulator as usize]
    }

    fn issue(self: &Arc<Mma>, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        if x.lanes != u32::MAX {
            return x
                .fail(Code::Divergence, "wgmma.mma_async is executed by a warp with fewer than 32 threads");
        }
        let scale = x.regs.p(self.scale_d.0) ^ if self.scale_d.1 { u32::MAX } else { 0 };
        if scale != 0 && scale != u32::MAX {
            return x.fail(
                Code::InvalidOperand,
                "scale-d of wgmma.mma_async differs among the threads of a warp",
            );
        }
        let a = match self.a {
            Source::Registers(_) => None,
            Source::Shared(slot) => Some(descriptor(x, slot, "A")?),
        };
        let b = descriptor(x, self.b, "B")?;
        self.check_registers(x)?;
        let state = &mut *x.state;
        let token = state.next_token;
        state.next_token += 1;
        let (mma, base, warp) = (Arc::clone(self), x.regs.base(), x.env.warp % 4);
        let job = product::Job { a, b, accumulate: scale != 0, base, warp };
        let work = Work(Box::new(move |op, regs, hw| product::run(&mma, &job, op, regs, hw)));
        state.work.insert(token, work);
        let op = x.hw.issue(Issue {
            agent: x.agent,
            lanes: x.lanes,
            place: x.place,
            what: "wgmma",
            track: Track::Pipe(Pipe::Wgmma),
            group: Some(Groups::Wgmma),
            after: Default::default(),
            effect: Effect::Program(token),
            done: Default::default(),
            generic: false,
        });
        state.wgmma.last = Some(op);
        self.lock(x, op, base);
        Ok(Flow::Next)
    }

    /// Registers of D and A that operations in flight own, or that were changed with no `wgmma.fence` since.
    fn check_registers(&self, x: &mut Exec<'_>) -> Result<(), Stop> {
        let base = x.regs.base().r32;
        let a: &[S32] = match &self.a {
            Source::Registers(slots) => slots,
            Source::Shared(_) => &[],
        };
        let mut ours = false;
        for locked in &x.state.locked {
            if locked.what == self.what() && same(&locked.slots, &self.d, base) {
                ours = true;
                if !overlaps(&locked.slots, a, base) {
                    continue;
                }
            } else if !overlaps(&locked.slots, &self.d, base)
                && (locked.what == WHAT_A || !overlaps(&locked.slots, a, base))
            {
                continue;
            }
            let who = x.hw.who(x.agent, x.lanes);
            let message = format!("{who} issues a WGMMA on registers of a {} that is in flight", locked.what);
            let finding = Finding::new(Code::RegistersInFlight, message)
                .at(x.place, "issued here")
                .at(locked.place, "still in flight from here")
                .help("only WGMMAs of the same shape and accumulator may follow each other; wait first (wgmma.wait_group)");
            return x.hw.fail(finding);
        }
        if !x.hw.config.races {
            return Ok(());
        }
        let (first, fenced) = &x.state.wgmma.fenced;
        let mut message = None;
        if fenced.is_empty() {
            message = Some("the first WGMMA comes before any wgmma.fence".to_owned());
        } else {
            let d: &[S32] = if ours { &[] } else { &self.d };
            for (slots, name) in [(d, "the accumulator"), (a, "A")] {
                let changed = slots.iter().find(|s| {
                    let slot = x.regs.absolute32(**s);
                    let kept = slot.checked_sub(*first).and_then(|i| fenced.get(i as usize));
                    kept.is_some_and(|kept| kept != x.regs.r32(**s))
                });
                if let Some(slot) = changed {
                    let register = x.name32(*slot);
                    message = Some(format!(
                        "register {register} of {name} was written since the last wgmma.fence: the WGMMA may read its old value"
                    ));
                }
            }
        }
        if let Some(message) = message {
            let who = x.hw.who(x.agent, x.lanes);
            let finding = Finding::new(Code::MissingFence, message)
                .at(x.place, format!("issued here by {who}"))
                .help("wgmma.fence.sync.aligned after the last write to registers of D or A, before wgmma.mma_async");
            x.hw.report(finding);
        }
        Ok(())
    }

    /// The operation owns its registers until it is waited for.
    fn lock(&self, x: &mut Exec<'_>, op: OpId, base: Base) {
        let place = x.place;
        let mut own = |slots: &[S32], what: &'static str, readable: bool| {
            let locks = &mut x.state.locked;
            match locks.iter_mut().find(|l| l.what == what && same(&l.slots, slots, base.r32)) {
                Some(lock) => (lock.op, lock.place) = (op, place),
                None => {
                    let slots = slots.iter().map(|s| s.0 + base.r32).collect();
                    locks.push(Locked { slots, readable, what, op, place });
                }
            }
        };
        own(&self.d, self.what(), false);
        if let Source::Registers(slots) = &self.a {
            own(slots, WHAT_A, true);
        }
    }
}

fn same(absolute: &[u32], slots: &[S32], base: u32) -> bool {
    absolute.len() == slots.len() && absolute.iter().zip(slots).all(|(a, s)| *a == s.0 + base)
}

fn overlaps(absolute: &[u32], slots: &[S32], base: u32) -> bool {
    slots.iter().any(|s| absolute.contains(&(s.0 + base)))
}

/// The value of a descriptor, which has to be one for all threads.
fn descriptor(x: &mut Exec<'_>, slot: S64, name: &str) -> Result<SmemMatrix, Stop> {
    let values = x.regs.r64(slot);
    let value = values[0];
    if values.iter().any(|v| *v != value) {
        let message = format!("the descriptor of {name} differs among the threads of a warp");
        return x.fail(Code::Descriptor, message);
    }
    let matrix = SmemMatrix::from_wgmma(value);
    let bytes = x.env.launch.shared_bytes + RESERVED;
    if matrix.start < RESERVED || matrix.start >= bytes {
        let message = format!(
            "the descriptor of {name}, {value:#018x}, starts at shared address {:#x}; the block's shared memory is {RESERVED:#x} to {bytes:#x}",
            matrix.start
        );
        return x.fail(Code::Descriptor, message);
    }
    Ok(matrix)
}
