//! Ranges of `index` values: which fit 32 bits, so that the lowering may compute with half the registers and
//! instructions, and what they are multiples of, so that it may use wide loads.
//!
//! A simple forward analysis in one pass over the kernel. Loop counters are bounded by their loops; other values that
//! loops carry may be anything.

use rustc_hash::FxHashMap;
use tidegate_ir::ops::{ArithOp, Opcode, ScfOp, TgOp};
use tidegate_ir::types::{DYNAMIC, TypeKind};
use tidegate_ir::{Block, Module, Op, Value};

use super::shape::{AxisKind, KernelShape};

/// What is known of an integer: it lies from `low` to `high`, and is a multiple of `multiple`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least it can be.
    pub low: i64,
    /// The most it can be.
    pub high: i64,
    /// What divides it; 0 for the number 0, which everything divides.
    pub multiple: i64,
}

impl Range {
    /// Nothing is known.
    pub const ANY: Self = Self { low: i64::MIN, high: i64::MAX, multiple: 1 };

    /// The number `value`.
    pub fn number(value: i64) -> Self {
        Self { low: value, high: value, multiple: value.checked_abs().unwrap_or(1) }
    }

    /// From 0 to below `limit`.
    pub fn below(limit: i64) -> Self {
        Self { low: 0, high: limit.saturating_sub(1).max(0), multiple: 1 }
    }

    /// Whether it fits 31 bits, so that signed and unsigned 32-bit arithmetic agree on it.
    pub fn is_narrow(self) -> bool {
        self.low >= 0 && self.high <= i64::from(i32::MAX)
    }

    /// The number, when there is only one.
    pub fn as_number(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    fn union(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            multiple: gcd(self.multiple, other.multiple),
        }
    }

    fn new(low: Option<i64>, high: Option<i64>, multiple: i64) -> Self {
        match (low, high) {
            (Some(low), Some(high)) => Self { low, high, multiple: multiple.max(0) },
            // Wrapped around: only a power of two still divides it.
            _ => Self { multiple: 1 << multiple.trailing_zeros().min(32), ..Self::ANY },
        }
    }

    fn add(self, other: Self) -> Self {
        let multiple = gcd(self.multiple, other.multiple);
        Self::new(self.low.checked_add(other.low), self.high.checked_add(other.high), multiple)
    }

    fn sub(self, other: Self) -> Self {
        let multiple = gcd(self.multiple, other.multiple);
        Self::new(self.low.checked_sub(other.high), self.high.checked_sub(other.low), multiple)
    }

    fn mul(self, other: Self) -> Self {
        let corners = [
            self.low.checked_mul(other.low),
            self.low.checked_mul(other.high),
            self.high.checked_mul(other.low),
            self.high.checked_mul(other.high),
        ];
        let multiple = self.multiple.checked_mul(other.multiple).unwrap_or(1);
        match corners.iter().copied().collect::<Option<Vec<_>>>() {
            Some(corners) => {
                Self::new(corners.iter().min().copied(), corners.iter().max().copied(), multiple)
            }
            None => Self::new(None, None, multiple),
        }
    }

    /// Division of numbers that are not negative.
    fn div(self, other: Self) -> Self {
        if self.low < 0 || other.low < 1 {
            return Self::ANY;
        }
        let multiple = match other.as_number() {
            Some(divisor) if self.multiple % divisor == 0 => self.multiple / divisor,
            _ => 1,
        };
        Self { low: self.low / other.high, high: self.high / other.low, multiple }
    }

    /// Remainder of numbers that are not negative.
    fn rem(self, other: Self) -> Self {
        if self.low < 0 || other.low < 1 {
            return Self::ANY;
        }
        let multiple = other.as_number().map_or(1, |divisor| gcd(self.multiple, divisor));
        Self { low: 0, high: self.high.min(other.high - 1), multiple }
    }
}

/// The greatest common divisor; 0 divides like 0 does.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.checked_abs().unwrap_or(1), b.checked_abs().unwrap_or(1));
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The ranges of the integers of a kernel.
#[derive(Debug, Default)]
pub struct Ranges {
    known: FxHashMap<Value, Range>,
}

impl Ranges {
    /// Analyses the kernel of `shape`.
    pub fn of(module: &Module, shape: &KernelShape) -> Self {
        let mut this = Self::default();
        if let Some(body) = module.region_block(shape.op, 0) {
            this.block(module, shape, body);
        }
        this
    }

