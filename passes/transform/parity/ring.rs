//! Rings: waits whose parity is the number of the lap.
//!
//! Say a wait is executed once in every iteration of a nest of loops, and k counts those iterations. If its slot
//! repeats after every p iterations and p iterations have p different slots, then before iteration k the thread has
//! waited on that slot k / p times. A guard that skips the first k0 iterations makes it (k - k0) / p.
//!
//! Counters of 64 bits that go up from constants below 2⁴⁰ in steps below 2²⁰ do not overflow in any run that ends.

use tidegate_ir::builder::OpBuilder;
use tidegate_ir::ops::{ArithOp, Opcode, ScfOp, TgOp};
use tidegate_ir::{Module, Op, Value};

use super::super::constants::i64_constant;
use super::super::rewrite::is_outside;
use super::count::{Counts, Parity};
use super::{Wait, Waits, bool_constant};
use crate::analysis::divisor::gcd;

/// The largest start of a counter, and the largest step of one.
const MAX_START: i64 = 1 << 40;
const MAX_STEP: i64 = 1 << 20;

/// How the parity of a wait is computed: the exclusive or of the terms and of `odd`.
#[derive(Debug)]
pub(super) struct Plan {
    /// Each contributes the lowest bit of `(value - start) / step`.
    terms: Vec<Term>,
    odd: bool,
}

#[derive(Copy, Clone, Debug)]
struct Term {
    value: Value,
    start: Start,
    step: i64,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Start {
    Constant(i64),
    Value(Value),
}

/// A value that is `start + k * step` in the k-th iteration of a nest.
#[derive(Copy, Clone, Debug)]
struct Clock {
    value: Value,
    start: Start,
    step: i64,
}

impl Plan {
    pub(super) fn emit(&self, builder: &mut OpBuilder<'_>) -> Value {
        let mut parity = None;
        for term in &self.terms {
            let mut value = term.value;
            let start = match term.start {
                Start::Constant(0) => None,
                Start::Constant(start) => Some(builder.index(start)),
                Start::Value(start) => Some(start),
            };
            if let Some(start) = start {
                let op = builder.arith_subi(value, start, None);
                value = builder.module.result(op, 0);
            }
            if term.step != 1 {
                let step = builder.index(term.step);
                let op = builder.arith_divui(value, step, None);
                value = builder.module.result(op, 0);
            }
            let ty = builder.module.types.i1();
            let op = builder.arith_index_cast(value, ty);
            let bit = builder.module.result(op, 0);
            parity = Some(match parity {
                None => bit,
                Some(parity) => {
                    let op = builder.arith_xori(parity, bit);
                    builder.module.result(op, 0)
                }
            });
        }
        match (parity, self.odd) {
            (None, odd) => bool_constant(builder, odd),
            (Some(parity), false) => parity,
            (Some(parity), true) => {
                let one = bool_constant(builder, true);
                let op = builder.arith_xori(parity, one);
                builder.module.result(op, 0)
            }
        }
    }
}

/// The plan for `wait`, which is the only wait of its scope whose barrier has an unknown count.
pub(super) fn plan(module: &Module, waits: &Waits, counts: &Counts, wait: &Wait) -> Option<Plan> {
    let nest = Nest::around(module, wait)?;
    let outermost = *nest.loops.last()?;
    // A barrier that is initialised anew inside starts from 0 there.
    if waits
        .inits
        .iter()
        .any(|(&init, (root, _))| *root == wait.root && module.ancestors(init).any(|op| op == outermost))
    {
        return None;
    }
    let entry = counts.entries.get(&outermost)?.get(&wait.root)?;
    let ring = Ring::of(module, &nest, wait)?;
    // The barriers visited have all been seen equally often before the loop.
    let mut before = None;
    for visit in 0..ring.count {
        let slot = visit.checked_mul(ring.factor)?.checked_add(ring.base)?;
        let parity = entry.get(usize::try_from(slot).ok()?)?;
        if *parity == Parity::Unknown || before.is_some_and(|before| before != *parity) {
            return None;
        }
        before = Some(*parity);
    }
    let mut plan = Plan { terms: Vec::new(), odd: before? == Parity::Odd };
    let skipped = nest.guard(module)?;
    ring.laps(module, &nest, skipped, &mut plan)?;
    Some(plan)
}

/// The loops and the guard around a wait.
struct Nest {
    /// The loops, the innermost first.
    loops: Vec<Op>,
    /// A branch inside the innermost loop, and whether the wait is in its first region.
    guard: Option<(Op, bool)>,
}

impl Nest {
    fn around(module: &Module, wait: &Wait) -> Option<Self> {
        let mut nest = Self { loops: Vec::new(), guard: None };
        // Branches around all loops: they decide whether the nest is executed at all, which is at most once.
        let mut outside = false;
        let mut child = wait.op;
        for parent in module.ancestors(wait.op) {
            if parent == wait.scope {
                break;
            }
            match module.opcode(parent) {
                Opcode::Scf(ScfOp::For) if !outside => nest.loops.push(parent),
                Opcode::Scf(ScfOp::If) if nest.loops.is_empty() => {
                    if nest.guard.is_some() {
                        return None;
                    }
                    let block = module.op_block(child)?;
                    nest.guard = Some((parent, module.region_block(parent, 0) == Some(block)));
                }
                Opcode::Scf(ScfOp::If) => outside = true,
                _ => return None,
            }
            child = parent;
        }
        (!nest.loops.is_empty()).then_some(nest)
    }

