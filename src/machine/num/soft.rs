//! Correctly rounded arithmetic in every format and rounding mode, on whole numbers.
//!
//! Every operation computes its exact result, or the result cut off to 64 bits with a bit that says whether
//! something was cut off, and rounds once. It is the slow path: nearest-even in f32 and f64 is the host's.
//! IEEE 754-2019, sections 4.3 (directions), 6.3 (signs of zeros) and 7.2 (invalid operations).

use super::format::{Class, Float, Unpacked, unpack};
use super::round::{Rounding, infinity, jam, pack};

/// `(-1)^sign * sig * 2^exp`, exact or with a sticky lowest bit.
#[derive(Clone, Copy)]
struct Wide {
    sign: bool,
    exp: i32,
    sig: u128,
}

impl Wide {
    fn new(u: Unpacked) -> Self {
        Self { sign: u.sign, exp: u.exp, sig: u128::from(u.sig) }
    }

    /// Leading one to bit 125: one bit of room for the carry of a sum.
    fn normalised(self) -> Self {
        match self.sig.leading_zeros() {
            0..2 => self,
            zeros => {
                let up = zeros.saturating_sub(2).min(126);
                Self { sig: self.sig << up, exp: self.exp - up as i32, ..self }
            }
        }
    }

    fn round(self, format: Float, rounding: Rounding) -> u64 {
        let (up, sig) = jam(self.sig);
        pack(format, self.sign, self.exp + up, sig, rounding, false)
    }
}

/// The sum of two numbers other than zero, rounded. An operand has at most 106 significant bits, so that
/// where bits are shifted out at the bottom, a difference cancels at most its leading bit.
fn sum(format: Float, x: Wide, y: Wide, rounding: Rounding) -> u64 {
    let (x, y) = (x.normalised(), y.normalised());
    let (big, small) = if (x.exp, x.sig) >= (y.exp, y.sig) { (x, y) } else { (y, x) };
    let distance = (big.exp - small.exp) as u32;
    let low = match distance {
        0 => small.sig,
        1..=127 => small.sig >> distance | u128::from(small.sig & ((1 << distance) - 1) != 0),
        _ => 1,
    };
    let sig = if big.sign == small.sign { big.sig + low } else { big.sig - low };
    if sig == 0 {
        return exact_zero(format, rounding);
    }
    Wide { sign: big.sign, exp: big.exp, sig }.round(format, rounding)
}

/// The zero of `x - x`.
fn exact_zero(format: Float, rounding: Rounding) -> u64 {
    signed_zero(format, rounding == Rounding::Down)
}

fn signed_zero(format: Float, sign: bool) -> u64 {
    if sign { format.sign_mask() } else { 0 }
}

/// The NaN of an operation: canonical, except that F64 keeps the payload of its first NaN operand made
/// quiet, as NVIDIA hardware does for f64 alone (PTX ISA, `add`: "NaN payloads").
pub(super) fn nan(format: Float, operands: &[u64]) -> u64 {
    if format == Float::F64
        && let Some(bits) = operands.iter().find(|bits| format.is_nan(**bits))
    {
        return bits | 1 << 51;
    }
    format.canonical_nan()
}

/// `a + b`.
pub(super) fn add(format: Float, a: u64, b: u64, rounding: Rounding) -> u64 {
    let (x, y) = (unpack(format, a), unpack(format, b));
    match (x.class, y.class) {
        (Class::Nan, _) | (_, Class::Nan) => nan(format, &[a, b]),
        (Class::Infinite, Class::Infinite) if x.sign != y.sign => nan(format, &[a, b]),
        (Class::Infinite, _) => a,
        (_, Class::Infinite) => b,
        (Class::Zero, Class::Zero) if x.sign == y.sign => a,
        (Class::Zero, Class::Zero) => exact_zero(format, rounding),
        (Class::Zero, _) => b,
        (_, Class::Zero) => a,
        _ => sum(format, Wide::new(x), Wide::new(y), rounding),
    }
}

