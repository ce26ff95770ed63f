//! mbarriers (ISA 9.7.13.15: `mbarrier.*`, and `cp.async.mbarrier.arrive`).
//!
//! Lanes that name the same barrier with the same counts act as one call of the machine, which takes each lane's
//! arrival by itself.

use super::spot::{Mods, Spot, WINDOWS, Window, grouped, is_sink, needs};
use crate::ast::ScalarType;
use crate::decode::Decoder;
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use crate::regs::{S32, S64, SP, lanes_of};
use smallvec::{SmallVec, smallvec};
use tidegate_machine::barrier::{Phase, Release};
use tidegate_machine::engine::{Done, Effect, Groups, Issue, Track};
use tidegate_machine::hardware::{Actor, Stop, WaitOn};
use tidegate_machine::mbarrier::Arrival;

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `mbarrier.init` (ISA "mbarrier.init")
    Init(Box<Init>),
    /// `mbarrier.inval`
    Inval(Box<Inval>),
    /// `mbarrier.arrive`, `mbarrier.arrive_drop`, in all their forms
    Arrive(Box<Arrive>),
    /// `mbarrier.expect_tx`, `mbarrier.complete_tx`
    Tx(Box<Tx>),
    /// `mbarrier.test_wait`, `mbarrier.try_wait`
    Wait(Box<TestWait>),
    /// `mbarrier.pending_count`
    PendingCount(S32, S64),
    /// `cp.async.mbarrier.arrive`: whether it has `.noinc`
    CopiesArrive(Box<CopiesArrive>),
}

/// See [`Op::Init`].
#[derive(Clone, Debug)]
pub struct Init {
    at: Spot,
    count: S32,
}

/// See [`Op::Inval`].
#[derive(Clone, Debug)]
pub struct Inval {
    at: Spot,
}

/// See [`Op::Arrive`].
#[derive(Clone, Debug)]
pub struct Arrive {
    at: Spot,
    token: Option<S64>,
    /// Nothing: one.
    count: Option<S32>,
    expect_tx: Option<S32>,
    drop: bool,
    no_complete: bool,
    release: Release,
}

/// See [`Op::Tx`].
#[derive(Clone, Debug)]
pub struct Tx {
    at: Spot,
    bytes: S32,
    complete: bool,
}

/// See [`Op::Wait`].
#[derive(Clone, Debug)]
pub struct TestWait {
    at: Spot,
    passed: SP,
    phase: PhaseOf,
    acquire: bool,
    /// `try_wait`: it may wait for a while.
    suspends: bool,
}

#[derive(Clone, Copy, Debug)]
enum PhaseOf {
    Token(S64),
    Parity(S32),
}

/// See [`Op::CopiesArrive`].
#[derive(Clone, Debug)]
pub struct CopiesArrive {
    at: Spot,
    noinc: bool,
}

/// `mbarrier...`, and of `cp` only `cp.async.mbarrier`.
pub(super) fn is_mine(opcode: &[String]) -> bool {
    opcode.first().is_some_and(|m| m == "mbarrier") || opcode.get(2).is_some_and(|m| m == "mbarrier")
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    if d.opcode()[0] == "cp" {
        return copies_arrive(d);
    }
    needs(d, 80, "mbarrier")?;
    match d.opcode().get(1).map_or("", String::as_str) {
        "init" => {
            let window = plain(d, 2)?;
            d.operands(2..=2)?;
            let at = Spot::decode(d, 0, window)?;
            Ok(Op::Init(Box::new(Init { at, count: d.src32(1, ScalarType::U32)? })))
        }
        "inval" => {
            let window = plain(d, 2)?;
            d.operands(1..=1)?;
            Ok(Op::Inval(Box::new(Inval { at: Spot::decode(d, 0, window)? })))
        }
        "arrive" => arrive(d, false),
        "arrive_drop" => arrive(d, true),
        "expect_tx" => tx(d, false),
        "complete_tx" => tx(d, true),
        "test_wait" => wait(d, false),
        "try_wait" => wait(d, true),
        "pending_count" => {
            let mut m = Mods::after(d, 2);
            if !m.take("b64") || !m.done() {
                return d.unknown();
            }
            d.operands(2..=2)?;
            Ok(Op::PendingCount(d.dst32(0)?, d.src64(1, ScalarType::B64)?))
        }
        _ => d.unknown(),
    }
}

