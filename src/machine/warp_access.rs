//! Loads and stores of whole warps: the memory is looked up once for lanes whose addresses are adjacent, and the
//! order of their accesses is checked in one walk, each lane's bytes with its own bit.
//!
//! Lanes of one instruction that store the same value to the same place do not race: whichever comes last, the memory
//! is the same (CUDA C programming guide, 7.1 "SIMT architecture": one of the writes is performed). Nor do lanes of
//! different warps at the same instruction.

use crate::access::{Address, Party};
use crate::hardware::{Actor, Hardware, Stop};
use crate::memory::split_shared;
use crate::shadow::{Access, Epoch, Hit, Nature};

/// The memory that addresses of lanes are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Shared addresses: rank and offset.
    Shared,
    /// Global memory.
    Global,
}

impl Memory {
    fn address(self, at: u64) -> Address {
        match self {
            // An address beyond 32 bits is in no block.
            Memory::Shared => Address::Shared(u32::try_from(at).unwrap_or(u32::MAX)),
            Memory::Global => Address::Global(at),
        }
    }
}

/// Adjacent elements: the lanes of the first, and with each next one the lanes one higher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Group {
    address: u64,
    count: u32,
    lanes: u32,
}

impl Group {
    /// All lanes that take part.
    fn all(&self) -> u32 {
        // Elements with several lanes are either one element or whole runs, which do not overlap.
        let mut all = self.lanes;
        let mut done = 1;
        while done < self.count {
            let step = done.min(self.count - done);
            all |= all << step;
            done += step;
        }
        all
    }
}

struct Groups {
    list: [Group; 32],
    len: usize,
}

impl Groups {
    /// Groups the accesses of `lanes`, `width` bytes each. `data`: what is stored; lanes join at one address only when
    /// they store the same.
    fn new(at: &[u64; 32], lanes: u32, width: u64, data: Option<&[u8]>, duplicates: bool) -> Groups {
        let mut out = Groups { list: [Group::default(); 32], len: 0 };
        let first = lanes.trailing_zeros() & 31;
        let base = at[first as usize];
        let (mut apart, mut unequal) = (0, 0);
        for (lane, &address) in at.iter().enumerate() {
            let live = 0u64.wrapping_sub(u64::from(lanes >> lane & 1));
            let wanted = base.wrapping_add((lane as u64).wrapping_sub(u64::from(first)).wrapping_mul(width));
            apart |= (address ^ wanted) & live;
            unequal |= (address ^ base) & live;
        }
        let run = lanes >> first;
        if apart == 0 && run & run.wrapping_add(1) == 0 {
            (out.list[0], out.len) = (Group { address: base, count: run.count_ones(), lanes: 1 << first }, 1);
            return out;
        }
        if unequal == 0 && data.is_none() {
            (out.list[0], out.len) = (Group { address: base, count: 1, lanes }, 1);
            return out;
        }
        let mut last = u32::MAX - 1;
        for lane in lanes_of(lanes) {
            let address = at[lane as usize];
            let (before, group) = match out.list[..out.len].split_last_mut() {
                Some((group, before)) => (before as &[Group], Some(group)),
                None => (&[][..], None),
            };
            // One of several lanes at one place stays with these, though its successor is adjacent.
            let alone = |group: &Group| {
                !duplicates
                    || group.count > 1
                    || before.iter().all(|g| (g.address, g.count) != (group.address, 1))
            };
            if let Some(group) = group
                && last + 1 == lane
                && address == group.address.wrapping_add(u64::from(group.count) * width)
                && group.lanes.count_ones() == 1
                && alone(group)
            {
                group.count += 1;
            } else {
                out.list[out.len] = Group { address, count: 1, lanes: 1 << lane };
                out.len += 1;
            }
            last = lane;
        }
        if duplicates {
            out.join(width as usize, data);
        }
        out
    }

    /// Makes groups of the same place one.
    fn join(&mut self, width: usize, data: Option<&[u8]>) {
        let mut kept = 0;
        'next: for i in 0..self.len {
            let group = self.list[i];
            for j in 0..kept {
                let other = &mut self.list[j];
                if (other.address, other.count) != (group.address, group.count) {
                    continue;
                }
                let bytes = |g: &Group| {
                    let from = g.lanes.trailing_zeros() as usize * width;
                    data.and_then(|d| d.get(from..from + g.count as usize * width))
                };
                if bytes(other) == bytes(&group) {
                    other.lanes |= group.lanes;
                    continue 'next;
                }
            }
            self.list[kept] = group;
            kept += 1;
        }
        self.len = kept;
    }
}

