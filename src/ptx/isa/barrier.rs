//! Barriers of a block and of a cluster (ISA 9.7.13.1 `bar`, `barrier`; 9.7.13.4 `barrier.cluster`).

use super::spot::{Mods, needs};
use crate::ast::ScalarType;
use crate::decode::{Decoder, Dst};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::regs::{S32, SP, lanes_of};
use tidegate_machine::barrier::Release;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::{Stop, WaitOn};
use tidegate_machine::named::{Kind, RedOp};

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `bar`, `barrier`, `barrier.cta`
    Named(Box<Named>),
    /// `barrier.cluster.arrive`: how, and whether it is `.aligned`
    ClusterArrive(Release, bool),
    /// `barrier.cluster.wait`: whether it is `.aligned`
    ClusterWait(bool),
}

/// See [`Op::Named`].
#[derive(Clone, Debug)]
pub struct Named {
    id: S32,
    count: Option<S32>,
    kind: Kind,
    aligned: bool,
    predicate: Option<(SP, bool)>,
    result: Dst,
}

/// `bar.warp.sync` is another family's.
pub(super) fn not_of_warp(opcode: &[String]) -> bool {
    opcode.get(1).is_none_or(|m| m != "warp")
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let bar = d.opcode()[0] == "bar";
    if d.opcode().get(1).is_some_and(|m| m == "cluster") && !bar {
        return cluster(d);
    }
    let mut m = Mods::after(d, 1);
    m.take("cta");
    let action = m.one(&[("sync", Kind::Sync), ("arrive", Kind::Arrive), ("red", Kind::Red(RedOp::Popc))]);
    let Some(mut kind) = action else { return d.unknown() };
    let mut ty = None;
    if kind == Kind::Red(RedOp::Popc) {
        // `.aligned` stands behind the operation in the ISA's grammar (barrier.red.popc.aligned.u32).
        let Some(op) = m.one(&[("popc", RedOp::Popc), ("and", RedOp::And), ("or", RedOp::Or)]) else {
            return d.unknown();
        };
        kind = Kind::Red(op);
    }
    let aligned = m.take("aligned") || bar;
    if let Kind::Red(op) = kind {
        ty = m.ty();
        let wanted = if op == RedOp::Popc { ScalarType::U32 } else { ScalarType::Pred };
        if ty != Some(wanted) {
            return d.unknown();
        }
    }
    if !m.done() {
        return d.unknown();
    }
    let n = d.instr().args.len();
    let (mut result, mut predicate, mut next) = (Dst::None, None, 0);
    let wanted = match kind {
        Kind::Sync => 1..=2,
        Kind::Arrive => 2..=2,
        Kind::Red(_) => 3..=4,
    };
    d.operands(wanted)?;
    if let Some(ty) = ty {
        result = if ty == ScalarType::Pred { Dst::P(d.dst_p(0)?) } else { Dst::R32(d.dst32(0)?) };
        predicate = Some(d.src_p(n - 1)?);
        next = 1;
    }
    let id = d.src32(next, ScalarType::U32)?;
    let has_count = next + 1 < n - usize::from(predicate.is_some());
    let count = if has_count { Some(d.src32(next + 1, ScalarType::U32)?) } else { None };
    Ok(Op::Named(Box::new(Named { id, count, kind, aligned, predicate, result })))
}

/// `barrier.cluster.arrive{.release,.relaxed}{.aligned}`, `barrier.cluster.wait{.acquire}{.aligned}`
fn cluster(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    needs(d, 90, "barrier.cluster")?;
    d.operands(0..=0)?;
    let mut m = Mods::after(d, 2);
    let op = if m.take("arrive") {
        let sem = m.one(&[("release", Release::Release), ("relaxed", Release::Relaxed)]);
        Op::ClusterArrive(sem.unwrap_or(Release::Release), m.take("aligned"))
    } else if m.take("wait") {
        m.take("acquire");
        Op::ClusterWait(m.take("aligned"))
    } else {
        return d.unknown();
    };
    if m.done() { Ok(op) } else { d.unknown() }
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::Named(op) => op.exec(x),
            Op::ClusterArrive(release, aligned) => {
                if *aligned && let Some(flow) = x.aligned()? {
                    return Ok(flow);
                }
                x.hw.cluster_arrive(x.actor(), *release, *aligned)?;
                Ok(Flow::Next)
            }
            Op::ClusterWait(aligned) => {
                if *aligned && let Some(flow) = x.aligned()? {
                    return Ok(flow);
                }
                match x.hw.cluster_wait(x.actor(), true, *aligned)? {
                    None => Ok(Flow::Next),
                    Some(generation) => Ok(Flow::Wait(WaitOn::Cluster { generation })),
                }
            }
        }
    }
}

