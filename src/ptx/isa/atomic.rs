//! Atomics (ISA 9.7.13 "parallel synchronization and communication": `atom`, `red`), lane after lane.

use super::memory::Order;
use super::memory::decode::{Modifiers, modifiers, target};
use super::memory::exec::places;
use super::memory::{Target, Where};
use super::types::bits;
use crate::ast::ScalarType;
use crate::decode::{Decoder, Dst, Src};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::Arg;
use crate::regs::lanes_of;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use tidegate_machine::access::Address;
use tidegate_machine::barrier::Release;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::{Actor, Stop};
use tidegate_machine::num::Rounding;
use tidegate_machine::num::arith::{f32_add, f64_add};
use tidegate_machine::num::arith16::{HalfMods, half_add};
use tidegate_machine::num::format::Float;
use tidegate_machine::num::minmax::{MinMaxMods, half_max, half_min};

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `atom`, `red`
    Atomic(Box<Atomic>),
}

/// `atom`, `red`
#[derive(Clone, Debug)]
pub struct Atomic {
    target: Target,
    order: Order,
    gpu: bool,
    kind: Kind,
    /// Bytes of an element.
    width: u32,
    /// Where the value before goes; nothing for `red`.
    dst: SmallVec<[Dst; 1]>,
    /// The operand of each element.
    src: SmallVec<[Src; 1]>,
    /// What `cas` stores.
    new: Option<Src>,
}

/// What an atomic does to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Add,
    Increment,
    Decrement,
    MinU,
    MaxU,
    MinS,
    MaxS,
    AddF32,
    AddF64,
    /// Of one or two values of 16 bits.
    Half(HalfKind, Float),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HalfKind {
    Add,
    Min,
    Max,
}

/// `red.async` goes with mbarriers.
pub(super) fn takes(opcode: &[String]) -> bool {
    opcode.get(1).is_none_or(|m| m != "async")
}

