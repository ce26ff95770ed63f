//! Asynchronous copies without a tensor map (ISA 9.7.9.25: `cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`,
//! `st.async`, `red.async`, `st.bulk`) and their groups.
//!
//! An instruction is one operation of the machine for each lane; the lanes of one `cp.async` are one operation.

use super::spot::{Mods, Spot, WINDOWS, Window, needs, raw_address};
use crate::ast::{ScalarType, Space};
use crate::decode::{Addr, Decoder, Src, constant_bits};
use crate::env::WINDOW;
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::{Arg, Reg};
use crate::regs::{S32, SP, lanes_of};
use smallvec::SmallVec;
use tidegate_machine::access::Address;
use tidegate_machine::engine::{Done, Effect, Groups, Issue, Track};
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Stop;
use tidegate_machine::memory::shared_address;
use tidegate_machine::reduce::{Combine, Element, Reduce, combine};
use tidegate_machine::shadow::Nature;

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `cp.async`
    Lines(Box<Lines>),
    /// `cp.async.commit_group`, `cp.async.bulk.commit_group`
    Commit(Groups),
    /// `cp.async.wait_group`, `.wait_all`, `cp.async.bulk.wait_group`
    Wait(WaitGroup),
    /// `cp.async.bulk`, `cp.reduce.async.bulk`
    Bulk(Box<Bulk>),
    /// `cp.async.bulk.prefetch`: checked, of no effect.
    Prefetch(Box<(Addr, S32)>),
    /// `st.async`, `red.async`
    Remote(Box<Remote>),
    /// `st.bulk`: where and how many bytes become zero.
    Zeros(Box<Zeros>),
}

/// See [`Op::Wait`].
#[derive(Clone, Copy, Debug)]
pub struct WaitGroup {
    kind: Groups,
    allow: u32,
    reads: bool,
    /// What was not committed is waited for, too.
    open: bool,
}

/// See [`Op::Lines`].
#[derive(Clone, Debug)]
pub struct Lines {
    to: Spot,
    from: Addr,
    bytes: u32,
    /// So many are read, the rest are zeros.
    read: Option<S32>,
    /// All are zeros.
    ignore: Option<(SP, bool)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Global to shared, with a barrier.
    Load,
    /// Shared of this block to shared of another, with a barrier.
    Across,
    /// Shared to global, in groups.
    Store,
}

/// See [`Op::Bulk`].
#[derive(Clone, Debug)]
pub struct Bulk {
    way: Way,
    /// The side in shared memory (of [`Way::Across`], the source).
    shared: Spot,
    /// The other side: global, or of [`Way::Across`] shared memory of any block.
    other: Addr,
    size: S32,
    barrier: Option<Spot>,
    multicast: Option<S32>,
    /// `.cp_mask`: which bytes of each 16.
    bytes: Option<S32>,
    combine: Option<(Combine, u32)>,
}

/// See [`Op::Zeros`].
#[derive(Clone, Debug)]
pub struct Zeros {
    at: Spot,
    size: Src,
}

/// See [`Op::Remote`].
#[derive(Clone, Debug)]
pub struct Remote {
    to: Spot,
    barrier: Spot,
    values: SmallVec<[Src; 4]>,
    width: u32,
    combine: Option<Combine>,
}

/// The operations of bulk reductions.
pub(super) const REDUCTIONS: &[(&str, Reduce)] = &[
    ("add", Reduce::Add),
    ("min", Reduce::Min),
    ("max", Reduce::Max),
    ("inc", Reduce::Inc),
    ("dec", Reduce::Dec),
    ("and", Reduce::And),
    ("or", Reduce::Or),
    ("xor", Reduce::Xor),
];