    fn innermost(&self) -> Op {
        self.loops[0]
    }

    fn is_invariant(&self, module: &Module, value: Value) -> bool {
        self.loops.last().is_none_or(|&outermost| is_outside(module, value, outermost))
    }

    /// How many iterations the guard skips before it lets all others through.
    fn guard(&self, module: &Module) -> Option<i64> {
        let Some((branch, in_then)) = self.guard else { return Some(0) };
        let condition = module.defining_op(module.operand(branch, 0))?;
        if module.opcode(condition) != Opcode::Arith(ArithOp::CmpI) {
            return None;
        }
        let mut value = module.operand(condition, 0);
        let mut bound = i64_constant(module, module.operand(condition, 1))?;
        let predicate = module.attr_i64(condition, "predicate")?;
        // `value >= bound` lets through; as the counter starts at 0 or above, signed and unsigned agree.
        bound = match (predicate, in_then) {
            (9 | 5, true) | (6 | 2, false) => bound,
            (8 | 4, true) | (7 | 3, false) => bound.checked_add(1)?,
            (1, true) | (0, false) if bound == 0 => 1,
            _ => return None,
        };
        let mut scale = 1i64;
        if let Some((inner, divisor)) = quotient(module, value)
            && self.clock(module, value, 0).is_none()
        {
            value = inner;
            scale = divisor;
        }
        let clock = self.clock(module, value, 0)?;
        let Start::Constant(start) = clock.start else { return None };
        let bound = bound.checked_mul(scale)?;
        if !(0..=MAX_START).contains(&bound) {
            return None;
        }
        let distance = (bound - start).max(0);
        Some((distance + clock.step - 1) / clock.step)
    }

    /// `value` as a counter of the iterations of the loops from number `level` on.
    fn clock(&self, module: &Module, value: Value, level: usize) -> Option<Clock> {
        let looping = *self.loops.get(level)?;
        let last = level + 1 == self.loops.len();
        let body = module.region_block(looping, 0)?;
        let counter = module.block_args(body).first().copied()?;
        if value == counter && last {
            let lower = module.operand(looping, 0);
            let step = small(i64_constant(module, module.operand(looping, 2))?)?;
            return Some(Clock { value, start: self.start(module, lower)?, step });
        }
        if let Some(position) = module.block_args(body).iter().position(|&arg| arg == value) {
            let position = position.checked_sub(1)?;
            return self.carried(module, level, position);
        }
        // `outer * trips + inner`.
        if !last && level == 0 {
            return self.flattened(module, value);
        }
        None
    }

