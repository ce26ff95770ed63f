//! What lanes of a warp do together: `shfl.sync` (ISA 9.7.9.6), `vote.sync`, `match.sync`, `activemask`, `redux.sync`,
//! `elect.sync`, `bar.warp.sync` (ISA 9.7.13 "parallel synchronization and communication").
//!
//! Lanes with the same member mask act together; groups of lanes with masks of their own (the tiles of cooperative
//! groups) may stand at one instruction.

use crate::ast::ScalarType;
use crate::decode::{Decoder, Dst, Src};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::program::Arg;
use crate::regs::{Lanes32, Lanes64, S32, SP, lanes_of};
use tidegate_machine::finding::{Code, Finding};
use tidegate_machine::hardware::{Actor, Stop, lane_list};

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `shfl.sync`
    Shuffle(Box<Shuffle>),
    /// `vote.sync`: the kind, the destination, the predicate (negated), the members.
    Vote(Vote, Dst, (SP, bool), S32),
    /// `match.any.sync`
    MatchAny(S32, Src, S32),
    /// `match.all.sync`, with the predicate
    MatchAll(Dst, Option<SP>, Src, S32),
    /// `activemask`
    ActiveMask(S32),
    /// `redux.sync`
    Reduce(Reduce, S32, S32, S32),
    /// `elect.sync`
    Elect(Dst, SP, S32),
    /// `bar.warp.sync`
    Sync(S32),
}

/// `shfl.sync`
#[derive(Clone, Debug)]
pub struct Shuffle {
    mode: Mode,
    dst: Dst,
    in_range: Option<SP>,
    value: S32,
    by: S32,
    clamp: S32,
    members: S32,
}

/// How `shfl` finds the source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `.up`
    Up,
    /// `.down`
    Down,
    /// `.bfly`
    Butterfly,
    /// `.idx`
    Index,
}

/// A vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// `.all`
    All,
    /// `.any`
    Any,
    /// `.uni`
    Uniform,
    /// `.ballot`
    Ballot,
}

/// `redux.sync`: an operation on the members' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// `.add`
    Add,
    /// `.min.u32`
    MinU,
    /// `.max.u32`
    MaxU,
    /// `.min.s32`
    MinS,
    /// `.max.s32`
    MaxS,
    /// `.and`
    And,
    /// `.or`
    Or,
    /// `.xor`
    Xor,
    /// `.min.f32`, `.max.f32`
    Float {
        /// `.max`
        max: bool,
        /// `.abs`: of magnitudes.
        abs: bool,
        /// `.NaN`: one NaN makes the result NaN.
        nan: bool,
    },
}

/// Of `bar` only `bar.warp.sync` is of this family.
pub(super) fn takes(opcode: &[String]) -> bool {
    opcode.first().is_none_or(|o| o != "bar") || opcode.get(1).is_some_and(|m| m == "warp")
}

fn members(d: &mut Decoder<'_>, index: usize) -> Result<S32, ParseError> {
    d.src32(index, ScalarType::U32)
}

/// `d|p` or `d`.
fn pair(d: &mut Decoder<'_>) -> Result<(Dst, Option<SP>), ParseError> {
    let arg = d.arg(0)?;
    let span = d.span(0);
    match arg {
        Arg::Pair(first, second) => {
            let p = match d.dst_of(second, span)? {
                Dst::P(p) => p,
                _ => return d.error_at(0, "the second destination is a predicate"),
            };
            Ok((d.dst_of(first, span)?, Some(p)))
        }
        other => Ok((d.dst_of(other, span)?, None)),
    }
}