/// `cp...`, `st.async`, `st.bulk`, `red.async`
pub(super) fn is_mine(opcode: &[String]) -> bool {
    opcode.first().is_some_and(|m| m == "cp") || opcode.get(1).is_some_and(|m| m == "async" || m == "bulk")
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    match d.opcode()[0].as_str() {
        "st" if d.opcode()[1] == "bulk" => return zeros(d),
        "st" => return remote(d, false),
        "red" => return remote(d, true),
        _ => {}
    }
    let mut m = Mods::after(d, 1);
    let reduces = m.take("reduce");
    if !m.take("async") {
        return d.unknown();
    }
    if m.take("bulk") {
        return bulk(d, reduces);
    }
    if reduces {
        return d.unknown();
    }
    needs(d, 80, "cp.async")?;
    if m.take("commit_group") {
        d.operands(0..=0)?;
        return if m.done() { Ok(Op::Commit(Groups::CpAsync)) } else { d.unknown() };
    }
    let wait = WaitGroup { kind: Groups::CpAsync, allow: 0, reads: false, open: false };
    if m.take("wait_all") {
        d.operands(0..=0)?;
        return if m.done() { Ok(Op::Wait(WaitGroup { open: true, ..wait })) } else { d.unknown() };
    }
    if m.take("wait_group") {
        if !m.done() {
            return d.unknown();
        }
        return Ok(Op::Wait(WaitGroup { allow: count(d)?, ..wait }));
    }
    lines(d)
}

/// The number of groups that may be pending.
fn count(d: &Decoder<'_>) -> Result<u32, ParseError> {
    d.operands(1..=1)?;
    match d.arg(0)? {
        Arg::Const(c) => Ok(constant_bits(*c, ScalarType::U32) as u32),
        _ => d.error_at(0, "a constant number of groups is wanted"),
    }
}

/// The last operand is a cache policy: 64 bits that change no result.
pub(super) fn last_policy(d: &mut Decoder<'_>) -> Result<(), ParseError> {
    let last = d.instr().args.len().saturating_sub(1);
    d.src64(last, ScalarType::B64)?;
    Ok(())
}

/// `cp.async.{ca,cg}.shared{::cta}.global{.L2::cache_hint}{.L2::64B,...} [dst], [src], size {, src-size or ignore-src} {, policy}`
fn lines(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let mut m = Mods::after(d, 2);
    let Some(cg) = m.one(&[("ca", false), ("cg", true)]) else { return d.unknown() };
    if m.one(&[("shared", ()), ("shared::cta", ())]).is_none() || !m.take("global") {
        return d.unknown();
    }
    let policy = m.take("L2::cache_hint");
    m.one(&[("L2::64B", ()), ("L2::128B", ()), ("L2::256B", ())]);
    if !m.done() {
        return d.unknown();
    }
    let more = usize::from(policy);
    d.operands(3 + more..=4 + more)?;
    let to = Spot::decode(d, 0, Window::Cta)?;
    let from = global(d, 1)?;
    let bytes = match d.arg(2)? {
        Arg::Const(c) => constant_bits(*c, ScalarType::U32) as u32,
        _ => return d.error_at(2, "cp.async takes a constant size"),
    };
    if !matches!((bytes, cg), (16, _) | (4 | 8, false)) {
        return d.error_at(2, format!("cp.async copies 4, 8 or 16 bytes, with .cg 16; found {bytes}"));
    }
    let (mut read, mut ignore) = (None, None);
    if d.instr().args.len() == 4 + more {
        match d.arg(3)? {
            Arg::Reg(Reg::P(_), _) | Arg::NotReg(..) => ignore = Some(d.src_p(3)?),
            _ => read = Some(d.src32(3, ScalarType::U32)?),
        }
    }
    if policy {
        last_policy(d)?;
    }
    Ok(Op::Lines(Box::new(Lines { to, from, bytes, read, ignore })))
}

/// An address in global memory.
fn global(d: &mut Decoder<'_>, index: usize) -> Result<Addr, ParseError> {
    let (addr, rest) = d.addr(index)?;
    if !rest.is_empty() || addr.space.is_some_and(|s| s != Space::Global && s != Space::Const) {
        return d.error_at(index, "an address in global memory is wanted");
    }
    Ok(addr)
}

