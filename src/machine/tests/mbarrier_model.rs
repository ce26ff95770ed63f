//! The mbarrier against a second, naive statement of its rules: a list of everything that happened since
//! `init`, from which each answer is worked out from scratch. Random sequences of operations, misuses among
//! them.

use proptest::prelude::*;
use tidegate_machine::mbarrier::{
    Arrival, Life, MAX_COUNT, MAX_TX, Mbarrier, MbarrierError, TestWait, Token,
};

/// What an accepted operation adds to the history. An `arrive.expect_tx` is one event with both parts.
#[derive(Clone, Copy, Debug, Default)]
struct Event {
    arrivals: i64,
    extra: i64,
    dropped: i64,
    bytes: i64,
}

/// Everything that happened since `init`.
#[derive(Clone, Debug, Default)]
struct History {
    count: i64,
    events: Vec<Event>,
}

/// What the history amounts to: where it stands after its last event.
struct Standing {
    phase: u64,
    expected: i64,
    pending: i64,
    tx: i64,
}

impl History {
    /// Cuts the history into phases: a phase ends at the first event after which its arrivals are all in and
    /// its bytes balance. What was dropped in any phase is missing from all later ones.
    fn standing(&self) -> Standing {
        let mut phase = 0;
        let mut begin = 0;
        for end in 1..=self.events.len() {
            if self.missing(begin, end) == 0 && self.balance(begin, end) == 0 {
                phase += 1;
                begin = end;
            }
        }
        let all = self.events.len();
        Standing {
            phase,
            expected: self.count - self.dropped(all),
            pending: self.missing(begin, all),
            tx: self.balance(begin, all),
        }
    }

    fn dropped(&self, end: usize) -> i64 {
        self.events[..end].iter().map(|e| e.dropped).sum()
    }

    fn missing(&self, begin: usize, end: usize) -> i64 {
        let events = &self.events[begin..end];
        let arrived: i64 = events.iter().map(|e| e.arrivals).sum();
        let extra: i64 = events.iter().map(|e| e.extra).sum();
        self.count - self.dropped(begin) + extra - arrived
    }

    fn balance(&self, begin: usize, end: usize) -> i64 {
        self.events[begin..end].iter().map(|e| e.bytes).sum()
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Init(u32),
    Inval,
    Arrive(Arrival),
    Expect(u32),
    Complete(u32),
    AddPending,
    WaitToken(usize),
    WaitParity(u32),
}

/// What the rules say of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Done { completed: Option<u64> },
    Noted(bool),
    Passed(bool, Option<u64>),
    Misuse(&'static str),
}

fn name(error: MbarrierError) -> &'static str {
    match error {
        MbarrierError::Uninitialised => "uninitialised",
        MbarrierError::Invalidated { .. } => "invalidated",
        MbarrierError::InitOverLive { .. } => "init over live",
        MbarrierError::CountOutOfRange { .. } => "count",
        MbarrierError::OverArrival { .. } => "over-arrival",
        MbarrierError::PendingOutOfRange { .. } => "pending",
        MbarrierError::TxOperandOutOfRange { .. } => "operand",
        MbarrierError::TxOutOfRange { .. } => "tx",
        MbarrierError::NoCompleteCompletes { .. } => "noComplete",
        MbarrierError::DropsLast { .. } => "drops last",
        MbarrierError::TokenTooOld { .. } => "too old",
        MbarrierError::TokenOfFuture { .. } => "future",
        MbarrierError::NotAToken { .. } => "no token",
        MbarrierError::ParityOutOfRange { .. } => "parity",
        MbarrierError::CountOfCompletingToken => "count of token",
    }
}

/// The naive barrier: a life and, while live, a history.
#[derive(Clone, Debug, Default)]
struct Naive {
    history: Option<History>,
    invalidated: bool,
}

