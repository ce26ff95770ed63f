//! Execution: addresses of all lanes, the memory that they lie in, bytes to and from registers.

use super::{Load, Order, Store, Target, Where};
use crate::decode::{Dst, Src};
use crate::env::{LOCAL_WINDOW, PARAM_WINDOW};
use crate::exec::{Exec, Flow, MAX_LOCAL, Poll};
use crate::regs::{Lanes32, Lanes64, Lanes128, SP, lanes_of};
use tidegate_machine::access::Address;
use tidegate_machine::barrier::Release;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::{Actor, Stop};
use tidegate_machine::memory::SHARED_WINDOW;
use tidegate_machine::shadow::Nature;
use tidegate_machine::warp_access::Memory;

/// Lanes by the memory that their addresses are in; addresses within each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    /// The address of each lane, in its own memory.
    pub(crate) at: Lanes64,
    pub(crate) global: u32,
    pub(crate) shared: u32,
    pub(crate) local: u32,
    pub(crate) param: u32,
}

/// The addresses of a memory operand.
///
/// # Errors
///
/// [`Stop`] with a finding: a `.shared::cta` access of another block.
pub(crate) fn places(x: &mut Exec<'_>, target: &Target) -> Result<Places, Stop> {
    let mut at = addresses(x, target);
    let lanes = x.lanes;
    let mut out = Places { at, global: 0, shared: 0, local: 0, param: 0 };
    match target.space {
        Where::Global | Where::Const => out.global = lanes,
        Where::Local => out.local = lanes,
        Where::Param => out.param = lanes,
        Where::Cluster => out.shared = lanes,
        Where::Shared => {
            let rank = u64::from(x.env.rank);
            let other = lanes_of(lanes).find(|&lane| at[lane] >> 24 != rank && at[lane] >> 32 == 0);
            if let Some(lane) = other {
                let message = format!(
                    "a .shared::cta access of address {:#x} (lane {lane}), which is of block rank {} of the cluster",
                    at[lane],
                    at[lane] >> 24
                );
                return x.fail(Code::InvalidOperand, message);
            }
            out.shared = lanes;
        }
        Where::Generic => {
            let window = |lane: usize, base: u64| at[lane] >> 32 == base >> 32;
            for lane in 0..32 {
                out.shared |= u32::from(window(lane, SHARED_WINDOW)) << lane;
                out.local |= u32::from(window(lane, LOCAL_WINDOW)) << lane;
                out.param |= u32::from(window(lane, PARAM_WINDOW)) << lane;
            }
            out.shared &= lanes;
            out.local &= lanes;
            out.param &= lanes;
            out.global = lanes & !(out.shared | out.local | out.param);
            if out.global != lanes {
                let inner = out.shared | out.local | out.param;
                for (lane, at) in at.iter_mut().enumerate() {
                    if inner >> lane & 1 == 1 {
                        *at &= 0xffff_ffff;
                    }
                }
                out.at = at;
            }
        }
    }
    Ok(out)
}

fn addresses(x: &Exec<'_>, target: &Target) -> Lanes64 {
    let offset = target.addr.offset;
    match target.addr.base {
        // An address of 32 bits stays within them.
        Src::R32(s) => x.regs.r32(s).map(|a| u64::from(a.wrapping_add(offset as u32))),
        Src::R64(s) => {
            let by = if target.frame { offset + i64::from(x.frame_memory) } else { offset };
            x.regs.r64(s).map(|a| a.wrapping_add_signed(by))
        }
        Src::R128(_) | Src::P(_) => [0; 32],
    }
}