fn word(d: &Decoder<'_>, dst: Dst) -> Result<Dst, ParseError> {
    match dst {
        Dst::R32(_) | Dst::None => Ok(dst),
        _ => d.error_at(0, "a 32-bit register is wanted to write to"),
    }
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let parts: Vec<&str> = d.opcode().iter().map(String::as_str).collect();
    match parts[..] {
        ["shfl", "sync", mode, "b32"] => {
            d.operands(5..=5)?;
            let mode = match mode {
                "up" => Mode::Up,
                "down" => Mode::Down,
                "bfly" => Mode::Butterfly,
                "idx" => Mode::Index,
                _ => return d.unknown(),
            };
            let (dst, in_range) = pair(d)?;
            let dst = word(d, dst)?;
            let value = d.src32(1, ScalarType::B32)?;
            let by = d.src32(2, ScalarType::U32)?;
            let clamp = d.src32(3, ScalarType::U32)?;
            let members = members(d, 4)?;
            Ok(Op::Shuffle(Box::new(Shuffle { mode, dst, in_range, value, by, clamp, members })))
        }
        ["shfl", "up" | "down" | "bfly" | "idx", "b32"] => d.error(
            "`shfl` without `.sync` does not exist on sm_70 and later: use `shfl.sync` with a member mask",
        ),
        ["vote", "all" | "any" | "uni", "pred"] | ["vote", "ballot", "b32"] => d.error(
            "`vote` without `.sync` does not exist on sm_70 and later: use `vote.sync` with a member mask",
        ),
        ["vote", "sync", kind, ty] => {
            d.operands(3..=3)?;
            let (kind, dst) = match (kind, ty) {
                ("all", "pred") => (Vote::All, Dst::P(d.dst_p(0)?)),
                ("any", "pred") => (Vote::Any, Dst::P(d.dst_p(0)?)),
                ("uni", "pred") => (Vote::Uniform, Dst::P(d.dst_p(0)?)),
                ("ballot", "b32") => (Vote::Ballot, Dst::R32(d.dst32(0)?)),
                _ => return d.unknown(),
            };
            let p = d.src_p(1)?;
            Ok(Op::Vote(kind, dst, p, members(d, 2)?))
        }
        ["match", kind @ ("any" | "all"), "sync", ty @ ("b32" | "b64")] => {
            d.operands(3..=3)?;
            let value = match ty {
                "b32" => Src::R32(d.src32(1, ScalarType::B32)?),
                _ => Src::R64(d.src64(1, ScalarType::B64)?),
            };
            let members = members(d, 2)?;
            if kind == "any" {
                return Ok(Op::MatchAny(d.dst32(0)?, value, members));
            }
            let (dst, p) = pair(d)?;
            Ok(Op::MatchAll(word(d, dst)?, p, value, members))
        }
        ["activemask", "b32"] => {
            d.operands(1..=1)?;
            Ok(Op::ActiveMask(d.dst32(0)?))
        }
        ["redux", "sync", ..] => {
            d.operands(3..=3)?;
            let op = match parts[2..] {
                ["add", "u32" | "s32"] => Reduce::Add,
                ["min", "u32"] => Reduce::MinU,
                ["max", "u32"] => Reduce::MaxU,
                ["min", "s32"] => Reduce::MinS,
                ["max", "s32"] => Reduce::MaxS,
                ["and", "b32"] => Reduce::And,
                ["or", "b32"] => Reduce::Or,
                ["xor", "b32"] => Reduce::Xor,
                [kind @ ("min" | "max"), ref rest @ .., "f32"] => {
                    let (abs, nan) = match rest {
                        [] => (false, false),
                        ["abs"] => (true, false),
                        ["NaN"] => (false, true),
                        ["abs", "NaN"] => (true, true),
                        _ => return d.unknown(),
                    };
                    if d.arch < 100 || !d.specific {
                        return d
                            .error("`redux.sync` of f32 needs sm_100a or a later architecture of its kind");
                    }
                    Reduce::Float { max: kind == "max", abs, nan }
                }
                _ => return d.unknown(),
            };
            let value = d.src32(1, ScalarType::B32)?;
            Ok(Op::Reduce(op, d.dst32(0)?, value, members(d, 2)?))
        }
        ["elect", "sync"] => {
            d.operands(2..=2)?;
            if d.arch < 90 {
                return d.error("`elect.sync` needs sm_90 or later");
            }
            let (dst, Some(p)) = pair(d)? else {
                return d.error_at(0, "a register and a predicate are wanted: `d|p`");
            };
            Ok(Op::Elect(word(d, dst)?, p, members(d, 1)?))
        }
        ["bar", "warp", "sync"] => {
            d.operands(1..=1)?;
            Ok(Op::Sync(members(d, 0)?))
        }
        _ => d.unknown(),
    }
}