impl Naive {
    /// Judges an operation; an accepted one enters the history. `waited` is the phase of the token that a
    /// wait is for.
    fn judge(&mut self, op: Op, waited: Option<u64>) -> Verdict {
        let count_max = i64::from(MAX_COUNT);
        let tx_max = i64::from(MAX_TX);
        let Some(history) = &self.history else {
            return match op {
                Op::Init(count) => self.start(count),
                _ if self.invalidated => Verdict::Misuse("invalidated"),
                _ => Verdict::Misuse("uninitialised"),
            };
        };
        let now = history.standing();
        let event = match op {
            Op::Init(_) => return Verdict::Misuse("init over live"),
            Op::Inval => {
                let under_way = now.pending != now.expected || now.tx != 0;
                *self = Self { history: None, invalidated: true };
                return Verdict::Noted(under_way);
            }
            Op::WaitParity(parity) => {
                if parity > 1 {
                    return Verdict::Misuse("parity");
                }
                // Of the phases that may be asked for, the one with this parity.
                let current = now.phase % 2 == u64::from(parity);
                return if current {
                    Verdict::Passed(false, Some(now.phase))
                } else {
                    Verdict::Passed(true, now.phase.checked_sub(1))
                };
            }
            Op::WaitToken(_) => {
                let Some(phase) = waited else { return Verdict::Misuse("no token") };
                return if phase == now.phase {
                    Verdict::Passed(false, Some(phase))
                } else if phase + 1 == now.phase {
                    Verdict::Passed(true, Some(phase))
                } else if phase < now.phase {
                    Verdict::Misuse("too old")
                } else {
                    Verdict::Misuse("future")
                };
            }
            Op::Arrive(arrival) => {
                let count = i64::from(arrival.count);
                Event {
                    arrivals: count,
                    dropped: if arrival.drop { count } else { 0 },
                    bytes: i64::from(arrival.expect_tx.unwrap_or(0)),
                    ..Event::default()
                }
            }
            Op::Expect(bytes) => Event { bytes: i64::from(bytes), ..Event::default() },
            Op::Complete(bytes) => Event { bytes: -i64::from(bytes), ..Event::default() },
            Op::AddPending => Event { extra: 1, ..Event::default() },
        };
        let mut after = history.clone();
        after.events.push(event);
        let then = after.standing();
        let completed = (then.phase > now.phase).then_some(now.phase);
        let is_arrival = matches!(op, Op::Arrive(_));
        let no_complete = matches!(op, Op::Arrive(Arrival { no_complete: true, .. }));
        let broken = [
            (is_arrival && !(1..=count_max).contains(&event.arrivals), "count"),
            (event.bytes.abs() > tx_max, "operand"),
            (event.arrivals > now.pending, "over-arrival"),
            (now.pending + event.extra > count_max, "pending"),
            ((now.tx + event.bytes).abs() > tx_max, "tx"),
            (event.dropped > 0 && now.expected - event.dropped < 1, "drops last"),
            (no_complete && completed.is_some(), "noComplete"),
        ];
        match broken.iter().find(|(broken, _)| *broken) {
            Some((_, rule)) => Verdict::Misuse(rule),
            None => {
                self.history = Some(after);
                Verdict::Done { completed }
            }
        }
    }

    fn start(&mut self, count: u32) -> Verdict {
        if !(1..=MAX_COUNT).contains(&count) {
            return Verdict::Misuse("count");
        }
        self.history = Some(History { count: i64::from(count), events: Vec::new() });
        Verdict::Done { completed: None }
    }
}

/// Runs the operation on the machine's barrier; an arrival appends its token.
fn run(barrier: &mut Mbarrier, op: Op, tokens: &mut Vec<Token>) -> Verdict {
    let wait = |answer: Result<TestWait, MbarrierError>| match answer {
        Ok(TestWait::Passed { phase }) => Verdict::Passed(true, phase),
        Ok(TestWait::Pending { phase }) => Verdict::Passed(false, Some(phase)),
        Err(error) => Verdict::Misuse(name(error)),
    };
    let outcome = match op {
        Op::Init(count) => {
            return match barrier.init(count) {
                Ok(()) => Verdict::Done { completed: None },
                Err(error) => Verdict::Misuse(name(error)),
            };
        }
        Op::Inval => {
            return match barrier.inval() {
                Ok(note) => Verdict::Noted(note.is_some()),
                Err(error) => Verdict::Misuse(name(error)),
            };
        }
        Op::WaitToken(index) => {
            let bits = if tokens.is_empty() { 0 } else { tokens[index % tokens.len()].bits() };
            // As an interpreter does: the barrier must be live before its operand is looked at.
            if barrier.life() != Life::Live {
                return wait(barrier.test_wait_parity(0));
            }
            return wait(Token::from_bits(bits).and_then(|token| barrier.test_wait(token)));
        }
        Op::WaitParity(parity) => return wait(barrier.test_wait_parity(parity)),
        Op::Arrive(arrival) => barrier.arrive_on(arrival).inspect(|outcome| tokens.push(outcome.token)),
        Op::Expect(bytes) => barrier.expect_tx(bytes),
        Op::Complete(bytes) => barrier.complete_tx(bytes),
        Op::AddPending => barrier.add_pending(),
    };
    match outcome {
        Ok(outcome) => Verdict::Done { completed: outcome.completed },
        Err(error) => Verdict::Misuse(name(error)),
    }
}