    /// What is known of `value`.
    pub fn get(&self, value: Value) -> Range {
        self.known.get(&value).copied().unwrap_or(Range::ANY)
    }

    fn block(&mut self, module: &Module, shape: &KernelShape, block: Block) {
        for op in module.block_ops(block) {
            self.op(module, shape, op);
        }
    }

    fn op(&mut self, module: &Module, shape: &KernelShape, op: Op) {
        let operand =
            |index: usize| module.get_operand(op, index).map_or(Range::ANY, |value| self.get(value));
        let range = match module.opcode(op) {
            Opcode::Arith(arith) => arith_range(module, arith, op, &operand),
            Opcode::Tg(TgOp::AxisIndex) => axis_range(module, shape, op),
            Opcode::Tg(TgOp::Dim) => Some(Range { low: 0, high: i64::from(u32::MAX), multiple: 1 }),
            Opcode::Scf(ScfOp::For) => {
                self.for_loop(module, shape, op);
                None
            }
            Opcode::Tg(_)
            | Opcode::Scf(_)
            | Opcode::Math(_)
            | Opcode::Vector(_)
            | Opcode::Builtin(_)
            | Opcode::Opaque(_) => {
                for &region in module.regions(op) {
                    for &block in module.region_blocks(region) {
                        self.block(module, shape, block);
                    }
                }
                None
            }
        };
        if let (Some(range), 1) = (range, module.num_results(op)) {
            let result = module.result(op, 0);
            if is_integer(module, result) {
                self.known.insert(result, range);
            }
        }
    }

    fn for_loop(&mut self, module: &Module, shape: &KernelShape, op: Op) {
        let bound = |index: usize| module.get_operand(op, index).map_or(Range::ANY, |value| self.get(value));
        let (lower, upper, step) = (bound(0), bound(1), bound(2));
        let Some(body) = module.region_block(op, 0) else { return };
        if let Some(&counter) = module.block_args(body).first() {
            // In a pass the counter is below the upper bound.
            let high = upper.high.saturating_sub(1).max(lower.low);
            let multiple = gcd(lower.multiple, step.multiple);
            self.known.insert(counter, Range { low: lower.low, high, multiple });
        }
        self.block(module, shape, body);
    }
}

fn is_integer(module: &Module, value: Value) -> bool {
    matches!(module.types.kind(module.ty(value)), TypeKind::Index | TypeKind::Integer { .. })
}

fn axis_range(module: &Module, shape: &KernelShape, op: Op) -> Option<Range> {
    let name = module.attr_str(op, "axis")?;
    let crew = shape.crews.iter().find(|crew| module.ancestors(op).any(|ancestor| ancestor == crew.op));
    let limit = match shape.axis(crew.or(shape.crews.first())?, name)? {
        AxisKind::Grid(axis) => shape.grid.get(axis)?.extent.map_or(i64::from(i32::MAX), i64::from),
        AxisKind::Cluster(axis) => i64::from(shape.cluster.get(axis)?.1),
        AxisKind::Thread => i64::from(crew?.threads),
    };
    Some(Range::below(limit))
}

