//! `tcgen05.mma`, `tcgen05.cp` and `tcgen05.commit`: what the tensor core does by itself, issued by single threads.

use super::{SharedAddr, address, cta_group};
use crate::ast::ScalarType;
use crate::decode::{Addr, Decoder, constant_bits};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::Arg;
use crate::regs::{S32, S64, SP, lanes_of};
use smallvec::SmallVec;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Stop;
use tidegate_machine::matrix::Kind;
use tidegate_machine::memory::{shared_address, split_shared};
use tidegate_machine::tensor_memory::{self, AOperand, CopyShape, Scaling};

/// `tcgen05.mma` (PTX ISA "tcgen05.mma instructions").
#[derive(Clone, Debug)]
pub struct Mma {
    cta_group: u32,
    kind: Kind,
    d: Addr,
    a: A,
    b: S64,
    descriptor: S32,
    /// `enable-input-d`, and whether it is negated.
    accumulate: (SP, bool),
    scale_d: u32,
    disabled: Vec<S32>,
    /// Addresses of the scale factors of A and B, and the elements of K that share one.
    scaling: Option<(Addr, Addr, u32)>,
}

#[derive(Clone, Debug)]
enum A {
    Shared(S64),
    Tensor(Addr),
}

pub(super) fn decode_mma(d: &mut Decoder<'_>) -> Result<Mma, ParseError> {
    for (modifier, why) in [
        ("sp", "sparse A (.sp) is not modelled: use a dense A"),
        ("ws", ".ws is not modelled: use the form without it"),
        ("ashift", ".ashift is not modelled: use the form without it"),
    ] {
        if d.has(modifier) {
            return d.error(format!("tcgen05.mma: {why}"));
        }
    }
    let cta_group = cta_group(d, 2)?;
    let kind = match d.opcode().get(3).map(String::as_str) {
        Some("kind::f16") => Kind::F16,
        Some("kind::tf32") => Kind::Tf32,
        Some("kind::f8f6f4") => Kind::F8f6f4,
        Some("kind::i8") => Kind::I8,
        Some("kind::mxf8f6f4") => Kind::MxF8f6f4,
        Some("kind::mxf4") => Kind::MxF4,
        Some("kind::mxf4nvf4") => Kind::MxF4NvF4,
        _ => return d.unknown(),
    };
    let scaled = matches!(kind, Kind::MxF8f6f4 | Kind::MxF4 | Kind::MxF4NvF4);
    let block = modifiers(d, kind, scaled)?;
    d.operands(5..=7)?;
    let to = d.addr(0)?.0;
    let a = match d.arg(1)? {
        Arg::Address(..) => A::Tensor(d.addr(1)?.0),
        _ => A::Shared(d.src64(1, ScalarType::B64)?),
    };
    let b = d.src64(2, ScalarType::B64)?;
    let descriptor = d.src32(3, ScalarType::B32)?;
    let mut next = 4;
    let mut disabled = Vec::new();
    let mut scaling = None;
    if scaled {
        scaling = Some((d.addr(4)?.0, d.addr(5)?.0, block));
        next = 6;
    } else if let Arg::Vector(list) = d.arg(4)?.clone() {
        if list.len() != 4 * cta_group as usize {
            let message = format!(
                "disable-output-lane is a vector of {} registers with cta_group::{cta_group}, found {}",
                4 * cta_group,
                list.len()
            );
            return d.error_at(4, message);
        }
        let span = d.span(4);
        for lane in &list {
            disabled.push(d.src32_of(lane, ScalarType::B32, span)?);
        }
        next = 5;
    }
    let accumulate = d.src_p(next)?;
    let mut scale_d = 0;
    let count = d.instr().args.len();
    if count > next + 1 {
        if count > next + 2 || !matches!(kind, Kind::F16 | Kind::Tf32) {
            return d.error_at(
                next + 1,
                "an operand too many: scale-input-d is for kinds f16 and tf32, and comes last",
            );
        }
        scale_d = match d.arg(next + 1)? {
            Arg::Const(c) => constant_bits(*c, ScalarType::U32) as u32,
            _ => return d.error_at(next + 1, "scale-input-d is a constant"),
        };
        if scale_d > 15 {
            return d.error_at(next + 1, format!("scale-input-d is 0 to 15, found {scale_d}"));
        }
    }
    Ok(Mma { cta_group, kind, d: to, a, b, descriptor, accumulate, scale_d, disabled, scaling })
}

/// What may follow the kind: block scaling and the use of collector buffers (which changes no result). Gives the
/// elements of K that share a scale factor.
fn modifiers(d: &Decoder<'_>, kind: Kind, scaled: bool) -> Result<u32, ParseError> {
    let mut block = match kind {
        Kind::MxF4NvF4 => 0,
        _ => 32,
    };
    let mut scale_seen = false;
    for modifier in &d.opcode()[4..] {
        let elements = match (modifier.as_str(), kind) {
            ("block_scale", _) if scaled && !scale_seen => {
                scale_seen = true;
                continue;
            }
            (
                "collector::a::fill"
                | "collector::a::use"
                | "collector::a::lastuse"
                | "collector::a::discard",
                _,
            ) => continue,
            ("scale_vec::1X", Kind::MxF8f6f4)
            | ("scale_vec::2X", Kind::MxF4 | Kind::MxF4NvF4)
            | ("block32", Kind::MxF8f6f4 | Kind::MxF4 | Kind::MxF4NvF4) => 32,
            ("scale_vec::4X" | "block16", Kind::MxF4NvF4) => 16,
            _ => return d.unknown(),
        };
        block = elements;
    }
    if scaled && !scale_seen {
        return d.error(format!("`{}` needs .block_scale", d.opcode().join(".")));
    }
    if scaled && block == 0 {
        return d.error("kind::mxf4nvf4 needs .scale_vec::2X, .scale_vec::4X, .block16 or .block32");
    }
    Ok(block)
}