    /// Carried value `position` of loop number `level`, when each iteration adds a constant to it and the loops around
    /// hand it in and take it out again.
    fn carried(&self, module: &Module, level: usize, position: usize) -> Option<Clock> {
        let mut looping = *self.loops.get(level)?;
        let body = module.region_block(looping, 0)?;
        let value = module.block_args(body).get(position + 1).copied()?;
        if module.ty(value) != module.types.index() {
            return None;
        }
        let next = module.get_operand(module.terminator(body)?, position)?;
        let step = small(added_constant(module, next, value)?)?;
        let mut position = position;
        for &outer in &self.loops[level + 1..] {
            let body = module.region_block(outer, 0)?;
            let init = module.get_operand(looping, position + 3)?;
            let result = module.results(looping).nth(position)?;
            let arg = module.block_args(body).iter().position(|&arg| arg == init)?;
            position = arg.checked_sub(1)?;
            if module.get_operand(module.terminator(body)?, position) != Some(result) {
                return None;
            }
            looping = outer;
        }
        let init = module.get_operand(looping, position + 3)?;
        Some(Clock { value, start: self.start(module, init)?, step })
    }

    /// `outer * trips + inner` in a nest of two loops, where the inner one counts from 0 to `trips`.
    fn flattened(&self, module: &Module, value: Value) -> Option<Clock> {
        let inner = self.innermost();
        let body = module.region_block(inner, 0)?;
        let counter = module.block_args(body).first().copied()?;
        let (a, b) = binary(module, value, ArithOp::AddI)?;
        let product = if a == counter {
            b
        } else if b == counter {
            a
        } else {
            return None;
        };
        let (lower, upper, step) =
            (module.operand(inner, 0), module.operand(inner, 1), module.operand(inner, 2));
        if i64_constant(module, lower) != Some(0) || i64_constant(module, step) != Some(1) {
            return None;
        }
        let (x, y) = binary(module, product, ArithOp::MulI)?;
        let same = |trips: Value| {
            trips == upper
                || (i64_constant(module, trips).is_some()
                    && i64_constant(module, trips) == i64_constant(module, upper))
        };
        let outer = if same(y) {
            x
        } else if same(x) {
            y
        } else {
            return None;
        };
        if !self.is_invariant(module, upper) {
            return None;
        }
        let outer = self.clock(module, outer, 1)?;
        // From elsewhere than 0 the start would be a product.
        (outer.start == Start::Constant(0) && outer.step == 1).then_some(Clock {
            value,
            start: Start::Constant(0),
            step: 1,
        })
    }

    fn start(&self, module: &Module, value: Value) -> Option<Start> {
        match i64_constant(module, value) {
            Some(start) => (0..=MAX_START).contains(&start).then_some(Start::Constant(start)),
            None => self.is_invariant(module, value).then_some(Start::Value(value)),
        }
    }

    /// Whether the innermost loop runs the same number of times whenever it is entered, and how often.
    fn constant_trips(&self, module: &Module, looping: Op) -> Option<i64> {
        let bound = |index: usize| i64_constant(module, module.operand(looping, index));
        let (lower, upper, step) = (bound(0)?, bound(1)?, small(bound(2)?)?);
        ((0..=MAX_START).contains(&lower) && (lower..=MAX_START).contains(&upper))
            .then(|| (upper - lower + step - 1) / step)
    }

