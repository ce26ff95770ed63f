//! The tensor cores of Blackwell (PTX ISA "TensorCore 5th Generation Family Instructions", 9.7.16): tensor memory and what
//! works on it. What the instructions do is in the machine's `tensor_memory`; here they are decoded.
//!
//! Not modelled, and refused with a message: sparse A (`.sp`), `.ws`, `tcgen05.shift`, `tcgen05.cp` of `.4x256b` and with
//! decompression, `tcgen05.ld.red`.
//!
//! `tcgen05.fence` orders nothing here: what a barrier orders is enough to find races. (Triton's kernels leave these
//! fences out and work, so that a missing one is no finding.)

mod ldst;
mod memory;
mod mma;

pub(crate) use ldst::LOAD;

use crate::decode::{Addr, Decoder, Src};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use tidegate_machine::hardware::Stop;
use tidegate_machine::memory::SHARED_WINDOW;

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `tcgen05.alloc`, `.dealloc`, `.relinquish_alloc_permit`
    Memory(memory::Op),
    /// `tcgen05.ld`, `.st`
    Access(Box<ldst::Access>),
    /// `tcgen05.wait`: of stores, or of loads.
    Wait(bool),
    /// `tcgen05.mma`
    Mma(Box<mma::Mma>),
    /// `tcgen05.cp`
    Copy(Box<mma::Copy>),
    /// `tcgen05.commit`
    Commit(Box<mma::Commit>),
    /// `tcgen05.fence`
    Fence,
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    if !d.specific || !(100..120).contains(&d.arch) {
        return d.error(format!(
            "`{}` needs a target with tensor memory, as sm_100a, found sm_{}",
            d.opcode().join("."),
            d.arch
        ));
    }
    match d.opcode().get(1).map_or("", String::as_str) {
        "alloc" | "dealloc" | "relinquish_alloc_permit" => memory::decode(d).map(Op::Memory),
        "ld" | "st" => ldst::decode(d).map(|a| Op::Access(Box::new(a))),
        what @ ("wait::ld" | "wait::st") => {
            let stores = what == "wait::st";
            rest(d, 2, &["sync", "aligned"])?;
            d.operands(0..=0)?;
            Ok(Op::Wait(stores))
        }
        "mma" => mma::decode_mma(d).map(|m| Op::Mma(Box::new(m))),
        "cp" => mma::decode_copy(d).map(|c| Op::Copy(Box::new(c))),
        "commit" => mma::decode_commit(d).map(|c| Op::Commit(Box::new(c))),
        "fence::before_thread_sync" | "fence::after_thread_sync" => {
            rest(d, 2, &[])?;
            d.operands(0..=0)?;
            Ok(Op::Fence)
        }
        "shift" => d.error("tcgen05.shift is not modelled"),
        _ => d.unknown(),
    }
}

/// The modifiers from an index on have to be exactly these.
fn rest(d: &Decoder<'_>, from: usize, wanted: &[&str]) -> Result<(), ParseError> {
    let found = d.opcode().get(from..).unwrap_or(&[]);
    if found.iter().map(String::as_str).eq(wanted.iter().copied()) { Ok(()) } else { d.unknown() }
}

/// `cta_group::1`, `cta_group::2`
fn cta_group(d: &Decoder<'_>, index: usize) -> Result<u32, ParseError> {
    match d.opcode().get(index).map(String::as_str) {
        Some("cta_group::1") => Ok(1),
        Some("cta_group::2") => Ok(2),
        _ => d.error(format!("`{}` needs .cta_group::1 or .cta_group::2 here", d.opcode().join("."))),
    }
}

/// An address in shared memory.
#[derive(Clone, Copy, Debug)]
struct SharedAddr {
    addr: Addr,
    /// It has no state space: the address is generic.
    generic: bool,
}

impl SharedAddr {
    /// The shared address of a lane.
    fn of(&self, x: &mut Exec<'_>, lane: usize) -> Result<u32, Stop> {
        let value = address(x, &self.addr, lane);
        if !self.generic || self.addr.space.is_some() {
            return Ok(value as u32);
        }
        match value.checked_sub(SHARED_WINDOW).and_then(|v| u32::try_from(v).ok()) {
            Some(v) => Ok(v),
            None => {
                let code = tidegate_machine::finding::Code::OutOfBounds;
                x.fail(code, format!("generic address {value:#x} is no address of shared memory"))
            }
        }
    }
}

/// The value of an address operand in a lane.
fn address(x: &Exec<'_>, addr: &Addr, lane: usize) -> u64 {
    let base = match addr.base {
        Src::R32(s) => u64::from(x.regs.r32(s)[lane]),
        Src::R64(s) => x.regs.r64(s)[lane],
        Src::R128(s) => x.regs.r128(s)[lane] as u64,
        Src::P(_) => 0,
    };
    base.wrapping_add_signed(addr.offset)
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::Memory(op) => op.exec(x),
            Op::Access(op) => op.exec(x),
            Op::Wait(stores) => {
                if let Some(flow) = x.aligned()? {
                    return Ok(flow);
                }
                if !stores {
                    x.state.locked.retain(|l| l.what != LOAD);
                }
                x.hw.tensor_wait(x.actor(), *stores);
                Ok(Flow::Next)
            }
            Op::Mma(op) => op.exec(x),
            Op::Copy(op) => op.exec(x),
            Op::Commit(op) => op.exec(x),
            Op::Fence => Ok(Flow::Next),
        }
    }
}

#[cfg(test)]
mod tests;