impl Mma {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let accumulate =
            if self.accumulate.1 { !x.regs.p(self.accumulate.0) } else { x.regs.p(self.accumulate.0) };
        for lane in lanes_of(x.lanes) {
            let mut disabled = [0; 8];
            for (bits, &slot) in disabled.iter_mut().zip(&self.disabled) {
                *bits = x.regs.r32(slot)[lane];
            }
            let mma = tensor_memory::Mma {
                cta_group: self.cta_group,
                kind: self.kind,
                d: address(x, &self.d, lane) as u32,
                a: match &self.a {
                    A::Shared(slot) => AOperand::Shared(x.regs.r64(*slot)[lane]),
                    A::Tensor(addr) => AOperand::Tensor(address(x, addr, lane) as u32),
                },
                b: x.regs.r64(self.b)[lane],
                descriptor: x.regs.r32(self.descriptor)[lane],
                accumulate: accumulate >> lane & 1 == 1,
                scale_d: self.scale_d,
                disabled,
                scaling: self.scaling.as_ref().map(|(a, b, block)| Scaling {
                    a: address(x, a, lane) as u32,
                    b: address(x, b, lane) as u32,
                    block: *block,
                }),
            };
            let actor = x.lane(lane);
            x.hw.tensor_mma(actor, mma)?;
        }
        Ok(Flow::Next)
    }
}

/// `tcgen05.cp` (PTX ISA "tcgen05.cp").
#[derive(Clone, Debug)]
pub struct Copy {
    cta_group: u32,
    shape: CopyShape,
    to: Addr,
    from: S64,
}

pub(super) fn decode_copy(d: &mut Decoder<'_>) -> Result<Copy, ParseError> {
    let cta_group = cta_group(d, 2)?;
    let rest: Vec<&str> = d.opcode()[3..].iter().map(String::as_str).collect();
    let shape = match rest[..] {
        ["128x256b"] => CopyShape::S128x256b,
        ["128x128b"] => CopyShape::S128x128b,
        ["64x128b", "warpx2::02_13"] => CopyShape::S64x128bHalves,
        ["64x128b", "warpx2::01_23"] => CopyShape::S64x128bPairs,
        ["32x128b", "warpx4"] => CopyShape::S32x128b,
        ["4x256b", ..] => return d.error("tcgen05.cp of .4x256b is not modelled"),
        [.., "b6x16_p32" | "b4x16_p64"] => return d.error("tcgen05.cp with decompression is not modelled"),
        _ => return d.unknown(),
    };
    d.operands(2..=2)?;
    Ok(Copy { cta_group, shape, to: d.addr(0)?.0, from: d.src64(1, ScalarType::B64)? })
}

impl Copy {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        for lane in lanes_of(x.lanes) {
            let copy = tensor_memory::Copy {
                cta_group: self.cta_group,
                shape: self.shape,
                to: address(x, &self.to, lane) as u32,
                from: x.regs.r64(self.from)[lane],
            };
            let actor = x.lane(lane);
            x.hw.tensor_copy(actor, copy)?;
        }
        Ok(Flow::Next)
    }
}

/// `tcgen05.commit` (PTX ISA "tcgen05.commit").
#[derive(Clone, Debug)]
pub struct Commit {
    cta_group: u32,
    barrier: SharedAddr,
    /// The blocks of the cluster that are signalled, each at the same offset.
    mask: Option<S32>,
}

pub(super) fn decode_commit(d: &mut Decoder<'_>) -> Result<Commit, ParseError> {
    let cta_group = cta_group(d, 2)?;
    let rest: Vec<&str> = d.opcode()[3..].iter().map(String::as_str).collect();
    let (generic, multicast) = match rest[..] {
        ["mbarrier::arrive::one", "b64"] => (true, false),
        ["mbarrier::arrive::one", "shared::cluster", "b64"] => (false, false),
        ["mbarrier::arrive::one", "multicast::cluster", "b64"] => (true, true),
        ["mbarrier::arrive::one", "shared::cluster", "multicast::cluster", "b64"] => (false, true),
        _ => return d.unknown(),
    };
    d.operands(if multicast { 2..=2 } else { 1..=1 })?;
    let addr = d.addr(0)?.0;
    let mask = if multicast { Some(d.src32(1, ScalarType::U16)?) } else { None };
    Ok(Commit { cta_group, barrier: SharedAddr { addr, generic }, mask })
}

impl Commit {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        for lane in lanes_of(x.lanes) {
            let barrier = self.barrier.of(x, lane)?;
            let mut barriers: SmallVec<[u32; 2]> = SmallVec::new();
            match self.mask {
                None => barriers.push(barrier),
                Some(slot) => {
                    let mask = x.regs.r32(slot)[lane] & 0xffff;
                    let blocks = x.hw.blocks.len() as u32;
                    if mask == 0 || mask >> blocks.min(16) != 0 {
                        let message = format!("tcgen05.commit to blocks {mask:#x} of a cluster of {blocks}");
                        return x.fail(Code::InvalidOperand, message);
                    }
                    let offset = split_shared(barrier).1;
                    barriers
                        .extend((0..16).filter(|r| mask >> r & 1 == 1).map(|r| shared_address(r, offset)));
                }
            }
            let actor = x.lane(lane);
            x.hw.tensor_commit(actor, self.cta_group, &barriers)?;
        }
        Ok(Flow::Next)
    }
}
