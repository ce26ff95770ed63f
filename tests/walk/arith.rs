//! `arith` and `math` on numbers: one function for each number of operands, by the docs in `src/ir/ops`.

use tidegate::ir::ops::{ArithOp, CMPF_PREDICATES, CMPI_PREDICATES, MathOp};

use super::number::{Elem, Num, round_to};

/// An integer read without its sign.
fn unsigned(elem: Elem, value: Num) -> u128 {
    let Elem::Int(width) = elem else { return 0 };
    (value.i() as u128) & (u128::MAX >> (128 - width))
}

/// An integer read with its sign; a set `i1` is -1.
fn signed(elem: Elem, value: Num) -> i128 {
    match elem {
        Elem::Int(1) => -i128::from(value.i() & 1),
        _ => i128::from(value.i()),
    }
}

/// `minimum` and `maximum` of IEEE 754-2019: NaN wins, and zeros are ordered by their sign.
fn extreme(a: f64, b: f64, larger: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b {
        return if a.is_sign_negative() == larger { b } else { a };
    }
    if (a > b) == larger { a } else { b }
}

/// `minNum` and `maxNum`: a number wins over NaN.
fn extreme_number(a: f64, b: f64, larger: bool) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => extreme(a, b, larger),
    }
}

fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// An op of dialect `arith` with two operands of one type and a result of it.
pub(crate) fn binary(op: ArithOp, elem: Elem, a: Num, b: Num) -> Result<Num, String> {
    use ArithOp as A;
    let (sa, sb) = (signed(elem, a), signed(elem, b));
    let (ua, ub) = (unsigned(elem, a), unsigned(elem, b));
    let divides =
        matches!(op, A::DivSI | A::DivUI | A::CeilDivSI | A::CeilDivUI | A::FloorDivSI | A::RemSI | A::RemUI);
    if divides && sb == 0 {
        return Err("divides by zero, which is undefined".into());
    }
    let width = match elem {
        Elem::Int(width) => width,
        Elem::Float(_) => 64,
    };
    if matches!(op, A::ShLI | A::ShRSI | A::ShRUI) && ub >= u128::from(width) {
        return Err("shifts by the width or more, which is undefined".into());
    }
    let (fa, fb) = (a.f(), b.f());
    Ok(match op {
        A::AddI => elem.int(sa + sb),
        A::SubI => elem.int(sa - sb),
        A::MulI => elem.int(sa.wrapping_mul(sb)),
        A::DivSI => elem.int(sa / sb),
        A::DivUI => elem.int((ua / ub) as i128),
        A::CeilDivSI => elem.int(-floor_div(-sa, sb)),
        A::CeilDivUI => elem.int(ua.div_ceil(ub) as i128),
        A::FloorDivSI => elem.int(floor_div(sa, sb)),
        A::RemSI => elem.int(sa % sb),
        A::RemUI => elem.int((ua % ub) as i128),
        A::AndI => elem.int(sa & sb),
        A::OrI => elem.int(sa | sb),
        A::XOrI => elem.int(sa ^ sb),
        A::ShLI => elem.int(sa << ub),
        A::ShRSI => elem.int(sa >> ub),
        A::ShRUI => elem.int((ua >> ub) as i128),
        A::MaxSI => elem.int(sa.max(sb)),
        A::MaxUI => elem.int(ua.max(ub) as i128),
        A::MinSI => elem.int(sa.min(sb)),
        A::MinUI => elem.int(ua.min(ub) as i128),
        // f64 has more than twice the bits of every narrower format and two more, so rounding twice changes nothing
        // (Figueroa, When is double rounding innocuous?, 1995).
        A::AddF => elem.float(fa + fb),
        A::SubF => elem.float(fa - fb),
        A::MulF => elem.float(fa * fb),
        A::DivF => elem.float(fa / fb),
        A::RemF => elem.float(fa % fb),
        A::MaximumF => elem.float(extreme(fa, fb, true)),
        A::MinimumF => elem.float(extreme(fa, fb, false)),
        A::MaxNumF => elem.float(extreme_number(fa, fb, true)),
        A::MinNumF => elem.float(extreme_number(fa, fb, false)),
        _ => return Err(format!("the walk does not know {op:?} of two operands")),
    })
}