fn lanes_of(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// What all parts of one access have in common.
#[derive(Clone, Copy)]
struct Common {
    actor: Actor,
    memory: Memory,
    width: u32,
    nature: Nature,
    write: bool,
    /// It writes what is there already.
    same: bool,
}

impl Hardware {
    /// Loads `width` bytes for each lane of the actor: those of lane `l` to `out[l * width..]`. Other lanes' bytes are
    /// left alone. `width` is a power of two of at most 32 and the alignment; `out` has 32 times as many bytes.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding, as [`Hardware::load`].
    pub fn load_lanes(
        &mut self,
        actor: Actor,
        memory: Memory,
        at: &[u64; 32],
        width: u32,
        nature: Nature,
        out: &mut [u8],
    ) -> Result<(), Stop> {
        let common = Common { actor, memory, width, nature, write: false, same: false };
        let groups = Groups::new(at, actor.lanes, u64::from(width), None, self.config.races);
        for group in &groups.list[..groups.len] {
            if self.load_group(&common, group, out) {
                self.check_group(&common, group)?;
                continue;
            }
            for lane in lanes_of(group.all()) {
                let from = (lane * width) as usize;
                let Some(out) = out.get_mut(from..from + width as usize) else { continue };
                self.load(
                    Actor { lanes: 1 << lane, ..actor },
                    memory.address(at[lane as usize]),
                    out,
                    nature,
                )?;
            }
        }
        Ok(())
    }

    /// Stores `width` bytes for each lane of the actor: see [`Hardware::load_lanes`]. Of lanes with the same address
    /// the last one's value stays.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding, as [`Hardware::store`].
    pub fn store_lanes(
        &mut self,
        actor: Actor,
        memory: Memory,
        at: &[u64; 32],
        width: u32,
        nature: Nature,
        data: &[u8],
    ) -> Result<(), Stop> {
        if nature == Nature::Atomic {
            // Somebody may ask for it again and again.
            self.version += 1;
        }
        let mut common = Common { actor, memory, width, nature, write: true, same: false };
        let groups = Groups::new(at, actor.lanes, u64::from(width), Some(data), self.config.races);
        for group in &groups.list[..groups.len] {
            let first = group.lanes.trailing_zeros() as usize * width as usize;
            let stored = data.get(first..first + (group.count * width) as usize);
            common.same = self.config.races
                && stored.is_some_and(|stored| self.holds(memory.address(group.address), stored));
            if self.store_group(&common, group, data) {
                self.check_group(&common, group)?;
                continue;
            }
            for lane in lanes_of(group.all()) {
                let from = (lane * width) as usize;
                let Some(data) = data.get(from..from + width as usize) else { continue };
                let address = memory.address(at[lane as usize]);
                self.store(Actor { lanes: 1 << lane, ..actor }, address, data, nature)?;
            }
        }
        Ok(())
    }

    /// Copies the bytes of a group when nothing is wrong with them.
    fn load_group(&self, common: &Common, group: &Group, out: &mut [u8]) -> bool {
        let width = common.width as usize;
        let len = group.count as usize * width;
        if !group.address.is_multiple_of(u64::from(common.width)) {
            return false;
        }
        let first = group.lanes.trailing_zeros() as usize * width;
        let Some(to) = out.get_mut(first..first + len) else { return false };
        match common.memory {
            Memory::Shared => {
                let Ok(address) = u32::try_from(group.address) else { return false };
                let (rank, offset) = split_shared(address);
                let Some(block) = self.blocks.get(rank as usize) else { return false };
                let Some(bytes) = block.shared.get(offset, len as u32) else { return false };
                if self.config.uninitialised
                    && block.shared.written.first_missing(offset as usize, len).is_some()
                {
                    return false;
                }
                to.copy_from_slice(bytes);
            }
            Memory::Global => {
                let Some((_, allocation, offset)) = self.global.memory.find(group.address, len as u64) else {
                    return false;
                };
                if self.config.uninitialised && allocation.first_missing(offset, len as u64).is_some() {
                    return false;
                }
                allocation.read(offset, to);
            }
        }
        for lane in lanes_of(group.lanes & group.lanes.wrapping_sub(1)) {
            let to = lane as usize * width;
            if to + len <= out.len() {
                out.copy_within(first..first + len, to);
            }
        }
        true
    }

    fn store_group(&mut self, common: &Common, group: &Group, data: &[u8]) -> bool {
        let width = common.width as usize;
        let len = group.count as usize * width;
        if !group.address.is_multiple_of(u64::from(common.width)) {
            return false;
        }
        let first = group.lanes.trailing_zeros() as usize * width;
        let Some(from) = data.get(first..first + len) else { return false };
        match common.memory {
            Memory::Shared => {
                let Ok(address) = u32::try_from(group.address) else { return false };
                let (rank, offset) = split_shared(address);
                let Some(block) = self.blocks.get_mut(rank as usize) else { return false };
                if block.barriers.overlapped(offset, len as u32).is_some() {
                    return false;
                }
                let Some(bytes) = block.shared.get_mut(offset, len as u32) else { return false };
                bytes.copy_from_slice(from);
            }
            Memory::Global => match self.global.memory.find(group.address, len as u64) {
                Some((_, allocation, offset)) if !allocation.read_only => allocation.write(offset, from),
                _ => return false,
            },
        }
        true
    }

    /// Order and life of a group's accesses.
    fn check_group(&mut self, common: &Common, group: &Group) -> Result<(), Stop> {
        let &Common { actor, memory, width, nature, write, same } = common;
        let state = &self.agents[actor.agent.0 as usize];
        let (comp, time, own) = (state.order.comp, state.order.time, state.rank);
        let rank = match memory {
            Memory::Shared => (group.address >> 24) as u32,
            Memory::Global => own,
        };
        let races = self.config.races;
        if rank != own {
            let lanes = group.all();
            self.reach(Actor { lanes, ..actor }, rank, races.then_some((comp, lanes, time)))?;
        }
        if !races {
            return Ok(());
        }
        let order = &self.agents[actor.agent.0 as usize].order;
        let Some(knowledge) = order.common_knowledge(group.all()) else {
            return self.check_each(common, group);
        };
        let epoch = Epoch { comp, lanes: group.lanes, time, place: actor.place, nature };
        let access = Access { epoch, knowledge, write, apart: group.lanes.count_ones() > 1 };
        let mut first: Option<Hit> = None;
        let mut keep = |hit: Hit| {
            if !(same && hit.harmless(actor.place)) {
                first.get_or_insert(hit);
            }
        };
        let mut other = None;
        let start = match memory {
            Memory::Shared => {
                let (_, offset) = split_shared(group.address as u32);
                if let Some(block) = self.blocks.get_mut(rank as usize) {
                    block.shadow.access_lanes(offset, width, group.count, &access, &mut keep);
                }
                offset
            }
            Memory::Global => {
                let len = u64::from(width * group.count);
                let Some((index, allocation, offset)) = self.global.memory.find(group.address, len) else {
                    return Ok(());
                };
                if allocation.read_only {
                    return Ok(());
                }
                if let Some(mut track) = self.global.track(index) {
                    let shadow = track.shadows.entry(self.cluster).or_default();
                    shadow.access_lanes(offset as u32, width, group.count, &access, &mut keep);
                    let range = (offset, len);
                    other = self.global.between_clusters(&mut track, self.cluster, range, epoch, write);
                }
                if let Some((_, byte)) = &mut other {
                    *byte = group.address.wrapping_add(*byte).wrapping_sub(offset);
                }
                offset as u32
            }
        };
        if first.is_none() && other.is_none() {
            return Ok(());
        }
        let knowledge = knowledge.clone();
        let lanes_at = |byte: u32| group.lanes.checked_shl(byte.saturating_sub(start) / width).unwrap_or(0);
        let party = |lanes: u32| Party {
            actor: Actor { lanes, ..actor },
            comp: (comp, lanes, time),
            knowledge: Some(&knowledge),
            nature,
            what: if write { "store" } else { "load" },
            rank: own,
            same,
        };
        if let Some((touch, address)) = other {
            let lanes = lanes_at((address - group.address) as u32 + start);
            self.report_between(&party(lanes), write, address, &touch);
        }
        if let Some(hit) = first {
            self.report_race(&party(lanes_at(hit.offset)), write, memory.address(group.address), &hit);
        }
        Ok(())
    }

    /// The same for lanes that know different things.
    fn check_each(&mut self, common: &Common, group: &Group) -> Result<(), Stop> {
        if group.count == 1 && group.lanes.count_ones() == 1 {
            return Ok(());
        }
        for (index, lane) in lanes_of(group.lanes).enumerate() {
            // All lanes of an element store the same.
            let common = &Common { same: common.same || (common.write && index > 0), ..*common };
            for element in 0..group.count {
                let address = group.address + u64::from(element * common.width);
                let one = Group { address, count: 1, lanes: 1 << (lane + element) };
                self.check_group(common, &one)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