fn bulk(d: &mut Decoder<'_>, reduces: bool) -> Result<Op, ParseError> {
    needs(d, 90, "cp.async.bulk")?;
    let mut m = Mods::after(d, if reduces { 4 } else { 3 });
    if !reduces {
        if m.take("commit_group") {
            d.operands(0..=0)?;
            return if m.done() { Ok(Op::Commit(Groups::Bulk)) } else { d.unknown() };
        }
        if m.take("wait_group") {
            let reads = m.take("read");
            if !m.done() {
                return d.unknown();
            }
            let allow = count(d)?;
            return Ok(Op::Wait(WaitGroup { kind: Groups::Bulk, allow, reads, open: false }));
        }
        if m.take("prefetch") {
            let known = m.take("L2") && m.take("global");
            let policy = m.take("L2::cache_hint");
            if !known || !m.done() {
                return d.unknown();
            }
            d.operands(2 + usize::from(policy)..=2 + usize::from(policy))?;
            let from = global(d, 0)?;
            if policy {
                last_policy(d)?;
            }
            return Ok(Op::Prefetch(Box::new((from, d.src32(1, ScalarType::U32)?))));
        }
    }
    let to = m.one(&[
        ("shared::cluster", Some(Window::Cluster)),
        ("shared::cta", Some(Window::Cta)),
        ("global", None),
    ]);
    let from = m.one(&[("shared::cta", true), ("global", false)]);
    let (way, window) = match (to, from) {
        (Some(Some(window)), Some(false)) if !reduces => (Way::Load, window),
        (Some(Some(Window::Cluster)), Some(true)) => (Way::Across, Window::Cta),
        (Some(None), Some(true)) => (Way::Store, Window::Cta),
        _ => return d.unknown(),
    };
    let completes =
        if way == Way::Store { m.take("bulk_group") } else { m.take("mbarrier::complete_tx::bytes") };
    let multicast = way == Way::Load && window == Window::Cluster && m.take("multicast::cluster");
    let policy = way != Way::Across && m.take("L2::cache_hint");
    let mask = way == Way::Store && !reduces && m.take("cp_mask");
    let mut combined = None;
    if reduces {
        let Some(op) = m.one(REDUCTIONS) else { return d.unknown() };
        let noftz = m.take("noftz");
        let element = m.ty().and_then(element_of);
        let float16 = matches!(element, Some(Element::F16 | Element::Bf16));
        if noftz != (float16 && op == Reduce::Add) {
            return d.unknown();
        }
        let small = matches!(element, Some(Element::U32 | Element::S32 | Element::B32))
            || (element == Some(Element::U64) && op == Reduce::Add);
        if way == Way::Across && !small {
            return d.unknown();
        }
        combined = match element {
            Some(e) if allowed(op, e) => combine(op, e).map(|f| (f, e.bytes())),
            _ => None,
        };
        if combined.is_none() {
            return d.unknown();
        }
    }
    if !completes || !m.done() {
        return d.unknown();
    }
    if mask {
        needs(d, 100, ".cp_mask")?;
    }
    let n = if way == Way::Store { 3 } else { 4 };
    let n = n + usize::from(multicast) + usize::from(policy) + usize::from(mask);
    d.operands(n..=n)?;
    let (shared, other) = match way {
        Way::Load => (Spot::decode(d, 0, window)?, global(d, 1)?),
        Way::Store => (Spot::decode(d, 1, Window::Cta)?, global(d, 0)?),
        Way::Across => (Spot::decode(d, 1, Window::Cta)?, d.addr(0)?.0),
    };
    let size = d.src32(2, ScalarType::U32)?;
    let mut next = 3;
    let barrier = if way == Way::Store {
        None
    } else {
        next = 4;
        Some(Spot::decode(d, 3, Window::Cluster)?)
    };
    let multicast = if multicast { Some(d.src32(next, ScalarType::U16)?) } else { None };
    next += usize::from(multicast.is_some());
    if policy {
        d.src64(next, ScalarType::B64)?;
        next += 1;
    }
    let bytes = if mask { Some(d.src32(next, ScalarType::U16)?) } else { None };
    Ok(Op::Bulk(Box::new(Bulk { way, shared, other, size, barrier, multicast, bytes, combine: combined })))
}