/// Calls `each` for the lanes of each member mask that executes: the mask, and its executing lanes. A flow instead
/// when some have to wait.
fn groups(
    x: &mut Exec<'_>,
    members: S32,
    mut each: impl FnMut(&mut Exec<'_>, u32) -> Result<(), Stop>,
) -> Result<Flow, Stop> {
    let masks: Lanes32 = *x.regs.r32(members);
    let mut left = x.lanes;
    let mut union = 0;
    while left != 0 {
        let mask = masks[left.trailing_zeros() as usize];
        let same = lanes_of(left).fold(0u32, |m, lane| m | u32::from(masks[lane] == mask) << lane);
        if same & !mask != 0 {
            let lanes = lane_list(same & !mask);
            let message = format!(
                "lanes {lanes} execute an instruction whose member mask {mask:#010x} does not name them"
            );
            return x.fail(Code::Divergence, message);
        }
        union |= mask;
        left &= !same;
    }
    if let Some(flow) = x.wait_for_lanes(union) {
        return Ok(flow);
    }
    let off = union & x.here & !x.lanes;
    if off != 0 {
        let lanes = lane_list(off);
        let message =
            format!("the member mask names lanes {lanes}, for which the instruction is predicated off");
        let finding = Finding::new(Code::Divergence, message).at(x.place, "here").help(
            "all lanes of a member mask execute the instruction: compute the mask from the same predicate",
        );
        return x.hw.fail(finding);
    }
    let mut left = x.lanes;
    while left != 0 {
        let mask = masks[left.trailing_zeros() as usize];
        let same = lanes_of(left).fold(0u32, |m, lane| m | u32::from(masks[lane] == mask) << lane);
        each(x, same)?;
        left &= !same;
    }
    Ok(Flow::Next)
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match *self {
            Op::Shuffle(ref shuffle) => shuffle.exec(x),
            Op::Vote(kind, dst, (p, negated), members) => groups(x, members, |x, lanes| {
                let p = x.regs.p(p) ^ if negated { u32::MAX } else { 0 };
                let yes = p & lanes;
                let result = match kind {
                    Vote::All => u32::from(yes == lanes),
                    Vote::Any => u32::from(yes != 0),
                    Vote::Uniform => u32::from(yes == 0 || yes == lanes),
                    Vote::Ballot => yes,
                };
                match dst {
                    Dst::P(d) => x.regs.set_p(d, lanes, if result == 1 { u32::MAX } else { 0 }),
                    Dst::R32(d) => x.regs.set32(d, lanes, &[result; 32]),
                    _ => {}
                }
                Ok(())
            }),
            Op::MatchAny(dst, value, members) => groups(x, members, |x, lanes| {
                let value = x.wide(value);
                let mut out = [0; 32];
                for lane in lanes_of(lanes) {
                    out[lane] = same_value(&value, lanes, lane);
                }
                x.regs.set32(dst, lanes, &out);
                Ok(())
            }),
            Op::MatchAll(dst, p, value, members) => groups(x, members, |x, lanes| {
                let value = x.wide(value);
                let all = same_value(&value, lanes, lanes.trailing_zeros() as usize & 31) == lanes;
                if let Dst::R32(d) = dst {
                    x.regs.set32(d, lanes, &[if all { lanes } else { 0 }; 32]);
                }
                if let Some(p) = p {
                    x.regs.set_p(p, lanes, if all { u32::MAX } else { 0 });
                }
                Ok(())
            }),
            Op::ActiveMask(dst) => {
                let lanes = x.lanes;
                x.regs.set32(dst, lanes, &[lanes; 32]);
                Ok(Flow::Next)
            }
            Op::Reduce(op, dst, value, members) => groups(x, members, |x, lanes| {
                let value = *x.regs.r32(value);
                x.regs.set32(dst, lanes, &[op.apply(&value, lanes); 32]);
                Ok(())
            }),
            Op::Elect(dst, p, members) => groups(x, members, |x, lanes| {
                // ISA: deterministic, the same leader for the same mask; the hardware takes the lowest lane.
                let leader = lanes.trailing_zeros() & 31;
                if let Dst::R32(d) = dst {
                    x.regs.set32(d, lanes, &[leader; 32]);
                }
                x.regs.set_p(p, lanes, 1 << leader);
                Ok(())
            }),
            Op::Sync(members) => groups(x, members, |x, lanes| {
                let actor = Actor { lanes, ..x.actor() };
                x.hw.sync_lanes(actor);
                Ok(())
            }),
        }
    }
}

fn same_value(value: &Lanes64, lanes: u32, lane: usize) -> u32 {
    lanes_of(lanes).fold(0, |m, other| m | u32::from(value[other] == value[lane]) << other)
}

