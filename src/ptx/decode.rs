//! From resolved instructions to what is executed: operands become slots, opcodes become values of an enum.
//!
//! Each family of instructions ([`crate::isa`]) decodes its own. What no family knows is an error with its line: an
//! instruction is never skipped.

use crate::ast::{Constant, ScalarType, Span};
use crate::error::{MAX_ERRORS, ParseError, did_you_mean};
use crate::isa::{self, Op};
use crate::program::{AddressBase, Arg, Function, FunctionId, Instr, Program, Reg, RegCounts, SymbolId};
use crate::regs::{CONSTANT, S32, S64, S128, SP};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A module, ready to run.
#[derive(Debug)]
pub struct Code {
    /// What it was decoded from: symbols, parameters, lines.
    pub program: Program,
    /// The instructions of all functions, one after the other.
    pub insts: Vec<Inst>,
    /// Of each function: its first instruction, and the slots of its frame.
    pub functions: Vec<FunctionCode>,
    /// What the constant slots hold.
    pub constants: Constants,
    /// Which 32-bit slots each instruction touches (of its own frame): looked at while an asynchronous operation owns
    /// some.
    pub touches: Vec<SmallVec<[u32; 4]>>,
    /// The instruction set version that instructions may need: `sm_90a` is 90.
    pub arch: u32,
}

/// Where a function's code is.
#[derive(Clone, Copy, Debug)]
pub struct FunctionCode {
    /// Index into [`Code::insts`].
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// The frame.
    pub regs: RegCounts,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    /// `@p`, `@!p`: the slot, and whether it is negated.
    pub guard: Option<(SP, bool)>,
    /// What to do.
    pub op: Op,
}

/// What a constant slot holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// These bits in each lane.
    Bits(u128),
    /// The address of a variable plus bytes, in its own space (shared: with the block's rank, see the machine's memory;
    /// kernel parameters and local variables: offsets in their windows).
    Symbol(SymbolId, i64),
    /// The address of a function.
    Function(FunctionId),
    /// A special register that does not change while a warp runs: `tid.x`.
    Special(String),
}

/// The constants of a module, by class.
#[derive(Debug, Default)]
pub struct Constants {
    /// Predicates: 0 is false, 1 is true.
    pub p: Vec<bool>,
    /// 32-bit slots.
    pub r32: Vec<Value>,
    /// 64-bit slots.
    pub r64: Vec<Value>,
    /// 128-bit slots.
    pub r128: Vec<Value>,
}

/// A register operand to write to, of either width; `None` is `_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dst {
    /// 8, 16, 32 bits.
    R32(S32),
    /// 64 bits.
    R64(S64),
    /// 128 bits.
    R128(S128),
    /// A predicate.
    P(SP),
    /// `_`
    None,
}

/// A source of either width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Src {
    /// 8, 16, 32 bits.
    R32(S32),
    /// 64 bits.
    R64(S64),
    /// 128 bits.
    R128(S128),
    /// A predicate.
    P(SP),
}

/// An address operand: a base in a register or constant, plus bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addr {
    /// The base: 32-bit bases are zero-extended.
    pub base: Src,
    /// Bytes to add.
    pub offset: i64,
    /// The base is a kernel parameter, `.local`, ... variable: its space.
    pub space: Option<crate::ast::Space>,
}

/// What the decoders of the families work with.
pub struct Decoder<'p> {
    /// The module.
    pub program: &'p Program,
    /// The function.
    pub function: &'p Function,
    /// Index of the function's first instruction in [`Code::insts`].
    pub start: u32,
    /// `sm_90a` is 90.
    pub arch: u32,
    /// The architecture-specific features (`sm_90a`) or family features (`sm_100f`) are there.
    pub specific: bool,
    constants: &'p mut Pool,
    instr: &'p Instr,
}