fn element_of(ty: ScalarType) -> Option<Element> {
    Some(match ty {
        ScalarType::U32 => Element::U32,
        ScalarType::S32 => Element::S32,
        ScalarType::B32 => Element::B32,
        ScalarType::U64 => Element::U64,
        ScalarType::S64 => Element::S64,
        ScalarType::B64 => Element::B64,
        ScalarType::F16 => Element::F16,
        ScalarType::Bf16 => Element::Bf16,
        ScalarType::F32 => Element::F32,
        ScalarType::F64 => Element::F64,
        _ => return None,
    })
}

/// Bitwise operations are on `.b32` and `.b64`, others on numbers.
fn allowed(op: Reduce, element: Element) -> bool {
    let bitwise = matches!(op, Reduce::And | Reduce::Or | Reduce::Xor);
    bitwise == matches!(element, Element::B32 | Element::B64)
}

/// `st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2,.v4}.type [a], b, [mbar]`,
/// `red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]`
fn remote(d: &mut Decoder<'_>, reduces: bool) -> Result<Op, ParseError> {
    needs(d, 90, "st.async and red.async")?;
    let mut m = Mods::after(d, 2);
    if reduces {
        if !m.take("relaxed") || !m.take("cluster") {
            return d.unknown();
        }
    } else {
        m.take("weak");
    }
    let window = m.one(&[("shared::cluster", Window::Cluster)]).unwrap_or(Window::Generic);
    if !m.take("mbarrier::complete_tx::bytes") {
        return d.unknown();
    }
    let op = if reduces { m.one(REDUCTIONS) } else { None };
    let lanes = if reduces { None } else { m.one(&[("v2", 2), ("v4", 4)]) };
    let Some(ty) = m.ty().filter(|_| m.done() && op.is_some() == reduces) else { return d.unknown() };
    let Some(element) = element_of(ty).filter(|e| e.bytes() >= 4) else { return d.unknown() };
    let combine = match op {
        None => None,
        Some(op) => {
            let takes = allowed(op, element)
                && (matches!(element, Element::U32 | Element::S32 | Element::B32)
                    || (element == Element::U64 && op == Reduce::Add));
            match combine(op, element).filter(|_| takes) {
                Some(f) => Some(f),
                None => return d.unknown(),
            }
        }
    };
    d.operands(3..=3)?;
    let to = Spot::decode(d, 0, window)?;
    let list = d.elements(1)?;
    if list.len() != lanes.unwrap_or(1) {
        return d.error_at(1, format!("{} values are wanted", lanes.unwrap_or(1)));
    }
    let span = d.span(1);
    let values = list.iter().map(|a| d.src_of(a, ty, span)).collect::<Result<SmallVec<_>, _>>()?;
    let barrier = Spot::decode(d, 2, window)?;
    Ok(Op::Remote(Box::new(Remote { to, barrier, values, width: element.bytes(), combine })))
}

/// `st.bulk{.weak}{.shared::cta} [a], size, 0`
fn zeros(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    needs(d, 100, "st.bulk")?;
    let mut m = Mods::after(d, 2);
    m.take("weak");
    let window = m.one(WINDOWS).unwrap_or(Window::Generic);
    if !m.done() || window == Window::Cluster {
        return d.unknown();
    }
    d.operands(3..=3)?;
    let at = Spot::decode(d, 0, window)?;
    let size = d.src(1, ScalarType::U64)?;
    match d.arg(2)? {
        Arg::Const(c) if constant_bits(*c, ScalarType::U64) == 0 => {}
        _ => return d.error_at(2, "st.bulk stores zeros: 0 is wanted"),
    }
    Ok(Op::Zeros(Box::new(Zeros { at, size })))
}

/// The ranks of all blocks of the cluster, as a mask.
pub(super) fn every_block(x: &Exec<'_>) -> u32 {
    ((1u64 << x.hw.blocks.len().min(32)) - 1) as u32
}

