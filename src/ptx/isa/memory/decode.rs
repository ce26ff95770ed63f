//! Decoding of the family: which modifiers go together (ISA 9.7.9, tables of each instruction).

use super::{Load, Op, Order, Store, Target, Where, register_bits};
use crate::ast::{ScalarType, Space};
use crate::decode::{Decoder, Dst, Src, describe};
use crate::env::{LOCAL_WINDOW, PARAM_WINDOW};
use crate::error::ParseError;
use crate::isa::types::{bits, is_signed, scalar_type};
use crate::program::{AddressBase, Arg, Formal, Reg, SymbolId};
use crate::regs::{S32, S64};
use smallvec::SmallVec;
use tidegate_machine::memory::SHARED_WINDOW;

type Result<T> = std::result::Result<T, ParseError>;

/// What a variable of `.param` space or a local one is, seen from the function that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lies {
    /// Among the kernel's parameters.
    Kernel,
    /// In the frame.
    Frame,
    /// Elsewhere: it has one address.
    Fixed,
}

fn lies(d: &Decoder<'_>, symbol: SymbolId) -> Lies {
    match d.program.symbols.get(symbol.0 as usize).map(|s| s.space) {
        Some(Space::Param) => {
            let formal = d.function.entry
                && d.function.params.iter().any(|p| matches!(p, Formal::Memory(s) if *s == symbol));
            if formal { Lies::Kernel } else { Lies::Frame }
        }
        Some(Space::Local) => Lies::Frame,
        _ => Lies::Fixed,
    }
}

/// The modifiers of a memory instruction, each at most once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Modifiers {
    pub(crate) order: Option<Order>,
    pub(crate) volatile: bool,
    pub(crate) mmio: bool,
    pub(crate) weak: bool,
    /// `Some(true)`: reaches other clusters.
    pub(crate) scope: Option<bool>,
    pub(crate) space: Option<(Where, bool)>,
    pub(crate) cop: Option<String>,
    pub(crate) l1: bool,
    pub(crate) l2: bool,
    pub(crate) hint: bool,
    pub(crate) prefetch: bool,
    pub(crate) nc: bool,
    pub(crate) vector: Option<u32>,
    pub(crate) ty: Option<ScalarType>,
    /// What is left: operations of atomics.
    pub(crate) rest: SmallVec<[String; 2]>,
}

fn once<T>(d: &Decoder<'_>, slot: &mut Option<T>, value: T, what: &str) -> Result<()> {
    if slot.is_some() {
        return d.error(format!("`{}` has two {what}", d.opcode().join(".")));
    }
    *slot = Some(value);
    Ok(())
}

fn flag(d: &Decoder<'_>, slot: &mut bool, what: &str) -> Result<()> {
    if *slot {
        return d.error(format!("`{}` has two {what}", d.opcode().join(".")));
    }
    *slot = true;
    Ok(())
}

/// Sorts the modifiers of a memory instruction by kind.
pub(crate) fn modifiers(d: &Decoder<'_>) -> Result<Modifiers> {
    let mut m = Modifiers::default();
    for part in d.opcode().iter().skip(1) {
        match part.as_str() {
            "weak" => flag(d, &mut m.weak, "`.weak`")?,
            "volatile" => flag(d, &mut m.volatile, "`.volatile`")?,
            "mmio" => flag(d, &mut m.mmio, "`.mmio`")?,
            "relaxed" => once(d, &mut m.order, Order::Relaxed, "orders")?,
            "acquire" => once(d, &mut m.order, Order::Acquire, "orders")?,
            "release" => once(d, &mut m.order, Order::Release, "orders")?,
            "acq_rel" => once(d, &mut m.order, Order::AcqRel, "orders")?,
            "cta" | "cluster" => once(d, &mut m.scope, false, "scopes")?,
            "gpu" | "sys" => once(d, &mut m.scope, true, "scopes")?,
            "global" => once(d, &mut m.space, (Where::Global, false), "state spaces")?,
            "const" => once(d, &mut m.space, (Where::Const, false), "state spaces")?,
            "shared" | "shared::cta" => once(d, &mut m.space, (Where::Shared, false), "state spaces")?,
            "shared::cluster" => once(d, &mut m.space, (Where::Cluster, false), "state spaces")?,
            "local" => once(d, &mut m.space, (Where::Local, false), "state spaces")?,
            "param" => once(d, &mut m.space, (Where::Param, false), "state spaces")?,
            "param::entry" => once(d, &mut m.space, (Where::Param, true), "state spaces")?,
            "param::func" => once(d, &mut m.space, (Where::Local, true), "state spaces")?,
            "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" => {
                once(d, &mut m.cop, part.clone(), "cache operators")?;
            }
            "L1::evict_normal"
            | "L1::evict_unchanged"
            | "L1::evict_first"
            | "L1::evict_last"
            | "L1::no_allocate" => flag(d, &mut m.l1, "priorities for L1")?,
            "L2::evict_normal" | "L2::evict_first" | "L2::evict_last" => {
                flag(d, &mut m.l2, "priorities for L2")?;
            }
            "L2::cache_hint" => flag(d, &mut m.hint, "cache hints")?,
            "L2::64B" | "L2::128B" | "L2::256B" => flag(d, &mut m.prefetch, "prefetch sizes")?,
            "nc" => flag(d, &mut m.nc, "`.nc`")?,
            "v2" => once(d, &mut m.vector, 2, "vector sizes")?,
            "v4" => once(d, &mut m.vector, 4, "vector sizes")?,
            "v8" => once(d, &mut m.vector, 8, "vector sizes")?,
            other => match scalar_type(other) {
                Some(ty) => once(d, &mut m.ty, ty, "types")?,
                None => m.rest.push(other.to_owned()),
            },
        }
    }
    Ok(m)
}

