//! What the families of lane-wise arithmetic share: the modifiers of an instruction, and operations that are one
//! function of three sources at most, applied to all lanes.
//!
//! An operation holds a pointer to a loop over the 32 lanes that was chosen when it was decoded. So the modifiers of
//! the frequent forms are constants in their loops, and the compiler makes vector instructions of them.

use crate::ast::ScalarType;
use crate::decode::{Decoder, Dst, Src, describe};
use crate::error::ParseError;
use crate::exec::Exec;
use crate::isa::types::bits;
use crate::program::Arg;
use crate::regs::{Lanes32, Lanes64, S32, S64, SP};
use smallvec::SmallVec;
use tidegate_machine::num::{Float, Rounding};

/// The modifiers that a loop over the lanes looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mods {
    /// `.rn`, `.rz`, `.rm`, `.rp`, `.rna`
    pub rounding: Rounding,
    /// `.ftz`
    pub ftz: bool,
    /// `.sat`
    pub sat: bool,
    /// `.satfinite`
    pub satfinite: bool,
    /// `.relu`
    pub relu: bool,
    /// `.NaN`
    pub nan: bool,
    /// `.xorsign.abs`
    pub xorsign: bool,
    /// `.abs` without `.xorsign`: the operands' magnitudes.
    pub abs: bool,
    /// `.oob`
    pub oob: bool,
    /// The format, where a loop serves several.
    pub format: Float,
}

impl Mods {
    /// No modifiers, of f32.
    pub const NONE: Mods = Mods {
        rounding: Rounding::NearestEven,
        ftz: false,
        sat: false,
        satfinite: false,
        relu: false,
        nan: false,
        xorsign: false,
        abs: false,
        oob: false,
        format: Float::F32,
    };
}

impl Default for Mods {
    fn default() -> Mods {
        Mods::NONE
    }
}

/// The modifiers of an opcode that are not read yet. What is left at the end is unknown to the instruction.
pub struct Modifiers<'p> {
    left: SmallVec<[&'p str; 8]>,
}

impl<'p> Modifiers<'p> {
    /// All after the opcode's first part.
    pub fn new(d: &Decoder<'p>) -> Modifiers<'p> {
        Modifiers { left: d.opcode().iter().skip(1).map(String::as_str).collect() }
    }

    /// Takes a modifier; whether it was there.
    pub fn take(&mut self, name: &str) -> bool {
        match self.left.iter().position(|m| *m == name) {
            Some(at) => {
                self.left.remove(at);
                true
            }
            None => false,
        }
    }

    /// Takes the last modifier.
    pub fn last(&mut self) -> Option<&'p str> {
        self.left.pop()
    }

    /// Takes one of `.rn`, `.rz`, `.rm`, `.rp`.
    pub fn rounding(&mut self) -> Option<Rounding> {
        [("rn", Rounding::NearestEven), ("rz", Rounding::Zero), ("rm", Rounding::Down), ("rp", Rounding::Up)]
            .into_iter()
            .find(|(name, _)| self.take(name))
            .map(|(_, rounding)| rounding)
    }

    /// Takes one of `.rni`, `.rzi`, `.rmi`, `.rpi`.
    pub fn integer_rounding(&mut self) -> Option<Rounding> {
        [
            ("rni", Rounding::NearestEven),
            ("rzi", Rounding::Zero),
            ("rmi", Rounding::Down),
            ("rpi", Rounding::Up),
        ]
        .into_iter()
        .find(|(name, _)| self.take(name))
        .map(|(_, rounding)| rounding)
    }

    /// All have been read.
    ///
    /// # Errors
    ///
    /// A modifier is left that the instruction does not have.
    pub fn end(&self, d: &Decoder<'_>) -> Result<(), ParseError> {
        match self.left.first() {
            None => Ok(()),
            Some(m) => {
                let name = d.opcode().join(".");
                d.error(format!("unknown instruction `{name}`: it does not take `.{m}` with the others"))
            }
        }
    }
}