    /// The terms of the lowest bit of the number of iterations of the loops from `level` on, divided by `period` in
    /// the first of them; the number of iterations of that loop is a multiple of the period.
    fn count_bit(&self, module: &Module, level: usize, period: i64, plan: &mut Plan) -> Option<()> {
        let looping = *self.loops.get(level)?;
        let body = module.region_block(looping, 0)?;
        let counter = module.block_args(body).first().copied()?;
        if module.ty(counter) != module.types.index() {
            return None;
        }
        let step = small(i64_constant(module, module.operand(looping, 2))?)?;
        let start = self.start(module, module.operand(looping, 0))?;
        let whole = self.constant_trips(module, looping);
        // A loop of at most one period contributes nothing of its own.
        if whole.is_none_or(|trips| trips > period) {
            plan.terms.push(Term { value: counter, start, step: step.checked_mul(period)? });
        }
        if level + 1 == self.loops.len() {
            return Some(());
        }
        let trips = whole?;
        if trips % period != 0 {
            return None;
        }
        if trips / period % 2 == 1 { self.count_bit(module, level + 1, 1, plan) } else { Some(()) }
    }
}

/// How the slots of a wait follow each other.
struct Ring {
    /// The slots visited are `base + factor * (0 .. count)`.
    base: i64,
    factor: i64,
    count: i64,
    /// Iterations after which a slot comes again.
    period: i64,
    /// The counter that the period is one of; none when it is the number of iterations of the innermost loop, which
    /// are a multiple of the period unless there is no other loop.
    clock: Option<Clock>,
}

impl Ring {
    fn of(module: &Module, nest: &Nest, wait: &Wait) -> Option<Self> {
        let (factor, index) = match wait.slot.terms.as_slice() {
            [] => {
                // One barrier, in every iteration.
                return Some(Self {
                    base: wait.slot.base,
                    factor: 0,
                    count: 1,
                    period: 1,
                    clock: any_clock(module, nest),
                });
            }
            [(factor, index)] => (*factor, *index),
            _ => return None,
        };
        let (position, modulus) =
            remainder(module, index).map_or((index, None), |(value, n)| (value, Some(n)));
        let base = wait.slot.base;
        let (scale, clock_value) = affine(module, position, 0)?;
        if let Some(n) = modulus
            && let Some(clock) = nest.clock(module, clock_value, 0)
        {
            // A start that may be negative breaks the sequence where it wraps, unless n divides 2^64.
            if let Start::Value(start) = clock.start
                && !n.cast_unsigned().is_power_of_two()
                && !is_position(module, start)
            {
                return None;
            }
            let stride = scale.checked_mul(clock.step)? % n;
            let period = n / gcd(stride, n);
            return Some(Self { base, factor, count: n, period, clock: Some(clock) });
        }
        // The counter of the innermost loop, which starts again with each iteration of the others.
        let inner = nest.innermost();
        let counter = module.block_args(module.region_block(inner, 0)?).first().copied()?;
        if clock_value != counter {
            return None;
        }
        let trips = nest.constant_trips(module, inner)?;
        let step = small(i64_constant(module, module.operand(inner, 2))?)?;
        match modulus {
            Some(n) => {
                let stride = scale.checked_mul(step)? % n;
                Some(Self { base, factor, count: n, period: n / gcd(stride, n), clock: None })
            }
            None => {
                // Each slot once: as many as there are iterations.
                let lower = i64_constant(module, module.operand(inner, 0))?;
                let first = lower.checked_mul(scale)?.checked_mul(factor)?;
                (position == counter && trips > 0).then_some(Self {
                    base: base.checked_add(first)?,
                    factor: factor.checked_mul(step)?,
                    count: trips,
                    period: trips,
                    clock: None,
                })
            }
        }
    }