/// Where a copy goes and which barrier counts it, by destination block: one, or those of a multicast's mask.
pub(super) fn destinations(
    x: &mut Exec<'_>,
    what: &str,
    to: u32,
    barrier: u32,
    mask: Option<u32>,
    pair: bool,
) -> Result<SmallVec<[(u32, u32); 2]>, Stop> {
    let Some(mask) = mask else {
        let (a, b) = (to >> 24, barrier >> 24);
        if a != b && !(pair && a >> 1 == b >> 1) {
            let message = format!(
                "{what} to the shared memory of rank {a} with an mbarrier of rank {b}: the barrier has to be the destination's{}",
                if pair { ", or of the other block of its pair" } else { "" }
            );
            return x.fail(Code::InvalidOperand, message);
        }
        return Ok(SmallVec::from_iter([(to, barrier)]));
    };
    let mask = mask & 0xffff;
    if mask == 0 || mask & !every_block(x) != 0 {
        let n = x.hw.blocks.len();
        return x.fail(Code::InvalidOperand, format!("{what} with the mask {mask:#x} in a cluster of {n}"));
    }
    let ranks = (0..16).filter(|r| mask >> r & 1 == 1);
    Ok(ranks
        .map(|r| {
            // The same offsets in each block; of pairs, the barriers are all the even blocks' or all the odd ones'.
            let counts = if pair { r & !1 | barrier >> 24 & 1 } else { r };
            (shared_address(r, to & 0x00ff_ffff), shared_address(counts, barrier & 0x00ff_ffff))
        })
        .collect())
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::Lines(op) => op.exec(x),
            Op::Commit(kind) => {
                x.hw.commit_group(x.actor(), *kind);
                Ok(Flow::Next)
            }
            Op::Wait(w) => {
                // `cp.async.wait_all` commits what is open first (ISA "cp.async.wait_all"), once.
                if w.open && x.pending.take().is_none() {
                    x.hw.commit_group(x.actor(), w.kind);
                }
                match x.hw.wait_group(x.actor(), w.kind, w.allow, w.reads, false) {
                    None => Ok(Flow::Next),
                    Some(on) => {
                        *x.pending = w.open.then_some(1);
                        Ok(Flow::Wait(on))
                    }
                }
            }
            Op::Bulk(op) => op.exec(x),
            Op::Prefetch(op) => {
                let at = raw_address(x, &op.0);
                let sizes = *x.regs.r32(op.1);
                for lane in lanes_of(x.lanes) {
                    check_bulk(x, "bulk prefetch", &[at[lane]], sizes[lane])?;
                }
                Ok(Flow::Next)
            }
            Op::Remote(op) => op.exec(x),
            Op::Zeros(op) => {
                let at = op.at.shared(x, "st.bulk")?;
                let sizes = x.wide(op.size);
                for lane in lanes_of(x.lanes) {
                    if at[lane] % 8 != 0 || !sizes[lane].is_multiple_of(8) || sizes[lane] > 1 << 24 {
                        let message = format!(
                            "st.bulk of {} bytes at shared address {:#x}: both are multiples of 8",
                            sizes[lane], at[lane]
                        );
                        return x.fail(Code::Misaligned, message);
                    }
                    for by in (0..sizes[lane] as u32).step_by(8) {
                        let to = Address::Shared(at[lane].wrapping_add(by));
                        x.hw.store(x.lane(lane), to, &[0; 8], Nature::Generic)?;
                    }
                }
                Ok(Flow::Next)
            }
        }
    }
}

/// Addresses and size of a bulk copy are multiples of 16 (ISA "cp.async.bulk").
fn check_bulk(x: &mut Exec<'_>, what: &str, at: &[u64], size: u32) -> Result<(), Stop> {
    if let Some(bad) = at.iter().find(|a| *a % 16 != 0) {
        return x.fail(Code::Misaligned, format!("{what} at {bad:#x}, no multiple of 16"));
    }
    if !size.is_multiple_of(16) {
        return x.fail(Code::InvalidOperand, format!("{what} of {size} bytes, no multiple of 16"));
    }
    Ok(())
}