/// `{.shared{::cta}}.b64`
fn plain(d: &Decoder<'_>, skip: usize) -> Result<Window, ParseError> {
    let mut m = Mods::after(d, skip);
    let window = m.one(WINDOWS).unwrap_or(Window::Generic);
    if window == Window::Cluster || !m.take("b64") || !m.done() {
        return d.unknown();
    }
    Ok(window)
}

/// `{.sem.scope}`: whether the semantics are relaxed; nothing when none is written.
fn semantics(m: &mut Mods<'_>, ordered: &str) -> Result<Option<bool>, ()> {
    let Some(relaxed) = m.one(&[("relaxed", true), (ordered, false)]) else { return Ok(None) };
    match m.one(&[("cta", ()), ("cluster", ())]) {
        Some(()) => Ok(Some(relaxed)),
        // `.release` and `.acquire` are the defaults, the scope `.cta` too.
        None if !relaxed => Ok(Some(relaxed)),
        None => Err(()),
    }
}

fn arrive(d: &mut Decoder<'_>, drop: bool) -> Result<Op, ParseError> {
    let mut m = Mods::after(d, 2);
    let kind = m.one(&[("expect_tx", true), ("noComplete", false)]);
    let (expect, no_complete) = (kind == Some(true), kind == Some(false));
    let Ok(sem) = semantics(&mut m, "release") else { return d.unknown() };
    let window = m.one(WINDOWS).unwrap_or(Window::Generic);
    if !m.take("b64") || !m.done() || (no_complete && (sem == Some(true) || window == Window::Cluster)) {
        return d.unknown();
    }
    let release = if sem == Some(true) { Release::Relaxed } else { Release::Release };
    if expect || sem.is_some() || window == Window::Cluster {
        needs(d, 90, "this form of mbarrier.arrive")?;
    }
    // expect_tx and noComplete state their count; others may leave it out.
    d.operands(if kind.is_some() { 3..=3 } else { 2..=3 })?;
    let token = if is_sink(d, 0) { None } else { Some(d.dst64(0)?) };
    if token.is_some() && window == Window::Cluster {
        return d.error_at(0, "an arrival at a .shared::cluster address gives no state: write `_`");
    }
    let at = Spot::decode(d, 1, window)?;
    let operand = if d.instr().args.len() == 3 { Some(d.src32(2, ScalarType::U32)?) } else { None };
    let (count, expect_tx) = if expect { (None, operand) } else { (operand, None) };
    Ok(Op::Arrive(Box::new(Arrive { at, token, count, expect_tx, drop, no_complete, release })))
}

/// `mbarrier.expect_tx{.relaxed.scope}{.shared{::cta,::cluster}}.b64 [addr], bytes`
fn tx(d: &mut Decoder<'_>, complete: bool) -> Result<Op, ParseError> {
    needs(d, 90, "mbarrier.expect_tx and .complete_tx")?;
    let mut m = Mods::after(d, 2);
    if m.take("relaxed") && m.one(&[("cta", ()), ("cluster", ())]).is_none() {
        return d.unknown();
    }
    let window = m.one(WINDOWS).unwrap_or(Window::Generic);
    if !m.take("b64") || !m.done() {
        return d.unknown();
    }
    d.operands(2..=2)?;
    let at = Spot::decode(d, 0, window)?;
    Ok(Op::Tx(Box::new(Tx { at, bytes: d.src32(1, ScalarType::U32)?, complete })))
}

/// `mbarrier.try_wait{.parity}{.sem.scope}{.shared{::cta}}.b64 p, [addr], state or parity {, time}`
fn wait(d: &mut Decoder<'_>, suspends: bool) -> Result<Op, ParseError> {
    let mut m = Mods::after(d, 2);
    let parity = m.take("parity");
    let Ok(sem) = semantics(&mut m, "acquire") else { return d.unknown() };
    let window = m.one(WINDOWS).unwrap_or(Window::Generic);
    if window == Window::Cluster || !m.take("b64") || !m.done() {
        return d.unknown();
    }
    if suspends || sem.is_some() {
        needs(d, 90, "mbarrier.try_wait, and waits with semantics,")?;
    }
    d.operands(if suspends { 3..=4 } else { 3..=3 })?;
    let passed = d.dst_p(0)?;
    let at = Spot::decode(d, 1, window)?;
    let phase = if parity {
        PhaseOf::Parity(d.src32(2, ScalarType::U32)?)
    } else {
        PhaseOf::Token(d.src64(2, ScalarType::B64)?)
    };
    if d.instr().args.len() == 4 {
        // Nanoseconds after which it gives up: the machine has no time.
        d.src32(3, ScalarType::U32)?;
    }
    Ok(Op::Wait(Box::new(TestWait { at, passed, phase, acquire: sem != Some(true), suspends })))
}