/// A comparison, by the number of its predicate.
pub(crate) fn compare(op: ArithOp, predicate: i64, elem: Elem, a: Num, b: Num) -> Result<Num, String> {
    let known = if op == ArithOp::CmpI { CMPI_PREDICATES } else { CMPF_PREDICATES };
    let index = usize::try_from(predicate).unwrap_or(usize::MAX);
    let name = *known.get(index).ok_or("a comparison without a predicate")?;
    let holds = if op == ArithOp::CmpI {
        let (sa, sb, ua, ub) = (signed(elem, a), signed(elem, b), unsigned(elem, a), unsigned(elem, b));
        match name {
            "eq" => sa == sb,
            "ne" => sa != sb,
            "slt" => sa < sb,
            "sle" => sa <= sb,
            "sgt" => sa > sb,
            "sge" => sa >= sb,
            "ult" => ua < ub,
            "ule" => ua <= ub,
            "ugt" => ua > ub,
            _ => ua >= ub,
        }
    } else {
        let (a, b) = (a.f(), b.f());
        let unordered = a.is_nan() || b.is_nan();
        match name {
            "false" => false,
            "true" => true,
            "ord" => !unordered,
            "uno" => unordered,
            _ => {
                let plain = match &name[1..] {
                    "eq" => a == b,
                    "gt" => a > b,
                    "ge" => a >= b,
                    "lt" => a < b,
                    "le" => a <= b,
                    _ => a != b,
                };
                if unordered { name.starts_with('u') } else { plain }
            }
        }
    };
    Ok(Num::I(i64::from(holds)))
}

/// A conversion from one element type to another.
pub(crate) fn convert(op: ArithOp, from: Elem, to: Elem, value: Num) -> Result<Num, String> {
    use ArithOp as A;
    let whole = |value: f64| -> Result<i128, String> {
        let Elem::Int(width) = to else { return Ok(0) };
        let whole = value.trunc();
        let (low, high) = match op {
            A::FPToSI => (-f64::powi(2.0, width as i32 - 1), f64::powi(2.0, width as i32 - 1)),
            _ => (0.0, f64::powi(2.0, width as i32)),
        };
        match whole >= low && whole < high {
            true => Ok(whole as i128),
            false => Err(format!("converts {value} to {width} bits, where it does not fit: undefined")),
        }
    };
    Ok(match op {
        A::ExtSI | A::IndexCast | A::TruncI => to.int(signed(from, value)),
        A::ExtUI | A::IndexCastUI => to.int(unsigned(from, value) as i128),
        A::ExtF | A::TruncF => to.float(value.f()),
        // Through f64 numbers of 64 bits would be rounded twice.
        A::SIToFP => integer_to_float(signed(from, value), to),
        A::UIToFP => integer_to_float(unsigned(from, value) as i128, to),
        A::FPToSI | A::FPToUI => to.int(whole(value.f())?),
        A::Bitcast => to.decode(&from.encode(value)),
        _ => return Err(format!("the walk does not know {op:?} as a conversion")),
    })
}

fn integer_to_float(value: i128, to: Elem) -> Num {
    // Round to odd first: what is lost stays visible to the second rounding.
    let magnitude = value.unsigned_abs();
    let spare = (128 - magnitude.leading_zeros()).saturating_sub(50);
    let kept = magnitude >> spare;
    let sticky = u128::from(spare > 0 && kept << spare != magnitude);
    let exact = match (to, spare) {
        (Elem::Float(tidegate::ir::types::FloatKind::F64), _) | (_, 0) => magnitude as f64,
        _ => (kept | sticky) as f64 * f64::powi(2.0, spare as i32),
    };
    to.float(if value < 0 { -exact } else { exact })
}