/// Mostly small counts, so that phases complete; sometimes the ends of the range and beyond.
fn counts() -> impl Strategy<Value = u32> {
    prop_oneof![
        20 => 1..4_u32,
        1 => Just(0),
        1 => (MAX_COUNT - 1)..=(MAX_COUNT + 1),
        1 => any::<u32>(),
    ]
}

/// Mostly one of few byte counts, so that bytes balance; sometimes the ends of the range and beyond.
fn bytes() -> impl Strategy<Value = u32> {
    prop_oneof![
        20 => (0..3_u32).prop_map(|n| n * 16),
        2 => (MAX_TX - 16)..=(MAX_TX + 1),
        1 => any::<u32>(),
    ]
}

fn arrivals() -> impl Strategy<Value = Arrival> {
    let bytes = prop_oneof![3 => Just(None), 1 => bytes().prop_map(Some)];
    (counts(), bytes, prop::bool::weighted(0.15), prop::bool::weighted(0.3))
        .prop_map(|(count, expect_tx, drop, no_complete)| Arrival { count, expect_tx, drop, no_complete })
}

fn ops() -> impl Strategy<Value = Op> {
    prop_oneof![
        2 => counts().prop_map(Op::Init),
        1 => Just(Op::Inval),
        16 => arrivals().prop_map(Op::Arrive),
        3 => bytes().prop_map(Op::Expect),
        6 => bytes().prop_map(Op::Complete),
        2 => Just(Op::AddPending),
        6 => any::<usize>().prop_map(Op::WaitToken),
        4 => (0..3_u32).prop_map(Op::WaitParity),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_history(
        first in 1..8_u32,
        ops in prop::collection::vec(ops(), 1..80),
        born in any::<bool>(),
    ) {
        let mut barrier = Mbarrier::new();
        let mut naive = Naive::default();
        let mut tokens: Vec<Token> = Vec::new();
        let mut phases: Vec<u64> = Vec::new();
        let start = born.then_some(Op::Init(first));
        for op in start.into_iter().chain(ops) {
            let before = naive.history.as_ref().map(History::standing);
            let waited = match op {
                Op::WaitToken(index) if !phases.is_empty() => Some(phases[index % phases.len()]),
                _ => None,
            };
            let known = tokens.len();
            let state = barrier;
            let verdict = naive.judge(op, waited);
            prop_assert_eq!(run(&mut barrier, op, &mut tokens), verdict, "{:?} on {:?}", op, state);
            if let Verdict::Misuse(_) = verdict {
                prop_assert_eq!(barrier, state, "a misuse changed the barrier: {:?}", op);
            }
            if let (Some(before), Some(token)) = (before, tokens.get(known)) {
                prop_assert_eq!(token.phase(), before.phase);
                prop_assert_eq!(i64::from(token.pending()), before.pending);
                let no_complete = matches!(op, Op::Arrive(Arrival { no_complete: true, .. }));
                prop_assert_eq!(token.pending_count().ok(), no_complete.then(|| token.pending()));
                prop_assert_eq!(Token::from_bits(token.bits()), Ok(*token));
                phases.push(before.phase);
            }
            prop_assert_eq!(barrier.is_live(), naive.history.is_some());
            if let Some(now) = naive.history.as_ref().map(History::standing) {
                prop_assert_eq!(barrier.phase(), now.phase);
                prop_assert_eq!(i64::from(barrier.expected()), now.expected);
                prop_assert_eq!(i64::from(barrier.pending()), now.pending);
                prop_assert_eq!(i64::from(barrier.tx_count()), now.tx);
            }
        }
    }
}
