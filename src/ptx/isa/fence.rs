//! Fences (ISA 9.7.13.4 `fence`, `membar`, `fence.mbarrier_init`, `fence.proxy`) and addresses of other blocks
//! (9.7.9 `mapa`, `getctarank`).

use super::spot::{Mods, needs, raw_address};
use crate::ast::{ScalarType, Space};
use crate::decode::{Addr, Decoder, Dst, Src};
use crate::env::WINDOW;
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::Arg;
use crate::regs::{S32, lanes_of};
use tidegate_machine::access::Address;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Stop;
use tidegate_machine::memory::SHARED_WINDOW;

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `fence.sc`, `fence.acq_rel`, ..., `membar`: whether it reaches other clusters.
    Fence(bool),
    /// `fence.mbarrier_init.release.cluster`
    MbarrierInit,
    /// `fence.proxy.async` and its like.
    Proxy,
    /// `fence.proxy.async::generic`: a fence, and one of the proxies.
    AsyncGeneric,
    /// `fence.proxy.alias`: no two addresses name the same memory here.
    Alias,
    /// `fence.proxy.tensormap::generic.release`: whether it reaches other clusters.
    MapRelease(bool),
    /// `fence.proxy.tensormap::generic.acquire [map], 128`: whether it reaches other clusters.
    MapAcquire(Box<Addr>, bool),
    /// `mapa`
    Mapa(Box<Mapa>),
    /// `getctarank`: whether the address is generic.
    Rank(S32, Src, bool),
}

/// See [`Op::Mapa`].
#[derive(Clone, Debug)]
pub struct Mapa {
    to: Dst,
    from: Src,
    rank: S32,
    generic: bool,
}

/// Scopes, and whether they reach other clusters.
const SCOPES: &[(&str, bool)] = &[("cta", false), ("cluster", false), ("gpu", true), ("sys", true)];

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    match d.opcode()[0].as_str() {
        "membar" => {
            d.operands(0..=0)?;
            let mut m = Mods::after(d, 1);
            if m.take("proxy") {
                return if m.take("alias") && m.done() { Ok(Op::Alias) } else { d.unknown() };
            }
            match m.one(&[("cta", false), ("gl", true), ("sys", true)]) {
                Some(gpu) if m.done() => Ok(Op::Fence(gpu)),
                _ => d.unknown(),
            }
        }
        "mapa" => mapa(d),
        "getctarank" => {
            needs(d, 90, "getctarank")?;
            let (generic, ty) = space_and_type(d)?;
            d.operands(2..=2)?;
            let to = d.dst32(0)?;
            Ok(Op::Rank(to, d.src(1, ty)?, generic))
        }
        _ => fence(d),
    }
}

fn fence(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let mut m = Mods::after(d, 1);
    if m.take("proxy") {
        return proxy(d);
    }
    d.operands(0..=0)?;
    if m.take("mbarrier_init") {
        let known = m.take("release") && m.take("cluster") && m.done();
        needs(d, 90, "fence.mbarrier_init")?;
        return if known { Ok(Op::MbarrierInit) } else { d.unknown() };
    }
    // The one-way fences restrict themselves to shared memory of the block or the cluster:
    // fence.acquire.sync_restrict::shared::cluster.cluster, fence.release.sync_restrict::shared::cta.cluster.
    let sem = m.one(&[("sc", 0), ("acq_rel", 1), ("acquire", 2), ("release", 3)]);
    let op = if m.take("sync_restrict::shared::cluster") {
        if sem != Some(2) || !m.take("cluster") {
            return d.unknown();
        }
        Op::Fence(false)
    } else if m.take("sync_restrict::shared::cta") {
        if sem != Some(3) || !m.take("cluster") {
            return d.unknown();
        }
        Op::Fence(false)
    } else {
        // A fence without semantics is acq_rel.
        match m.one(SCOPES) {
            Some(gpu) => Op::Fence(gpu),
            None => return d.unknown(),
        }
    };
    if m.done() { Ok(op) } else { d.unknown() }
}

fn proxy(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let mut m = Mods::after(d, 2);
    let op = if m.take("alias") {
        Op::Alias
    } else if m.take("async") {
        m.one(&[("global", ()), ("shared::cta", ()), ("shared::cluster", ())]);
        Op::Proxy
    } else if m.take("async::generic") {
        let acquire = m.one(&[("acquire", true), ("release", false)]);
        let restricted = match acquire {
            Some(true) => m.take("sync_restrict::shared::cluster"),
            Some(false) => m.take("sync_restrict::shared::cta"),
            None => false,
        };
        if !restricted || !m.take("cluster") {
            return d.unknown();
        }
        Op::AsyncGeneric
    } else if m.take("tensormap::generic") {
        let acquire = m.one(&[("acquire", true), ("release", false)]);
        let (Some(acquire), Some(gpu)) = (acquire, m.one(SCOPES)) else { return d.unknown() };
        if !m.done() {
            return d.unknown();
        }
        needs(d, 90, "fence.proxy.tensormap")?;
        if !acquire {
            d.operands(0..=0)?;
            return Ok(Op::MapRelease(gpu));
        }
        d.operands(2..=2)?;
        let (addr, rest) = d.addr(0)?;
        match d.arg(1)? {
            Arg::Const(c) if crate::decode::constant_bits(*c, ScalarType::U32) == 128 => {}
            _ => return d.error_at(1, "the size of a tensor map is wanted: 128"),
        }
        if !rest.is_empty() {
            return d.error_at(0, "an address alone is wanted");
        }
        return Ok(Op::MapAcquire(Box::new(addr), gpu));
    } else {
        return d.unknown();
    };
    if !m.done() {
        return d.unknown();
    }
    if !matches!(op, Op::Alias) {
        needs(d, 90, "fence.proxy.async")?;
    }
    d.operands(0..=0)?;
    Ok(op)
}