#[derive(Default)]
struct Pool {
    constants: Constants,
    index32: FxHashMap<Value, u32>,
    index64: FxHashMap<Value, u32>,
    index128: FxHashMap<Value, u32>,
}

type Result<T> = std::result::Result<T, ParseError>;

impl<'p> Decoder<'p> {
    /// The parts of the opcode after the first: what decoders match as a whole, so that nothing is left over.
    pub fn modifiers(&self) -> SmallVec<[&'p str; 8]> {
        self.instr.opcode.iter().skip(1).map(String::as_str).collect()
    }

    /// The instruction.
    pub fn instr(&self) -> &'p Instr {
        self.instr
    }

    /// The parts of the opcode.
    pub fn opcode(&self) -> &'p [String] {
        &self.instr.opcode
    }

    /// Whether a modifier is there.
    pub fn has(&self, modifier: &str) -> bool {
        self.instr.opcode.iter().skip(1).any(|m| m == modifier)
    }

    /// An error at the opcode.
    pub fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ParseError::new(self.instr.opcode_span, message))
    }

    /// An error at an operand.
    pub fn error_at<T>(&self, index: usize, message: impl Into<String>) -> Result<T> {
        Err(ParseError::new(self.span(index), message))
    }

    /// Where an operand stands.
    pub fn span(&self, index: usize) -> Span {
        self.instr.arg_spans.get(index).copied().unwrap_or(self.instr.opcode_span)
    }

    /// "this opcode has a modifier or a combination that does not exist".
    pub fn unknown<T>(&self) -> Result<T> {
        self.error(format!("unknown instruction `{}`", self.instr.opcode.join(".")))
    }

    /// Checks the number of operands.
    ///
    /// # Errors
    ///
    /// Another number of operands.
    pub fn operands(&self, allowed: std::ops::RangeInclusive<usize>) -> Result<()> {
        let n = self.instr.args.len();
        if allowed.contains(&n) {
            return Ok(());
        }
        let wanted = if allowed.start() == allowed.end() {
            format!("{}", allowed.start())
        } else {
            format!("{} to {}", allowed.start(), allowed.end())
        };
        self.error(format!("`{}` takes {wanted} operands, found {n}", self.instr.opcode.join(".")))
    }

    /// The operand of an index.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn arg(&self, index: usize) -> Result<&'p Arg> {
        match self.instr.args.get(index) {
            Some(arg) => Ok(arg),
            None => self.error(format!("operand {} is missing", index + 1)),
        }
    }

    /// The type among the modifiers, counted from the last one (0 is the last type: of `cvt.rn.f16.f32`, `f32`).
    pub fn type_from_end(&self, nth: usize) -> Option<ScalarType> {
        self.instr.opcode.iter().skip(1).rev().filter_map(|m| isa::types::scalar_type(m)).nth(nth)
    }

    /// The last type among the modifiers.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn ty(&self) -> Result<ScalarType> {
        match self.type_from_end(0) {
            Some(ty) => Ok(ty),
            None => self.error(format!("`{}` has no type", self.instr.opcode.join("."))),
        }
    }

    /// A constant slot of 32 bits.
    pub fn const32(&mut self, value: Value) -> S32 {
        let pool = &mut *self.constants;
        S32(intern(&mut pool.index32, &mut pool.constants.r32, value) | CONSTANT)
    }

    /// A constant slot of 64 bits.
    pub fn const64(&mut self, value: Value) -> S64 {
        let pool = &mut *self.constants;
        S64(intern(&mut pool.index64, &mut pool.constants.r64, value) | CONSTANT)
    }

    /// A constant slot of 128 bits.
    pub fn const128(&mut self, value: Value) -> S128 {
        let pool = &mut *self.constants;
        S128(intern(&mut pool.index128, &mut pool.constants.r128, value) | CONSTANT)
    }

    /// A constant predicate.
    pub fn const_p(&mut self, value: bool) -> SP {
        SP(u32::from(value) | CONSTANT)
    }

    /// A source of up to 32 bits. A 64-bit register is refused. Constants are converted to `ty`.
    ///
    /// # Errors
    ///
    /// Another kind of operand.
    pub fn src32(&mut self, index: usize, ty: ScalarType) -> Result<S32> {
        let arg = self.arg(index)?.clone();
        self.src32_of(&arg, ty, self.span(index))
    }

    /// [`Decoder::src32`] of an operand within another (a vector's element).
    ///
    /// # Errors
    ///
    /// Another kind of operand.
    pub fn src32_of(&mut self, arg: &Arg, ty: ScalarType, span: Span) -> Result<S32> {
        match arg {
            Arg::Reg(Reg::R32(slot), _) => Ok(S32(*slot)),
            Arg::Const(c) => Ok(self.const32(Value::Bits(constant_bits(*c, ty)))),
            Arg::Special(name) if !isa::types::changes(name) => {
                Ok(self.const32(Value::Special(name.clone())))
            }
            Arg::Symbol(symbol, offset) => Ok(self.const32(Value::Symbol(*symbol, *offset))),
            Arg::Function(f) => Ok(self.const32(Value::Function(*f))),
            other => Err(ParseError::new(
                span,
                format!("a 32-bit register or a constant is wanted, found {}", describe(other)),
            )),
        }
    }

    /// A source of 64 bits.
    ///
    /// # Errors
    ///
    /// Another kind of operand.
    pub fn src64(&mut self, index: usize, ty: ScalarType) -> Result<S64> {
        let arg = self.arg(index)?.clone();
        self.src64_of(&arg, ty, self.span(index))
    }

    /// [`Decoder::src64`] of an operand within another.
    ///
    /// # Errors
    ///
    /// Another kind of operand.
    pub fn src64_of(&mut self, arg: &Arg, ty: ScalarType, span: Span) -> Result<S64> {
        match arg {
            Arg::Reg(Reg::R64(slot), _) => Ok(S64(*slot)),
            Arg::Const(c) => Ok(self.const64(Value::Bits(constant_bits(*c, ty)))),
            Arg::Special(name) if !isa::types::changes(name) => {
                Ok(self.const64(Value::Special(name.clone())))
            }
            Arg::Symbol(symbol, offset) => Ok(self.const64(Value::Symbol(*symbol, *offset))),
            Arg::Function(f) => Ok(self.const64(Value::Function(*f))),
            other => Err(ParseError::new(
                span,
                format!("a 64-bit register or a constant is wanted, found {}", describe(other)),
            )),
        }
    }

    /// A source of whatever width the register has; constants take the width of `ty`.
    ///
    /// # Errors
    ///
    /// Not a value.
    pub fn src(&mut self, index: usize, ty: ScalarType) -> Result<Src> {
        let arg = self.arg(index)?.clone();
        self.src_of(&arg, ty, self.span(index))
    }

    /// [`Decoder::src`] of an operand within another.
    ///
    /// # Errors
    ///
    /// Not a value.
    pub fn src_of(&mut self, arg: &Arg, ty: ScalarType, span: Span) -> Result<Src> {
        match arg {
            Arg::Reg(Reg::P(slot), _) => Ok(Src::P(SP(*slot))),
            Arg::Reg(Reg::R32(slot), _) => Ok(Src::R32(S32(*slot))),
            Arg::Reg(Reg::R64(slot), _) => Ok(Src::R64(S64(*slot))),
            Arg::Reg(Reg::R128(slot), _) => Ok(Src::R128(S128(*slot))),
            Arg::Const(c) if ty == ScalarType::Pred => {
                Ok(Src::P(self.const_p(constant_bits(*c, ScalarType::U64) != 0)))
            }
            _ => match isa::types::bits(ty) {
                128 => match arg {
                    Arg::Const(c) => Ok(Src::R128(self.const128(Value::Bits(constant_bits(*c, ty))))),
                    other => Err(ParseError::new(
                        span,
                        format!("a 128-bit register is wanted, found {}", describe(other)),
                    )),
                },
                64 => self.src64_of(arg, ty, span).map(Src::R64),
                _ => self.src32_of(arg, ty, span).map(Src::R32),
            },
        }
    }

    /// A predicate source; `!p` gives `(p, true)`.
    ///
    /// # Errors
    ///
    /// No predicate.
    pub fn src_p(&mut self, index: usize) -> Result<(SP, bool)> {
        match self.arg(index)?.clone() {
            Arg::Reg(Reg::P(slot), _) => Ok((SP(slot), false)),
            Arg::NotReg(Reg::P(slot), _) => Ok((SP(slot), true)),
            Arg::Const(c) => Ok((self.const_p(constant_bits(c, ScalarType::U64) != 0), false)),
            other => self.error_at(index, format!("a predicate is wanted, found {}", describe(&other))),
        }
    }

    /// A destination of up to 32 bits, or `_`.
    ///
    /// # Errors
    ///
    /// Another kind of operand.
    pub fn dst32(&self, index: usize) -> Result<S32> {
        match self.arg(index)? {
            Arg::Reg(Reg::R32(slot), _) => Ok(S32(*slot)),
            other => self.error_at(
                index,
                format!("a 32-bit register is wanted to write to, found {}", describe(other)),
            ),
        }
    }

    /// A destination of 64 bits.
    ///
    /// # Errors
    ///
    /// Another kind of operand.
    pub fn dst64(&self, index: usize) -> Result<S64> {
        match self.arg(index)? {
            Arg::Reg(Reg::R64(slot), _) => Ok(S64(*slot)),
            other => self.error_at(
                index,
                format!("a 64-bit register is wanted to write to, found {}", describe(other)),
            ),
        }
    }

    /// A predicate to write to.
    ///
    /// # Errors
    ///
    /// Another kind of operand.
    pub fn dst_p(&self, index: usize) -> Result<SP> {
        match self.arg(index)? {
            Arg::Reg(Reg::P(slot), _) => Ok(SP(*slot)),
            other => {
                self.error_at(index, format!("a predicate is wanted to write to, found {}", describe(other)))
            }
        }
    }

    /// Any destination, `_` included.
    ///
    /// # Errors
    ///
    /// No register.
    pub fn dst(&self, index: usize) -> Result<Dst> {
        let arg = self.arg(index)?;
        self.dst_of(arg, self.span(index))
    }

    /// [`Decoder::dst`] of an operand within another.
    ///
    /// # Errors
    ///
    /// No register.
    pub fn dst_of(&self, arg: &Arg, span: Span) -> Result<Dst> {
        match arg {
            Arg::Reg(Reg::P(slot), _) => Ok(Dst::P(SP(*slot))),
            Arg::Reg(Reg::R32(slot), _) => Ok(Dst::R32(S32(*slot))),
            Arg::Reg(Reg::R64(slot), _) => Ok(Dst::R64(S64(*slot))),
            Arg::Reg(Reg::R128(slot), _) => Ok(Dst::R128(S128(*slot))),
            Arg::Sink => Ok(Dst::None),
            other => Err(ParseError::new(
                span,
                format!("a register is wanted to write to, found {}", describe(other)),
            )),
        }
    }

    /// The elements of a vector operand, or the one operand.
    ///
    /// # Errors
    ///
    /// There is no such operand.
    pub fn elements(&self, index: usize) -> Result<Vec<Arg>> {
        match self.arg(index)? {
            Arg::Vector(list) => Ok(list.clone()),
            other => Ok(vec![other.clone()]),
        }
    }

    /// An address operand, and what follows its base in the brackets.
    ///
    /// # Errors
    ///
    /// No address.
    pub fn addr(&mut self, index: usize) -> Result<(Addr, Vec<Arg>)> {
        let (base, offset, rest) = match self.arg(index)?.clone() {
            Arg::Address(base, offset, rest) => (base, offset, rest),
            other => {
                return self.error_at(
                    index,
                    format!("an address in brackets is wanted, found {}", describe(&other)),
                );
            }
        };
        let addr = match base {
            AddressBase::Absolute => {
                Addr { base: Src::R64(self.const64(Value::Bits(0))), offset, space: None }
            }
            AddressBase::Reg(Reg::R32(slot), _) => Addr { base: Src::R32(S32(slot)), offset, space: None },
            AddressBase::Reg(Reg::R64(slot), _) => Addr { base: Src::R64(S64(slot)), offset, space: None },
            AddressBase::Reg(..) => return self.error_at(index, "an address is a register of 32 or 64 bits"),
            AddressBase::Symbol(symbol) => {
                let space = self.program.symbols.get(symbol.0 as usize).map(|s| s.space);
                Addr { base: Src::R64(self.const64(Value::Symbol(symbol, 0))), offset, space }
            }
        };
        Ok((addr, rest))
    }
}