/// The instruction needs this architecture or a later one.
///
/// # Errors
///
/// The module's target is an earlier one.
pub fn need(d: &Decoder<'_>, arch: u32) -> Result<(), ParseError> {
    if d.arch >= arch {
        return Ok(());
    }
    let (name, found) = (d.opcode().join("."), d.arch);
    d.error(format!("`{name}` needs `.target sm_{arch}` or later, this module is for sm_{found}"))
}

/// A rounding mode that has to be there.
///
/// # Errors
///
/// It is not.
pub fn wanted(d: &Decoder<'_>, rounding: Option<Rounding>) -> Result<Rounding, ParseError> {
    match rounding {
        Some(r) => Ok(r),
        None => {
            let name = d.opcode().join(".");
            d.error(format!("`{name}` needs a rounding mode: `.rn`, `.rz`, `.rm` or `.rp`"))
        }
    }
}

/// A register operand has the width of its type (ISA 9.4, "Operand size exceeding instruction-type size": only loads,
/// stores and conversions take wider ones).
///
/// # Errors
///
/// It has not.
pub fn exact(d: &Decoder<'_>, index: usize, ty: ScalarType) -> Result<(), ParseError> {
    match d.arg(index)? {
        Arg::Reg(_, declared) if bits(*declared) != bits(ty) => {
            let (found, wanted) = (bits(*declared), bits(ty));
            d.error_at(index, format!("a register of {wanted} bits is wanted, found one of {found}"))
        }
        _ => Ok(()),
    }
}

/// A source of up to 32 bits, of exactly the width of its type.
///
/// # Errors
///
/// Another width, another kind of operand.
pub fn source32(d: &mut Decoder<'_>, index: usize, ty: ScalarType) -> Result<S32, ParseError> {
    exact(d, index, ty)?;
    d.src32(index, ty)
}

/// A source of 64 bits.
///
/// # Errors
///
/// Another width, another kind of operand.
pub fn source64(d: &mut Decoder<'_>, index: usize, ty: ScalarType) -> Result<S64, ParseError> {
    exact(d, index, ty)?;
    d.src64(index, ty)
}

/// A destination of up to 32 bits, of exactly the width of its type.
///
/// # Errors
///
/// Another width, another kind of operand.
pub fn destination32(d: &Decoder<'_>, index: usize, ty: ScalarType) -> Result<S32, ParseError> {
    exact(d, index, ty)?;
    d.dst32(index)
}

/// A destination of up to 64 bits that may be wider than `ty`, with its own width in bits.
///
/// # Errors
///
/// A narrower one, no register.
pub fn wider_destination(d: &Decoder<'_>, index: usize, ty: ScalarType) -> Result<(Dst, u32), ParseError> {
    let width = wider(d, index, ty)?;
    match d.dst(index)? {
        Dst::P(_) | Dst::R128(_) | Dst::None => {
            let found = describe(d.arg(index)?);
            d.error_at(index, format!("a register of {} to 64 bits is wanted, found {found}", bits(ty)))
        }
        dst => Ok((dst, width)),
    }
}

/// A source of up to 64 bits that may be wider than `ty`.
///
/// # Errors
///
/// A narrower one, no value.
pub fn wider_source(d: &mut Decoder<'_>, index: usize, ty: ScalarType) -> Result<Src, ParseError> {
    wider(d, index, ty)?;
    match d.src(index, ty)? {
        Src::P(_) | Src::R128(_) => {
            d.error_at(index, format!("a register of {} to 64 bits or a constant is wanted", bits(ty)))
        }
        src => Ok(src),
    }
}

fn wider(d: &Decoder<'_>, index: usize, ty: ScalarType) -> Result<u32, ParseError> {
    match d.arg(index)? {
        Arg::Reg(_, declared) if bits(*declared) < bits(ty) => {
            let (found, wanted) = (bits(*declared), bits(ty));
            d.error_at(index, format!("a register of {wanted} bits or more is wanted, found one of {found}"))
        }
        Arg::Reg(_, declared) => Ok(bits(*declared)),
        _ => Ok(bits(ty)),
    }
}