impl Places {
    /// Lanes whose accesses others can see, by address: for orders.
    fn ordered(&self, mut each: impl FnMut(u32, Address)) {
        let mut left = self.global | self.shared;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let shared = self.shared >> first & 1 == 1;
            let class = if shared { self.shared } else { self.global };
            let mut same = 0;
            for lane in lanes_of(left & class) {
                if self.at[lane] == self.at[first] {
                    same |= 1 << lane;
                }
            }
            let address =
                if shared { Address::Shared(self.at[first] as u32) } else { Address::Global(self.at[first]) };
            each(same, address);
            left &= !same;
        }
    }

    /// A strong write, or the writing half of an atomic: releases at the lanes' addresses.
    pub(crate) fn release(&self, x: &mut Exec<'_>, order: Order, gpu: bool) {
        let release = match order {
            Order::Weak => return,
            Order::Relaxed | Order::Acquire => Release::Relaxed,
            Order::Release | Order::AcqRel => Release::Release,
        };
        let actor = x.actor();
        self.ordered(|lanes, at| x.hw.release_at(Actor { lanes, ..actor }, at, release, gpu));
    }

    /// A strong read, or the reading half of an atomic.
    pub(crate) fn acquire(&self, x: &mut Exec<'_>, order: Order, gpu: bool) {
        if order == Order::Weak {
            return;
        }
        let acquire = matches!(order, Order::Acquire | Order::AcqRel);
        let actor = x.actor();
        self.ordered(|lanes, at| x.hw.acquire_at(Actor { lanes, ..actor }, at, acquire, gpu));
    }

    /// Reads `width` bytes a lane to `out[lane * width..]`.
    pub(crate) fn read(
        &self,
        x: &mut Exec<'_>,
        width: u32,
        nature: Nature,
        out: &mut [u8],
    ) -> Result<(), Stop> {
        let actor = x.actor();
        if self.global != 0 {
            let actor = Actor { lanes: self.global, ..actor };
            x.hw.load_lanes(actor, Memory::Global, &self.at, width, nature, out)?;
        }
        if self.shared != 0 {
            let actor = Actor { lanes: self.shared, ..actor };
            x.hw.load_lanes(actor, Memory::Shared, &self.at, width, nature, out)?;
        }
        for lane in lanes_of(self.local) {
            let range = local_range(x, lane, self.at[lane], width as usize, true)?;
            let from = lane * width as usize;
            copy(&mut out[from..from + width as usize], x.state.local.get(lane).and_then(|l| l.get(range)));
        }
        for lane in lanes_of(self.param) {
            let at = self.at[lane] as usize;
            let Some(bytes) = x.env.launch.params.get(at..at + width as usize) else {
                let have = x.env.launch.params.len();
                let message = format!(
                    "a load of {width} bytes at byte {at} of the kernel's {have} bytes of parameters"
                );
                return x.fail(Code::OutOfBounds, message);
            };
            if !at.is_multiple_of(width as usize) {
                let message =
                    format!("a load of {width} bytes at byte {at} of the parameters, no multiple of it");
                return x.fail(Code::Misaligned, message);
            }
            let from = lane * width as usize;
            out[from..from + width as usize].copy_from_slice(bytes);
        }
        Ok(())
    }

    /// Writes `width` bytes a lane.
    pub(crate) fn write(
        &self,
        x: &mut Exec<'_>,
        width: u32,
        nature: Nature,
        data: &[u8],
    ) -> Result<(), Stop> {
        let actor = x.actor();
        if self.global != 0 {
            let actor = Actor { lanes: self.global, ..actor };
            x.hw.store_lanes(actor, Memory::Global, &self.at, width, nature, data)?;
        }
        if self.shared != 0 {
            let actor = Actor { lanes: self.shared, ..actor };
            x.hw.store_lanes(actor, Memory::Shared, &self.at, width, nature, data)?;
        }
        for lane in lanes_of(self.local) {
            let range = local_range(x, lane, self.at[lane], width as usize, true)?;
            let from = lane * width as usize;
            if let Some(to) = local(x, lane, range.end).get_mut(range) {
                to.copy_from_slice(&data[from..from + width as usize]);
            }
        }
        if self.param != 0 {
            return x.fail(Code::OutOfBounds, "a store to the parameters of the kernel, which are only read");
        }
        Ok(())
    }
}

fn copy(to: &mut [u8], from: Option<&[u8]>) {
    match from {
        Some(from) => to.copy_from_slice(from),
        None => to.fill(0),
    }
}

/// The bytes of a range of a lane's local memory; a finding when they are not on its stack.
pub(crate) fn local_range(
    x: &mut Exec<'_>,
    lane: usize,
    at: u64,
    len: usize,
    aligned: bool,
) -> Result<std::ops::Range<usize>, Stop> {
    let end = u64::from(*x.stack_end);
    if at.checked_add(len as u64).is_none_or(|e| e > end.min(u64::from(MAX_LOCAL))) {
        let message = format!(
            "an access of {len} bytes at byte {at} of the local memory of lane {lane}, whose stack has {end} bytes"
        );
        return x.fail(Code::OutOfBounds, message);
    }
    if aligned && !at.is_multiple_of(len.max(1) as u64) {
        let message =
            format!("an access of {len} bytes at byte {at} of local memory, which is no multiple of {len}");
        return x.fail(Code::Misaligned, message);
    }
    Ok(at as usize..at as usize + len)
}

