//! What the families of synchronisation and copies share: modifiers in order, addresses of shared memory, groups of
//! lanes.

use super::types;
use crate::ast::{ScalarType, Space};
use crate::decode::{Addr, Decoder};
use crate::env::WINDOW;
use crate::error::ParseError;
use crate::exec::Exec;
use crate::program::Arg;
use crate::regs::{Lanes32, Lanes64, lanes_of};
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Stop;
use tidegate_machine::memory::SHARED_WINDOW;

/// The modifiers of an opcode, taken from the left: what is left over at the end is unknown.
pub(super) struct Mods<'a> {
    parts: &'a [String],
}

impl<'a> Mods<'a> {
    /// All behind the first `skip` parts.
    pub(super) fn after(d: &'a Decoder<'_>, skip: usize) -> Mods<'a> {
        Mods { parts: d.opcode().get(skip..).unwrap_or(&[]) }
    }

    /// Whether this modifier is next; it is taken.
    pub(super) fn take(&mut self, modifier: &str) -> bool {
        match self.parts.split_first() {
            Some((first, rest)) if first == modifier => {
                self.parts = rest;
                true
            }
            _ => false,
        }
    }

    /// The value of the modifier that is next, if it is one of these.
    pub(super) fn one<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let (first, rest) = self.parts.split_first()?;
        let (_, value) = table.iter().find(|(name, _)| name == first)?;
        self.parts = rest;
        Some(*value)
    }

    /// The type that is next.
    pub(super) fn ty(&mut self) -> Option<ScalarType> {
        let (first, rest) = self.parts.split_first()?;
        let ty = types::scalar_type(first)?;
        self.parts = rest;
        Some(ty)
    }

    /// Nothing is left.
    pub(super) fn done(&self) -> bool {
        self.parts.is_empty()
    }
}

/// How an address of shared memory is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    /// `.shared`, `.shared::cta`: of the own block.
    Cta,
    /// `.shared::cluster`: of any block of the cluster.
    Cluster,
    /// A generic address that has to lie in shared memory.
    Generic,
}

/// `.shared`, `.shared::cta`, `.shared::cluster`.
pub(super) const WINDOWS: &[(&str, Window)] =
    &[("shared", Window::Cta), ("shared::cta", Window::Cta), ("shared::cluster", Window::Cluster)];

/// An operand that names a place in shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    addr: Addr,
    window: Window,
}

impl Spot {
    /// The address operand of an index, alone in its brackets.
    pub(super) fn decode(d: &mut Decoder<'_>, index: usize, window: Window) -> Result<Spot, ParseError> {
        let (addr, rest) = d.addr(index)?;
        if !rest.is_empty() {
            return d.error_at(index, "an address alone is wanted");
        }
        if addr.space.is_some_and(|s| s != Space::Shared) {
            return d.error_at(index, "the address of a shared variable is wanted");
        }
        Ok(Spot { addr, window })
    }

    /// The shared addresses of the executing lanes (of others: anything).
    pub(super) fn shared(&self, x: &mut Exec<'_>, what: &str) -> Result<Lanes32, Stop> {
        let raw = raw_address(x, &self.addr);
        let generic = self.window == Window::Generic && self.addr.space.is_none();
        let base = if generic { SHARED_WINDOW } else { 0 };
        let own = x.env.rank;
        let bad = lanes_of(x.lanes).find(|&lane| {
            let at = raw[lane].wrapping_sub(base);
            at >= WINDOW || (self.window == Window::Cta && (at >> 24) as u32 != own)
        });
        match bad {
            None => Ok(raw.map(|a| a.wrapping_sub(base) as u32)),
            Some(lane) => {
                let at = raw[lane];
                let message = match self.window {
                    Window::Generic => {
                        format!("{what}: the generic address {at:#x} is not in shared memory")
                    }
                    Window::Cta if at < WINDOW => format!(
                        "{what}: the address {at:#x} is of block rank {} of the cluster, .shared::cta reaches the own block (rank {own}) only",
                        at >> 24
                    ),
                    _ => format!("{what}: {at:#x} is no shared address"),
                };
                x.fail(Code::OutOfBounds, message)
            }
        }
    }
}

/// Base plus offset, by lane.
pub(super) fn raw_address(x: &Exec<'_>, addr: &Addr) -> Lanes64 {
    let base = x.wide(addr.base);
    if addr.offset == 0 { base } else { base.map(|b| b.wrapping_add_signed(addr.offset)) }
}

/// Calls `f` for each group of lanes with the same key: mostly once.
pub(super) fn grouped<K: PartialEq + Copy, E>(
    lanes: u32,
    key: impl Fn(usize) -> K,
    mut f: impl FnMut(u32, K) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = lanes;
    while rest != 0 {
        let of = key(rest.trailing_zeros() as usize);
        let same = lanes_of(rest).filter(|&lane| key(lane) == of).fold(0, |m, lane| m | 1 << lane);
        f(same, of)?;
        rest &= !same;
    }
    Ok(())
}

/// Whether an operand is `_`.
pub(super) fn is_sink(d: &Decoder<'_>, index: usize) -> bool {
    matches!(d.instr().args.get(index), Some(Arg::Sink))
}

/// An instruction that needs a newer architecture.
pub(super) fn needs(d: &Decoder<'_>, arch: u32, what: &str) -> Result<(), ParseError> {
    if d.arch < arch {
        return d.error(format!("{what} needs sm_{arch} or newer, the module is for sm_{}", d.arch));
    }
    Ok(())
}
