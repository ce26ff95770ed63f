//! Control flow (ISA 9.7.12: `bra`, `brx.idx`, `call`, `ret`, `exit`) and what is near it (9.7.19: `trap`, `brkpt`,
//! `nanosleep`, `pmevent`, `setmaxnreg`, `griddepcontrol`).

use super::call::{Call, Stack};
use crate::ast::ScalarType;
use crate::decode::Decoder;
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::{Arg, FunctionId};
use crate::regs::{S32, lanes_of};
use std::sync::Arc;
use tidegate_machine::finding::{Code, Finding};
use tidegate_machine::hardware::Stop;

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `bra`: to an instruction of [`crate::decode::Code::insts`].
    Branch(u32),
    /// `brx.idx`: by an index into a list.
    Indexed(S32, Arc<[u32]>),
    /// `call`
    Call(Arc<Call>),
    /// `alloca`, `stacksave`, `stackrestore`
    Stack(Stack),
    /// `ret`
    Return,
    /// `exit`
    Exit,
    /// `trap`
    Trap,
    /// Nothing that the model sees: `nanosleep`, `pmevent`, `griddepcontrol.launch_dependents`, `brkpt`.
    Nothing,
    /// `griddepcontrol.wait`: the grids before it are done, there is nothing to wait for.
    DependenciesDone,
    /// `setmaxnreg`: the new count.
    MaxRegisters(u32),
}

/// The address of a function: no address of data, so that a load from it is found.
pub fn function_address(f: FunctionId) -> u64 {
    0x7c00_0000_0000 + u64::from(f.0) * 16
}

/// The function at an address.
pub(super) fn function_at(address: u64) -> Option<FunctionId> {
    let offset = address.checked_sub(0x7c00_0000_0000)?;
    (offset % 16 == 0).then(|| u32::try_from(offset / 16).ok().map(FunctionId)).flatten()
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let start = d.start;
    match d.opcode()[0].as_str() {
        "bra" => match d.arg(0)? {
            Arg::Label(to) => Ok(Op::Branch(start + to)),
            other => d.error_at(0, format!("a label is wanted, found {}", crate::decode::describe(other))),
        },
        "brx" => {
            d.operands(2..=2)?;
            let index = d.src32(0, ScalarType::U32)?;
            match d.arg(1)? {
                Arg::Targets(list) => Ok(Op::Indexed(index, list.iter().map(|t| start + t).collect())),
                _ => d.error_at(1, "a list of `.branchtargets` is wanted"),
            }
        }
        "call" => Ok(Op::Call(Arc::new(super::call::decode(d)?))),
        "alloca" | "stacksave" | "stackrestore" => Ok(Op::Stack(super::call::decode_stack(d)?)),
        "ret" => Ok(Op::Return),
        "exit" => Ok(Op::Exit),
        "trap" => Ok(Op::Trap),
        "brkpt" | "nanosleep" | "pmevent" => Ok(Op::Nothing),
        "griddepcontrol" if d.has("wait") => Ok(Op::DependenciesDone),
        "griddepcontrol" if d.has("launch_dependents") => Ok(Op::Nothing),
        "setmaxnreg" => {
            let up = d.has("inc");
            match d.arg(0)? {
                Arg::Const(c) => {
                    let n = crate::decode::constant_bits(*c, ScalarType::U32) as u32;
                    if !(24..=256).contains(&n) || !n.is_multiple_of(8) {
                        return d.error_at(
                            0,
                            format!("setmaxnreg takes a multiple of 8 from 24 to 256, found {n}"),
                        );
                    }
                    if up == d.has("dec") {
                        return d.unknown();
                    }
                    Ok(Op::MaxRegisters(n))
                }
                _ => d.error_at(0, "setmaxnreg takes a constant"),
            }
        }
        _ => d.unknown(),
    }
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::Branch(to) if x.lanes == x.here => Ok(Flow::Jump(*to)),
            Op::Branch(to) => Ok(Flow::Split(x.lanes, *to)),
            Op::Indexed(index, targets) => {
                let index = *x.regs.r32(*index);
                let mut parts: Vec<(u32, u32)> = Vec::new();
                for lane in lanes_of(x.lanes) {
                    let Some(&to) = targets.get(index[lane] as usize) else {
                        let message = format!(
                            "brx.idx by index {} of a list of {} targets",
                            index[lane],
                            targets.len()
                        );
                        return x.fail(Code::InvalidOperand, message);
                    };
                    match parts.iter_mut().find(|p| p.1 == to) {
                        Some(p) => p.0 |= 1 << lane,
                        None => parts.push((1 << lane, to)),
                    }
                }
                Ok(Flow::Many(parts))
            }
            Op::Call(call) => call.exec(x),
            Op::Stack(stack) => stack.exec(x),
            Op::Return => Ok(Flow::Return),
            Op::Exit => Ok(Flow::Exit),
            Op::Trap => {
                let who = x.hw.who(x.agent, x.lanes);
                let finding = Finding::new(Code::Trap, format!("{who} runs into a trap")).at(x.place, "trap");
                x.hw.fail(finding)
            }
            Op::Nothing | Op::DependenciesDone => Ok(Flow::Next),
            Op::MaxRegisters(n) => {
                x.state.registers = Some(*n);
                Ok(Flow::Next)
            }
        }
    }
}