/// `{.shared::cluster}.u32` or `.u64`: whether the address is generic, and its type.
fn space_and_type(d: &Decoder<'_>) -> Result<(bool, ScalarType), ParseError> {
    let mut m = Mods::after(d, 1);
    let generic = !m.take("shared::cluster");
    match m.ty() {
        Some(ty @ (ScalarType::U32 | ScalarType::U64)) if m.done() => Ok((generic, ty)),
        _ => d.unknown(),
    }
}

fn mapa(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    needs(d, 90, "mapa")?;
    let (generic, ty) = space_and_type(d)?;
    d.operands(3..=3)?;
    let to = d.dst(0)?;
    let fits = matches!((to, ty), (Dst::R32(_), ScalarType::U32) | (Dst::R64(_), ScalarType::U64));
    if !fits {
        return d.error_at(0, "a register of the instruction's type is wanted");
    }
    let from = d.src(1, ty)?;
    let symbol = matches!(d.arg(1)?, Arg::Symbol(..));
    let rank = d.src32(2, ScalarType::U32)?;
    // A variable is named by its shared address, in the generic form too.
    Ok(Op::Mapa(Box::new(Mapa { to, from, rank, generic: generic && !symbol })))
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let actor = x.actor();
        match self {
            Op::Fence(gpu) => x.hw.fence_at(actor, *gpu),
            Op::MbarrierInit => x.hw.fence_mbarrier_init(actor),
            Op::Proxy => x.hw.proxy_fence(actor),
            Op::AsyncGeneric => {
                x.hw.fence_at(actor, false);
                x.hw.proxy_fence(actor);
            }
            Op::Alias => {}
            Op::MapRelease(gpu) => {
                x.hw.fence_at(actor, *gpu);
                x.hw.proxy_fence(actor);
            }
            Op::MapAcquire(addr, gpu) => {
                let raw = raw_address(x, addr);
                for lane in lanes_of(x.lanes) {
                    if addr.space != Some(Space::Param) {
                        x.hw.map_fence(x.lane(lane), Address::Global(raw[lane]), *gpu);
                    }
                }
            }
            Op::Mapa(op) => {
                let (from, ranks) = (x.wide(op.from), *x.regs.r32(op.rank));
                let base = if op.generic { SHARED_WINDOW } else { 0 };
                check_shared(x, &from, base, "mapa")?;
                let out = std::array::from_fn(|l| from[l] & !0xff00_0000 | u64::from(ranks[l] & 0xff) << 24);
                x.put(op.to, &out);
            }
            Op::Rank(to, from, generic) => {
                let from = x.wide(*from);
                let base = if *generic { SHARED_WINDOW } else { 0 };
                check_shared(x, &from, base, "getctarank")?;
                let out = from.map(|a| a as u32 >> 24);
                x.regs.set32(*to, x.lanes, &out);
            }
        }
        Ok(Flow::Next)
    }
}

fn check_shared(x: &mut Exec<'_>, at: &[u64; 32], base: u64, what: &str) -> Result<(), Stop> {
    match lanes_of(x.lanes).find(|&l| at[l].wrapping_sub(base) >= WINDOW) {
        None => Ok(()),
        Some(l) => {
            x.fail(Code::InvalidOperand, format!("{what}: {:#x} is no address of shared memory", at[l]))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::snippet;
    use tidegate_machine::finding::Code;

    #[test]
    fn every_fence_is_known() {
        let text = "fence.sc.sys; fence.acq_rel.gpu; fence.acq_rel.cluster; fence.sc.cta; fence.cta; membar.cta; membar.gl;
            membar.sys; fence.acquire.gpu; fence.release.cluster; fence.proxy.alias; fence.proxy.async;
            fence.proxy.async.global; fence.proxy.async.shared::cta; fence.proxy.async.shared::cluster;
            fence.acquire.sync_restrict::shared::cluster.cluster; fence.release.sync_restrict::shared::cta.cluster;
            fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
            fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
            fence.proxy.tensormap::generic.release.gpu; fence.mbarrier_init.release.cluster;";
        snippet(text).run().clean();
        for bad in [
            "fence;",
            "fence.sc;",
            "membar.gpu;",
            "fence.mbarrier_init.cluster;",
            "fence.proxy.x;",
            "fence.acq_rel.gpu.cta;",
        ] {
            let text = snippet(bad).module_text();
            assert!(crate::launch::Module::from_text(&text).is_err(), "{bad}");
        }
    }

    #[test]
    fn addresses_of_peers() {
        let text = ".reg .b32 %a, %r, %k, %l; .reg .b64 %g, %h; .shared .b64 x[4];
            mapa.shared::cluster.u32 %a, x, %r; mapa.u64 %h, %g, 5; getctarank.shared::cluster.u32 %k, %a;
            getctarank.u64 %l, %h;";
        let after = snippet(text).all("%r", 3u32).all("%g", 0x7f00_0200_0410u64).run();
        after.clean();
        assert_eq!(after.first("%a"), 0x0300_0400);
        assert_eq!(after.first("%h"), 0x7f00_0500_0410);
        assert_eq!((after.first("%k"), after.first("%l")), (3, 5));
        snippet(".reg .b64 %h; mapa.u64 %h, %h, 5;").finds(Code::InvalidOperand);
    }
}
