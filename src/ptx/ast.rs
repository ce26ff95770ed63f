//! What a PTX text says, as it is written: names are not resolved, instructions not checked.
//!
//! Sections are those of the PTX ISA (9.0): chapters 4 (syntax), 5 (state spaces, types, variables), 6 (operands),
//! 11 (directives).

use std::fmt;

/// A range of bytes of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As written, `%` and `$` included.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// State spaces of variables and of addresses (ISA 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.reg`
    Reg,
    /// `.const`
    Const,
    /// `.global`
    Global,
    /// `.local`
    Local,
    /// `.param`
    Param,
    /// `.shared`
    Shared,
}

/// Fundamental types (ISA 5.2.1) and the opaque handle types (5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is PTX's own name")]
pub enum ScalarType {
    Pred,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
    /// `.texref`, `.samplerref`, `.surfref`: declared, never used here.
    Opaque,
}

/// A constant expression's value (ISA 4.5). Expressions are folded by the parser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// An integer: 64 bits, and whether it is signed (`.s64`) or unsigned (`.u64`).
    Int {
        /// Two's complement.
        bits: u64,
        /// `.u64` by the rules of 4.5.5 (a `U` suffix, or too large for `.s64`).
        unsigned: bool,
    },
    /// `0f3F800000`: the bits of an f32.
    F32(u32),
    /// `0d...`, or a decimal literal: the bits of an f64.
    F64(u64),
}

/// An initialiser of a variable, flat, in order (ISA 5.4.4).
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// A constant.
    Constant(Constant),
    /// The address of a variable or function, plus bytes: `x+4`, or `generic(x)+4`.
    Address {
        /// The variable.
        name: Name,
        /// Bytes to add.
        offset: i64,
        /// `generic(...)`: the generic address.
        generic: bool,
        /// `mask(...)`: which byte of the address, for `.u8` initialisers.
        mask: Option<u64>,
    },
}

/// A declaration (ISA 5.4), of registers and parameters too.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The space.
    pub space: Space,
    /// The element.
    pub ty: ScalarType,
    /// 1, or 2, 4, 8 for `.v2`, `.v4`, `.v8`.
    pub vector: u8,
    /// The name; of `%r<100>` it is `%r`.
    pub name: Name,
    /// `<100>`: names `%r0` to `%r99`.
    pub count: Option<u32>,
    /// `.align`, in bytes, when given.
    pub align: Option<u32>,
    /// `[4][8]`; an unsized dimension is 0. Empty for a scalar.
    pub dims: Vec<u64>,
    /// Initial values: the index of an element (counted through all dimensions and the vector's components) and its
    /// value, in rising order. Elements that are left out are zero.
    pub init: Vec<(u64, Initial)>,
    /// `.extern`, `.visible`, `.weak`, `.common`
    pub linkage: Linkage,
    /// `.ptr .space .align` of a kernel parameter: declared pointer properties.
    pub pointer: Option<PointerAttributes>,
    /// `.attribute(.managed, .unified(1, 2))` (ISA 5.4.8): the name without its dot, and the numbers.
    pub attributes: Vec<(Name, Vec<u64>)>,
    /// The declaration.
    pub span: Span,
}

/// `.ptr` of a kernel parameter (ISA 5.1.6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerAttributes {
    /// The space, when given.
    pub space: Option<Space>,
    /// Bytes.
    pub align: u32,
}

/// ISA 11.6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is PTX's own name")]
pub enum Linkage {
    #[default]
    Internal,
    Extern,
    Visible,
    Weak,
    Common,
}

/// A module: one text.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// `.version 9.0`
    pub version: (u32, u32),
    /// `.target sm_90a, texmode_independent`: the first is the architecture.
    pub target: Vec<Name>,
    /// `.address_size`: 32 or 64.
    pub address_size: u32,
    /// Variables at module scope.
    pub variables: Vec<Variable>,
    /// Functions: definitions and declarations.
    pub functions: Vec<Function>,
    /// `.file 1 "path"`: number and path.
    pub files: Vec<(u32, String)>,
    /// `.pragma "x";` at module scope.
    pub pragmas: Vec<String>,
    /// `.alias name, function;` (ISA 11.6.5)
    pub aliases: Vec<(Name, Name)>,
}