impl Shuffle {
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        groups(x, self.members, |x, lanes| {
            // Of a lane that does not take part the register is read as it is: the ISA leaves the value open.
            let (value, by, clamp) = (x.regs.r32(self.value), x.regs.r32(self.by), x.regs.r32(self.clamp));
            let mut out = [0; 32];
            let mut in_range = 0u32;
            for lane in 0..32u32 {
                let i = lane as usize;
                let (b, c, segment) = (by[i] & 31, clamp[i] & 31, clamp[i] >> 8 & 31);
                let max = (lane & segment) | (c & !segment);
                let min = lane & segment;
                let (source, within) = match self.mode {
                    Mode::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= max as i32),
                    Mode::Down => (lane + b, lane + b <= max),
                    Mode::Butterfly => (lane ^ b, lane ^ b <= max),
                    Mode::Index => (min | (b & !segment), min | (b & !segment) <= max),
                };
                out[i] = value[if within { source as usize & 31 } else { i }];
                in_range |= u32::from(within) << lane;
            }
            if let Dst::R32(d) = self.dst {
                x.regs.set32(d, lanes, &out);
            }
            if let Some(p) = self.in_range {
                x.regs.set_p(p, lanes, in_range);
            }
            Ok(())
        })
    }
}

impl Reduce {
    /// The result over the lanes of a mask, which is not empty.
    fn apply(self, value: &Lanes32, lanes: u32) -> u32 {
        let all = lanes_of(lanes).map(|lane| value[lane]);
        match self {
            Reduce::Add => all.fold(0, u32::wrapping_add),
            Reduce::MinU => all.min().unwrap_or(0),
            Reduce::MaxU => all.max().unwrap_or(0),
            Reduce::MinS => all.map(|v| v as i32).min().unwrap_or(0) as u32,
            Reduce::MaxS => all.map(|v| v as i32).max().unwrap_or(0) as u32,
            Reduce::And => all.fold(u32::MAX, |a, b| a & b),
            Reduce::Or => all.fold(0, |a, b| a | b),
            Reduce::Xor => all.fold(0, |a, b| a ^ b),
            Reduce::Float { max, abs, nan } => {
                let mut best: Option<f32> = None;
                for bits in all {
                    let v = f32::from_bits(if abs { bits & 0x7fff_ffff } else { bits });
                    if v.is_nan() {
                        if nan {
                            return CANONICAL_NAN;
                        }
                        continue;
                    }
                    best = Some(match best {
                        None => v,
                        // Minus zero is less than zero, as for `min` and `max`.
                        Some(b) if (v.total_cmp(&b) == std::cmp::Ordering::Greater) == max => v,
                        Some(b) => b,
                    });
                }
                best.map_or(CANONICAL_NAN, f32::to_bits)
            }
        }
    }
}

