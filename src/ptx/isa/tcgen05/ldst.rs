//! `tcgen05.ld` and `tcgen05.st` (PTX ISA "Tensor Memory and Register Load/Store Instructions").
//!
//! A load writes its registers at once, but they may not be touched before `tcgen05.wait::ld`, except by `mov`: compilers
//! copy them, and ptxas makes no instruction of it. A use of such a copy before the wait is not found.

use super::memory::agree;
use super::rest;
use crate::ast::ScalarType;
use crate::decode::{Addr, Decoder, Dst};
use crate::error::ParseError;
use crate::exec::{Exec, Flow, Locked};
use crate::program::Arg;
use crate::regs::S32;
use tidegate_machine::hardware::Stop;
use tidegate_machine::matrix::tmem::{self, Shape};
use tidegate_machine::tensor_memory::{Window, split};

/// What the registers of a load in flight are locked by.
pub(crate) const LOAD: &str = "tcgen05.ld";

/// A `tcgen05.ld` or `tcgen05.st`.
#[derive(Clone, Debug)]
pub struct Access {
    store: bool,
    access: tmem::Access,
    /// Runs of columns from that of the address on.
    columns: Vec<(u32, u32)>,
    addr: Addr,
    /// `None` is `_`.
    registers: Vec<Option<S32>>,
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Access, ParseError> {
    let store = d.opcode()[1] == "st";
    let shape = match d.opcode().get(4).map(String::as_str) {
        Some("32x32b") => Shape::S32x32b,
        Some("16x64b") => Shape::S16x64b,
        Some("16x128b") => Shape::S16x128b,
        Some("16x256b") => Shape::S16x256b,
        Some("16x32bx2") => Shape::S16x32bx2,
        _ => return d.unknown(),
    };
    let repeat = d.opcode().get(5).and_then(|m| m.strip_prefix('x')).and_then(|n| n.parse().ok());
    let Some(repeat) = repeat else { return d.unknown() };
    let name = format!("x{repeat}");
    let pack = if store { "unpack::16b" } else { "pack::16b" };
    let packed = d.has(pack);
    let shape_name = d.opcode()[4].clone();
    let mut wanted = vec!["sync", "aligned", &shape_name, &name];
    if packed {
        wanted.push(pack);
    }
    wanted.push("b32");
    rest(d, 2, &wanted)?;
    let split = shape == Shape::S16x32bx2;
    d.operands(if split { 3..=3 } else { 2..=2 })?;
    let (at, immediate, vector) = match (store, split) {
        (false, _) => (1, 2, 0),
        (true, false) => (0, 0, 1),
        (true, true) => (0, 1, 2),
    };
    let half_split = if !split {
        0
    } else if let Arg::Const(c) = d.arg(immediate)? {
        crate::decode::constant_bits(*c, ScalarType::U32) as u32
    } else {
        return d.error_at(immediate, "the column offset of the second half is a constant");
    };
    let access = match tmem::Access::new(shape, repeat, packed, half_split) {
        Ok(access) if half_split < 512 => access,
        Ok(_) => return d.error_at(immediate, "the column offset of the second half is less than 512"),
        Err(e) => return d.error(e.to_string()),
    };
    let addr = d.addr(at)?.0;
    let elements = d.elements(vector)?;
    let span = d.span(vector);
    if elements.len() != access.registers() as usize {
        let message = format!(
            "`{}` takes {} registers, found {}",
            d.opcode().join("."),
            access.registers(),
            elements.len()
        );
        return d.error_at(vector, message);
    }
    let mut registers = Vec::with_capacity(elements.len());
    for element in &elements {
        registers.push(if store {
            Some(d.src32_of(element, ScalarType::B32, span)?)
        } else {
            match d.dst_of(element, span)? {
                Dst::R32(slot) => Some(slot),
                Dst::None => None,
                _ => return d.error_at(vector, "32-bit registers are wanted to write to"),
            }
        });
    }
    let columns = if split {
        let count = access.columns() - half_split;
        vec![(0, count), (half_split, count)]
    } else {
        vec![(0, access.columns())]
    };
    Ok(Access { store, access, columns, addr, registers })
}

impl Access {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        if let Some(flow) = x.aligned()? {
            return Ok(flow);
        }
        let addresses = std::array::from_fn(|lane| super::address(x, &self.addr, lane) as u32);
        let address = agree(x, &addresses, "the address in tensor memory")?;
        let window = Window { address, lanes: self.access.lanes(), columns: &self.columns };
        let actor = x.actor();
        let (tensor, lane) = x.hw.tensor_access(actor, window, self.store)?;
        let column = split(address).1;
        let packed = self.access.packed();
        for (register, slot) in self.registers.iter().enumerate() {
            let Some(slot) = *slot else { continue };
            let place = |thread: usize| {
                let (l, c) = self.access.place(thread as u32, register as u32);
                (lane + l, column + c)
            };
            if self.store {
                let values = x.regs.r32(slot);
                for (thread, &value) in values.iter().enumerate() {
                    let (l, c) = place(thread);
                    let cells = tensor.row_mut(l, c, if packed { 2 } else { 1 });
                    match cells {
                        [low, high] => (*low, *high) = (value & 0xffff, value >> 16),
                        [cell] => *cell = value,
                        _ => {}
                    }
                }
            } else {
                let mut values = [0; 32];
                for (thread, value) in values.iter_mut().enumerate() {
                    let (l, c) = place(thread);
                    *value = match tensor.row(l, c, if packed { 2 } else { 1 }) {
                        [low, high] => low & 0xffff | high << 16,
                        [cell] => *cell,
                        _ => 0,
                    };
                }
                x.regs.set32(slot, x.lanes, &values);
            }
        }
        if !self.store {
            let slots = self.registers.iter().flatten().map(|&s| x.regs.absolute32(s)).collect();
            x.state.locked.push(Locked { slots, readable: false, what: LOAD, op: u64::MAX, place: x.place });
        }
        Ok(Flow::Next)
    }
}
