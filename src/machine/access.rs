//! Loads, stores and atomics of agents and of asynchronous operations, with all checks.

use crate::clock::{ALL_LANES, Comp};
use crate::engine::Op;
use crate::finding::{Code, Finding, Place};
use crate::global::HOST;
use crate::hardware::{Actor, AgentId, Hardware, Stop};
use crate::memory::{RESERVED, split_shared};
use crate::order::Knowledge;
use crate::shadow::{Access, Conflict, Epoch, Hit, Nature};

/// Where a memory access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// A shared address: rank and offset (see [`crate::memory`]).
    Shared(u32),
    /// An address in global memory.
    Global(u64),
}

/// Who accesses: lanes of an agent, or an asynchronous operation.
#[derive(Clone, Copy)]
pub struct Party<'a> {
    /// The agent, its lanes, the place.
    pub actor: Actor,
    /// The component and time that the access counts for, with its lanes.
    pub comp: (Comp, u32, u32),
    /// What the party knows; none when races are not looked for.
    pub knowledge: Option<&'a Knowledge>,
    /// How it accesses.
    pub nature: Nature,
    /// What it is: "load", "TMA store".
    pub what: &'static str,
    /// The block from which it acts.
    pub rank: u32,
    /// It writes what is there already. The same instruction may have written it, unordered with this: whichever comes
    /// last, the memory is the same (see `Hit::harmless`).
    pub same: bool,
}

impl Hardware {
    /// Loads bytes for one lane. `nature` is [`Nature::Generic`] or [`Nature::Atomic`].
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: outside of every allocation, misaligned (`out.len()` is the alignment), a live barrier.
    #[inline]
    pub fn load(
        &mut self,
        actor: Actor,
        address: Address,
        out: &mut [u8],
        nature: Nature,
    ) -> Result<(), Stop> {
        let raw = match address {
            Address::Shared(a) => u64::from(a),
            Address::Global(a) => a,
        };
        if raw % out.len() as u64 != 0 {
            return self.misaligned(actor, "load", address, out.len());
        }
        match address {
            Address::Shared(a) => {
                let (rank, offset) = split_shared(a);
                let len = out.len() as u32;
                let Some(block) = self.blocks.get(rank as usize) else {
                    return self.outside(actor, "load", address, u64::from(len));
                };
                let Some(bytes) = block.shared.get(offset, len) else {
                    return self.outside(actor, "load", address, u64::from(len));
                };
                out.copy_from_slice(bytes);
            }
            Address::Global(a) => {
                let Some((_, allocation, offset)) = self.global.memory.find(a, out.len() as u64) else {
                    return self.outside(actor, "load", address, out.len() as u64);
                };
                allocation.read(offset, out);
            }
        }
        self.check_agent(actor, address, out.len() as u64, nature, false, false)
    }

    /// Stores bytes for one lane; see [`Hardware::load`].
    ///
    /// # Errors
    ///
    /// As [`Hardware::load`], and for a store to memory that kernels may only read.
    #[inline]
    pub fn store(&mut self, actor: Actor, address: Address, data: &[u8], nature: Nature) -> Result<(), Stop> {
        let raw = match address {
            Address::Shared(a) => u64::from(a),
            Address::Global(a) => a,
        };
        if raw % data.len() as u64 != 0 {
            return self.misaligned(actor, "store", address, data.len());
        }
        let same = self.config.races && self.holds(address, data);
        self.put(actor, "store", address, data)?;
        self.check_agent(actor, address, data.len() as u64, nature, true, same)
    }

    /// An atomic read-modify-write of up to 8 bytes of one lane; returns the value before.
    ///
    /// # Errors
    ///
    /// As [`Hardware::store`].
    pub fn atomic(
        &mut self,
        actor: Actor,
        address: Address,
        len: u32,
        change: &mut dyn FnMut(u64) -> u64,
    ) -> Result<u64, Stop> {
        let raw = match address {
            Address::Shared(a) => u64::from(a),
            Address::Global(a) => a,
        };
        if raw % u64::from(len) != 0 {
            return self.misaligned(actor, "atomic", address, len as usize);
        }
        self.check_uninitialised(actor, "atomic", address, u64::from(len));
        let mut changed = false;
        let change = &mut |old| {
            let new = change(old);
            changed = new != old;
            new
        };
        let old = match address {
            Address::Shared(_) => {
                let mut bytes = [0; 8];
                self.get(actor, "atomic", address, &mut bytes[..len as usize])?;
                let old = u64::from_le_bytes(bytes);
                let new = change(old).to_le_bytes();
                self.put(actor, "atomic", address, &new[..len as usize])?;
                old
            }
            Address::Global(a) => {
                let Some((_, allocation, offset)) = self.global.memory.find(a, u64::from(len)) else {
                    return self.outside(actor, "atomic", address, u64::from(len));
                };
                if allocation.read_only {
                    return self.read_only(actor, "atomic", address);
                }
                allocation.update(offset, len, change)
            }
        };
        // Who asks for the value again and again finds the same when nothing changed.
        self.version += u64::from(changed);
        self.check_agent(actor, address, u64::from(len), Nature::Atomic, true, false)?;
        Ok(old)
    }