/// A loop over the lanes of three sources of up to 32 bits.
pub type Run32 = fn(Mods, &Lanes32, &Lanes32, &Lanes32) -> Lanes32;
/// A loop over the lanes of three sources of 64 bits.
pub type Run64 = fn(Mods, &Lanes64, &Lanes64, &Lanes64) -> Lanes64;
/// A loop over the lanes of a source that gives a bit each.
pub type Test32 = fn(&Lanes32) -> u32;
/// A loop over the lanes of a source that gives a bit each.
pub type Test64 = fn(&Lanes64) -> u32;

/// All lanes of a function of the lane.
#[inline(always)]
pub fn lanes<T: Copy + Default>(f: impl Fn(usize) -> T) -> [T; 32] {
    let mut out = [T::default(); 32];
    for (lane, value) in out.iter_mut().enumerate() {
        *value = f(lane);
    }
    out
}

/// An operation on lanes. Sources that an instruction does not have repeat its first.
#[derive(Clone, Debug)]
pub enum Lanewise {
    /// On registers of up to 32 bits.
    B32(Run32, Mods, S32, [S32; 3]),
    /// On registers of 64 bits.
    B64(Run64, Mods, S64, [S64; 3]),
    /// A predicate of 32 bits.
    Test32(Test32, SP, S32),
    /// A predicate of 64 bits.
    Test64(Test64, SP, S64),
}

impl Lanewise {
    /// An operation on `N` sources of up to 32 bits of one type, and a destination of it.
    ///
    /// # Errors
    ///
    /// Operands of another width or kind, or another number of them.
    pub fn decode32<const N: usize>(
        d: &mut Decoder<'_>,
        ty: ScalarType,
        mods: Mods,
        run: Run32,
    ) -> Result<Lanewise, ParseError> {
        Lanewise::mixed32(d, ty, [ty; N], mods, run)
    }

    /// [`Lanewise::decode32`] with a type for each source.
    ///
    /// # Errors
    ///
    /// Operands of another width or kind, or another number of them.
    pub fn mixed32<const N: usize>(
        d: &mut Decoder<'_>,
        to: ScalarType,
        from: [ScalarType; N],
        mods: Mods,
        run: Run32,
    ) -> Result<Lanewise, ParseError> {
        d.operands(N + 1..=N + 1)?;
        let dst = destination32(d, 0, to)?;
        let first = source32(d, 1, from[0])?;
        let mut sources = [first; 3];
        for (index, ty) in from.into_iter().enumerate().skip(1) {
            sources[index] = source32(d, index + 1, ty)?;
        }
        Ok(Lanewise::B32(run, mods, dst, sources))
    }

    /// An operation on `N` sources of 64 bits, and a destination.
    ///
    /// # Errors
    ///
    /// Operands of another width or kind, or another number of them.
    pub fn decode64<const N: usize>(
        d: &mut Decoder<'_>,
        ty: ScalarType,
        mods: Mods,
        run: Run64,
    ) -> Result<Lanewise, ParseError> {
        d.operands(N + 1..=N + 1)?;
        exact(d, 0, ty)?;
        let dst = d.dst64(0)?;
        let first = source64(d, 1, ty)?;
        let mut sources = [first; 3];
        for (index, source) in sources.iter_mut().enumerate().take(N).skip(1) {
            *source = source64(d, index + 1, ty)?;
        }
        Ok(Lanewise::B64(run, mods, dst, sources))
    }

    /// Executes it.
    #[inline(always)]
    pub fn exec(&self, x: &mut Exec<'_>) {
        match self {
            Lanewise::B32(run, mods, dst, [a, b, c]) => {
                let out = run(*mods, x.regs.r32(*a), x.regs.r32(*b), x.regs.r32(*c));
                x.regs.set32(*dst, x.lanes, &out);
            }
            Lanewise::B64(run, mods, dst, [a, b, c]) => {
                let out = run(*mods, x.regs.r64(*a), x.regs.r64(*b), x.regs.r64(*c));
                x.regs.set64(*dst, x.lanes, &out);
            }
            Lanewise::Test32(run, dst, a) => {
                let out = run(x.regs.r32(*a));
                x.regs.set_p(*dst, x.lanes, out);
            }
            Lanewise::Test64(run, dst, a) => {
                let out = run(x.regs.r64(*a));
                x.regs.set_p(*dst, x.lanes, out);
            }
        }
    }
}
