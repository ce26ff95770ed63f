//! Tensor maps in memory: where they are read from, `tensormap.replace` (ISA 9.7.9.28) and `tensormap.cp_fenceproxy`
//! (9.7.13.4).
//!
//! A map in parameters or constants is the host's. One in global memory that the kernel writes by `tensormap.*` has to
//! be fenced (`fence.proxy.tensormap::generic.acquire`) between that and its use; whoever fences, as elsewhere with
//! proxies, does not matter.

use super::spot::{Mods, needs, raw_address};
use crate::ast::{ScalarType, Space};
use crate::decode::{Addr, Decoder, Src, constant_bits};
use crate::env::{PARAM_WINDOW, WINDOW};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::Arg;
use crate::regs::lanes_of;
use tidegate_machine::access::Address;
use tidegate_machine::barrier::Release;
use tidegate_machine::finding::{Code, Finding};
use tidegate_machine::hardware::{Actor, Stop};
use tidegate_machine::memory::SHARED_WINDOW;
use tidegate_machine::shadow::Nature;
use tidegate_machine::tensormap::{
    Descriptor, ElementType, Field, Interleave, L2Promotion, MAP_BYTES, Mode, OobFill, SwizzleAtom,
    SwizzleMode, TensorMap,
};

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `tensormap.replace`
    Replace(Box<Replace>),
    /// `tensormap.cp_fenceproxy`: to, from, and whether the release reaches other clusters.
    CopyFence(Box<(Addr, Addr, bool)>),
}

/// See [`Op::Replace`].
#[derive(Clone, Debug)]
pub struct Replace {
    map: Addr,
    /// The space that the instruction names.
    space: Option<Space>,
    field: Field,
    value: Src,
}

#[derive(Clone, Copy)]
enum FieldOf {
    One(Field),
    Of(fn(u32) -> Field),
}

const FIELDS: &[(&str, FieldOf)] = &[
    ("global_address", FieldOf::One(Field::GlobalAddress)),
    ("rank", FieldOf::One(Field::Rank)),
    ("box_dim", FieldOf::Of(Field::BoxDim)),
    ("global_dim", FieldOf::Of(Field::GlobalDim)),
    ("global_stride", FieldOf::Of(Field::GlobalStride)),
    ("element_stride", FieldOf::Of(Field::ElementStride)),
    ("elemtype", FieldOf::One(Field::ElemType)),
    ("interleave_layout", FieldOf::One(Field::InterleaveLayout)),
    ("swizzle_mode", FieldOf::One(Field::SwizzleMode)),
    ("swizzle_atomicity", FieldOf::One(Field::SwizzleAtomicity)),
    ("fill_mode", FieldOf::One(Field::FillMode)),
];

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    if d.arch < 90 || !d.specific {
        return d.error("tensormap instructions need an architecture-specific target like sm_90a");
    }
    match d.opcode().get(1).map_or("", String::as_str) {
        "replace" => replace(d),
        "cp_fenceproxy" => {
            needs(d, 90, "tensormap.cp_fenceproxy")?;
            let mut m = Mods::after(d, 2);
            let head = m.take("global") && m.take("shared::cta") && m.take("tensormap::generic");
            let scopes = &[("cta", false), ("cluster", false), ("gpu", true), ("sys", true)];
            let gpu = if head && m.take("release") { m.one(scopes) } else { None };
            let Some(gpu) = gpu.filter(|_| m.take("sync") && m.take("aligned") && m.done()) else {
                return d.unknown();
            };
            d.operands(3..=3)?;
            let (to, _) = d.addr(0)?;
            let (from, _) = d.addr(1)?;
            match d.arg(2)? {
                Arg::Const(c) if constant_bits(*c, ScalarType::U32) == 128 => {}
                _ => return d.error_at(2, "the size of a tensor map is wanted: 128"),
            }
            Ok(Op::CopyFence(Box::new((to, from, gpu))))
        }
        _ => d.unknown(),
    }
}