impl Named {
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let ids = x.regs.r32(self.id);
        let counts = self.count.map(|s| x.regs.r32(s));
        let first = x.lanes.trailing_zeros() as usize;
        let (id, count) = (ids[first], counts.map(|c| c[first]));
        let differ = lanes_of(x.lanes).any(|l| ids[l] != id || counts.map(|c| c[l]) != count);
        if differ {
            let message = "lanes of a warp name different barriers or counts in one barrier instruction";
            return match self.aligned {
                true => x.fail(Code::InvalidOperand, message),
                false => x.fail(Code::Unsupported, message),
            };
        }
        let generation = match x.pending.take() {
            Some(generation) => generation,
            None => {
                if self.aligned
                    && let Some(flow) = x.aligned()?
                {
                    return Ok(flow);
                }
                let predicate = match self.predicate {
                    Some((p, negated)) => x.regs.p(p) ^ if negated { u32::MAX } else { 0 },
                    None => 0,
                };
                let predicate = predicate & x.lanes;
                x.hw.named_arrive(x.actor(), (id, count), self.kind, self.aligned, predicate)?
            }
        };
        if self.kind == Kind::Arrive {
            return Ok(Flow::Next);
        }
        match x.hw.named_wait(x.actor(), id, generation) {
            Some(value) => {
                if self.result != Dst::None {
                    x.put(self.result, &[u64::from(value); 32]);
                }
                Ok(Flow::Next)
            }
            None => {
                *x.pending = Some(generation);
                Ok(Flow::Wait(WaitOn::Named { id, generation }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::snippet;
    use tidegate_machine::finding::Code;

    #[test]
    fn reductions_of_a_block() {
        let text = ".reg .pred %p, %and, %or, %q; .reg .b32 %n, %m, %id;
            bar.red.popc.u32 %n, 0, %p; bar.red.and.pred %and, %id, 32, %p; barrier.cta.red.or.aligned.pred %or, 2, !%p;
            barrier.red.popc.u32 %m, 1, !%p; barrier.sync 4; barrier.cta.sync.aligned 5, 32;";
        let after = snippet(text).each("%p", |lane| u128::from(lane < 11)).all("%id", 7u32).run();
        after.clean();
        assert_eq!((after.first("%n"), after.first("%m")), (11, 21));
        assert_eq!((after.first("%and"), after.first("%or")), (0, 1));
    }

    #[test]
    fn a_cluster_of_one() {
        let text = "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;
            barrier.cluster.arrive; barrier.cluster.wait;";
        snippet(text).run().clean();
        snippet("barrier.cluster.wait;").finds(Code::ClusterBarrier);
    }

    #[test]
    fn misuse() {
        snippet(".reg .pred %p; @%p bar.sync 0;").each("%p", |l| l & 1).finds(Code::Divergence);
        snippet("bar.sync 16;").finds(Code::NamedBarrier);
        snippet("bar.sync 1, 33;").finds(Code::NamedBarrier);
        snippet("bar.sync 1, 64;").finds(Code::NamedBarrier);
        snippet("bar.arrive 1, 32; bar.sync 1, 32;").run().clean();
        snippet(".reg .b32 %i; bar.sync %i, 32;").each("%i", |l| l).finds(Code::InvalidOperand);
        for bad in ["bar.sync;", "bar.arrive 1;", "bar.red.popc.u32 1, 2;", "barrier.cluster.wait.relaxed;"] {
            let text = snippet(bad).module_text();
            assert!(crate::launch::Module::from_text(&text).is_err(), "{bad}");
        }
    }
}