/// `cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [addr]`
fn copies_arrive(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let mut m = Mods::after(d, 3);
    if !m.take("arrive") {
        return d.unknown();
    }
    let noinc = m.take("noinc");
    let window = plain(d, if noinc { 5 } else { 4 })?;
    needs(d, 80, "cp.async.mbarrier.arrive")?;
    d.operands(1..=1)?;
    Ok(Op::CopiesArrive(Box::new(CopiesArrive { at: Spot::decode(d, 0, window)?, noinc })))
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match self {
            Op::Arrive(op) => op.exec(x),
            Op::Wait(op) => op.exec(x),
            Op::Init(op) => {
                let at = op.at.shared(x, "mbarrier.init")?;
                let count = *x.regs.r32(op.count);
                grouped(
                    x.lanes,
                    |l| (at[l], count[l]),
                    |lanes, (at, count)| {
                        // Several lanes that initialise one barrier: the second finds it live.
                        lanes_of(lanes).try_for_each(|l| x.hw.mbarrier_init(x.lane(l), at, count))
                    },
                )?;
                Ok(Flow::Next)
            }
            Op::Inval(op) => {
                let at = op.at.shared(x, "mbarrier.inval")?;
                lanes_of(x.lanes).try_for_each(|l| x.hw.mbarrier_inval(x.lane(l), at[l]))?;
                Ok(Flow::Next)
            }
            Op::Tx(op) => {
                let what = if op.complete { "mbarrier.complete_tx" } else { "mbarrier.expect_tx" };
                let at = op.at.shared(x, what)?;
                let bytes = *x.regs.r32(op.bytes);
                grouped(
                    x.lanes,
                    |l| (at[l], bytes[l]),
                    |lanes, (at, bytes)| {
                        let actor = Actor { lanes, ..x.actor() };
                        match op.complete {
                            true => x.hw.mbarrier_complete(actor, at, bytes),
                            false => x.hw.mbarrier_expect(actor, at, bytes),
                        }
                    },
                )?;
                Ok(Flow::Next)
            }
            Op::PendingCount(to, from) => {
                let tokens = *x.regs.r64(*from);
                let mut counts = [0; 32];
                for l in lanes_of(x.lanes) {
                    counts[l] = x.hw.mbarrier_pending_count(x.lane(l), tokens[l])?;
                }
                x.regs.set32(*to, x.lanes, &counts);
                Ok(Flow::Next)
            }
            Op::CopiesArrive(op) => op.exec(x),
        }
    }
}

impl Arrive {
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let at = self.at.shared(x, "mbarrier.arrive")?;
        let count = self.count.map(|s| *x.regs.r32(s));
        let bytes = self.expect_tx.map(|s| *x.regs.r32(s));
        let mut tokens = [0; 32];
        grouped(
            x.lanes,
            |l| (at[l], count.map_or(1, |c| c[l]), bytes.map(|b| b[l])),
            |lanes, (at, count, expect_tx)| {
                let arrival = Arrival { count, expect_tx, drop: self.drop, no_complete: self.no_complete };
                let actor = Actor { lanes, ..x.actor() };
                let got = x.hw.mbarrier_arrive(actor, at, arrival, self.release)?;
                lanes_of(lanes).for_each(|l| tokens[l] = got[l]);
                Ok(())
            },
        )?;
        if let Some(to) = self.token {
            x.regs.set64(to, x.lanes, &tokens);
        }
        Ok(Flow::Next)
    }
}