/// The local memory of a lane, up to some byte at least.
pub(crate) fn local<'a>(x: &'a mut Exec<'_>, lane: usize, end: usize) -> &'a mut [u8] {
    let all = &mut x.state.local;
    if all.len() <= lane {
        all.resize(32, Vec::new());
    }
    let memory = &mut all[lane];
    if memory.len() < end {
        // To the end of the stack at once: what comes next will be near.
        memory.resize(end.max(*x.stack_end as usize), 0);
    }
    memory
}

/// Elements of `N` bytes at `offset` of each lane's `stride` bytes.
#[inline(always)]
fn gather<const N: usize>(bytes: &[u8], stride: usize, offset: usize) -> [[u8; N]; 32] {
    let mut out = [[0; N]; 32];
    for (lane, out) in out.iter_mut().enumerate() {
        let from = lane * stride + offset;
        if let Some(bytes) = bytes.get(from..from + N) {
            out.copy_from_slice(bytes);
        }
    }
    out
}

/// The other way.
#[inline(always)]
fn scatter<const N: usize>(bytes: &mut [u8], stride: usize, offset: usize, value: impl Fn(usize) -> [u8; N]) {
    for lane in 0..32 {
        let from = lane * stride + offset;
        if let Some(to) = bytes.get_mut(from..from + N) {
            to.copy_from_slice(&value(lane));
        }
    }
}

/// One element of all lanes as 64 bits, zero- or sign-extended. 16-byte elements are taken apart elsewhere.
fn element(bytes: &[u8], width: usize, stride: usize, offset: usize, signed: bool) -> Lanes64 {
    match (width, signed) {
        (1, false) => gather::<1>(bytes, stride, offset).map(|b| u64::from(b[0])),
        (1, true) => gather::<1>(bytes, stride, offset).map(|b| b[0] as i8 as u64),
        (2, false) => gather::<2>(bytes, stride, offset).map(|b| u64::from(u16::from_le_bytes(b))),
        (2, true) => gather::<2>(bytes, stride, offset).map(|b| i16::from_le_bytes(b) as u64),
        (4, false) => gather::<4>(bytes, stride, offset).map(|b| u64::from(u32::from_le_bytes(b))),
        (4, true) => gather::<4>(bytes, stride, offset).map(|b| i32::from_le_bytes(b) as u64),
        _ => gather::<8>(bytes, stride, offset).map(u64::from_le_bytes),
    }
}

impl Load {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self.width as usize * self.dst.len() {
            0..=4 => self.run::<128>(x),
            5..=8 => self.run::<256>(x),
            9..=16 => self.run::<512>(x),
            _ => self.run::<1024>(x),
        }
    }

    fn run<const BYTES: usize>(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let places = places(x, &self.target)?;
        let width = self.width as usize;
        let stride = width * self.dst.len();
        let mut bytes = [0; BYTES];
        let nature = if self.order.strong() { Nature::Atomic } else { Nature::Generic };
        places.read(x, stride as u32, nature, &mut bytes)?;
        for (i, &(dst, bits)) in self.dst.iter().enumerate() {
            let offset = i * width;
            match dst {
                Dst::R32(s) if width == 4 => {
                    let value: Lanes32 = if stride == 4 {
                        gather::<4>(&bytes, 4, 0).map(u32::from_le_bytes)
                    } else {
                        gather::<4>(&bytes, stride, offset).map(u32::from_le_bytes)
                    };
                    x.regs.set32(s, x.lanes, &value);
                }
                Dst::R128(s) => {
                    let value: Lanes128 = match width {
                        16 => gather::<16>(&bytes, stride, offset).map(u128::from_le_bytes),
                        _ => element(&bytes, width, stride, offset, self.signed)
                            .map(|v| if self.signed { i128::from(v as i64) as u128 } else { u128::from(v) }),
                    };
                    x.regs.set128(s, x.lanes, &value);
                }
                Dst::None => {}
                _ => {
                    let mut value = element(&bytes, width, stride, offset, self.signed);
                    if bits < 32 {
                        value = value.map(|v| v & ((1 << bits) - 1));
                    }
                    x.put(dst, &value);
                }
            }
        }
        if self.order.strong() {
            places.acquire(x, self.order, self.gpu);
            let mut key = rustc_hash::FxHasher::default();
            std::hash::Hash::hash(&(&places.at, x.lanes), &mut key);
            std::hash::Hash::hash(&bytes, &mut key);
            return Ok(x.polls(std::hash::Hasher::finish(&key)));
        }
        Ok(Flow::Next)
    }
}