/// `tensormap.replace.tile.FIELD{.global,.shared::cta}.b1024.TYPE [map], {ordinal,} value`
fn replace(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let mut m = Mods::after(d, 2);
    if !m.take("tile") {
        return d.unknown();
    }
    let Some(field) = m.one(FIELDS) else { return d.unknown() };
    let space = m.one(&[("global", Space::Global), ("shared::cta", Space::Shared)]);
    let wide = matches!(field, FieldOf::One(Field::GlobalAddress))
        || matches!(field, FieldOf::Of(f) if f(0) == Field::GlobalStride(0));
    let ty = if wide { ScalarType::B64 } else { ScalarType::B32 };
    if !m.take("b1024") || m.ty() != Some(ty) || !m.done() {
        return d.unknown();
    }
    let (field, value) = match field {
        FieldOf::One(field) => {
            d.operands(2..=2)?;
            (field, 1)
        }
        FieldOf::Of(field) => {
            d.operands(3..=3)?;
            match d.arg(1)? {
                Arg::Const(c) => (field(constant_bits(*c, ScalarType::U32) as u32), 2),
                _ => return d.error_at(1, "the ordinal of a dimension is a constant"),
            }
        }
    };
    let (map, _) = d.addr(0)?;
    let value = d.src(value, ty)?;
    Ok(Op::Replace(Box::new(Replace { map, space, field, value })))
}

/// Where a tensor map lies.
#[derive(Clone, Copy, Debug)]
pub(super) enum MapAt {
    /// Bytes of the kernel's parameters.
    Param(u64),
    /// In global memory (constants, too).
    Global(u64),
    /// In shared memory.
    Shared(u32),
}

impl MapAt {
    /// The address of a map in global memory.
    pub(super) fn global(self) -> Option<u64> {
        match self {
            MapAt::Global(at) => Some(at),
            _ => None,
        }
    }
}

/// Where the map of a generic address operand lies, for a lane.
pub(super) fn map_at(x: &Exec<'_>, addr: &Addr, lane: usize) -> MapAt {
    let raw = raw_address(x, addr)[lane];
    match addr.space {
        Some(Space::Param) => MapAt::Param(raw),
        Some(Space::Shared) => MapAt::Shared(raw as u32),
        _ if raw.wrapping_sub(PARAM_WINDOW) < WINDOW => MapAt::Param(raw - PARAM_WINDOW),
        _ if raw.wrapping_sub(SHARED_WINDOW) < WINDOW => MapAt::Shared((raw - SHARED_WINDOW) as u32),
        _ => MapAt::Global(raw),
    }
}

/// The map that a copy goes through.
pub(super) fn read_map(x: &mut Exec<'_>, what: &str, lane: usize, at: MapAt) -> Result<TensorMap, Stop> {
    let mut bytes = [0; MAP_BYTES];
    let address = match at {
        MapAt::Param(at) => {
            let params = &x.env.launch.params;
            let part = usize::try_from(at).ok().and_then(|a| params.get(a..a.checked_add(MAP_BYTES)?));
            let Some(part) = part else {
                return x.fail(
                    Code::OutOfBounds,
                    format!("{what}: no 128 bytes of a tensor map are at byte {at} of the parameters"),
                );
            };
            bytes.copy_from_slice(part);
            at
        }
        MapAt::Global(at) => {
            match x.hw.global.memory.find(at, MAP_BYTES as u64) {
                Some((_, allocation, offset)) => allocation.read(offset, &mut bytes),
                None => {
                    let place = x.hw.global.memory.describe(at);
                    return x.fail(
                        Code::OutOfBounds,
                        format!("{what}: there is no tensor map at its address: {place}"),
                    );
                }
            }
            at
        }
        MapAt::Shared(at) => {
            let who = x.hw.who(x.agent, 1 << lane);
            return x.fail(
                Code::Descriptor,
                format!("{what} by {who}: the tensor map lies at shared address {at:#x}; copies take maps in parameters, constant and global memory"),
            );
        }
    };
    if address % 64 != 0 {
        return x.fail(Code::Misaligned, format!("{what}: a tensor map at {address:#x}, no multiple of 64"));
    }
    match TensorMap::from_bytes(&bytes) {
        Ok(map) => Ok(map),
        Err(e) => x.fail(Code::Descriptor, format!("{what}: {e}")),
    }
}