fn intern(index: &mut FxHashMap<Value, u32>, list: &mut Vec<Value>, value: Value) -> u32 {
    *index.entry(value).or_insert_with_key(|v| {
        list.push(v.clone());
        list.len() as u32 - 1
    })
}

/// The bits of a constant as a value of a type: integers are cut, floats converted (ISA 4.5).
pub fn constant_bits(c: Constant, ty: ScalarType) -> u128 {
    use ScalarType::{Bf16, F16, F32, F64};
    let bits = match (c, ty) {
        (Constant::Int { bits, unsigned }, F32 | F64 | F16 | Bf16) => {
            let value = if unsigned { bits as f64 } else { bits as i64 as f64 };
            float_bits(value, ty)
        }
        (Constant::Int { bits, unsigned }, ScalarType::B128) => {
            return if unsigned { u128::from(bits) } else { bits as i64 as i128 as u128 };
        }
        (Constant::Int { bits, .. }, _) => bits,
        (Constant::F32(bits), F64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Constant::F32(bits), _) => u64::from(bits),
        (Constant::F64(bits), F32 | F16 | Bf16) => float_bits(f64::from_bits(bits), ty),
        (Constant::F64(bits), _) => bits,
    };
    let width = isa::types::bits(ty).min(64);
    let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    u128::from(bits & mask)
}