/// The operation of a type, for vectors or not (ISA: the tables of `atom` and `red`).
fn kind(d: &Decoder<'_>, m: &Modifiers, ty: ScalarType) -> Result<Kind, ParseError> {
    use ScalarType::{B16, B32, B64, B128, Bf16, Bf16x2, F16, F16x2, F32, F64, S32, S64, U32, U64};
    let noftz = m.rest.iter().any(|r| r == "noftz");
    let mut ops = m.rest.iter().filter(|r| *r != "noftz");
    let (Some(op), None) = (ops.next(), ops.next()) else { return d.unknown() };
    let red = d.opcode().first().is_some_and(|o| o == "red");
    let vector = m.vector.is_some();
    let half = match ty {
        F16 | F16x2 => Some(Float::F16),
        Bf16 | Bf16x2 => Some(Float::Bf16),
        _ => None,
    };
    if let Some(format) = half {
        if !noftz {
            return d.error("atomics of 16-bit floats are written with `.noftz`");
        }
        return match op.as_str() {
            "add" => Ok(Kind::Half(HalfKind::Add, format)),
            "min" if vector => Ok(Kind::Half(HalfKind::Min, format)),
            "max" if vector => Ok(Kind::Half(HalfKind::Max, format)),
            _ => d.unknown(),
        };
    }
    if noftz || (vector && (op != "add" || ty != F32)) {
        return d.unknown();
    }
    Ok(match (op.as_str(), ty) {
        ("and", B32 | B64) => Kind::And,
        ("or", B32 | B64) => Kind::Or,
        ("xor", B32 | B64) => Kind::Xor,
        ("exch", B32 | B64 | B128) if !red => Kind::Exchange,
        ("cas", B16 | B32 | B64 | B128) if !red => Kind::CompareAndSwap,
        ("add", U32 | S32 | U64) => Kind::Add,
        ("add", F32) => Kind::AddF32,
        ("add", F64) => Kind::AddF64,
        ("inc", U32) => Kind::Increment,
        ("dec", U32) => Kind::Decrement,
        ("min", U32 | U64) => Kind::MinU,
        ("max", U32 | U64) => Kind::MaxU,
        ("min", S32 | S64) => Kind::MinS,
        ("max", S32 | S64) => Kind::MaxS,
        _ => return d.unknown(),
    })
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let red = match d.opcode().first().map_or("", String::as_str) {
        "red" => true,
        "atom" => false,
        _ => return d.error("`multimem` needs memory of several devices, which the machine does not model"),
    };
    let m = modifiers(d)?;
    let Some(ty) = m.ty else { return d.error(format!("`{}` has no type", d.opcode().join("."))) };
    let plain =
        !m.volatile && !m.mmio && !m.weak && m.cop.is_none() && !m.l1 && !m.l2 && !m.prefetch && !m.nc;
    if !plain {
        return d.unknown();
    }
    let kind = kind(d, &m, ty)?;
    let space = m.space.map(|s| s.0);
    if !matches!(space, None | Some(Where::Global | Where::Shared | Where::Cluster)) {
        return d.error("atomics are of global and shared memory");
    }
    let order = m.order.unwrap_or(Order::Relaxed);
    if red && !matches!(order, Order::Relaxed | Order::Release) {
        return d.error("`red` is `.relaxed` or `.release`");
    }
    let n = m.vector.unwrap_or(1);
    if m.vector.is_some() {
        if d.arch < 90 || !matches!(space, None | Some(Where::Global)) {
            return d.error("atomics of vectors are of global memory and need sm_90 or later");
        }
        if bits(ty) * n > 128 {
            return d.error(format!("a vector of {n} elements of {} bits is too large", bits(ty)));
        }
    }
    if bits(ty) == 128 && d.arch < 90 {
        return d.error("atomics of 128 bits need sm_90 or later");
    }
    if m.hint && matches!(space, Some(Where::Shared | Where::Cluster)) {
        return d.error("cache hints are for global memory");
    }
    let first = usize::from(!red);
    let cas = kind == Kind::CompareAndSwap;
    let count = first + 2 + usize::from(cas);
    d.operands(count + usize::from(m.hint)..=count + usize::from(m.hint))?;
    if m.hint {
        d.src64(count, ScalarType::B64)?;
    }
    let target = target(d, first, m.space)?;
    let vector = |d: &Decoder<'_>, index: usize| -> Result<Vec<Arg>, ParseError> {
        let list = d.elements(index)?;
        if list.len() != n as usize || m.vector.is_some() != matches!(d.arg(index)?, Arg::Vector(_)) {
            return d.error_at(index, format!("{n} registers are wanted, found {}", list.len()));
        }
        Ok(list)
    };
    let mut dst = SmallVec::new();
    if !red {
        let elements = match d.arg(0)? {
            Arg::Sink => Vec::new(),
            _ => vector(d, 0)?,
        };
        for arg in &elements {
            let to = d.dst_of(arg, d.span(0))?;
            let have = match to {
                Dst::R32(_) => 32,
                Dst::R64(_) => 64,
                Dst::R128(_) => 128,
                Dst::None => bits(ty).max(32),
                Dst::P(_) => 1,
            };
            if have != bits(ty).max(32) {
                return d.error_at(0, format!("a register of {} bits is wanted", bits(ty)));
            }
            dst.push(to);
        }
    }
    let mut src = SmallVec::new();
    for arg in &vector(d, first + 1)? {
        src.push(value(d, arg, ty, first + 1)?);
    }
    let new = match cas {
        true => {
            let arg = d.arg(first + 2)?;
            Some(value(d, arg, ty, first + 2)?)
        }
        false => None,
    };
    let gpu = m.scope.unwrap_or(true);
    Ok(Op::Atomic(Box::new(Atomic { target, order, gpu, kind, width: bits(ty) / 8, dst, src, new })))
}

fn value(d: &mut Decoder<'_>, arg: &Arg, ty: ScalarType, index: usize) -> Result<Src, ParseError> {
    let span = d.span(index);
    let src = d.src_of(arg, ty, span)?;
    let have = match src {
        Src::R32(_) => 32,
        Src::R64(_) => 64,
        Src::R128(_) => 128,
        Src::P(_) => 1,
    };
    if have != bits(ty).max(32) {
        return d.error_at(index, format!("a register of {} bits is wanted, found one of {have}", bits(ty)));
    }
    Ok(src)
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let Op::Atomic(atomic) = self;
        atomic.exec(x)
    }
}

impl Kind {
    /// The new value of an element of up to 8 bytes.
    fn apply(self, old: u64, b: u64, new: u64, width: u32, flush: bool) -> u64 {
        let signed = |v: u64| if width == 4 { i64::from(v as i32) } else { v as i64 };
        match self {
            Kind::And => old & b,
            Kind::Or => old | b,
            Kind::Xor => old ^ b,
            Kind::Exchange => b,
            Kind::CompareAndSwap => {
                if old == b {
                    new
                } else {
                    old
                }
            }
            Kind::Add => old.wrapping_add(b),
            Kind::Increment => {
                if old >= b {
                    0
                } else {
                    old + 1
                }
            }
            Kind::Decrement => {
                if old == 0 || old > b {
                    b
                } else {
                    old - 1
                }
            }
            Kind::MinU => old.min(b),
            Kind::MaxU => old.max(b),
            Kind::MinS => signed(old).min(signed(b)) as u64,
            Kind::MaxS => signed(old).max(signed(b)) as u64,
            Kind::AddF32 => u64::from(f32_add(old as u32, b as u32, Rounding::NearestEven, flush, false)),
            Kind::AddF64 => f64_add(old, b, Rounding::NearestEven),
            Kind::Half(kind, format) => {
                let one = |a: u16, b: u16| match kind {
                    HalfKind::Add => half_add(format, a, b, HalfMods::default()),
                    HalfKind::Min => half_min(format, a, b, MinMaxMods::default()),
                    HalfKind::Max => half_max(format, a, b, MinMaxMods::default()),
                };
                let low = u64::from(one(old as u16, b as u16));
                if width == 2 {
                    low
                } else {
                    low | u64::from(one((old >> 16) as u16, (b >> 16) as u16)) << 16
                }
            }
        }
    }
}