/// A map was written and is used with no fence between.
pub(super) fn unfenced(x: &mut Exec<'_>, writer: Actor) {
    let who = x.hw.who(writer.agent, writer.lanes);
    let message = format!("a tensor map that {who} wrote is used without a fence of the tensormap proxy");
    let finding = Finding::new(Code::MissingFence, message)
        .at(x.place, "used here")
        .at(writer.place, "written here")
        .help("fence.proxy.tensormap::generic.acquire.gpu [map], 128 before its use");
    x.hw.report(finding);
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::Replace(op) => op.exec(x),
            Op::CopyFence(op) => {
                if let Some(flow) = x.aligned()? {
                    return Ok(flow);
                }
                let (to, from, gpu) = &**op;
                let lane = x.lanes.trailing_zeros() as usize;
                let (to, from) = (raw_address(x, to)[lane], raw_address(x, from)[lane]);
                if to % 128 != 0 || from % 128 != 0 {
                    let message = format!(
                        "tensormap.cp_fenceproxy from {from:#x} to {to:#x}: both are multiples of 128"
                    );
                    return x.fail(Code::Misaligned, message);
                }
                let mut bytes = [0; MAP_BYTES];
                let actor = x.actor();
                // `.sync`: the lanes have met.
                x.hw.sync_lanes(actor);
                x.hw.load(actor, Address::Shared(from as u32), &mut bytes, Nature::Generic)?;
                let to = Address::Global(to);
                x.hw.store(actor, to, &bytes, Nature::Generic)?;
                x.hw.map_written(actor, to);
                x.hw.sync_lanes(actor);
                x.hw.release_at(actor, to, Release::Release, *gpu);
                Ok(Flow::Next)
            }
        }
    }
}

impl Replace {
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let raw = raw_address(x, &self.map);
        let values = x.wide(self.value);
        for lane in lanes_of(x.lanes) {
            let at = match self.space.or(self.map.space) {
                Some(Space::Shared) => Address::Shared(raw[lane] as u32),
                Some(_) => Address::Global(raw[lane]),
                None => match map_at(x, &self.map, lane) {
                    MapAt::Shared(at) => Address::Shared(at),
                    MapAt::Global(at) => Address::Global(at),
                    MapAt::Param(_) => {
                        return x.fail(
                            Code::OutOfBounds,
                            "tensormap.replace of a map in the parameters, which are read-only",
                        );
                    }
                },
            };
            let actor = x.lane(lane);
            let mut bytes = [0; MAP_BYTES];
            let half = |at: Address, by: u32| match at {
                Address::Shared(a) => Address::Shared(a.wrapping_add(by)),
                Address::Global(a) => Address::Global(a.wrapping_add(u64::from(by))),
            };
            let (low, high) = bytes.split_at_mut(64);
            x.hw.load(actor, at, low, Nature::Generic)?;
            x.hw.load(actor, half(at, 64), high, Nature::Generic)?;
            let map = if bytes == [0; MAP_BYTES] { Ok(blank()) } else { Descriptor::from_bytes(&bytes) };
            let mut map = match map {
                Ok(map) => map,
                Err(e) => return x.fail(Code::Descriptor, format!("tensormap.replace: {e}")),
            };
            if let Err(e) = map.replace(self.field, values[lane]) {
                return x.fail(Code::InvalidOperand, format!("tensormap.replace: {e}"));
            }
            let bytes = map.to_bytes();
            x.hw.store(actor, at, &bytes[..64], Nature::Generic)?;
            x.hw.store(actor, half(at, 64), &bytes[64..], Nature::Generic)?;
            if let Address::Global(_) = at {
                x.hw.map_written(actor, at);
            }
        }
        Ok(Flow::Next)
    }
}

/// A map of zero bytes, on which kernels build one by replacing every field.
fn blank() -> Descriptor {
    Descriptor {
        element: ElementType::U8,
        rank: 1,
        global_address: 0,
        global_dim: [0; 5],
        global_stride: [0; 4],
        mode: Mode::Tiled { box_dim: [0; 5] },
        element_stride: [0; 5],
        interleave: Interleave::None,
        swizzle_mode: SwizzleMode::None,
        swizzle_atom: SwizzleAtom::B16,
        l2_promotion: L2Promotion::None,
        oob_fill: OobFill::Zeros,
    }
}