    /// Adds the terms of `(k - skipped) / period` to the plan.
    fn laps(&self, module: &Module, nest: &Nest, skipped: i64, plan: &mut Plan) -> Option<()> {
        let Some(clock) = self.clock else {
            return if skipped == 0 { nest.count_bit(module, 0, self.period, plan) } else { None };
        };
        let step = clock.step.checked_mul(self.period)?;
        if skipped % self.period == 0 {
            plan.odd ^= skipped / self.period % 2 == 1;
            plan.terms.push(Term { value: clock.value, start: clock.start, step });
            return Some(());
        }
        let Start::Constant(start) = clock.start else { return None };
        let start = start.checked_add(skipped.checked_mul(clock.step)?)?;
        plan.terms.push(Term { value: clock.value, start: Start::Constant(start), step });
        Some(())
    }
}

/// A counter of all iterations of the nest.
fn any_clock(module: &Module, nest: &Nest) -> Option<Clock> {
    let body = module.region_block(nest.innermost(), 0)?;
    let args = module.block_args(body);
    if nest.loops.len() == 1 {
        let counter = args.first().copied()?;
        return (module.ty(counter) == module.types.index())
            .then(|| nest.clock(module, counter, 0))
            .flatten();
    }
    args.iter().skip(1).find_map(|&arg| nest.clock(module, arg, 0))
}

/// Whether `value` is a position or an extent: not negative, and far from overflow.
fn is_position(module: &Module, value: Value) -> bool {
    let op = module.defining_op(value).map(|op| module.opcode(op));
    matches!(op, Some(Opcode::Tg(TgOp::AxisIndex | TgOp::Dim)))
}

/// A step of a counter.
fn small(step: i64) -> Option<i64> {
    (1..=MAX_STEP).contains(&step).then_some(step)
}

fn binary(module: &Module, value: Value, wanted: ArithOp) -> Option<(Value, Value)> {
    let op = module.defining_op(value)?;
    (module.opcode(op) == Opcode::Arith(wanted)).then(|| (module.operand(op, 0), module.operand(op, 1)))
}

/// The constant that `next` adds to `value`.
fn added_constant(module: &Module, next: Value, value: Value) -> Option<i64> {
    let (a, b) = binary(module, next, ArithOp::AddI)?;
    if a == value {
        i64_constant(module, b)
    } else if b == value {
        i64_constant(module, a)
    } else {
        None
    }
}

/// `value` as x modulo a constant.
fn remainder(module: &Module, value: Value) -> Option<(Value, i64)> {
    for rem in [ArithOp::RemUI, ArithOp::RemSI] {
        if let Some((x, n)) = binary(module, value, rem) {
            return i64_constant(module, n).filter(|&n| (1..=MAX_STEP).contains(&n)).map(|n| (x, n));
        }
    }
    let (x, mask) = binary(module, value, ArithOp::AndI)?;
    let n = i64_constant(module, mask)?.checked_add(1)?;
    ((1..=MAX_STEP).contains(&n) && n.cast_unsigned().is_power_of_two()).then_some((x, n))
}

/// `value` as x divided by a constant.
fn quotient(module: &Module, value: Value) -> Option<(Value, i64)> {
    if let Some((x, by)) = binary(module, value, ArithOp::DivUI) {
        return small(i64_constant(module, by)?).map(|by| (x, by));
    }
    let (x, by) = binary(module, value, ArithOp::ShRUI)?;
    let by = i64_constant(module, by)?;
    (0..=20).contains(&by).then(|| (x, 1 << by))
}

/// `value` as a constant multiple of x plus a constant; neither is negative.
fn affine(module: &Module, value: Value, depth: usize) -> Option<(i64, Value)> {
    if depth > 8 {
        return None;
    }
    if let Some((x, c)) = binary(module, value, ArithOp::AddI)
        && i64_constant(module, c).is_some_and(|c| (0..=MAX_START).contains(&c))
    {
        return affine(module, x, depth + 1);
    }
    if let Some((x, c)) = binary(module, value, ArithOp::MulI)
        && let Some(c) = i64_constant(module, c).and_then(small)
    {
        let (scale, x) = affine(module, x, depth + 1)?;
        return small(scale.checked_mul(c)?).map(|scale| (scale, x));
    }
    Some((1, value))
}