impl Lines {
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let to = self.to.shared(x, "cp.async")?;
        let from = raw_address(x, &self.from);
        let read = self.read.map(|s| *x.regs.r32(s));
        let ignored = match self.ignore {
            Some((p, negated)) => x.regs.p(p) ^ if negated { u32::MAX } else { 0 },
            None => 0,
        };
        // To, from, bytes, of them read; neighbours that follow each other on both sides are one piece.
        let mut pieces: SmallVec<[(u32, u64, u32, u32); 4]> = SmallVec::new();
        for lane in lanes_of(x.lanes) {
            let mut n = read.map_or(self.bytes, |r| r[lane]);
            if ignored >> lane & 1 == 1 {
                n = 0;
            }
            if n > self.bytes {
                let message = format!("cp.async of {} bytes with a source size of {n}", self.bytes);
                return x.fail(Code::InvalidOperand, message);
            }
            let wanted = u64::from(self.bytes);
            if u64::from(to[lane]) % wanted != 0 || (n > 0 && !from[lane].is_multiple_of(wanted)) {
                let message = format!(
                    "cp.async of {wanted} bytes from {:#x} to shared address {:#x}: both are multiples of {wanted}",
                    from[lane], to[lane]
                );
                return x.fail(Code::Misaligned, message);
            }
            match pieces.last_mut() {
                Some((t, f, len, r))
                    if *t + *len == to[lane]
                        && *len == *r
                        && n == self.bytes
                        && *f + u64::from(*len) == from[lane] =>
                {
                    *len += self.bytes;
                    *r += self.bytes;
                }
                _ => pieces.push((to[lane], from[lane], self.bytes, n)),
            }
        }
        x.hw.issue(Issue {
            agent: x.agent,
            lanes: x.lanes,
            place: x.place,
            what: "cp.async",
            track: Track::Groups(Groups::CpAsync),
            group: None,
            after: SmallVec::new(),
            effect: Effect::Run(Box::new(move |hw, op| {
                let mut buffer = [0; 512];
                for &(to, from, len, read) in &pieces {
                    let bytes = &mut buffer[..len as usize];
                    bytes.fill(0);
                    if read > 0 {
                        hw.read_for(op, Address::Global(from), &mut bytes[..read as usize])?;
                    }
                    hw.write_for(op, Address::Shared(to), bytes)?;
                }
                Ok(())
            })),
            done: SmallVec::new(),
            generic: true,
        });
        Ok(Flow::Next)
    }
}