    /// Reads bytes for an asynchronous operation.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: outside of every allocation.
    pub fn read_for(&mut self, op: &Op, address: Address, out: &mut [u8]) -> Result<(), Stop> {
        let actor = Actor { agent: op.agent, lanes: op.lanes, place: op.place };
        self.get(actor, op.what, address, out)?;
        let party = Party { comp: (op.reads.0, op.comp_lanes, op.reads.1), ..self.party_of(op) };
        self.check(&party, address, out.len() as u64, false)
    }

    /// Writes bytes for an asynchronous operation.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: outside of every allocation, or over a live barrier.
    pub fn write_for(&mut self, op: &Op, address: Address, data: &[u8]) -> Result<(), Stop> {
        let actor = Actor { agent: op.agent, lanes: op.lanes, place: op.place };
        let same = self.config.races && self.holds(address, data);
        self.put(actor, op.what, address, data)?;
        self.check(&Party { same, ..self.party_of(op) }, address, data.len() as u64, true)
    }

    /// An atomic change of up to 8 bytes for an asynchronous operation (a bulk reduction).
    ///
    /// # Errors
    ///
    /// As [`Hardware::write_for`].
    pub fn update_for(
        &mut self,
        op: &Op,
        address: Address,
        len: u32,
        change: &mut dyn FnMut(u64) -> u64,
    ) -> Result<(), Stop> {
        let actor = Actor { agent: op.agent, lanes: op.lanes, place: op.place };
        self.check_uninitialised(actor, op.what, address, u64::from(len));
        match address {
            Address::Global(a) => match self.global.memory.find(a, u64::from(len)) {
                Some((_, allocation, offset)) if !allocation.read_only => {
                    allocation.update(offset, len, change);
                }
                Some(_) => return self.read_only(actor, op.what, address),
                None => return self.outside(actor, op.what, address, u64::from(len)),
            },
            Address::Shared(_) => {
                let mut bytes = [0; 8];
                self.get(actor, op.what, address, &mut bytes[..len as usize])?;
                let new = change(u64::from_le_bytes(bytes)).to_le_bytes();
                self.put(actor, op.what, address, &new[..len as usize])?;
            }
        }
        // Reductions of several operations to one place are atomic among each other.
        let party = Party { nature: Nature::Atomic, ..self.party_of(op) };
        self.check(&party, address, u64::from(len), true)
    }

    /// A reduction of many elements of `width` bytes into memory, each an atomic step (bulk reductions).
    ///
    /// # Errors
    ///
    /// As [`Hardware::write_for`].
    pub fn reduce_for(
        &mut self,
        op: &Op,
        address: Address,
        data: &[u8],
        width: u32,
        combine: crate::reduce::Combine,
    ) -> Result<(), Stop> {
        let actor = Actor { agent: op.agent, lanes: op.lanes, place: op.place };
        let len = data.len() as u64;
        self.check_uninitialised(actor, op.what, address, len);
        let value = |chunk: &[u8]| {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(bytes)
        };
        let width = width.clamp(1, 8);
        match address {
            Address::Global(a) => match self.global.memory.find(a, len) {
                Some((_, allocation, offset)) if !allocation.read_only => {
                    for (at, chunk) in
                        (offset..).step_by(width as usize).zip(data.chunks_exact(width as usize))
                    {
                        let new = value(chunk);
                        allocation.update(at, width, &mut |old| combine(old, new));
                    }
                }
                Some(_) => return self.read_only(actor, op.what, address),
                None => return self.outside(actor, op.what, address, len),
            },
            Address::Shared(_) => {
                let mut all = vec![0; data.len()];
                self.get(actor, op.what, address, &mut all)?;
                for (old, new) in all.chunks_exact_mut(width as usize).zip(data.chunks_exact(width as usize))
                {
                    let out = combine(value(old), value(new)).to_le_bytes();
                    old.copy_from_slice(&out[..width as usize]);
                }
                self.put(actor, op.what, address, &all)?;
            }
        }
        // Reductions of several operations to one place are atomic among each other.
        let party = Party { nature: Nature::Atomic, ..self.party_of(op) };
        self.check(&party, address, len, true)
    }

