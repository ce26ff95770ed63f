//! `tcgen05.alloc`, `tcgen05.dealloc`, `tcgen05.relinquish_alloc_permit`
//! (PTX ISA "Tensor Memory Allocation and Management Instructions").

use super::{SharedAddr, cta_group, rest};
use crate::ast::ScalarType;
use crate::decode::Decoder;
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::regs::{S32, lanes_of};
use tidegate_machine::access::Address;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::{Stop, WaitOn};
use tidegate_machine::shadow::Nature;

/// An instruction on the allocation of tensor memory; the `cta_group` comes first.
#[derive(Clone, Debug)]
pub enum Op {
    /// Where the address goes, and the count of columns.
    Alloc(u32, Box<SharedAddress>, S32),
    /// The address, and the count of columns.
    Dealloc(u32, S32, S32),
    /// No more allocations.
    Relinquish(u32),
}

/// See [`Op::Alloc`].
#[derive(Clone, Debug)]
pub struct SharedAddress(SharedAddr);

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let group = cta_group(d, 2)?;
    match d.opcode()[1].as_str() {
        "alloc" => {
            let generic = !d.has("shared::cta");
            let wanted: &[&str] = if generic {
                &["sync", "aligned", "b32"]
            } else {
                &["sync", "aligned", "shared::cta", "b32"]
            };
            rest(d, 3, wanted)?;
            d.operands(2..=2)?;
            let addr = d.addr(0)?.0;
            Ok(Op::Alloc(group, Box::new(SharedAddress(SharedAddr { addr, generic })), count(d, 1)?))
        }
        "dealloc" => {
            rest(d, 3, &["sync", "aligned", "b32"])?;
            d.operands(2..=2)?;
            Ok(Op::Dealloc(group, d.src32(0, ScalarType::U32)?, count(d, 1)?))
        }
        _ => {
            rest(d, 3, &["sync", "aligned"])?;
            d.operands(0..=0)?;
            Ok(Op::Relinquish(group))
        }
    }
}

/// A count of columns; one that is known has to be right.
fn count(d: &mut Decoder<'_>, index: usize) -> Result<S32, ParseError> {
    if let crate::program::Arg::Const(c) = d.arg(index)? {
        let n = crate::decode::constant_bits(*c, ScalarType::U32) as u32;
        if !n.is_power_of_two() || !(32..=512).contains(&n) {
            let message = format!("a count of columns is a power of two from 32 to 512, found {n}");
            return d.error_at(index, message);
        }
    }
    d.src32(index, ScalarType::U32)
}

/// A value that all lanes have to agree on.
pub(super) fn uniform(x: &mut Exec<'_>, slot: S32, what: &str) -> Result<u32, Stop> {
    let values = *x.regs.r32(slot);
    agree(x, &values, what)
}

/// See [`uniform`].
pub(super) fn agree(x: &mut Exec<'_>, values: &[u32; 32], what: &str) -> Result<u32, Stop> {
    let first = values[x.lanes.trailing_zeros() as usize & 31];
    if let Some(lane) = lanes_of(x.lanes).find(|&l| values[l] != first) {
        let message = format!(
            "{what} differs among the lanes of the warp: {first:#x}, and {:#x} in lane {lane}",
            values[lane]
        );
        return x.fail(Code::InvalidOperand, message);
    }
    Ok(first)
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        if let Some(flow) = x.aligned()? {
            return Ok(flow);
        }
        match self {
            Op::Alloc(group, to, columns) => {
                let columns = uniform(x, *columns, "the count of columns")?;
                match x.hw.tensor_alloc(x.actor(), *group, columns)? {
                    None => Ok(Flow::Wait(WaitOn::TensorColumns { columns })),
                    Some(first) => {
                        let to = to.0.of(x, x.lanes.trailing_zeros() as usize & 31)?;
                        // The ISA names no proxy for this write, and no fence between it and what follows.
                        x.hw.store(x.actor(), Address::Shared(to), &first.to_le_bytes(), Nature::Async)?;
                        Ok(Flow::Next)
                    }
                }
            }
            Op::Dealloc(group, address, columns) => {
                let address = uniform(x, *address, "the address")?;
                let columns = uniform(x, *columns, "the count of columns")?;
                x.hw.tensor_dealloc(x.actor(), *group, address, columns)?;
                Ok(Flow::Next)
            }
            Op::Relinquish(group) => {
                x.hw.tensor_relinquish(x.actor(), *group)?;
                Ok(Flow::Next)
            }
        }
    }
}