fn arith_range(module: &Module, arith: ArithOp, op: Op, operand: &dyn Fn(usize) -> Range) -> Option<Range> {
    let (a, b) = (operand(0), operand(1));
    let range = match arith {
        ArithOp::Constant => {
            let value = module.attr(op, "value").and_then(|attr| module.attrs.as_i64(attr))?;
            if value == DYNAMIC { Range::ANY } else { Range::number(value) }
        }
        ArithOp::AddI => a.add(b),
        ArithOp::SubI => a.sub(b),
        ArithOp::MulI => a.mul(b),
        ArithOp::DivUI | ArithOp::DivSI | ArithOp::FloorDivSI => a.div(b),
        ArithOp::CeilDivSI | ArithOp::CeilDivUI => match b.as_number() {
            Some(divisor) if divisor > 0 => Range { multiple: 1, ..a.add(Range::number(divisor - 1)).div(b) },
            _ => Range::ANY,
        },
        ArithOp::RemUI | ArithOp::RemSI => a.rem(b),
        ArithOp::AndI => match (a.low >= 0, b.low >= 0) {
            (false, false) => Range::ANY,
            (_, true) => {
                Range { low: 0, high: b.high.min(if a.low >= 0 { a.high } else { i64::MAX }), multiple: 1 }
            }
            (true, false) => Range { low: 0, high: a.high, multiple: 1 },
        },
        ArithOp::ShLI => match b.as_number() {
            Some(shift) if (0..31).contains(&shift) => a.mul(Range::number(1 << shift)),
            _ => Range::ANY,
        },
        ArithOp::ShRUI | ArithOp::ShRSI => match b.as_number() {
            Some(shift) if (0..31).contains(&shift) => a.div(Range::number(1 << shift)),
            _ => Range::ANY,
        },
        ArithOp::MinSI | ArithOp::MinUI if a.low >= 0 && b.low >= 0 => {
            Range { high: a.high.min(b.high), ..a.union(b) }
        }
        ArithOp::MaxSI | ArithOp::MaxUI if a.low >= 0 && b.low >= 0 => {
            Range { low: a.low.max(b.low), ..a.union(b) }
        }
        ArithOp::Select => b.union(operand(2)),
        ArithOp::IndexCast | ArithOp::ExtSI => a,
        ArithOp::IndexCastUI | ArithOp::ExtUI if a.low >= 0 => a,
        ArithOp::IndexCastUI | ArithOp::ExtUI => {
            let source = module.get_operand(op, 0).and_then(|value| module.types.bit_width(module.ty(value)));
            match source {
                Some(width) if width < 63 => Range::below(1 << width),
                _ => Range::ANY,
            }
        }
        ArithOp::MinSI
        | ArithOp::MinUI
        | ArithOp::MaxSI
        | ArithOp::MaxUI
        | ArithOp::OrI
        | ArithOp::XOrI
        | ArithOp::AddF
        | ArithOp::SubF
        | ArithOp::MulF
        | ArithOp::DivF
        | ArithOp::RemF
        | ArithOp::MaximumF
        | ArithOp::MinimumF
        | ArithOp::MaxNumF
        | ArithOp::MinNumF
        | ArithOp::NegF
        | ArithOp::AddUIExtended
        | ArithOp::MulSIExtended
        | ArithOp::MulUIExtended
        | ArithOp::CmpI
        | ArithOp::CmpF
        | ArithOp::TruncI
        | ArithOp::ExtF
        | ArithOp::TruncF
        | ArithOp::SIToFP
        | ArithOp::UIToFP
        | ArithOp::FPToSI
        | ArithOp::FPToUI
        | ArithOp::Bitcast => return None,
    };
    // Integers of fewer bits wrap around.
    Some(match module.types.kind(module.ty(module.results(op).next()?)) {
        TypeKind::Index => range,
        TypeKind::Integer { width, .. } if (1..=63).contains(width) => {
            let limit = 1i64 << (width - 1);
            if range.low >= -limit && range.high < limit {
                range
            } else {
                Range { low: -limit, high: limit - 1, multiple: 1 }
            }
        }
        _ => Range::ANY,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_keeps_bounds_and_divisors() {
        let k = Range { low: 0, high: 15, multiple: 1 };
        let offset = k.mul(Range::number(128)).add(Range::number(64));
        assert_eq!(offset, Range { low: 64, high: 15 * 128 + 64, multiple: 64 });
        assert_eq!(k.rem(Range::number(4)), Range { low: 0, high: 3, multiple: 1 });
        assert_eq!(offset.div(Range::number(64)), Range { low: 1, high: 31, multiple: 1 });
        assert!(offset.is_narrow());
        assert!(!k.sub(Range::number(1)).is_narrow(), "it may be negative");
    }

    #[test]
    fn what_wraps_around_keeps_only_powers_of_two() {
        let any = Range::ANY.mul(Range::number(24));
        assert_eq!(any, Range { multiple: 8, ..Range::ANY });
        assert_eq!(Range::number(0).multiple, 0);
        assert_eq!(gcd(0, 12), 12);
    }

    #[test]
    fn division_by_what_may_be_zero_tells_nothing() {
        assert_eq!(Range::number(8).div(Range::below(4)), Range::ANY);
        assert_eq!(Range::number(8).rem(Range::below(4)), Range::ANY);
    }
}
