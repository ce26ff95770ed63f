//! Copies through tensor maps (ISA 9.7.9.27 `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`,
//! `cp.async.bulk.prefetch.tensor`).
//!
//! The map is read when the copy is issued; memory is read and written when the machine lets the copy happen.

use super::copy::{REDUCTIONS, destinations, last_policy};
use super::spot::{Mods, Spot, Window, needs};
use super::tensormap::{map_at, read_map};
use crate::ast::ScalarType;
use crate::decode::{Addr, Decoder};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::Arg;
use crate::regs::{S32, lanes_of};
use smallvec::SmallVec;
use tidegate_machine::access::Address;
use tidegate_machine::boxes::{BoxCopy, BoxMode};
use tidegate_machine::engine::{Done, Effect, Groups, Issue, Track};
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Stop;
use tidegate_machine::reduce::{Element, Reduce, combine};
use tidegate_machine::tensormap::{Direction, MAX_RANK};

/// A copy through a tensor map.
#[derive(Clone, Debug)]
pub struct Copy {
    kind: Kind,
    mode: BoxMode,
    map: Addr,
    coords: SmallVec<[S32; MAX_RANK]>,
    /// Offsets of im2col.
    offsets: SmallVec<[S32; 3]>,
    shared: Option<Spot>,
    barrier: Option<Spot>,
    mask: Option<S32>,
    /// `.cta_group::2`: the barrier may be that of the other block of the pair.
    pair: bool,
}

/// An instruction of this family.
pub type Op = Box<Copy>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    Reduce(Reduce),
    Prefetch,
}

/// `cp[.reduce].async.bulk[.prefetch].tensor`
pub(super) fn is_mine(opcode: &[String]) -> bool {
    opcode.iter().any(|m| m == "tensor")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    Tile,
    Gather,
    Scatter,
    Im2col,
    Im2colNoOffsets,
}

const LOAD_MODES: &[(&str, Load)] = &[
    ("tile", Load::Tile),
    ("tile::gather4", Load::Gather),
    ("tile::scatter4", Load::Scatter),
    ("im2col", Load::Im2col),
    ("im2col_no_offs", Load::Im2colNoOffsets),
];

const DIMS: &[(&str, usize)] = &[("1d", 1), ("2d", 2), ("3d", 3), ("4d", 4), ("5d", 5)];

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    needs(d, 90, "a copy through a tensor map")?;
    let mut m = Mods::after(d, 1);
    let reduces = m.take("reduce");
    if !m.take("async") || !m.take("bulk") {
        return d.unknown();
    }
    let prefetch = !reduces && m.take("prefetch");
    if !m.take("tensor") {
        return d.unknown();
    }
    let Some(dims) = m.one(DIMS) else { return d.unknown() };
    let mut window = Window::Cta;
    let mut kind = Kind::Prefetch;
    if prefetch {
        if !m.take("L2") || !m.take("global") {
            return d.unknown();
        }
    } else if m.take("global") {
        if !m.take("shared::cta") {
            return d.unknown();
        }
        kind = Kind::Store;
        if reduces {
            match m.one(REDUCTIONS) {
                Some(op) => kind = Kind::Reduce(op),
                None => return d.unknown(),
            }
        }
    } else {
        match m.one(&[("shared::cta", Window::Cta), ("shared::cluster", Window::Cluster)]) {
            Some(w) if !reduces && m.take("global") => (window, kind) = (w, Kind::Load),
            _ => return d.unknown(),
        }
    }
    let load = m.one(LOAD_MODES).unwrap_or(Load::Tile);
    let allowed = match load {
        Load::Tile => true,
        Load::Gather => matches!(kind, Kind::Load | Kind::Prefetch),
        Load::Scatter => kind == Kind::Store,
        Load::Im2col => matches!(kind, Kind::Load | Kind::Prefetch),
        Load::Im2colNoOffsets => matches!(kind, Kind::Store | Kind::Reduce(_)),
    };
    let completes = match kind {
        Kind::Load => m.take("mbarrier::complete_tx::bytes"),
        Kind::Store | Kind::Reduce(_) => m.take("bulk_group"),
        Kind::Prefetch => true,
    };
    let four = matches!(load, Load::Gather | Load::Scatter);
    let columns = matches!(load, Load::Im2col | Load::Im2colNoOffsets);
    if !allowed || !completes || (four && dims != 2) || (columns && dims < 3) {
        return d.unknown();
    }
    // The ISA's grammar has them in this order, ptxas takes either.
    let groups = &[("cta_group::1", false), ("cta_group::2", true)];
    let loads = kind == Kind::Load;
    let mut group = if loads { m.one(groups) } else { None };
    let multicast = loads && m.take("multicast::cluster");
    group = group.or(if loads { m.one(groups) } else { None });
    let policy = m.take("L2::cache_hint");
    if !m.done() || (multicast && window == Window::Cta) {
        return d.unknown();
    }
    if group.is_some() || four {
        needs(d, 100, "this form of a copy through a tensor map")?;
    }
    let offsets = if load == Load::Im2col { dims - 2 } else { 0 };
    let n = match kind {
        Kind::Load => 3,
        Kind::Store | Kind::Reduce(_) => 2,
        Kind::Prefetch => 1,
    };
    let extra = usize::from(offsets > 0) + usize::from(multicast) + usize::from(policy);
    d.operands(n + extra..=n + extra)?;
    let map_index = usize::from(loads);
    let (map, rest) = d.addr(map_index)?;
    let coords = if four { 5 } else { dims };
    let coords = numbers(d, map_index, &rest, coords, ScalarType::S32)?;
    let shared = match kind {
        Kind::Load => Some(Spot::decode(d, 0, window)?),
        Kind::Prefetch => None,
        _ => Some(Spot::decode(d, 1, Window::Cta)?),
    };
    let barrier = if loads { Some(Spot::decode(d, 2, Window::Cluster)?) } else { None };
    let mut next = n;
    let mut by = SmallVec::new();
    if offsets > 0 {
        let list = vec![d.arg(next)?.clone()];
        by = numbers(d, next, &list, offsets, ScalarType::U16)?.into_iter().collect();
        next += 1;
    }
    let mask = if multicast { Some(d.src32(next, ScalarType::U16)?) } else { None };
    if policy {
        last_policy(d)?;
    }
    let mode = match load {
        Load::Tile => BoxMode::Tile,
        Load::Gather | Load::Scatter => BoxMode::Gather,
        Load::Im2col => BoxMode::Im2col([0; 3], offsets),
        Load::Im2colNoOffsets => BoxMode::Im2col([0; 3], 0),
    };
    let pair = group == Some(true);
    Ok(Box::new(Copy { kind, mode, map, coords, offsets: by, shared, barrier, mask, pair }))
}