fn float_bits(value: f64, ty: ScalarType) -> u64 {
    match ty {
        ScalarType::F64 => value.to_bits(),
        ScalarType::F16 => u64::from(half::f16::from_f64(value).to_bits()),
        ScalarType::Bf16 => u64::from(half::bf16::from_f64(value).to_bits()),
        _ => u64::from((value as f32).to_bits()),
    }
}

/// What an operand is, for messages.
pub fn describe(arg: &Arg) -> &'static str {
    match arg {
        Arg::Reg(Reg::P(_), _) => "a predicate",
        Arg::Reg(Reg::R32(_), _) => "a register of up to 32 bits",
        Arg::Reg(Reg::R64(_), _) => "a 64-bit register",
        Arg::Reg(Reg::R128(_), _) => "a 128-bit register",
        Arg::NotReg(..) => "a negated predicate",
        Arg::Special(_) => "a special register",
        Arg::Const(_) => "a constant",
        Arg::Symbol(..) => "a variable",
        Arg::Function(_) => "a function",
        Arg::Label(_) => "a label",
        Arg::Sink => "`_`",
        Arg::Pair(..) => "a pair",
        Arg::Vector(_) => "a vector",
        Arg::Address(..) => "an address",
        Arg::List(_) => "a list",
        Arg::Targets(_) | Arg::Prototype(_) => "a list of targets",
    }
}