/// `a * b`.
pub(super) fn mul(format: Float, a: u64, b: u64, rounding: Rounding) -> u64 {
    let (x, y) = (unpack(format, a), unpack(format, b));
    let sign = x.sign != y.sign;
    match (x.class, y.class) {
        (Class::Nan, _)
        | (_, Class::Nan)
        | (Class::Infinite, Class::Zero)
        | (Class::Zero, Class::Infinite) => nan(format, &[a, b]),
        (Class::Infinite, _) | (_, Class::Infinite) => infinity(format, sign, false),
        (Class::Zero, _) | (_, Class::Zero) => signed_zero(format, sign),
        _ => product(x, y).round(format, rounding),
    }
}

fn product(x: Unpacked, y: Unpacked) -> Wide {
    Wide { sign: x.sign != y.sign, exp: x.exp + y.exp, sig: u128::from(x.sig) * u128::from(y.sig) }
}

/// `a * b + c`, rounded once.
pub(super) fn fma(format: Float, a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    let (x, y, z) = (unpack(format, a), unpack(format, b), unpack(format, c));
    let sign = x.sign != y.sign;
    match (x.class, y.class, z.class) {
        (Class::Nan, ..)
        | (_, Class::Nan, _)
        | (.., Class::Nan)
        | (Class::Infinite, Class::Zero, _)
        | (Class::Zero, Class::Infinite, _) => nan(format, &[a, b, c]),
        (Class::Infinite, ..) | (_, Class::Infinite, _) => {
            if z.class == Class::Infinite && z.sign != sign {
                nan(format, &[])
            } else {
                infinity(format, sign, false)
            }
        }
        (.., Class::Infinite) => c,
        (Class::Zero, ..) | (_, Class::Zero, _) => match z.class {
            Class::Zero if z.sign != sign => exact_zero(format, rounding),
            _ => c,
        },
        (.., Class::Zero) => product(x, y).round(format, rounding),
        _ => sum(format, product(x, y), Wide::new(z), rounding),
    }
}

/// `a / b`.
pub(super) fn div(format: Float, a: u64, b: u64, rounding: Rounding) -> u64 {
    let (x, y) = (unpack(format, a), unpack(format, b));
    let sign = x.sign != y.sign;
    match (x.class, y.class) {
        (Class::Nan, _)
        | (_, Class::Nan)
        | (Class::Infinite, Class::Infinite)
        | (Class::Zero, Class::Zero) => nan(format, &[a, b]),
        (Class::Infinite, _) | (_, Class::Zero) => infinity(format, sign, false),
        (Class::Zero, _) | (_, Class::Infinite) => signed_zero(format, sign),
        _ => {
            // 126 bits over at most 53 bits leave a quotient of at least 73 bits.
            let top = Wide::new(x).normalised();
            let divisor = u128::from(y.sig);
            let sig = (top.sig / divisor) | u128::from(!top.sig.is_multiple_of(divisor));
            Wide { sign, exp: top.exp - y.exp, sig }.round(format, rounding)
        }
    }
}

/// The square root of `a`.
pub(super) fn sqrt(format: Float, a: u64, rounding: Rounding) -> u64 {
    let x = unpack(format, a);
    match x.class {
        Class::Nan => nan(format, &[a]),
        Class::Zero => a,
        _ if x.sign => nan(format, &[]),
        Class::Infinite => a,
        Class::Finite => {
            // An even exponent; 125 or 126 bits under the root give 63 bits.
            let top = Wide::new(x).normalised();
            let odd = top.exp.rem_euclid(2);
            let square = top.sig << odd;
            let root = square.isqrt();
            // One more bit below, so that the sticky bit is not a bit of the root.
            let sig = root << 1 | u128::from(root * root != square);
            Wide { sign: false, exp: (top.exp - odd) / 2 - 1, sig }.round(format, rounding)
        }
    }
}
