//! Small matrices between shared memory and registers, and among registers (ISA 9.7.14.5: "Warp-level matrix load
//! instruction: ldmatrix", "Warp-level matrix store instruction: stmatrix", "Warp-level matrix transpose instruction:
//! movmatrix").
//!
//! A row of 16 bytes is read or written by the lane that gives its address: a race is one of that lane.

#[cfg(test)]
mod tests;

use crate::ast::{ScalarType, Space};
use crate::decode::{Addr, Decoder, Src, describe};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::{Arg, Reg};
use crate::regs::{Lanes32, S32};
use tidegate_machine::access::Address;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Stop;
use tidegate_machine::matrix::ldmatrix::Shape;
use tidegate_machine::memory::SHARED_WINDOW;
use tidegate_machine::shadow::Nature;

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `ldmatrix`
    Load(Box<Move>),
    /// `stmatrix`
    Store(Box<Move>),
    /// `movmatrix`: to, from.
    Transpose(S32, S32),
}

/// How the 16 bytes of a row become bytes of registers (ISA `.dst_fmt.src_fmt`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Widen {
    /// As they are.
    None,
    /// `.b8x16.b6x16_p32`: sixteen numbers of 6 bits in 12 bytes, each into the low bits of a byte.
    Six,
    /// `.b8x16.b4x16_p64`: sixteen of 4 bits in 8 bytes.
    Four,
}

/// A move between memory and registers.
#[derive(Clone, Debug)]
pub struct Move {
    shape: Shape,
    count: u32,
    widen: Widen,
    address: Place,
    registers: [S32; 4],
}

/// An address operand and the space that it is in; `None` is generic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    address: Addr,
    space: Option<Space>,
}

impl Place {
    /// Operand `index`, in the space of the modifiers.
    pub(super) fn decode(d: &mut Decoder<'_>, index: usize) -> Result<Place, ParseError> {
        let (address, rest) = d.addr(index)?;
        if !rest.is_empty() {
            return d.error_at(index, "an address alone is wanted in the brackets");
        }
        let space = if d.has("shared") || d.has("shared::cta") {
            Some(Space::Shared)
        } else if d.has("global") {
            Some(Space::Global)
        } else {
            address.space
        };
        Ok(Place { address, space })
    }

    /// The address of a lane, `bytes` further on.
    pub(super) fn of(&self, x: &mut Exec<'_>, lane: usize, bytes: u64) -> Result<Address, Stop> {
        let base = match self.address.base {
            Src::R32(s) => u64::from(x.regs.r32(s)[lane]),
            Src::R64(s) => x.regs.r64(s)[lane],
            Src::R128(_) | Src::P(_) => 0,
        };
        let at = base.wrapping_add_signed(self.address.offset).wrapping_add(bytes);
        match self.space {
            Some(Space::Shared) => Ok(Address::Shared(at as u32)),
            Some(Space::Global | Space::Const) => Ok(Address::Global(at)),
            Some(_) => x.fail(Code::OutOfBounds, "a matrix is moved to or from parameters or local memory"),
            None => match at.checked_sub(SHARED_WINDOW) {
                Some(offset) if offset <= u64::from(u32::MAX) => Ok(Address::Shared(offset as u32)),
                _ => Ok(Address::Global(at)),
            },
        }
    }
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let parts: Vec<&str> = d.opcode().iter().map(String::as_str).collect();
    if let ["movmatrix", "sync", "aligned", "m8n8", "trans", "b16"] = parts[..] {
        d.operands(2..=2)?;
        return Ok(Op::Transpose(d.dst32(0)?, d.src32(1, ScalarType::B32)?));
    }
    let [name, "sync", "aligned", shape, count, ref rest @ ..] = parts[..] else { return d.unknown() };
    let load = name == "ldmatrix";
    if !load && name != "stmatrix" {
        return d.unknown();
    }
    let (trans, rest) = match rest {
        ["trans", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let formats = match rest {
        ["shared" | "shared::cta", formats @ ..] => formats,
        formats => formats,
    };
    let (shape, widen) = match (load, shape, trans, formats) {
        (_, "m8n8", false, ["b16"]) => (Shape::M8n8, Widen::None),
        (_, "m8n8", true, ["b16"]) => (Shape::M8n8Trans, Widen::None),
        (true, "m16n16", true, ["b8"]) => (Shape::M16n16Trans, Widen::None),
        (true, "m16n16", true, ["b8x16", "b6x16_p32"]) => (Shape::M16n16Trans, Widen::Six),
        (true, "m16n16", true, ["b8x16", "b4x16_p64"]) => (Shape::M16n16Trans, Widen::Four),
        (true, "m8n16", false, ["b8x16", "b6x16_p32"]) => (Shape::M8n16, Widen::Six),
        (true, "m8n16", false, ["b8x16", "b4x16_p64"]) => (Shape::M8n16, Widen::Four),
        (false, "m16n8", true, ["b8"]) => (Shape::M16n8Trans, Widen::None),
        _ => return d.unknown(),
    };
    let count = match count {
        "x1" => 1,
        "x2" => 2,
        "x4" => 4,
        _ => return d.unknown(),
    };
    if !shape.has_count(count) {
        return d.unknown();
    }
    let plain = matches!(shape, Shape::M8n8 | Shape::M8n8Trans);
    if !plain && (d.arch < 100 || !d.specific) {
        return d.error(format!("this form of {name} needs sm_100a or later: compile for `.target sm_100a`"));
    }
    if !load && plain && d.arch < 90 {
        return d.error("stmatrix needs sm_90 or later");
    }
    d.operands(2..=2)?;
    let (values, address) = if load { (0, 1) } else { (1, 0) };
    let place = Place::decode(d, address)?;
    let list = d.elements(values)?;
    let wanted = (count * shape.registers()) as usize;
    if list.len() != wanted {
        return d.error_at(values, format!("{wanted} registers are wanted, found {}", list.len()));
    }
    let mut registers = [S32(0); 4];
    for (to, arg) in registers.iter_mut().zip(&list) {
        *to = match arg {
            Arg::Reg(Reg::R32(slot), _) => S32(*slot),
            other => {
                return d.error_at(values, format!("32-bit registers are wanted, found {}", describe(other)));
            }
        };
    }
    let moved = Box::new(Move { shape, count, widen, address: place, registers });
    Ok(if load { Op::Load(moved) } else { Op::Store(moved) })
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        if let Some(flow) = x.aligned()? {
            return Ok(flow);
        }
        if x.lanes != u32::MAX {
            return x.fail(Code::Divergence, "a matrix is moved by a warp with fewer than 32 threads");
        }
        match self {
            Op::Load(m) => m.load(x)?,
            Op::Store(m) => m.store(x)?,
            Op::Transpose(to, from) => {
                let from = *x.regs.r32(*from);
                // Lane 4g + t has columns 2t and 2t + 1 of row g.
                let element =
                    |row: usize, column: usize| from[4 * row + column / 2] >> (16 * (column & 1)) & 0xffff;
                let out: Lanes32 = std::array::from_fn(|lane| {
                    let (g, t) = (lane / 4, lane % 4);
                    element(2 * t, g) | element(2 * t + 1, g) << 16
                });
                *x.regs.r32_mut(*to) = out;
            }
        }
        Ok(Flow::Next)
    }
}

impl Move {
    fn rows(&self) -> usize {
        (self.count * self.shape.rows()) as usize
    }