    /// Records that an operation reads its tensor map from global memory. What of the proxies is needed for that is
    /// checked by [`Hardware::unfenced_map`].
    ///
    /// # Errors
    ///
    /// As [`Hardware::note_read`].
    pub fn note_map_read(&mut self, op: &Op, address: u64, len: u64) -> Result<(), Stop> {
        let comp = (op.reads.0, op.comp_lanes, op.reads.1);
        let party = Party { comp, nature: Nature::AsyncGeneric, ..self.party_of(op) };
        self.check(&party, Address::Global(address), len, false)
    }

    /// Records that an operation reads a range whose bytes somebody else takes (see [`Hardware::shared_bytes`]).
    ///
    /// # Errors
    ///
    /// None today.
    pub fn note_read(&mut self, op: &Op, address: Address, len: u64) -> Result<(), Stop> {
        let party = Party { comp: (op.reads.0, op.comp_lanes, op.reads.1), ..self.party_of(op) };
        self.check(&party, address, len, false)
    }

    /// A view of shared memory for an operation that reads much of it; [`Hardware::note_read`] is its check.
    pub fn shared_bytes(&self, address: u32, len: u32) -> Option<&[u8]> {
        let (rank, offset) = split_shared(address);
        self.blocks.get(rank as usize)?.shared.get(offset, len)
    }