impl TestWait {
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let at = self.at.shared(x, "mbarrier wait")?;
        let phases: [u64; 32] = match self.phase {
            PhaseOf::Token(s) => *x.regs.r64(s),
            PhaseOf::Parity(s) => x.regs.r32(s).map(u64::from),
        };
        // Lanes whose wait has passed while others still wait: they are not asked again.
        let mut passed = x.pending.take().map_or(0, |p| p as u32);
        let mut first = None;
        grouped(
            x.lanes & !passed,
            |l| (at[l], phases[l]),
            |lanes, (at, phase)| {
                let asked = match self.phase {
                    PhaseOf::Token(_) => Phase::Token(phase),
                    PhaseOf::Parity(_) => Phase::Parity(phase as u32),
                };
                let actor = Actor { lanes, ..x.actor() };
                match x.hw.mbarrier_test(actor, at, asked, self.acquire)? {
                    None => passed |= lanes,
                    Some(phase) => first = first.or(Some((at, phase))),
                }
                Ok(())
            },
        )?;
        if let Some((barrier, phase)) = first.filter(|_| self.suspends && !x.expire) {
            *x.pending = (passed != 0).then_some(u64::from(passed));
            return Ok(Flow::Wait(WaitOn::Mbarrier { barrier, phase, may_expire: true }));
        }
        x.regs.set_p(self.passed, x.lanes, passed);
        Ok(if first.is_some() && !self.suspends { Flow::Poll } else { Flow::Next })
    }
}