impl Atomic {
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let places = places(x, &self.target)?;
        if places.local | places.param != 0 {
            return x.fail(
                Code::InvalidOperand,
                "an atomic of local memory or of parameters: they are of global and shared memory",
            );
        }
        if self.width == 16 {
            return self.wide(x, &places);
        }
        let ones = if self.width == 8 { u64::MAX } else { (1 << (self.width * 8)) - 1 };
        let new = self.new.map_or([0; 32], |n| x.wide(n)).map(|v| v & ones);
        let vector = u64::from(self.width) * self.src.len() as u64;
        let mut seen = rustc_hash::FxHasher::default();
        let mut changed = false;
        // Elements are atomic each by itself; those of all lanes in lane order.
        for (i, &src) in self.src.iter().enumerate() {
            let b = x.wide(src).map(|v| v & ones);
            let mut out = [0; 32];
            for lane in lanes_of(x.lanes) {
                let actor = x.lane(lane);
                let shared = places.shared >> lane & 1 == 1;
                let base = places.at[lane];
                if base % vector != 0 {
                    let message =
                        format!("an atomic of {vector} bytes at {base:#x}, which is no multiple of it");
                    return x.fail(Code::Misaligned, message);
                }
                let address = address(base + i as u64 * u64::from(self.width), shared);
                self.release(x, actor, address);
                // ISA: f32 additions to global memory flush subnormals, those to shared memory do not.
                let mut change =
                    |old: u64| self.kind.apply(old, b[lane], new[lane], self.width, !shared) & ones;
                let old = x.hw.atomic(actor, address, self.width, &mut change)?;
                changed |= change(old) != old;
                self.acquire(x, actor, address);
                (base, old).hash(&mut seen);
                out[lane] = old;
            }
            if let Some(&dst) = self.dst.get(i) {
                x.put(dst, &out);
            }
        }
        Ok(if changed { Flow::Next } else { x.polls(seen.finish()) })
    }

    /// 128 bits: exchange, compare and swap. Blocks that communicate run in turns, so that two words are one step.
    fn wide(&self, x: &mut Exec<'_>, places: &super::memory::exec::Places) -> Result<Flow, Stop> {
        let read = |x: &Exec<'_>, src: Option<&Src>| match src {
            Some(&Src::R128(s)) => *x.regs.r128(s),
            _ => [0; 32],
        };
        let (b, new) = (read(x, self.src.first()), read(x, self.new.as_ref()));
        let mut out = [0u128; 32];
        let mut seen = rustc_hash::FxHasher::default();
        let mut changed = false;
        for lane in lanes_of(x.lanes) {
            let actor = x.lane(lane);
            let shared = places.shared >> lane & 1 == 1;
            let at = places.at[lane];
            if !at.is_multiple_of(16) {
                return x.fail(
                    Code::Misaligned,
                    format!("an atomic of 16 bytes at {at:#x}, which is no multiple of 16"),
                );
            }
            self.release(x, actor, address(at, shared));
            let low = x.hw.atomic(actor, address(at, shared), 8, &mut |v| v)?;
            let high = x.hw.atomic(actor, address(at + 8, shared), 8, &mut |v| v)?;
            let old = u128::from(high) << 64 | u128::from(low);
            let value = match self.kind {
                Kind::CompareAndSwap if old == b[lane] => new[lane],
                Kind::CompareAndSwap => old,
                _ => b[lane],
            };
            if value != old {
                changed = true;
                x.hw.atomic(actor, address(at, shared), 8, &mut |_| value as u64)?;
                x.hw.atomic(actor, address(at + 8, shared), 8, &mut |_| (value >> 64) as u64)?;
            }
            self.acquire(x, actor, address(at, shared));
            (at, old).hash(&mut seen);
            out[lane] = old;
        }
        if let Some(&Dst::R128(dst)) = self.dst.first() {
            let lanes = x.lanes;
            x.regs.set128(dst, lanes, &out);
        }
        Ok(if changed { Flow::Next } else { x.polls(seen.finish()) })
    }

    fn release(&self, x: &mut Exec<'_>, actor: Actor, at: Address) {
        let release = match self.order {
            Order::Release | Order::AcqRel => Release::Release,
            _ => Release::Relaxed,
        };
        x.hw.release_at(actor, at, release, self.gpu);
    }

    fn acquire(&self, x: &mut Exec<'_>, actor: Actor, at: Address) {
        x.hw.acquire_at(actor, at, matches!(self.order, Order::Acquire | Order::AcqRel), self.gpu);
    }
}