    fn party_of<'a>(&self, op: &'a Op) -> Party<'a> {
        Party {
            actor: Actor { agent: op.agent, lanes: op.lanes, place: op.place },
            comp: (op.writes.0, op.comp_lanes, op.writes.1),
            knowledge: self.config.races.then_some(&op.knowledge),
            nature: if op.generic { Nature::AsyncGeneric } else { Nature::Async },
            what: op.what,
            rank: self.agent(op.agent).rank,
            same: false,
        }
    }

    /// Reads without the checks of order.
    pub(crate) fn get(&mut self, actor: Actor, what: &str, at: Address, out: &mut [u8]) -> Result<(), Stop> {
        let len = out.len() as u64;
        match at {
            Address::Shared(a) => match self.shared_bytes(a, len as u32) {
                Some(bytes) => out.copy_from_slice(bytes),
                None => return self.outside(actor, what, at, len),
            },
            Address::Global(a) => match self.global.memory.find(a, len) {
                Some((_, allocation, offset)) => allocation.read(offset, out),
                None => return self.outside(actor, what, at, len),
            },
        }
        Ok(())
    }

    /// Whether these bytes are what memory holds.
    pub(crate) fn holds(&self, at: Address, data: &[u8]) -> bool {
        match at {
            Address::Shared(a) => self.shared_bytes(a, data.len() as u32) == Some(data),
            Address::Global(a) => {
                let Some((_, allocation, offset)) = self.global.memory.find(a, data.len() as u64) else {
                    return false;
                };
                let mut held = [0; 64];
                (offset..).step_by(held.len()).zip(data.chunks(held.len())).all(|(at, chunk)| {
                    let held = &mut held[..chunk.len()];
                    allocation.read(at, held);
                    held == chunk
                })
            }
        }
    }

    /// Writes without the checks of order.
    fn put(&mut self, actor: Actor, what: &str, at: Address, data: &[u8]) -> Result<(), Stop> {
        let len = data.len() as u64;
        match at {
            Address::Shared(a) => {
                let (rank, offset) = split_shared(a);
                let Some(block) = self.blocks.get_mut(rank as usize) else {
                    return self.outside(actor, what, at, len);
                };
                if let Some(barrier) = block.barriers.overlapped(offset, len as u32) {
                    return self.over_barrier(actor, what, at, rank, barrier);
                }
                let Some(bytes) = block.shared.get_mut(offset, len as u32) else {
                    return self.outside(actor, what, at, len);
                };
                bytes.copy_from_slice(data);
            }
            Address::Global(a) => match self.global.memory.find(a, len) {
                Some((_, allocation, offset)) if !allocation.read_only => allocation.write(offset, data),
                Some(_) => return self.read_only(actor, what, at),
                None => return self.outside(actor, what, at, len),
            },
        }
        Ok(())
    }

    #[inline]
    fn check_agent(
        &mut self,
        actor: Actor,
        at: Address,
        len: u64,
        nature: Nature,
        write: bool,
        same: bool,
    ) -> Result<(), Stop> {
        if !self.config.races && (write || !self.config.uninitialised) {
            if let Address::Shared(a) = at
                && a >> 24 != self.agent(actor.agent).rank
            {
                return self.reach(actor, a >> 24, None);
            }
            return Ok(());
        }
        let what = if write { "store" } else { "load" };
        let state = self.agent(actor.agent);
        let order = &state.order;
        // The knowledge is shared by reference count: the check may keep findings in `self`.
        let knowledge = order.knowledge(actor.lanes.trailing_zeros()).clone();
        let party = Party {
            actor,
            comp: (order.comp, actor.lanes, order.time),
            knowledge: self.config.races.then_some(&knowledge),
            nature,
            what: if nature == Nature::Atomic && write { "atomic" } else { what },
            rank: state.rank,
            same,
        };
        self.check(&party, at, len, write)
    }

    /// Order, initialisation and life of one access.
    fn check(&mut self, party: &Party<'_>, at: Address, len: u64, write: bool) -> Result<(), Stop> {
        if !write {
            self.check_uninitialised(party.actor, party.what, at, len);
        }
        // A block does not end before its own loads and stores, `cp.async` included; the async proxy is another unit.
        let asynchronous = party.nature == Nature::Async;
        if let Address::Shared(a) = at
            && (asynchronous || a >> 24 != party.rank)
        {
            self.reach(party.actor, a >> 24, Some(party.comp))?;
        }
        let Some(knowledge) = party.knowledge else { return Ok(()) };
        let (comp, lanes, time) = party.comp;
        let epoch = Epoch { comp, lanes, time, place: party.actor.place, nature: party.nature };
        let access = Access { epoch, knowledge, write, apart: false };
        let mut first: Option<Hit> = None;
        let mut keep = |hit: Hit| {
            if !(party.same && hit.harmless(party.actor.place)) {
                first.get_or_insert(hit);
            }
        };
        match at {
            Address::Shared(a) => {
                let (rank, offset) = split_shared(a);
                if let Some(block) = self.blocks.get_mut(rank as usize) {
                    block.shadow.access(offset, len as u32, &access, &mut keep);
                }
            }
            Address::Global(a) => {
                let global = std::sync::Arc::clone(&self.global);
                if let Some((index, allocation, offset)) = global.memory.find(a, len)
                    && !allocation.read_only
                    && let Some(mut track) = global.track(index)
                {
                    let shadow = track.shadows.entry(self.cluster).or_default();
                    shadow.access(offset as u32, len as u32, &access, &mut keep);
                    let range = (offset, len);
                    let other = global.between_clusters(&mut track, self.cluster, range, epoch, write);
                    drop(track);
                    if let Some((touch, byte)) = other {
                        self.report_between(party, write, a - offset + byte, &touch);
                    }
                }
            }
        }
        if let Some(hit) = first {
            self.report_race(party, write, at, &hit);
        }
        Ok(())
    }

    fn check_uninitialised(&mut self, actor: Actor, what: &str, at: Address, len: u64) {
        if !self.config.uninitialised {
            return;
        }
        let missing = match at {
            Address::Shared(a) => {
                let (rank, offset) = split_shared(a);
                let block = self.blocks.get(rank as usize);
                block
                    .and_then(|b| b.shared.written.first_missing(offset as usize, len as usize))
                    .map(|byte| format!("byte {byte} of the shared memory of rank {rank}"))
            }
            Address::Global(a) => self.global.memory.find(a, len).and_then(|(_, allocation, offset)| {
                let byte = allocation.first_missing(offset, len)?;
                Some(format!("byte {byte} of `{}`", allocation.name))
            }),
        };
        if let Some(byte) = missing {
            let who = self.who(actor.agent, actor.lanes);
            let message = format!("{what} of {len} bytes reads {byte}, which nothing has written");
            self.report(
                Finding::new(Code::Uninitialised, message).at(actor.place, format!("read here by {who}")),
            );
        }
    }

    /// A block's shared memory is touched by somebody who may outlive the block: from another block, or by an
    /// asynchronous operation.
    pub(crate) fn reach(
        &mut self,
        actor: Actor,
        rank: u32,
        comp: Option<(Comp, u32, u32)>,
    ) -> Result<(), Stop> {
        let Some(block) = self.blocks.get_mut(rank as usize) else { return Ok(()) };
        if block.live == 0 {
            let ctaid = block.ctaid;
            let who = comp.map_or_else(|| self.who(actor.agent, actor.lanes), |(c, l, _)| self.owner(c, l));
            let own = rank == self.agent(actor.agent).rank;
            let (code, help) =
                if own { (Code::ExitInFlight, WAIT_BEFORE_EXIT) } else { (Code::PeerGone, MEET_BEFORE_EXIT) };
            let message = format!("{who} reaches into the shared memory of block {ctaid:?}, which has ended");
            let finding = Finding::new(code, message).at(actor.place, "access here").help(help);
            // The memory is still there in the model: what else the operation does wrong is found, too.
            self.report(finding);
            return if own { Ok(()) } else { Err(Stop) };
        }
        if let Some((comp, lanes, time)) = comp {
            let known = |r: &&mut (Comp, u32, u32, Place)| r.0 == comp && r.1 == lanes;
            match block.reached.iter_mut().find(known) {
                Some(r) => (r.2, r.3) = (time, actor.place),
                None => block.reached.push((comp, lanes, time, actor.place)),
            }
        }
        Ok(())
    }

    /// All agents of a block have ended: accesses by its peers and by asynchronous operations have to be known to it.
    pub(crate) fn block_ended(&mut self, rank: u32, place: Place) {
        self.tensor_ended(rank, place);
        if !self.config.races {
            return;
        }
        let mut all = Knowledge::default();
        for agent in self.agents.iter().filter(|a| a.rank == rank) {
            all.join(&agent.order.joint(ALL_LANES));
        }
        let reached = std::mem::take(&mut self.blocks[rank as usize].reached);
        for (comp, lanes, time, at) in reached {
            // An operation that somebody saw complete is over, even where that was handed on without its data (a relaxed
            // arrival). An access of an agent may still be on its way then.
            let operation = self.owners.get(usize::from(comp.0)).is_some_and(|o| !o.what.is_empty());
            let over = if operation { &all.control } else { &all.generic };
            if over.knows(comp, lanes, time) {
                continue;
            }
            let who = self.owner(comp, lanes);
            let ctaid = self.blocks[rank as usize].ctaid;
            let own = self.owners.get(usize::from(comp.0)).is_some_and(|o| self.agent(o.agent).rank == rank);
            let (code, help) =
                if own { (Code::ExitInFlight, WAIT_BEFORE_EXIT) } else { (Code::PeerGone, MEET_BEFORE_EXIT) };
            let message = format!("block {ctaid:?} may end while {who} still uses its shared memory");
            let finding = Finding::new(code, message)
                .at(at, "the access")
                .at(place, "the block's last agent ends here, unordered with the access")
                .help(help);
            self.report(finding);
        }
    }

    /// Who is behind a component, for messages.
    pub(crate) fn owner(&self, comp: Comp, lanes: u32) -> String {
        if comp == HOST {
            return "the host".to_owned();
        }
        match self.owners.get(usize::from(comp.0)) {
            Some(owner) if owner.what.is_empty() => self.who(owner.agent, lanes),
            Some(owner) => format!("a {} of {}", owner.what, self.agent(owner.agent).name),
            None => "somebody".to_owned(),
        }
    }

    pub(crate) fn report_race(&mut self, party: &Party<'_>, write: bool, at: Address, hit: &Hit) {
        let me = self.who(party.actor.agent, party.actor.lanes);
        let other = self.owner(hit.earlier.comp, hit.earlier.lanes);
        let place = match at {
            Address::Shared(a) => format!("byte {} of the shared memory of rank {}", hit.offset, a >> 24),
            Address::Global(a) => match self.global.memory.find(a, 1) {
                Some((_, allocation, _)) => format!("byte {} of `{}`", hit.offset, allocation.name),
                None => format!("{a:#x}"),
            },
        };
        let (now, then) = (
            if write { "written" } else { "read" },
            match hit.conflict {
                Conflict::WriteAfterRead => "read",
                _ => "written",
            },
        );
        let finding = if hit.only_fence {
            let message = format!(
                "{place}: {then} by {other} through the generic proxy, {now} by the async proxy ({}) with no proxy fence between",
                party.what
            );
            Finding::new(Code::MissingFence, message).help(
                "fence.proxy.async.shared::cta by the writing lanes, before the barrier that orders the two",
            )
        } else {
            let message = format!(
                "{place}: {now} ({}) by {me} and {then} by {other}, with nothing to order the two",
                party.what
            );
            Finding::new(Code::Race, message)
        };
        let finding = finding
            .at(party.actor.place, format!("{now} here by {me}"))
            .at(hit.earlier.place, format!("{then} here by {other}"));
        self.report(finding);
    }

    pub(crate) fn report_between(
        &mut self,
        party: &Party<'_>,
        write: bool,
        address: u64,
        touch: &crate::global::Touch,
    ) {
        let me = self.who(party.actor.agent, party.actor.lanes);
        let now = if write { "written" } else { "read" };
        let place = self.global.memory.describe(address);
        let message = format!(
            "{place}: {now} by {me} of cluster {} and touched by cluster {}, with nothing to order the two",
            self.cluster, touch.cluster
        );
        let finding = Finding::new(Code::Race, message)
            .at(party.actor.place, format!("{now} here"))
            .at(touch.epoch.place, format!("touched here by cluster {}", touch.cluster))
            .help("blocks of a grid run in any order: only atomics and fences at GPU scope order their accesses");
        self.report(finding);
    }

    fn misaligned<T>(&mut self, actor: Actor, what: &str, at: Address, align: usize) -> Result<T, Stop> {
        let who = self.who(actor.agent, actor.lanes);
        let message =
            format!("{what} of {align} bytes by {who} at {}, which is no multiple of {align}", hex(at));
        self.fail(Finding::new(Code::Misaligned, message).at(actor.place, "here"))
    }

    pub(crate) fn outside<T>(&mut self, actor: Actor, what: &str, at: Address, len: u64) -> Result<T, Stop> {
        let who = self.who(actor.agent, actor.lanes);
        let place = match at {
            Address::Global(a) => self.global.memory.describe(a),
            Address::Shared(a) => {
                let (rank, offset) = split_shared(a);
                match self.blocks.get(rank as usize) {
                    None => format!(
                        "shared address {a:#x} names block rank {rank} of a cluster of {}",
                        self.blocks.len()
                    ),
                    Some(_) if offset < RESERVED => {
                        format!(
                            "shared address {a:#x} lies in the first {RESERVED} bytes, which belong to the system"
                        )
                    }
                    Some(b) => {
                        let len = b.shared.bytes.len() as u32 - RESERVED;
                        let at = offset - RESERVED;
                        format!("byte {at} of the block's shared memory, which has {len} bytes")
                    }
                }
            }
        };
        let message = format!("{what} of {len} bytes by {who} outside every allocation: {place}");
        self.fail(Finding::new(Code::OutOfBounds, message).at(actor.place, "here"))
    }

    fn read_only<T>(&mut self, actor: Actor, what: &str, at: Address) -> Result<T, Stop> {
        let who = self.who(actor.agent, actor.lanes);
        let message = format!("{what} by {who} at {}, which kernels may only read", hex(at));
        self.fail(Finding::new(Code::OutOfBounds, message).at(actor.place, "here"))
    }

    fn over_barrier<T>(
        &mut self,
        actor: Actor,
        what: &str,
        at: Address,
        rank: u32,
        barrier: u32,
    ) -> Result<T, Stop> {
        let who = self.who(actor.agent, actor.lanes);
        let init = self.blocks[rank as usize].barriers.init_place(barrier);
        let message = format!("{what} by {who} at {} overwrites a live mbarrier", hex(at));
        let finding = Finding::new(Code::BarrierLife, message)
            .at(actor.place, "written here")
            .at(init.unwrap_or(Place::NONE), "initialised here")
            .help("mbarrier.inval ends a barrier's life; until then its 8 bytes are opaque");
        self.fail(finding)
    }
}

const MEET_BEFORE_EXIT: &str =
    "let all blocks of the cluster meet (barrier.cluster.arrive, .wait) after the last access to a peer";
const WAIT_BEFORE_EXIT: &str = "wait for asynchronous operations before the block ends: for the barrier of a load, for the group of a store";

fn hex(at: Address) -> String {
    match at {
        Address::Shared(a) => format!("shared address {a:#x}"),
        Address::Global(a) => format!("{a:#x}"),
    }
}

/// The actor of all lanes of an agent at a place.
pub fn whole(agent: AgentId, place: Place) -> Actor {
    Actor { agent, lanes: ALL_LANES, place }
}