/// So often a strong read at one place may see the same before it counts as asking again and again: a loop that ends
/// by itself is not taken for a hang.
const PATIENCE: u32 = 256;

impl Exec<'_> {
    /// After a strong read: whether it saw, at this place, what it had seen the last time. `seen` is a hash of lanes,
    /// addresses and values.
    pub(crate) fn polls(&mut self, seen: u64) -> Flow {
        let place = self.place;
        let polls = &mut self.state.polls;
        let Some(poll) = polls.iter_mut().find(|p| p.place == place) else {
            if polls.len() >= 16 {
                polls.remove(0);
            }
            polls.push(Poll { place, seen, times: 0 });
            return Flow::Next;
        };
        if poll.seen != seen {
            (poll.seen, poll.times) = (seen, 0);
            return Flow::Next;
        }
        poll.times = poll.times.saturating_add(1);
        if poll.times < PATIENCE { Flow::Next } else { Flow::Poll }
    }
}

impl Store {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self.width as usize * self.src.len() {
            0..=4 => self.run::<128>(x),
            5..=8 => self.run::<256>(x),
            9..=16 => self.run::<512>(x),
            _ => self.run::<1024>(x),
        }
    }

    fn run<const BYTES: usize>(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let places = places(x, &self.target)?;
        let width = self.width as usize;
        let stride = width * self.src.len();
        let mut bytes = [0; BYTES];
        for (i, &src) in self.src.iter().enumerate() {
            let offset = i * width;
            let to = &mut bytes;
            match (src, width) {
                (Src::R32(s), 4) => {
                    let v = x.regs.r32(s);
                    if stride == 4 {
                        scatter(to, 4, 0, |lane| v[lane].to_le_bytes());
                    } else {
                        scatter(to, stride, offset, |lane| v[lane].to_le_bytes());
                    }
                }
                (Src::R128(s), 16) => {
                    let v = x.regs.r128(s);
                    scatter(to, stride, offset, |lane| v[lane].to_le_bytes());
                }
                (src, 8) => {
                    let v = x.wide(src);
                    scatter(to, stride, offset, |lane| v[lane].to_le_bytes());
                }
                (src, 4) => {
                    let v = x.wide(src);
                    scatter(to, stride, offset, |lane| (v[lane] as u32).to_le_bytes());
                }
                (src, 2) => {
                    let v = x.wide(src);
                    scatter(to, stride, offset, |lane| (v[lane] as u16).to_le_bytes());
                }
                (src, _) => {
                    let v = x.wide(src);
                    scatter(to, stride, offset, |lane| [v[lane] as u8]);
                }
            }
        }
        let nature = if self.order.strong() { Nature::Atomic } else { Nature::Generic };
        places.release(x, self.order, self.gpu);
        places.write(x, stride as u32, nature, &bytes)?;
        Ok(Flow::Next)
    }
}

/// `isspacep` (ISA 9.7.9.19).
pub(super) fn is_space(x: &mut Exec<'_>, dst: SP, src: Src, space: Where) {
    let at = x.wide(src);
    let mut out = 0;
    for (lane, &a) in at.iter().enumerate() {
        let window = a >> 32;
        let is = match space {
            Where::Shared => window == SHARED_WINDOW >> 32 && (a as u32) >> 24 == x.env.rank,
            Where::Cluster => window == SHARED_WINDOW >> 32 && ((a as u32) >> 24) < x.hw.blocks.len() as u32,
            Where::Local => window == LOCAL_WINDOW >> 32,
            Where::Param => window == PARAM_WINDOW >> 32,
            Where::Const => x.hw.global.memory.find(a, 1).is_some_and(|(_, a, _)| a.read_only),
            // ISA: an address that is in no other window is a global one.
            Where::Global | Where::Generic => {
                ![SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW].iter().any(|w| w >> 32 == window)
            }
        };
        out |= u32::from(is) << lane;
    }
    let lanes = x.lanes;
    x.regs.set_p(dst, lanes, out);
}