    fn registers(&self) -> usize {
        (self.count * self.shape.registers()) as usize
    }

    fn load(&self, x: &mut Exec<'_>) -> Result<(), Stop> {
        let mut rows = [[0u8; 16]; 32];
        for (lane, row) in rows.iter_mut().enumerate().take(self.rows()) {
            let at = self.address.of(x, lane, 0)?;
            if let Address::Global(a) = at {
                return x
                    .fail(Code::OutOfBounds, format!("ldmatrix from {a:#x}, which is not in shared memory"));
            }
            x.hw.load(x.lane(lane), at, row, Nature::Generic)?;
            *row = widen(self.widen, *row);
        }
        for r in 0..self.registers() {
            let out = x.regs.r32_mut(self.registers[r]);
            for (lane, out) in out.iter_mut().enumerate() {
                let mut bytes = [0; 4];
                for p in self.shape.pieces(lane as u32, r as u32).into_iter().flatten() {
                    let (from, to, n) = (p.byte as usize, p.register_byte as usize, p.bytes as usize);
                    bytes[to..to + n].copy_from_slice(&rows[p.row_lane as usize][from..from + n]);
                }
                *out = u32::from_le_bytes(bytes);
            }
        }
        Ok(())
    }

    fn store(&self, x: &mut Exec<'_>) -> Result<(), Stop> {
        let mut rows = [[0u8; 16]; 32];
        for r in 0..self.registers() {
            for (lane, value) in x.regs.r32(self.registers[r]).iter().enumerate() {
                let bytes = value.to_le_bytes();
                for p in self.shape.pieces(lane as u32, r as u32).into_iter().flatten() {
                    let (to, from, n) = (p.byte as usize, p.register_byte as usize, p.bytes as usize);
                    rows[p.row_lane as usize][to..to + n].copy_from_slice(&bytes[from..from + n]);
                }
            }
        }
        for (lane, row) in rows.iter().enumerate().take(self.rows()) {
            let at = self.address.of(x, lane, 0)?;
            if let Address::Global(a) = at {
                return x
                    .fail(Code::OutOfBounds, format!("stmatrix to {a:#x}, which is not in shared memory"));
            }
            x.hw.store(x.lane(lane), at, row, Nature::Generic)?;
        }
        Ok(())
    }
}

/// Sixteen numbers, packed from the lowest bit of the row on, each in the low bits of a byte (ISA 9.7.14.5.15, "b8x16").
fn widen(how: Widen, row: [u8; 16]) -> [u8; 16] {
    let bits = match how {
        Widen::None => return row,
        Widen::Six => 6,
        Widen::Four => 4,
    };
    let all = u128::from_le_bytes(row);
    std::array::from_fn(|i| (all >> (bits * i) & ((1 << bits) - 1)) as u8)
}