/// The architectures that `.target` may name (ISA 11.1.2), without the letter of their own or their family's features.
const ARCHITECTURES: &[u32] =
    &[50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121];

/// `sm_90a` is 90 and specific; `compute_...` and others are no target.
fn architecture(target: &str) -> Option<(u32, bool)> {
    let digits = target.strip_prefix("sm_")?;
    let number = digits.strip_suffix(['a', 'f']).unwrap_or(digits);
    let arch = number.parse().ok().filter(|arch| ARCHITECTURES.contains(arch))?;
    let specific = number.len() != digits.len();
    (!specific || arch >= 90).then_some((arch, specific))
}

/// Decodes a module.
///
/// # Errors
///
/// Unknown instructions, modifiers and operands that an instruction does not take, an unknown target: each with its
/// place.
pub fn decode(program: Program) -> std::result::Result<Code, Vec<ParseError>> {
    let mut errors = Vec::new();
    let target = program.target.first().map_or("", String::as_str);
    let (arch, specific) = architecture(target).unwrap_or_else(|| {
        errors.push(
            ParseError::new(Span::default(), format!("unknown target `{target}`"))
                .help("a target is `sm_90a`, `sm_100a`, ..."),
        );
        (0, false)
    });
    let mut pool = Pool::default();
    pool.constants.p = vec![false, true];
    let mut code = Code {
        insts: Vec::new(),
        functions: Vec::new(),
        constants: Constants::default(),
        touches: Vec::new(),
        arch,
        program,
    };
    for function in &code.program.functions {
        let start = code.insts.len() as u32;
        for instr in &function.body {
            let mut decoder = Decoder {
                program: &code.program,
                function,
                start,
                arch,
                specific,
                constants: &mut pool,
                instr,
            };
            match isa::decode(&mut decoder) {
                Ok(op) => {
                    let guard = instr.guard.map(|(slot, negated)| (SP(slot), negated));
                    code.insts.push(Inst { guard, op });
                    code.touches.push(touches(&instr.args));
                }
                Err(e) if errors.len() < MAX_ERRORS => errors.push(e),
                Err(_) => {}
            }
        }
        code.functions.push(FunctionCode { start, end: code.insts.len() as u32, regs: function.regs });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    code.constants = pool.constants;
    Ok(code)
}

/// The message for an opcode that no family knows.
pub(crate) fn unknown_opcode(instr: &Instr) -> ParseError {
    let name = instr.opcode.first().map_or("", String::as_str);
    let error =
        ParseError::new(instr.opcode_span, format!("unknown instruction `{}`", instr.opcode.join(".")));
    // A family knows the opcode, but not with these types.
    if isa::OPCODES.contains(&name) {
        return error;
    }
    match did_you_mean(name, isa::OPCODES.iter().copied()) {
        Some(help) => error.help(help),
        None => error,
    }
}

fn touches(args: &[Arg]) -> SmallVec<[u32; 4]> {
    fn collect(arg: &Arg, out: &mut SmallVec<[u32; 4]>) {
        match arg {
            Arg::Reg(Reg::R32(slot), _) | Arg::Address(AddressBase::Reg(Reg::R32(slot), _), ..) => {
                out.push(*slot)
            }
            Arg::Pair(a, b) => {
                collect(a, out);
                collect(b, out);
            }
            Arg::Vector(list) | Arg::List(list) => list.iter().for_each(|a| collect(a, out)),
            _ => {}
        }
    }
    let mut out = SmallVec::new();
    args.iter().for_each(|a| collect(a, &mut out));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_of_the_isa() {
        assert_eq!(architecture("sm_90a"), Some((90, true)));
        assert_eq!(architecture("sm_100f"), Some((100, true)));
        assert_eq!(architecture("sm_80"), Some((80, false)));
        for none in ["sm_999", "sm_", "sm_90aa", "sm_80a", "sm_90x", "compute_90", "", "sm_-1"] {
            assert_eq!(architecture(none), None, "{none}");
        }
    }
}
