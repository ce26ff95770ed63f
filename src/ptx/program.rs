//! A program with its names resolved: what the decoder of each instruction family reads.
//!
//! Bodies are flat lists of instructions; scopes are gone, each register has a slot, each label an index.

use std::sync::Arc;

use crate::ast::{Constant, ScalarType, SourceLine, Space, Span};

/// A register of a function: its class and its slot in that class.
///
/// A slot holds 32 lanes. `.b8` and `.b16` registers live in 32-bit slots, `.b128` in slots of two 64-bit halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reg {
    /// A predicate: one bit a lane.
    P(u32),
    /// 8, 16 or 32 bits.
    R32(u32),
    /// 64 bits.
    R64(u32),
    /// 128 bits.
    R128(u32),
}

/// How many slots of each class a function has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegCounts {
    /// Predicates.
    pub p: u32,
    /// 32-bit slots.
    pub r32: u32,
    /// 64-bit slots.
    pub r64: u32,
    /// 128-bit slots.
    pub r128: u32,
}

/// A variable with an address, at module or function scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    /// As written (a function's own variables too: names may repeat).
    pub name: String,
    /// `.shared`, `.global`, `.const`, `.local`, `.param`.
    pub space: Space,
    /// The element.
    pub ty: ScalarType,
    /// Bytes in all; 0 for an unsized extern array.
    pub size: u64,
    /// Bytes.
    pub align: u64,
    /// `.extern`
    pub external: bool,
    /// The initial bytes, shorter than `size` when zeros follow; addresses in it are filled by `relocations`.
    pub init: Vec<u8>,
    /// Addresses to write into `init`: offset in it, symbol, addend, generic.
    pub relocations: Vec<Relocation>,
    /// Offset within its window (parameters: in the parameter block of the function; `.local`: in the function's
    /// frame; shared: among the static variables of the module). Global and const: set by the loader.
    pub offset: u64,
    /// The declaration.
    pub span: Span,
}

/// An address within an initialiser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where in the initial bytes (8 bytes wide, or 1 with `mask`).
    pub at: u64,
    /// Whose address.
    pub target: RelocationTarget,
    /// Bytes to add.
    pub addend: i64,
    /// A generic address is wanted.
    pub generic: bool,
    /// Which byte of the address (`mask(0xff00)(x)`), as a shift in bits.
    pub byte_shift: Option<u32>,
}

/// What an initialiser takes the address of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationTarget {
    /// A variable.
    Symbol(SymbolId),
    /// A function: an entry of a table of functions.
    Function(FunctionId),
}

/// Index into [`Program::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymbolId(pub u32);

/// Index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId(pub u32);

/// An operand, resolved.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A register and its declared type.
    Reg(Reg, ScalarType),
    /// `!%p`
    NotReg(Reg, ScalarType),
    /// `%tid.x`, `%laneid`, `%clock64`, ...: the name without `%`.
    Special(String),
    /// A constant.
    Const(Constant),
    /// The address of a variable plus bytes (in its own space).
    Symbol(SymbolId, i64),
    /// The address of a function.
    Function(FunctionId),
    /// An instruction's index.
    Label(u32),
    /// `_`
    Sink,
    /// `a|b`
    Pair(Box<Arg>, Box<Arg>),
    /// `{a, b}`
    Vector(Vec<Arg>),
    /// `[base+offset, rest...]`.
    Address(AddressBase, i64, Vec<Arg>),
    /// `(a, b)`
    List(Vec<Arg>),
    /// A `.branchtargets` list: instruction indices.
    Targets(Arc<[u32]>),
    /// A `.calltargets` list or a `.callprototype`: empty targets say "any function".
    Prototype(Arc<[FunctionId]>),
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    /// Nothing: the offset is the address.
    Absolute,
    /// A register.
    Reg(Reg, ScalarType),
    /// A variable.
    Symbol(SymbolId),
}

/// An instruction with resolved operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Instr {
    /// `@p`: the predicate register's slot and whether it is negated.
    pub guard: Option<(u32, bool)>,
    /// The parts of the opcode between the dots.
    pub opcode: Vec<String>,
    /// The operands.
    pub args: Vec<Arg>,
    /// The span of each operand.
    pub arg_spans: Vec<Span>,
    /// The whole instruction.
    pub span: Span,
    /// The opcode.
    pub opcode_span: Span,
    /// From the last `.loc` before it.
    pub source: Option<SourceLine>,
}

/// A function, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The name.
    pub name: String,
    /// `.entry`
    pub entry: bool,
    /// Whether it has a body here.
    pub defined: bool,
    /// Parameters, in order: symbols in `.param` space, or registers.
    pub params: Vec<Formal>,
    /// Return values, in order.
    pub returns: Vec<Formal>,
    /// Bytes of the parameter block, of kernels.
    pub param_bytes: u64,
    /// Bytes of a call frame's memory: `.local` and `.param` variables of the body, parameters and returns of a `.func`.
    pub frame_bytes: u64,
    /// Register slots.
    pub regs: RegCounts,
    /// The register's name and declared type, by class: for messages.
    pub reg_names: Vec<(Reg, String, ScalarType)>,
    /// Performance and cluster directives: name without the dot, numbers.
    pub directives: Vec<(String, Vec<u64>)>,
    /// The body.
    pub body: Vec<Instr>,
    /// The header.
    pub span: Span,
}

/// A formal parameter or return value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formal {
    /// In `.param` space.
    Memory(SymbolId),
    /// A register of the function.
    Register(Reg, ScalarType),
}

/// A module, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// `.version`
    pub version: (u32, u32),
    /// `.target`: the architecture first.
    pub target: Vec<String>,
    /// `.file` numbers and paths.
    pub files: Vec<(u32, String)>,
    /// Variables with addresses.
    pub symbols: Vec<Symbol>,
    /// Bytes of all static `.shared` variables, laid out in `Symbol::offset` (the extern unsized ones start there).
    pub shared_bytes: u64,
    /// Functions.
    pub functions: Vec<Function>,
}