impl Bulk {
    fn what(&self) -> &'static str {
        match (self.way, self.combine) {
            (_, Some(_)) => "bulk reduction",
            (Way::Load, None) => "bulk load",
            (Way::Store, None) => "bulk store",
            (Way::Across, None) => "bulk copy",
        }
    }

    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let what = self.what();
        let shared = self.shared.shared(x, what)?;
        let other = raw_address(x, &self.other);
        let sizes = *x.regs.r32(self.size);
        let barrier = match &self.barrier {
            Some(spot) => spot.shared(x, what)?,
            None => [0; 32],
        };
        let masks = self.multicast.map(|s| *x.regs.r32(s));
        let byte_masks = self.bytes.map(|s| *x.regs.r32(s));
        for lane in lanes_of(x.lanes) {
            let (shared, other, size) = (shared[lane], other[lane], sizes[lane]);
            check_bulk(x, what, &[u64::from(shared), other], size)?;
            let mut issue = Issue {
                agent: x.agent,
                lanes: 1 << lane,
                place: x.place,
                what,
                track: Track::Own,
                group: None,
                after: SmallVec::new(),
                effect: Effect::None,
                done: SmallVec::new(),
                generic: false,
            };
            let combine = self.combine;
            match self.way {
                Way::Store => {
                    let mask = byte_masks.map(|m| m[lane]);
                    issue.track = Track::Groups(Groups::Bulk);
                    issue.effect = Effect::Run(Box::new(move |hw, op| {
                        let mut bytes = vec![0; size as usize];
                        hw.read_for(op, Address::Shared(shared), &mut bytes)?;
                        match (combine, mask) {
                            (Some((f, width)), _) => {
                                hw.reduce_for(op, Address::Global(other), &bytes, width, f)
                            }
                            (None, None) => hw.write_for(op, Address::Global(other), &bytes),
                            (None, Some(mask)) => {
                                let chosen = |i: &usize| mask >> (i % 16) & 1 == 1;
                                (0..bytes.len()).filter(chosen).try_for_each(|i| {
                                    hw.write_for(op, Address::Global(other + i as u64), &bytes[i..=i])
                                })
                            }
                        }
                    }));
                }
                Way::Load => {
                    let mask = masks.map(|m| m[lane]);
                    let to = destinations(x, what, shared, barrier[lane], mask, false)?;
                    issue.done =
                        to.iter().map(|&(_, barrier)| Done::Bytes { barrier, bytes: size }).collect();
                    issue.effect = Effect::Run(Box::new(move |hw, op| {
                        let mut bytes = vec![0; size as usize];
                        hw.read_for(op, Address::Global(other), &mut bytes)?;
                        to.iter().try_for_each(|&(to, _)| hw.write_for(op, Address::Shared(to), &bytes))
                    }));
                }
                Way::Across => {
                    if other >= WINDOW {
                        return x.fail(Code::OutOfBounds, format!("{what}: {other:#x} is no shared address"));
                    }
                    let to = other as u32;
                    destinations(x, what, to, barrier[lane], None, false)?;
                    issue.done = SmallVec::from_iter([Done::Bytes { barrier: barrier[lane], bytes: size }]);
                    issue.effect = Effect::Run(Box::new(move |hw, op| {
                        let mut bytes = vec![0; size as usize];
                        hw.read_for(op, Address::Shared(shared), &mut bytes)?;
                        match combine {
                            Some((f, width)) => hw.reduce_for(op, Address::Shared(to), &bytes, width, f),
                            None => hw.write_for(op, Address::Shared(to), &bytes),
                        }
                    }));
                }
            }
            x.hw.issue(issue);
        }
        Ok(Flow::Next)
    }
}

impl Remote {
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let what = if self.combine.is_some() { "red.async" } else { "st.async" };
        let to = self.to.shared(x, what)?;
        let barrier = self.barrier.shared(x, what)?;
        let values: SmallVec<[[u64; 32]; 4]> = self.values.iter().map(|&s| x.wide(s)).collect();
        let len = self.width as usize * values.len();
        let mut stores: Vec<(u32, [u8; 32])> = Vec::new();
        let mut done: SmallVec<[Done; 2]> = SmallVec::new();
        for lane in lanes_of(x.lanes) {
            if to[lane] % len as u32 != 0 {
                let message = format!("{what} of {len} bytes at shared address {:#x}, no multiple", to[lane]);
                return x.fail(Code::Misaligned, message);
            }
            destinations(x, what, to[lane], barrier[lane], None, false)?;
            let mut bytes = [0; 32];
            for (chunk, value) in bytes.chunks_exact_mut(self.width as usize).zip(&values) {
                chunk.copy_from_slice(&value[lane].to_le_bytes()[..self.width as usize]);
            }
            stores.push((to[lane], bytes));
            let same =
                done.iter_mut().find(|d| matches!(d, Done::Bytes { barrier: b, .. } if *b == barrier[lane]));
            match same {
                Some(Done::Bytes { bytes, .. }) => *bytes += len as u32,
                _ => done.push(Done::Bytes { barrier: barrier[lane], bytes: len as u32 }),
            }
        }
        let (combine, width) = (self.combine, self.width);
        x.hw.issue(Issue {
            agent: x.agent,
            lanes: x.lanes,
            place: x.place,
            what,
            track: Track::Own,
            group: None,
            after: SmallVec::new(),
            effect: Effect::Run(Box::new(move |hw, op| {
                stores.iter().try_for_each(|(to, bytes)| match combine {
                    Some(f) => hw.reduce_for(op, Address::Shared(*to), &bytes[..len], width, f),
                    None => hw.write_for(op, Address::Shared(*to), &bytes[..len]),
                })
            })),
            done,
            generic: true,
        });
        Ok(Flow::Next)
    }
}