/// An op of dialect `math`. Transcendental functions are computed in f64 and rounded once.
pub(crate) fn math(op: MathOp, elem: Elem, args: &[Num]) -> Result<Num, String> {
    use MathOp as M;
    let arg = |index: usize| args.get(index).copied().unwrap_or(Num::I(0));
    let (x, y) = (arg(0).f(), arg(1).f());
    let width = match elem {
        Elem::Int(width) => width,
        Elem::Float(_) => 64,
    };
    let bits = unsigned(elem, arg(0));
    Ok(match op {
        M::AbsI => elem.int(signed(elem, arg(0)).abs()),
        M::CountLeadingZeros => elem.int(i128::from(bits.leading_zeros() - (128 - width))),
        M::CountTrailingZeros => elem.int(i128::from(bits.trailing_zeros().min(width))),
        M::CtPop => elem.int(i128::from(bits.count_ones())),
        M::AbsF => elem.float(x.abs()),
        M::Ceil => elem.float(x.ceil()),
        M::Floor => elem.float(x.floor()),
        M::Trunc => elem.float(x.trunc()),
        M::Round => elem.float(x.round()),
        M::RoundEven => elem.float(x.round_ties_even()),
        M::Sqrt => elem.float(x.sqrt()),
        M::CopySign => elem.float(x.copysign(y)),
        M::Fma => match elem {
            Elem::Float(tidegate::ir::types::FloatKind::F32) => {
                elem.float(f64::from((x as f32).mul_add(y as f32, arg(2).f() as f32)))
            }
            _ => elem.float(x.mul_add(y, arg(2).f())),
        },
        M::Exp => elem.float(x.exp()),
        M::Exp2 => elem.float(x.exp2()),
        M::Log => elem.float(x.ln()),
        M::Log2 => elem.float(x.log2()),
        M::Log10 => elem.float(x.log10()),
        M::Rsqrt => elem.float(1.0 / x.sqrt()),
        M::Sin => elem.float(x.sin()),
        M::Cos => elem.float(x.cos()),
        M::Tanh => elem.float(x.tanh()),
        M::PowF => elem.float(x.powf(y)),
        M::Erf => elem.float(erf(x)),
    })
}

/// The error function: Maclaurin series up to 3 (Abramowitz and Stegun 7.1.6), beyond it the continued fraction 7.1.14.
fn erf(x: f64) -> f64 {
    let magnitude = x.abs();
    let value = if magnitude < 3.0 {
        let (mut term, mut sum) = (magnitude, magnitude);
        for n in 1..200 {
            term *= 2.0 * magnitude * magnitude / f64::from(2 * n + 1);
            sum += term;
        }
        sum * 2.0 / std::f64::consts::PI.sqrt() * (-magnitude * magnitude).exp()
    } else {
        let fraction = (1..60).rev().fold(magnitude, |below, n| magnitude + f64::from(n) / 2.0 / below);
        1.0 - (-magnitude * magnitude).exp() / fraction / std::f64::consts::PI.sqrt()
    };
    value.copysign(x)
}

/// Combines two elements in a reduction.
pub(crate) fn combine(kind: &str, elem: Elem, a: Num, b: Num) -> Result<Num, String> {
    use ArithOp as A;
    let float = matches!(elem, Elem::Float(_));
    let op = match (kind, float) {
        ("add", true) => A::AddF,
        ("add", false) => A::AddI,
        ("mul", true) => A::MulF,
        ("mul", false) => A::MulI,
        ("minui", _) => A::MinUI,
        ("minsi", _) => A::MinSI,
        ("minnumf", _) => A::MinNumF,
        ("maxui", _) => A::MaxUI,
        ("maxsi", _) => A::MaxSI,
        ("maxnumf", _) => A::MaxNumF,
        ("and", _) => A::AndI,
        ("or", _) => A::OrI,
        ("xor", _) => A::XOrI,
        ("maximumf", _) => A::MaximumF,
        ("minimumf", _) => A::MinimumF,
        _ => return Err(format!("the walk does not know the reduction `{kind}`")),
    };
    binary(op, elem, a, b)
}

/// A constant, brought to its type.
pub(crate) fn constant(value: f64, elem: Elem) -> Num {
    match elem {
        Elem::Float(kind) => Num::F(round_to(value, kind)),
        Elem::Int(_) => elem.int(value as i128),
    }
}