impl CopiesArrive {
    /// An operation that arrives when the `cp.async` of these lanes before it are done. Without `.noinc` it adds its
    /// arrival to the phase first.
    fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let at = self.at.shared(x, "cp.async.mbarrier.arrive")?;
        grouped(
            x.lanes,
            |l| at[l],
            |lanes, barrier| {
                let actor = Actor { lanes, ..x.actor() };
                if !self.noinc {
                    x.hw.mbarrier_add_pending(actor, barrier)?;
                }
                let track = Track::Groups(Groups::CpAsync);
                let after: SmallVec<_> = x.hw.in_flight_of(actor, track).collect();
                x.hw.issue(Issue {
                    agent: x.agent,
                    lanes,
                    place: x.place,
                    what: "cp.async arrival",
                    track,
                    group: None,
                    after,
                    effect: Effect::None,
                    done: smallvec![Done::Arrive { barrier, count: lanes.count_ones() }],
                    generic: true,
                });
                Ok(())
            },
        )?;
        Ok(Flow::Next)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Snippet, snippet};
    use tidegate_machine::finding::Code;

    const REGS: &str =
        ".reg .pred %p0, %p, %q; .reg .b64 %t, %u, %g; .reg .b32 %n, %a, %par; .shared .b64 bar;";

    /// Lane 0 initialises `bar` with `count`; then all lanes run `body`.
    fn with_barrier(count: u32, body: &str) -> Snippet {
        let text = format!("{REGS} @%p0 mbarrier.init.shared::cta.b64 [bar], {count}; bar.sync 0; {body}");
        snippet(&text).each("%p0", |lane| u128::from(lane == 0))
    }

    #[test]
    fn a_phase_of_32_arrivals_passes_for_its_token_and_its_parity() {
        let body = "mbarrier.arrive.shared.b64 %t, [bar]; mbarrier.try_wait.shared::cta.b64 %p, [bar], %t;
            mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %q, [bar], 0;";
        let after = with_barrier(32, body).run();
        after.clean();
        assert_eq!(after.get("%p"), [1; 32]);
        assert_eq!(after.get("%q"), [1; 32]);
    }

    #[test]
    fn a_wait_for_a_phase_that_has_not_come_fails_and_hangs_when_repeated() {
        let body = "mbarrier.test_wait.parity.shared.b64 %p, [bar], 0; mbarrier.test_wait.parity.shared.b64 %q, [bar], 1;";
        let after = with_barrier(1, body).run();
        after.clean();
        assert_eq!((after.first("%p"), after.first("%q")), (0, 1));
        let body = "L: mbarrier.try_wait.parity.relaxed.cluster.shared.b64 %p, [bar], 0, 1000; @!%p bra L;";
        let finding = with_barrier(1, body).finds(Code::Deadlock);
        assert!(finding.to_string().contains("mbarrier") || !finding.notes.is_empty(), "{finding:?}");
    }

    #[test]
    fn try_wait_once_gives_up_in_the_end() {
        let after = with_barrier(1, "mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;").run();
        after.clean();
        assert_eq!(after.first("%p"), 0);
    }

    #[test]
    fn counts_drops_and_no_complete() {
        // 40 = 32 lanes, and one that arrives 8 times.
        let body = "mbarrier.arrive.noComplete.release.cta.shared.b64 %t, [bar], 1;
            mbarrier.pending_count.b64 %n, %t; bar.sync 0;
            @%p0 mbarrier.arrive.release.cta.shared::cta.b64 _, [bar], 8;
            mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;";
        let after = with_barrier(40, body).run();
        after.clean();
        let counts: Vec<u128> = (0..32).map(|lane| 40 - lane).collect();
        assert_eq!(after.get("%n"), counts);
        assert_eq!(after.first("%p"), 1);
        // After 31 of 32 dropped out, one arrival is a phase.
        let body = "mbarrier.arrive_drop.shared.b64 _, [bar]; @%p0 mbarrier.arrive.shared.b64 %t, [bar], 1;
            @%p0 mbarrier.arrive.shared.b64 %t, [bar], 1; mbarrier.test_wait.parity.shared.b64 %p, [bar], 1;";
        let after = with_barrier(33, body).run();
        after.clean();
        assert_eq!(after.first("%p"), 1);
    }

    #[test]
    fn transactions() {
        let body = "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;
            @%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;
            mbarrier.test_wait.parity.shared.b64 %p, [bar], 0;
            @%p0 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 80;
            mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;";
        let after = with_barrier(1, body).run();
        after.clean();
        assert_eq!((after.first("%p"), after.first("%q")), (0, 1));
    }

    #[test]
    fn lanes_with_barriers_of_their_own_wait_for_each_in_turn() {
        // Lane i initialises the barrier at 8 i and arrives on it; each lane waits for that of the other half.
        let text = ".reg .b32 %a, %b; .reg .pred %p; .shared .align 8 .b8 bars[256];
            mbarrier.init.shared.b64 [%a], 1; bar.sync 0; mbarrier.arrive.shared.b64 _, [%a];
            mbarrier.try_wait.parity.shared.b64 %p, [%b], 0;";
        let after =
            snippet(text).each("%a", |l| 1024 + 8 * l).each("%b", |l| 1024 + 8 * ((l + 16) % 32)).run();
        after.clean();
        assert_eq!(after.get("%p"), [1; 32]);
    }

    #[test]
    fn generic_addresses_and_the_life_of_a_barrier() {
        let generic = 0x7f00_0000_0400u64;
        let body = "mbarrier.arrive.b64 %t, [%g]; @%p0 mbarrier.inval.shared.b64 [bar];
            @%p0 mbarrier.init.b64 [%g], 2;";
        with_barrier(33, body).all("%g", generic).run().clean();
        let finding = with_barrier(33, body).all("%g", 4096u64).finds(Code::OutOfBounds);
        assert!(finding.message.contains("not in shared memory"), "{finding}");
        with_barrier(1, "mbarrier.arrive.shared.b64 _, [bar], 2;").finds(Code::OverArrival);
        let text = format!("{REGS} mbarrier.arrive.shared.b64 _, [bar];");
        snippet(&text).finds(Code::BarrierLife);
        with_barrier(1, "mbarrier.test_wait.shared.b64 %p, [bar], %t;").finds(Code::InvalidOperand);
    }

    #[test]
    fn forms_that_do_not_exist() {
        for bad in [
            "mbarrier.arrive.shared::cluster.b64 %t, [bar];",
            "mbarrier.arrive.relaxed.shared.b64 _, [bar];",
            "mbarrier.arrive.noComplete.shared.b64 %t, [bar];",
            "mbarrier.arrive.expect_tx.noComplete.shared.b64 %t, [bar], 1;",
            "mbarrier.try_wait.parity.shared::cluster.b64 %p, [bar], 0;",
            "mbarrier.init.shared.b32 [bar], 1;",
            "mbarrier.test_wait.parity.shared.b64 %p, [bar], 0, 100;",
            "mbarrier.init.shared.b64 [bar];",
        ] {
            let text = snippet(&format!("{REGS} {bad}")).module_text();
            assert!(crate::launch::Module::from_text(&text).is_err(), "{bad}");
        }
    }
}