/// The elements of a vector (or a number alone).
fn numbers(
    d: &mut Decoder<'_>,
    index: usize,
    rest: &[Arg],
    wanted: usize,
    ty: ScalarType,
) -> Result<SmallVec<[S32; MAX_RANK]>, ParseError> {
    let list = match rest {
        [Arg::Vector(list)] => list.clone(),
        other => other.to_vec(),
    };
    if list.len() != wanted {
        return d.error_at(index, format!("{wanted} coordinates are wanted here, found {}", list.len()));
    }
    let span = d.span(index);
    list.iter().map(|a| d.src32_of(a, ty, span)).collect()
}

impl Copy {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let shared = match &self.shared {
            Some(spot) => spot.shared(x, self.what())?,
            None => [0; 32],
        };
        let barrier = match &self.barrier {
            Some(spot) => spot.shared(x, self.what())?,
            None => [0; 32],
        };
        let mask = self.mask.map(|s| *x.regs.r32(s));
        for lane in lanes_of(x.lanes) {
            self.issue(x, lane, shared[lane], barrier[lane], mask.map(|m| m[lane]))?;
        }
        Ok(Flow::Next)
    }

    fn what(&self) -> &'static str {
        match self.kind {
            Kind::Load if self.mask.is_some() => "multicast TMA load",
            Kind::Load => "TMA load",
            Kind::Store => "TMA store",
            Kind::Reduce(_) => "TMA reduction",
            Kind::Prefetch => "TMA prefetch",
        }
    }

    fn issue(
        &self,
        x: &mut Exec<'_>,
        lane: usize,
        shared: u32,
        barrier: u32,
        mask: Option<u32>,
    ) -> Result<(), Stop> {
        let what = self.what();
        let at = map_at(x, &self.map, lane);
        let map = read_map(x, what, lane, at)?;
        let coords: SmallVec<[i32; MAX_RANK]> =
            self.coords.iter().map(|&s| x.regs.r32(s)[lane] as i32).collect();
        let mut mode = self.mode;
        if let BoxMode::Im2col(offsets, _) = &mut mode {
            for (to, &s) in offsets.iter_mut().zip(&self.offsets) {
                *to = x.regs.r32(s)[lane] as u16;
            }
        }
        let direction = match self.kind {
            Kind::Load | Kind::Prefetch => Direction::Load,
            Kind::Store | Kind::Reduce(_) => Direction::Store,
        };
        let copy = match BoxCopy::new(map, mode, direction, &coords, shared) {
            Ok(copy) => copy,
            Err(e) => return x.fail(Code::Descriptor, format!("{what}: {e}")),
        };
        let bytes = copy.bytes() as u32;
        // The order of the map's writes and this copy, where the map lies in global memory.
        let map_at = at.global();
        let mut issue = Issue {
            agent: x.agent,
            lanes: 1 << lane,
            place: x.place,
            what,
            track: Track::Groups(Groups::Bulk),
            group: None,
            after: SmallVec::new(),
            effect: Effect::None,
            done: SmallVec::new(),
            generic: false,
        };
        match self.kind {
            Kind::Prefetch => return Ok(()),
            Kind::Load => {
                let to = destinations(x, what, shared, barrier, mask, self.pair)?;
                issue.track = Track::Own;
                issue.done = to.iter().map(|&(_, barrier)| Done::Bytes { barrier, bytes }).collect();
                let to: SmallVec<[u32; 2]> = to.iter().map(|t| t.0).collect();
                issue.effect = Effect::Run(Box::new(move |hw, op| {
                    if let Some(at) = map_at {
                        hw.note_map_read(op, at, 128)?;
                    }
                    hw.load_box(op, &copy, &to)
                }));
            }
            Kind::Store | Kind::Reduce(_) => {
                let combine = match self.kind {
                    Kind::Reduce(reduce) => {
                        let combine = Element::of_map(copy.element()).and_then(|e| combine(reduce, e));
                        if combine.is_none() {
                            let message =
                                format!("{what}: there is no {reduce:?} of elements {:?}", copy.element());
                            return x.fail(Code::Descriptor, message);
                        }
                        combine
                    }
                    _ => None,
                };
                issue.effect = Effect::Run(Box::new(move |hw, op| {
                    if let Some(at) = map_at {
                        hw.note_map_read(op, at, 128)?;
                    }
                    hw.store_box(op, &copy, shared, combine)
                }));
            }
        }
        if let Some(at) = map_at
            && let Some(writer) = x.hw.unfenced_map(Address::Global(at))
        {
            super::tensormap::unfenced(x, writer);
        }
        x.hw.issue(issue);
        Ok(())
    }
}
