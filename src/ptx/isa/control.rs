//! Control flow (ISA 9.7.12: `bra`, `brx.idx`, `call`, `ret`, `exit`) and what is near it (9.7.19: `trap`, `brkpt`,
//! `nanosleep`, `pmevent`, `setmaxnreg`, `griddepcontrol`).

use crate::ast::{ScalarType, Space};
use crate::decode::{Decoder, Src};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::{Arg, Formal, FunctionId, Reg, SymbolId};
use crate::regs::{S32, S64, lanes_of};
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
    /// `call` of a function by name.
    Call(Arc<Call>),
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

/// A call.
#[derive(Debug)]
pub struct Call {
    target: Target,
    /// Each argument: from here, to there.
    args: Vec<(Value, Formal)>,
    results: Vec<(Formal, Value)>,
}

#[derive(Debug)]
enum Target {
    Direct(FunctionId),
    /// An address, and the functions that it may be (none: any).
    Indirect(S64, Arc<[FunctionId]>, Vec<Arg>, Vec<Arg>),
}

/// An actual argument or result.
#[derive(Clone, Debug)]
enum Value {
    /// A `.param` variable of the caller.
    Memory(SymbolId),
    /// A register or constant.
    Register(Src),
}

/// The address of a function: no address of data, so that a load from it is found.
pub fn function_address(f: FunctionId) -> u64 {
    0x7c00_0000_0000 + u64::from(f.0) * 16
}

fn function_at(address: u64) -> Option<FunctionId> {
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
        "call" => decode_call(d),
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
                    if !(24..=256).contains(&n) || n % 8 != 0 {
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

fn decode_call(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    // call (results), target, (arguments), prototype; each but the target may be left out.
    let mut results = Vec::new();
    let mut args = Vec::new();
    let mut target = None;
    let mut allowed: Arc<[FunctionId]> = Arc::from([]);
    for index in 0..d.instr().args.len() {
        match d.arg(index)?.clone() {
            Arg::List(list) if target.is_none() => results = list,
            Arg::List(list) => args = list,
            Arg::Function(f) if target.is_none() => target = Some(Ok(f)),
            Arg::Reg(Reg::R64(slot), _) if target.is_none() => target = Some(Err(S64(slot))),
            Arg::Prototype(list) => allowed = list,
            other => {
                let found = crate::decode::describe(&other);
                return d
                    .error_at(index, format!("a function, a list or a prototype is wanted, found {found}"));
            }
        }
    }
    let target = match target {
        None => return d.error("a call without a function"),
        Some(Err(slot)) => {
            return Ok(Op::Call(Arc::new(Call {
                target: Target::Indirect(slot, allowed, results, args),
                args: Vec::new(),
                results: Vec::new(),
            })));
        }
        Some(Ok(f)) => f,
    };
    let Some(callee) = d.program.functions.get(target.0 as usize) else {
        return d.error("an unknown function");
    };
    let (params, returns) = (callee.params.clone(), callee.returns.clone());
    if callee.entry {
        return d.error(format!("`{}` is a kernel and cannot be called", callee.name));
    }
    let name = callee.name.clone();
    if args.len() != params.len() || results.len() != returns.len() {
        let found = format!("{} arguments and {} results", args.len(), results.len());
        let wanted = format!("{} and {}", params.len(), returns.len());
        return d.error(format!("the call of `{name}` has {found}; it takes {wanted}"));
    }
    let mut pairs = Vec::new();
    for (arg, formal) in args.iter().zip(params) {
        pairs.push((actual(d, arg, formal)?, formal));
    }
    let mut outs = Vec::new();
    for (arg, formal) in results.iter().zip(returns) {
        outs.push((formal, actual(d, arg, formal)?));
    }
    Ok(Op::Call(Arc::new(Call { target: Target::Direct(target), args: pairs, results: outs })))
}

fn actual(d: &mut Decoder<'_>, arg: &Arg, formal: Formal) -> Result<Value, ParseError> {
    match arg {
        Arg::Symbol(symbol, 0)
            if d.program.symbols.get(symbol.0 as usize).is_some_and(|s| s.space == Space::Param) =>
        {
            Ok(Value::Memory(*symbol))
        }
        other => {
            let ty = match formal {
                Formal::Register(_, ty) => ty,
                Formal::Memory(symbol) => {
                    d.program.symbols.get(symbol.0 as usize).map_or(ScalarType::B32, |s| s.ty)
                }
            };
            let span = d.instr().opcode_span;
            d.src_of(other, ty, span).map(Value::Register)
        }
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

impl Call {
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let _ = (&self.args, &self.results, function_at(0));
        x.fail(Code::Unsupported, "calls are not executed yet")
    }
}
