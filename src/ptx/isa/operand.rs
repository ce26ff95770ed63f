//! Operands of instructions with one type: registers have to be declared with a type that fits it (ISA 9.4, type
//! checking rules: the same size, and a bit-size type, or both integers, or the same kind of float).

use crate::ast::{Constant, ScalarType, Space};
use crate::decode::Decoder;
use crate::error::ParseError;
use crate::isa::types::{bits, is_integer};
use crate::program::Arg;
use crate::regs::{S32, S64, SP};

type Result<T> = std::result::Result<T, ParseError>;

/// Whether a register of a declared type may be used where an instruction works with another.
pub fn fits(declared: ScalarType, ty: ScalarType) -> bool {
    use ScalarType::{B8, B16, B32, B64, B128};
    let untyped = |t| matches!(t, B8 | B16 | B32 | B64 | B128);
    if declared == ty {
        return true;
    }
    bits(declared) == bits(ty)
        && (declared == ScalarType::Pred) == (ty == ScalarType::Pred)
        && (untyped(declared) || untyped(ty) || is_integer(declared) && is_integer(ty))
}

/// Checks that an operand may be used as a value of a type.
///
/// # Errors
///
/// A register of another type, a constant of another kind, a variable of a frame (whose address only `mov` knows).
pub fn check(d: &Decoder<'_>, index: usize, ty: ScalarType) -> Result<()> {
    check_arg(d, index, d.arg(index)?, ty)
}

/// [`check`] of an operand within another.
///
/// # Errors
///
/// As [`check`].
pub fn check_arg(d: &Decoder<'_>, index: usize, arg: &Arg, ty: ScalarType) -> Result<()> {
    match arg {
        Arg::Reg(_, declared) | Arg::NotReg(_, declared) if !fits(*declared, ty) => {
            d.error_at(index, format!("a register of type `{declared}` cannot be used as `{ty}` here"))
        }
        Arg::Const(Constant::F32(_) | Constant::F64(_)) if is_integer(ty) => {
            d.error_at(index, format!("a number with a point cannot be used as `{ty}`"))
        }
        Arg::Special(name) if bits(ty) < 32 => {
            d.error_at(index, format!("read `%{name}` with `mov.u32`: it has 32 bits"))
        }
        Arg::Special(name) if bits(ty) == 32 && special_bits(name) == 64 => {
            d.error_at(index, format!("`%{name}` has 64 bits, an operand of `{ty}` is wanted"))
        }
        Arg::Symbol(..) | Arg::Function(_) if bits(ty) < 32 => {
            d.error_at(index, format!("an address does not fit `{ty}`"))
        }
        Arg::Symbol(symbol, _) if in_frame(d, *symbol) && !d.function.entry => d.error_at(
            index,
            "the address of a variable of a function's frame: take it with `mov` into a register first",
        ),
        _ => Ok(()),
    }
}

/// Whether a variable lies in a frame of local memory, or in the parameters.
pub fn in_frame(d: &Decoder<'_>, symbol: crate::program::SymbolId) -> bool {
    let space = d.program.symbols.get(symbol.0 as usize).map(|s| s.space);
    matches!(space, Some(Space::Local | Space::Param))
}

/// Bits of a special register (ISA chapter 10).
pub fn special_bits(name: &str) -> u32 {
    match name {
        "clock64" | "globaltimer" | "current_graph_exec" | "gridid" => 64,
        _ if name.starts_with("pm") && name.ends_with("_64") => 64,
        _ => 32,
    }
}

/// A source of 16 or 32 bits, checked.
///
/// # Errors
///
/// As [`check`].
pub fn read32(d: &mut Decoder<'_>, index: usize, ty: ScalarType) -> Result<S32> {
    check(d, index, ty)?;
    d.src32(index, ty)
}

/// A source of 64 bits, checked.
///
/// # Errors
///
/// As [`check`].
pub fn read64(d: &mut Decoder<'_>, index: usize, ty: ScalarType) -> Result<S64> {
    check(d, index, ty)?;
    d.src64(index, ty)
}

/// A predicate that may not be negated.
///
/// # Errors
///
/// No predicate, or `!p`.
pub fn read_p(d: &mut Decoder<'_>, index: usize) -> Result<SP> {
    match d.src_p(index)? {
        (p, false) => Ok(p),
        (_, true) => d.error_at(index, "a predicate cannot be negated with `!` here: use `not.pred`"),
    }
}

/// A destination of 16 or 32 bits, checked.
///
/// # Errors
///
/// As [`check`].
pub fn write32(d: &Decoder<'_>, index: usize, ty: ScalarType) -> Result<S32> {
    check(d, index, ty)?;
    d.dst32(index)
}

/// A destination of 64 bits, checked.
///
/// # Errors
///
/// As [`check`].
pub fn write64(d: &Decoder<'_>, index: usize, ty: ScalarType) -> Result<S64> {
    check(d, index, ty)?;
    d.dst64(index)
}
