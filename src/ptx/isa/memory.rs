//! Loads and stores (ISA 9.7.9 "data movement": `ld`, `ld.global.nc`, `ldu`, `st`), conversions of addresses (`cvta`,
//! `isspacep`), and hints about caches (`prefetch`, `prefetchu`, `applypriority`, `discard`, `createpolicy`).

pub(crate) mod decode;
pub(crate) mod exec;

#[cfg(test)]
mod tests;

use crate::ast::ScalarType;
use crate::decode::{Addr, Decoder, Dst, Src};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::regs::{S64, SP};
use smallvec::SmallVec;
use tidegate_machine::hardware::Stop;

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `ld`, `ldu`
    Load(Box<Load>),
    /// `st`
    Store(Box<Store>),
    /// `cvta`, `cvta.to`: adds a window's base, or takes it away.
    Convert(Dst, Src, i64),
    /// `isspacep`: the space of a generic address.
    IsSpace(SP, Src, Where),
    /// `mov` of the address of a variable in the frame of a function: this offset in it.
    FrameAddress(Dst, u32),
    /// A hint that changes nothing; its address is not looked at. (`discard` makes 128 bytes undefined; that they keep
    /// their values is one of the things that may happen.)
    Hint,
    /// `createpolicy`: a policy for the cache, of which the model has none: a number that is not 0.
    Policy(S64),
}

/// Where an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Decided by each lane's address.
    Generic,
    /// `.global`, `.const`
    Global,
    /// `.const`, for `isspacep`.
    Const,
    /// `.shared`, `.shared::cta`: of the block itself.
    Shared,
    /// `.shared::cluster`
    Cluster,
    /// `.local`, and `.param` of functions and calls.
    Local,
    /// `.param` of the kernel.
    Param,
}

/// An address operand with its space.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The space.
    pub space: Where,
    /// The base and offset.
    pub addr: Addr,
    /// A variable of the frame: the frame's place is added.
    pub frame: bool,
}

/// What an access orders (ISA 8, memory consistency model).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `.weak`
    Weak,
    /// `.relaxed`, `.volatile`, `.mmio`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcqRel,
}

impl Order {
    /// Whether it is morally strong with its like.
    pub fn strong(self) -> bool {
        self != Order::Weak
    }
}

/// `ld`
#[derive(Clone, Debug)]
pub struct Load {
    target: Target,
    order: Order,
    /// The scope reaches other clusters.
    gpu: bool,
    /// The element's bytes.
    width: u32,
    signed: bool,
    /// Each element's destination and the bits of its register.
    dst: SmallVec<[(Dst, u32); 2]>,
}

/// `st`
#[derive(Clone, Debug)]
pub struct Store {
    target: Target,
    order: Order,
    gpu: bool,
    width: u32,
    src: SmallVec<[Src; 2]>,
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    decode::decode(d)
}

/// `mov` of the address of a variable that lies in the frame of a function: it differs from call to call, so that it
/// is no constant.
pub(super) fn frame_address(d: &mut Decoder<'_>) -> Result<Option<Op>, ParseError> {
    decode::frame_address(d)
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::Load(load) => load.exec(x),
            Op::Store(store) => store.exec(x),
            Op::Convert(dst, src, by) => {
                let value = x.wide(*src).map(|a| a.wrapping_add_signed(*by));
                x.put(*dst, &value);
                Ok(Flow::Next)
            }
            Op::IsSpace(dst, src, space) => {
                exec::is_space(x, *dst, *src, *space);
                Ok(Flow::Next)
            }
            Op::FrameAddress(dst, offset) => {
                let at = u64::from(x.frame_memory) + u64::from(*offset);
                x.put(*dst, &[at; 32]);
                Ok(Flow::Next)
            }
            Op::Hint => Ok(Flow::Next),
            Op::Policy(dst) => {
                let lanes = x.lanes;
                x.regs.set64(*dst, lanes, &[1; 32]);
                Ok(Flow::Next)
            }
        }
    }
}

/// Bits of the register that an operand is, by its declaration.
pub(crate) fn register_bits(ty: ScalarType) -> u32 {
    super::types::bits(ty)
}