/// `.entry` or `.func` (ISA 11.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// `.entry`
    pub entry: bool,
    /// The name.
    pub name: Name,
    /// Linkage.
    pub linkage: Linkage,
    /// Return parameters of a `.func`: `.reg` or `.param`.
    pub returns: Vec<Variable>,
    /// Parameters: `.param`, or `.reg` of a `.func`.
    pub params: Vec<Variable>,
    /// `.maxntid 128, 1, 1`, `.reqntid`, `.reqnctapercluster`, `.explicitcluster`, `.maxnreg`, `.noreturn`, ...: the
    /// name without its dot, and the numbers.
    pub directives: Vec<(Name, Vec<u64>)>,
    /// `.pragma "x";` between the header and the body.
    pub pragmas: Vec<String>,
    /// `.attribute(.unified(1, 2))`, as for a variable.
    pub attributes: Vec<(Name, Vec<u64>)>,
    /// The body; none for a declaration.
    pub body: Option<Vec<Item>>,
    /// From the linkage to the end of the header.
    pub span: Span,
}

/// What a body holds, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `L:`
    Label(Name),
    /// An instruction.
    Instruction(Instruction),
    /// `{ ... }`: a scope for names.
    Scope(Vec<Item>),
    /// `.reg`, `.local`, `.shared`, `.param`, ... within the body.
    Variable(Variable),
    /// `.loc file line column`.
    Loc(SourceLine),
    /// `L: .branchtargets A, B;` (ISA 11.3.1)
    BranchTargets(Name, Vec<Name>),
    /// `L: .calltargets f, g;`
    CallTargets(Name, Vec<Name>),
    /// `L: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;`: returns, parameters, directives.
    CallPrototype(Name, Vec<Variable>, Vec<Variable>, Vec<(Name, Vec<u64>)>),
    /// `.pragma "nounroll";`
    Pragma(String),
}

/// A place in somebody's source, from `.loc` (ISA 11.5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The number of a `.file`.
    pub file: u32,
    /// From 1; 0 is "no line".
    pub line: u32,
    /// From 1; 0 is "no column".
    pub column: u32,
}

/// An instruction (ISA 4.3.2).
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// `mbarrier.try_wait.parity.shared::cta.b64`: the parts between the dots, `["mbarrier", "try_wait", ...]`.
    pub opcode: Vec<String>,
    /// Where the opcode stands.
    pub opcode_span: Span,
    /// The operands, in order.
    pub operands: Vec<Operand>,
    /// From the guard to the semicolon.
    pub span: Span,
}

/// `@p`, `@!p`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// `@!p`
    pub negated: bool,
    /// The predicate register.
    pub name: Name,
}

/// An operand and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// What.
    pub kind: OperandKind,
    /// Where.
    pub span: Span,
}

/// ISA chapter 6.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind {
    /// A register, a special register (`%tid.x`, component included), a label, a variable or a function: `x`.
    /// A component of a vector register is part of the name (`v.x`).
    Name(String),
    /// A variable plus bytes, outside brackets: `x+4` (as in `mov.u32 %r1, x+4;`).
    NameOffset(String, i64),
    /// `_`
    Sink,
    /// A constant.
    Constant(Constant),
    /// `!%p1`: a negated predicate.
    Not(Box<Operand>),
    /// `-%r1`: only of video instructions (ISA 9.7.18).
    Negative(Box<Operand>),
    /// `x[4]`, `x[%r1]`: an element of an array (ISA 6.4.2), outside brackets.
    Index {
        /// The array.
        array: Name,
        /// The register of the index.
        register: Option<Name>,
        /// Elements to add.
        index: i64,
    },
    /// `%r1|%p1`
    Pair(Box<Operand>, Box<Operand>),
    /// `{%r1, %r2}`
    Vector(Vec<Operand>),
    /// `[x]`, `[%rd1+8]`, `[%rd1+-8]`, `[16]`, `[%map, {%r1, %r2}]`, `[%map, {...}, {...}]`.
    Address {
        /// The base: a name, or none for an absolute address.
        base: Option<Name>,
        /// Bytes (or the whole address).
        offset: i64,
        /// What follows the base after a comma: coordinates, im2col offsets.
        rest: Vec<Operand>,
        /// `.unified` behind the bracket (ISA 9.7.9.8).
        unified: bool,
    },
    /// `(a, b)`: argument and result lists of `call`.
    List(Vec<Operand>),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