/// The state space that a memory operand of `.param` or `.local` space means, with its address.
pub(crate) fn target(d: &mut Decoder<'_>, index: usize, space: Option<(Where, bool)>) -> Result<Target> {
    let base = match d.arg(index)? {
        Arg::Address(base, ..) => *base,
        other => {
            let found = describe(other);
            return d.error_at(index, format!("an address in brackets is wanted, found {found}"));
        }
    };
    let (addr, rest) = d.addr(index)?;
    if !rest.is_empty() {
        return d.error_at(index, "this instruction takes a single address");
    }
    let written = space.map_or(Where::Generic, |s| s.0);
    let AddressBase::Symbol(symbol) = base else {
        return Ok(Target {
            space: if written == Where::Const { Where::Global } else { written },
            addr,
            frame: false,
        });
    };
    let place = lies(d, symbol);
    let declared = d.program.symbols.get(symbol.0 as usize).map(|s| s.space);
    let explicit = space.is_some_and(|s| s.1);
    let (space, wanted) = match written {
        Where::Generic => match declared {
            // Without a state space the address is generic; of a global or constant variable that is the same.
            Some(Space::Global | Space::Const) => (Where::Global, true),
            _ => (Where::Generic, false),
        },
        Where::Global => (Where::Global, declared == Some(Space::Global)),
        Where::Const => (Where::Global, declared == Some(Space::Const)),
        Where::Shared | Where::Cluster => (written, declared == Some(Space::Shared)),
        Where::Local if explicit => (Where::Local, declared == Some(Space::Param) && place == Lies::Frame),
        Where::Local => (Where::Local, declared == Some(Space::Local)),
        Where::Param if place == Lies::Kernel => (Where::Param, declared == Some(Space::Param)),
        Where::Param => (Where::Local, declared == Some(Space::Param) && !explicit),
    };
    if !wanted {
        let name = d.program.symbols.get(symbol.0 as usize).map_or("", |s| s.name.as_str());
        let help = match written {
            Where::Generic => "name its state space, or take its generic address with `mov` and `cvta`",
            _ => "a variable is accessed in the state space that it is declared in",
        };
        let message = format!("`{name}` is not in the state space of this access");
        return Err(ParseError::new(d.span(index), message).help(help));
    }
    Ok(Target { space, addr, frame: place == Lies::Frame })
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op> {
    match d.opcode().first().map_or("", String::as_str) {
        "ld" | "ldu" => load(d),
        "st" => store(d),
        "cvta" => convert(d),
        "isspacep" => is_space(d),
        "prefetch" | "prefetchu" => prefetch(d),
        "applypriority" | "discard" => priority(d),
        "createpolicy" => policy(d),
        _ => d.unknown(),
    }
}

/// Order and scope of `ld` and `st`; (order, reaches other clusters).
fn order(d: &Decoder<'_>, m: &Modifiers, allowed: Order) -> Result<(Order, bool)> {
    let weak = (m.order.is_none() && !m.mmio && !m.volatile) || m.weak;
    if m.volatile {
        // ISA 9.7.9.8: `.volatile` is `.relaxed.sys`, with no reordering among its like.
        if m.order.is_some() || m.mmio || m.weak || m.scope.is_some() || m.cop.is_some() {
            return d.unknown();
        }
        return Ok((Order::Relaxed, true));
    }
    if weak {
        if m.order.is_some() || m.mmio || m.scope.is_some() {
            return d.unknown();
        }
        return Ok((Order::Weak, false));
    }
    let Some(order) = m.order else { return d.error("`.mmio` goes with `.relaxed.sys`") };
    let Some(gpu) = m.scope else {
        return d.error(format!("`{}` has no scope (.cta, .cluster, .gpu, .sys)", d.opcode().join(".")));
    };
    if m.mmio && (order != Order::Relaxed || !d.has("sys")) {
        return d.error("`.mmio` goes with `.relaxed.sys`");
    }
    if !matches!(m.space.map(|s| s.0), None | Some(Where::Global | Where::Shared | Where::Cluster)) {
        return d.error("only global and shared memory have accesses with an order");
    }
    if (order != Order::Relaxed && order != allowed) || m.cop.is_some() {
        return d.unknown();
    }
    Ok((order, gpu))
}

/// Type, elements, and the limits of a vector access (ISA 9.7.9.8, 9.7.9.11).
fn shape(d: &Decoder<'_>, m: &Modifiers) -> Result<(ScalarType, u32)> {
    use ScalarType::{B8, B16, B32, B64, B128, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};
    let Some(ty) = m.ty else { return d.error(format!("`{}` has no type", d.opcode().join("."))) };
    if !matches!(ty, B8 | B16 | B32 | B64 | B128 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | F32 | F64) {
        return d.unknown();
    }
    let n = m.vector.unwrap_or(1);
    let total = bits(ty) * n;
    if ty == B128 && n > 1 {
        return d.unknown();
    }
    let wide = total == 256 && matches!(bits(ty), 32 | 64);
    if wide {
        if m.space.map(|s| s.0) != Some(Where::Global) || d.arch < 100 {
            return d.error("accesses of 256 bits are of .global memory and need sm_100 or later");
        }
    } else if total > 128 || n == 8 {
        return d.error(format!("a vector of {n} elements of {} bits is too large", bits(ty)));
    }
    Ok((ty, n))
}

fn hints(d: &mut Decoder<'_>, m: &Modifiers, operands: usize, cops: &[&str]) -> Result<()> {
    if m.cop.as_deref().is_some_and(|c| !cops.contains(&c)) || !m.rest.is_empty() {
        return d.unknown();
    }
    let memory = matches!(m.space.map(|s| s.0), None | Some(Where::Global));
    if (m.hint || m.prefetch || m.l1 || m.l2) && !memory {
        return d.error("cache hints are for accesses of global memory");
    }
    d.operands(operands..=operands + usize::from(m.hint))?;
    if m.hint {
        d.operands(operands + 1..=operands + 1)?;
        d.src64(operands, ScalarType::B64)?;
    }
    Ok(())
}

fn load(d: &mut Decoder<'_>) -> Result<Op> {
    let m = modifiers(d)?;
    let unified = d.opcode().first().is_some_and(|o| o == "ldu");
    hints(d, &m, 2, &["ca", "cg", "cs", "lu", "cv"])?;
    let space = m.space.map(|s| s.0);
    let plain = m.order.is_none() && !m.volatile && !m.mmio;
    if m.nc && (space != Some(Where::Global) || !plain || m.cop.is_some()) {
        return d.error("`.nc` goes with `.global` and no order");
    }
    if unified
        && (!matches!(space, None | Some(Where::Global)) || !plain || m.weak || m.cop.is_some() || m.nc)
    {
        return d.unknown();
    }
    let (ty, n) = shape(d, &m)?;
    let (order, gpu) = order(d, &m, Order::Acquire)?;
    let target = target(d, 1, m.space)?;
    let elements = d.elements(0)?;
    // One register may stand in braces (Triton writes it so, ptxas takes it).
    if elements.len() != n as usize || (m.vector.is_some() && !matches!(d.arg(0)?, Arg::Vector(_))) {
        return d.error_at(0, format!("{n} registers are wanted, found {}", elements.len()));
    }
    let mut dst = SmallVec::new();
    for arg in &elements {
        let to = d.dst_of(arg, d.span(0))?;
        let wide = match arg {
            Arg::Reg(_, declared) => {
                check_register(d, 0, ty, *declared)?;
                register_bits(*declared)
            }
            _ => bits(ty),
        };
        if n == 1 && to == Dst::None {
            return d.error_at(0, "a load of one element has a register to write to");
        }
        dst.push((to, wide));
    }
    Ok(Op::Load(Box::new(Load { target, order, gpu, width: bits(ty) / 8, signed: is_signed(ty), dst })))
}

/// A register holds a value of a type, or a wider one (ISA 9.4.1: floats have their own width).
fn check_register(d: &Decoder<'_>, index: usize, ty: ScalarType, declared: ScalarType) -> Result<()> {
    let (have, want) = (register_bits(declared), bits(ty));
    let float = matches!(ty, ScalarType::F32 | ScalarType::F64);
    if declared == ScalarType::Pred {
        return d.error_at(index, "predicates are not loaded or stored: select a number first");
    }
    if have < want || (float && have != want) {
        return d.error_at(index, format!("a register of {want} bits is wanted, found one of {have}"));
    }
    Ok(())
}

fn store(d: &mut Decoder<'_>) -> Result<Op> {
    let m = modifiers(d)?;
    hints(d, &m, 2, &["wb", "cg", "cs", "wt"])?;
    if m.nc || m.prefetch || m.space.map(|s| s.0) == Some(Where::Const) {
        return d.unknown();
    }
    let (ty, n) = shape(d, &m)?;
    let (order, gpu) = order(d, &m, Order::Release)?;
    let target = target(d, 0, m.space)?;
    if target.space == Where::Param {
        return d.error_at(0, "the parameters of a kernel are only read");
    }
    let elements = d.elements(1)?;
    if elements.len() != n as usize || (m.vector.is_some() && !matches!(d.arg(1)?, Arg::Vector(_))) {
        return d.error_at(1, format!("{n} values are wanted, found {}", elements.len()));
    }
    let mut src = SmallVec::new();
    for arg in &elements {
        if let Arg::Reg(_, declared) = arg {
            check_register(d, 1, ty, *declared)?;
        }
        src.push(d.src_of(arg, ty, d.span(1))?);
    }
    Ok(Op::Store(Box::new(Store { target, order, gpu, width: bits(ty) / 8, src })))
}

fn window(space: Where) -> i64 {
    match space {
        Where::Shared | Where::Cluster => SHARED_WINDOW as i64,
        Where::Local => LOCAL_WINDOW as i64,
        Where::Param => PARAM_WINDOW as i64,
        Where::Generic | Where::Global | Where::Const => 0,
    }
}

/// `cvta.space.u64 d, a` and `cvta.to.space.u64 d, a` (ISA 9.7.9.20).
fn convert(d: &mut Decoder<'_>) -> Result<Op> {
    d.operands(2..=2)?;
    let to = d.has("to");
    let names: SmallVec<[&str; 3]> =
        d.opcode().iter().skip(1).map(String::as_str).filter(|&m| m != "to").collect();
    let (space, size) = match names[..] {
        [space, size] => (space, size),
        _ => return d.unknown(),
    };
    let space = match space {
        "global" | "const" => Where::Global,
        "shared" | "shared::cta" | "shared::cluster" => Where::Shared,
        "local" => Where::Local,
        "param" | "param::entry" => Where::Param,
        _ => return d.unknown(),
    };
    let ty = match size {
        "u64" => ScalarType::U64,
        "u32" => return d.error("addresses have 64 bits here: `cvta.u64`"),
        _ => return d.unknown(),
    };
    let by = window(space);
    if let Arg::Symbol(symbol, offset) = *d.arg(1)?
        && lies(d, symbol) == Lies::Frame
        && !d.function.entry
    {
        let _ = offset;
        return d.error_at(1, "the address of a variable of a function: take it with `mov` first");
    }
    let src = Src::R64(d.src64(1, ty)?);
    let dst = Dst::R64(d.dst64(0)?);
    Ok(Op::Convert(dst, src, if to { -by } else { by }))
}

fn is_space(d: &mut Decoder<'_>) -> Result<Op> {
    d.operands(2..=2)?;
    let space = match d.opcode() {
        [_, space] => match space.as_str() {
            "global" => Where::Global,
            "const" => Where::Const,
            "shared" | "shared::cta" => Where::Shared,
            "shared::cluster" => Where::Cluster,
            "local" => Where::Local,
            "param" | "param::entry" => Where::Param,
            _ => return d.unknown(),
        },
        _ => return d.unknown(),
    };
    let dst = d.dst_p(0)?;
    Ok(Op::IsSpace(dst, Src::R64(d.src64(1, ScalarType::U64)?), space))
}

/// `prefetch{.space}.level`, `prefetch.global.L2::evict_...`, `prefetch{.const|.param}.tensormap`, `prefetchu.L1`.
fn prefetch(d: &mut Decoder<'_>) -> Result<Op> {
    d.operands(1..=1)?;
    let parts: SmallVec<[&str; 4]> = d.opcode().iter().map(String::as_str).collect();
    match parts[..] {
        ["prefetchu", "L1"]
        | ["prefetch", "L1" | "L2"]
        | ["prefetch", "global" | "local", "L1" | "L2"]
        | ["prefetch", "global", "L2::evict_last" | "L2::evict_normal"]
        | ["prefetch", "tensormap"]
        | ["prefetch", "const" | "param" | "param::entry", "tensormap"] => {}
        _ => return d.unknown(),
    }
    d.addr(0)?;
    Ok(Op::Hint)
}

/// `applypriority{.global}.L2::evict_normal [a], 128`, `discard{.global}.L2 [a], 128`.
fn priority(d: &mut Decoder<'_>) -> Result<Op> {
    d.operands(2..=2)?;
    let parts: SmallVec<[&str; 4]> = d.opcode().iter().map(String::as_str).collect();
    match parts[..] {
        ["applypriority", "L2::evict_normal"]
        | ["applypriority", "global", "L2::evict_normal"]
        | ["discard", "L2"]
        | ["discard", "global", "L2"] => {}
        _ => return d.unknown(),
    }
    d.addr(0)?;
    match d.arg(1)? {
        Arg::Const(c) if crate::decode::constant_bits(*c, ScalarType::U64) == 128 => {}
        _ => return d.error_at(1, "the size is the constant 128"),
    }
    Ok(Op::Hint)
}

/// `createpolicy.fractional.L2::p{.L2::q}.b64 d{, fraction}`, `createpolicy.range{.global}.L2::p{.L2::q}.b64 d, [a],
/// size, total`, `createpolicy.cvt.L2.b64 d, access` (ISA 9.7.9.16).
fn policy(d: &mut Decoder<'_>) -> Result<Op> {
    let parts: SmallVec<[&str; 6]> = d.opcode().iter().skip(1).map(String::as_str).collect();
    let primary = |p: &str| {
        matches!(p, "L2::evict_last" | "L2::evict_normal" | "L2::evict_first" | "L2::evict_unchanged")
    };
    let secondary = |p: &str| matches!(p, "L2::evict_first" | "L2::evict_unchanged");
    let levels = |list: &[&str]| match list {
        [p] => primary(p),
        [p, q] => primary(p) && secondary(q),
        _ => false,
    };
    match &parts[..] {
        ["fractional", list @ .., "b64"] if levels(list) => {
            d.operands(1..=2)?;
            if d.instr().args.len() == 2 {
                d.src32(1, ScalarType::F32)?;
            }
        }
        ["range", "global", list @ .., "b64"] | ["range", list @ .., "b64"] if levels(list) => {
            d.operands(4..=4)?;
            d.addr(1)?;
            d.src32(2, ScalarType::U32)?;
            d.src32(3, ScalarType::U32)?;
        }
        ["cvt", "L2", "b64"] => {
            d.operands(2..=2)?;
            d.src64(1, ScalarType::B64)?;
        }
        _ => return d.unknown(),
    }
    Ok(Op::Policy(d.dst64(0)?))
}

/// See [`super::frame_address`].
pub(super) fn frame_address(d: &mut Decoder<'_>) -> Result<Option<Op>> {
    if d.function.entry || d.instr().args.len() != 2 {
        return Ok(None);
    }
    let Arg::Symbol(symbol, offset) = *d.arg(1)? else { return Ok(None) };
    if lies(d, symbol) != Lies::Frame {
        return Ok(None);
    }
    match d.opcode() {
        [_, ty] if matches!(ty.as_str(), "u64" | "b64" | "s64" | "u32" | "b32" | "s32") => {}
        _ => return d.unknown(),
    }
    let base = d.program.symbols.get(symbol.0 as usize).map_or(0, |s| s.offset);
    let at = base.wrapping_add_signed(offset);
    let Ok(at) = u32::try_from(at) else { return d.error_at(1, "an address outside of local memory") };
    let dst = match d.arg(0)? {
        Arg::Reg(Reg::R32(s), _) => Dst::R32(S32(*s)),
        Arg::Reg(Reg::R64(s), _) => Dst::R64(S64(*s)),
        other => {
            let found = describe(other);
            return d.error_at(0, format!("a register is wanted for an address, found {found}"));
        }
    };
    Ok(Some(Op::FrameAddress(dst, at)))
}