/// What NVIDIA's arithmetic gives for NaN in f32.
const CANONICAL_NAN: u32 = 0x7fff_ffff;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::snippet;

    const HEAD: &str = ".reg .b32 %r<8>; .reg .b64 %d<2>; .reg .pred %p<3>;\n";

    fn lanes(body: &str) -> crate::testing::Snippet {
        let snippet = snippet(&format!("{HEAD}{body}"));
        if body.contains("%r0") { snippet.each("%r0", |lane| lane) } else { snippet }
    }

    #[test]
    fn shuffles_within_segments() {
        // Segments of 8 lanes: mask bits 0x18 in c[12:8].
        let after = lanes(
            "shfl.sync.up.b32 %r1|%p0, %r0, 1, 0x1800, -1; shfl.sync.down.b32 %r2|%p1, %r0, 2, 0x181f, -1;
             shfl.sync.bfly.b32 %r3, %r0, 16, 0x1f, -1; shfl.sync.idx.b32 %r4, %r0, 3, 0x181f, -1;",
        )
        .run();
        after.clean();
        assert_eq!(after.get("%r1")[7..10], [6, 8, 8]);
        assert_eq!(after.get("%p0")[7..10], [1, 0, 1]);
        assert_eq!(after.get("%r2")[4..9], [6, 7, 6, 7, 10]);
        assert_eq!(after.get("%p1")[4..9], [1, 1, 0, 0, 1]);
        assert_eq!(after.get("%r3")[1], 17);
        assert_eq!(after.get("%r4")[17], 19);
    }

    #[test]
    fn votes_and_matches() {
        let after = lanes(
            "vote.sync.ballot.b32 %r1, %p0, -1; vote.sync.all.pred %p1, !%p0, -1; vote.sync.any.pred %p2, %p0, -1;
             match.any.sync.b32 %r3, %r2, -1; match.all.sync.b32 %r4|%p0, 7, -1; activemask.b32 %r5;",
        )
        .each("%p0", |lane| u128::from(lane < 5))
        .each("%r2", |lane| lane & 3)
        .run();
        after.clean();
        assert_eq!(after.get("%r1")[9], 31);
        assert_eq!((after.first("%p1"), after.first("%p2"), after.first("%p0")), (0, 1, 1));
        assert_eq!(after.get("%r3")[5], 0x2222_2222);
        assert_eq!((after.first("%r4"), after.first("%r5")), (0xffff_ffff, 0xffff_ffff));
    }

    #[test]
    fn reductions_and_elections() {
        let after = lanes(
            "redux.sync.add.s32 %r1, %r0, -1; redux.sync.xor.b32 %r2, %r0, -1; redux.sync.min.s32 %r3, %r6, -1;
             redux.sync.max.u32 %r4, %r6, -1; elect.sync %r5|%p0, -1; elect.sync _|%p1, -1;",
        )
        .each("%r6", |lane| if lane == 9 { 0xffff_ff00 } else { lane })
        .run();
        after.clean();
        assert_eq!((after.first("%r1"), after.first("%r2")), (496, 0));
        assert_eq!((after.first("%r3"), after.first("%r4")), (0xffff_ff00, 0xffff_ff00));
        assert_eq!(after.get("%p0")[..2], [1, 0]);
        assert_eq!(after.first("%r5"), 0);
    }

    #[test]
    fn float_reductions() {
        let mut v = [0; 32];
        v[0] = (-3.0f32).to_bits();
        v[1] = 2.0f32.to_bits();
        v[2] = f32::NAN.to_bits();
        let max = |abs, nan| Reduce::Float { max: true, abs, nan };
        assert_eq!(max(false, false).apply(&v, 7), 2.0f32.to_bits());
        assert_eq!(max(true, false).apply(&v, 7), 3.0f32.to_bits());
        assert_eq!(max(true, true).apply(&v, 7), CANONICAL_NAN);
        assert_eq!(max(false, false).apply(&v, 4), CANONICAL_NAN);
        let min = Reduce::Float { max: false, abs: false, nan: false };
        assert_eq!(
            min.apply(
                &[0x8000_0000, 0, 0, 0]
                    .iter()
                    .copied()
                    .chain([0; 28])
                    .collect::<Vec<_>>()
                    .try_into()
                    .unwrap(),
                3
            ),
            0x8000_0000
        );
    }

    #[test]
    fn groups_with_masks_of_their_own() {
        let after = lanes("redux.sync.add.u32 %r1, %r0, %r2; bar.warp.sync %r2;")
            .each("%r2", |lane| if lane < 16 { 0xffff } else { 0xffff_0000 })
            .run();
        after.clean();
        assert_eq!((after.get("%r1")[3], after.get("%r1")[16]), (120, 376));
    }

    #[test]
    fn lanes_wait_for_those_that_took_another_way() {
        let after =
            lanes("@%p0 bra L; nanosleep.u32 1; nanosleep.u32 1; L: vote.sync.ballot.b32 %r1, %p0, -1;")
                .each("%p0", |lane| lane & 1)
                .run();
        after.clean();
        assert_eq!(after.get("%r1"), vec![0xaaaa_aaaa; 32]);
    }

    #[test]
    fn masks_have_to_be_right() {
        lanes("shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xffff;").finds(Code::Divergence);
        lanes("@%p0 shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;")
            .each("%p0", |lane| lane & 1)
            .finds(Code::Divergence);
        let text = lanes("shfl.idx.b32 %r1, %r0, 0, 31;").module_text();
        let e = crate::launch::Module::from_text(&text).unwrap_err();
        assert!(e[0].message.contains("without `.sync`"));
        let text = lanes("redux.sync.max.abs.f32 %r1, %r0, -1;").module_text();
        assert!(crate::launch::Module::from_text(&text).unwrap_err()[0].message.contains("sm_100a"));
    }
}
