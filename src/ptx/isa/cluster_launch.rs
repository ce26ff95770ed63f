//! Cancelling launches of clusters that have not started (ISA 9.7.13.18 `clusterlaunchcontrol`).
//!
//! The answer is opaque to kernels. Ours: bit 0 says that a cluster was cancelled, the 32-bit words 1 to 3 hold the
//! `%ctaid` of its first block. Every cluster of a grid is launched by the model itself, so there is nothing to cancel:
//! `answer` is where a launch that hands out pending clusters would be asked.

use super::copy::every_block;
use super::spot::{Mods, Spot, Window, needs};
use crate::ast::ScalarType;
use crate::decode::{Decoder, Dst, Src};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::regs::{S128, SP, lanes_of};
use smallvec::SmallVec;
use tidegate_machine::access::Address;
use tidegate_machine::engine::{Done, Effect, Issue, Track};
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Stop;
use tidegate_machine::memory::shared_address;

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `try_cancel`: the answer's place, the barrier, and whether each block of the cluster gets it.
    TryCancel(Box<(Spot2, bool)>),
    /// `query_cancel.is_canceled`
    IsCanceled(SP, S128),
    /// `query_cancel.get_first_ctaid`: up to four destinations (of the fourth nothing is known: 0).
    FirstCtaid(Box<[Dst; 4]>, S128),
}

/// Where the answer goes, and the barrier that counts it.
#[derive(Clone, Debug)]
pub struct Spot2 {
    to: Spot,
    barrier: Spot,
}

const ANSWER: u32 = 16;

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    needs(d, 100, "clusterlaunchcontrol")?;
    let mut m = Mods::after(d, 1);
    if m.take("try_cancel") {
        if !m.take("async") {
            return d.unknown();
        }
        m.take("shared::cta");
        let window = if d.has("shared::cta") { Window::Cta } else { Window::Generic };
        let known = m.take("mbarrier::complete_tx::bytes");
        let all = m.take("multicast::cluster::all");
        if !known || !m.take("b128") || !m.done() {
            return d.unknown();
        }
        d.operands(2..=2)?;
        let to = Spot::decode(d, 0, window)?;
        let barrier = Spot::decode(d, 1, window)?;
        return Ok(Op::TryCancel(Box::new((Spot2 { to, barrier }, all))));
    }
    if !m.take("query_cancel") {
        return d.unknown();
    }
    d.operands(2..=2)?;
    let answer = match d.src(1, ScalarType::B128)? {
        Src::R128(slot) => slot,
        _ => return d.error_at(1, "a 128-bit register is wanted"),
    };
    if d.opcode().get(2).is_some_and(|m| m == "is_canceled") {
        let mut m = Mods::after(d, 3);
        if !m.take("pred") || !m.take("b128") || !m.done() {
            return d.unknown();
        }
        return Ok(Op::IsCanceled(d.dst_p(0)?, answer));
    }
    let mut m = Mods::after(d, 2);
    let which = m.one(&[
        ("get_first_ctaid", None),
        ("get_first_ctaid::x", Some(0)),
        ("get_first_ctaid::y", Some(1)),
        ("get_first_ctaid::z", Some(2)),
    ]);
    let Some(which) = which else { return d.unknown() };
    let vector = which.is_none() && m.take("v4");
    if vector != which.is_none() || !m.take("b32") || !m.take("b128") || !m.done() {
        return d.unknown();
    }
    let mut to = [Dst::None; 4];
    match which {
        Some(i) => to[i] = Dst::R32(d.dst32(0)?),
        None => {
            let list = d.elements(0)?;
            if list.len() != 4 {
                return d.error_at(0, "a vector of four 32-bit registers is wanted");
            }
            for (to, arg) in to.iter_mut().zip(&list) {
                *to = d.dst_of(arg, d.span(0))?;
                if !matches!(to, Dst::R32(_) | Dst::None) {
                    return d.error_at(0, "a vector of four 32-bit registers is wanted");
                }
            }
        }
    }
    Ok(Op::FirstCtaid(Box::new(to), answer))
}

/// What a request gets: nothing is left to cancel.
fn answer(_: &Exec<'_>) -> [u8; ANSWER as usize] {
    [0; ANSWER as usize]
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::TryCancel(op) => {
                const WHAT: &str = "clusterlaunchcontrol.try_cancel";
                let (spots, all) = &**op;
                let to = spots.to.shared(x, WHAT)?;
                let barrier = spots.barrier.shared(x, WHAT)?;
                for lane in lanes_of(x.lanes) {
                    let (to, barrier) = (to[lane], barrier[lane]);
                    if to % ANSWER != 0 {
                        let message = format!("{WHAT} to shared address {to:#x}, no multiple of 16");
                        return x.fail(Code::Misaligned, message);
                    }
                    let ranks = if *all { every_block(x) } else { 1 << (to >> 24) };
                    let places: SmallVec<[(u32, u32); 2]> = (0..32)
                        .filter(|r| ranks >> r & 1 == 1)
                        .map(|r| {
                            let of = |a: u32| shared_address(r, a & 0x00ff_ffff);
                            (of(to), of(barrier))
                        })
                        .collect();
                    let bytes = answer(x);
                    let done =
                        places.iter().map(|&(_, barrier)| Done::Bytes { barrier, bytes: ANSWER }).collect();
                    x.hw.issue(Issue {
                        agent: x.agent,
                        lanes: 1 << lane,
                        place: x.place,
                        what: "cancel request",
                        track: Track::Own,
                        group: None,
                        after: SmallVec::new(),
                        effect: Effect::Run(Box::new(move |hw, op| {
                            places
                                .iter()
                                .try_for_each(|&(to, _)| hw.write_for(op, Address::Shared(to), &bytes))
                        })),
                        done,
                        generic: false,
                    });
                }
            }
            Op::IsCanceled(to, from) => {
                let answers = x.regs.r128(*from);
                let bits = lanes_of(u32::MAX).fold(0, |b, lane| b | (answers[lane] as u32 & 1) << lane);
                x.regs.set_p(*to, x.lanes, bits);
            }
            Op::FirstCtaid(to, from) => {
                let answers = *x.regs.r128(*from);
                if lanes_of(x.lanes).any(|lane| answers[lane] & 1 == 0) {
                    return x.fail(
                        Code::InvalidOperand,
                        "clusterlaunchcontrol.query_cancel.get_first_ctaid of a request that cancelled nothing: look at is_canceled first",
                    );
                }
                for (i, &to) in to.iter().enumerate() {
                    let word = |a: u128| if i == 3 { 0 } else { u64::from((a >> (32 * (i + 1))) as u32) };
                    x.put(to, &answers.map(word));
                }
            }
        }
        Ok(Flow::Next)
    }
}