fn address(at: u64, shared: bool) -> Address {
    if shared { Address::Shared(u32::try_from(at).unwrap_or(u32::MAX)) } else { Address::Global(at) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::snippet;

    const HEAD: &str = ".shared .align 16 .b8 s[1024]; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b128 %q<4>; .reg .b16 %h<3>;\n";

    fn run(body: &str) -> crate::testing::Snippet {
        let snippet = snippet(&format!("{HEAD}{body}"));
        if body.contains("%r1") { snippet.each("%r1", |lane| lane) } else { snippet }
    }

    #[test]
    fn lanes_take_turns() {
        let after = run("atom.shared.add.u32 %r2, [s], %r1; atom.shared.inc.u32 %r3, [s+4], 9; red.shared.max.u32 [s+8], %r1;
             atom.shared.exch.b32 %r4, [s+12], %r1;")
            .run();
        after.clean();
        assert_eq!(after.get("%r2")[..5], [0, 0, 1, 3, 6]);
        assert_eq!(after.get("%r3")[9..12], [9, 0, 1]);
        assert_eq!(after.get("%r4")[..3], [0, 0, 1]);
        assert_eq!(after.shared[..4], 496u32.to_le_bytes());
        assert_eq!(after.shared[8], 31);
    }

    #[test]
    fn compare_and_swap_of_all_widths() {
        let after = run("atom.shared.cas.b32 %r2, [s], %r1, 7; atom.shared.cas.b64 %d0, [s+8], 0, -1;
             atom.shared.cas.b16 %h0, [s+18], 0, 5; atom.shared.cas.b128 %q0, [s+32], %q1, %q2;")
        .each("%q2", |lane| (lane + 1) << 100)
        .run();
        after.clean();
        assert_eq!(after.get("%r2")[..3], [0, 7, 7]);
        assert_eq!(after.get("%d0")[1], u128::from(u64::MAX));
        assert_eq!(after.get("%h0")[..2], [0, 5]);
        assert_eq!(after.get("%q0")[..2], [0, 1 << 100]);
    }

    #[test]
    fn floats() {
        let one = 1.0f32.to_bits();
        let after = run("atom.shared.add.f32 %r2, [s], %r4; atom.shared.add.noftz.f16x2 %r3, [s+4], %r5;
             atom.shared.add.f64 %d0, [s+8], 0d3FF0000000000000;")
        .all("%r4", one)
        .all("%r5", 0x3c00_4000u32)
        .run();
        after.clean();
        assert_eq!(after.get("%r2")[3], u128::from(3.0f32.to_bits()));
        assert_eq!(after.get("%r3")[2], 0x4000_4400);
        assert_eq!(after.get("%d0")[31], u128::from(31.0f64.to_bits()));
        // Global memory flushes, shared memory does not.
        assert_eq!(Kind::AddF32.apply(1, 0, 0, 4, true), 0);
        assert_eq!(Kind::AddF32.apply(1, 1, 0, 4, false), 2);
    }

    #[test]
    fn arithmetic_of_single_steps() {
        assert_eq!(Kind::Decrement.apply(0, 9, 0, 4, false), 9);
        assert_eq!(Kind::Decrement.apply(12, 9, 0, 4, false), 9);
        assert_eq!(Kind::Decrement.apply(5, 9, 0, 4, false), 4);
        assert_eq!(Kind::MinS.apply(0xffff_ffff, 3, 0, 4, false) as u32, 0xffff_ffff);
        assert_eq!(Kind::MinU.apply(0xffff_ffff, 3, 0, 4, false), 3);
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        let error = |body: &str| {
            let text = run(body).module_text();
            crate::launch::Module::from_text(&text).unwrap_err()[0].message.clone()
        };
        assert!(error("atom.shared.add.f16 %h0, [s], %h1;").contains("noftz"));
        assert!(error("red.shared.exch.b32 [s], %r1;").contains("unknown"));
        assert!(error("red.acquire.gpu.global.add.u32 [%d0], %r1;").contains("release"));
        assert!(error("atom.shared.v2.f32.add {%r1, %r2}, [s], {%r1, %r2};").contains("global"));
        assert!(error("atom.shared.add.s64 %d0, [s], %d1;").contains("unknown"));
        assert!(error("multimem.red.relaxed.sys.global.add.u32 [%d0], %r1;").contains("several devices"));
        assert!(error("atom.global.add.u32 %d0, [%d0], %r1;").contains("32 bits"));
        run("atom.shared.add.u32 %r2, [s+2], %r1;").finds(Code::Misaligned);
    }
}
