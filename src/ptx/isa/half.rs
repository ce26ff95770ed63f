//! Arithmetic of f16 and bf16, alone and in pairs (ISA 9.7.4, "Half Precision Floating Point Instructions"), `tanh` and
//! `ex2` of them (9.7.3), and sums in f32 with operands of them (9.7.5, "Mixed Precision Floating Point Instructions").

use super::float::minmax_mods;
use super::lanewise::{Lanewise, Modifiers, Mods, Run32, lanes, need, wanted};
use crate::ast::ScalarType::{self, Bf16, Bf16x2, F16, F16x2, F32};
use crate::decode::Decoder;
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use tidegate_machine::hardware::Stop;
use tidegate_machine::num::arith16::{
    HalfMods, half_abs, half_add, half_fma, half_mul, half_neg, half_sub, half_to_f32, lanes1, lanes2, lanes3,
};
use tidegate_machine::num::minmax::{half_max, half_min};
use tidegate_machine::num::{Float, Rounding, approx, arith};

/// An instruction of this family.
#[derive(Clone, Debug)]
pub struct Op(Lanewise);

impl Op {
    #[inline(always)]
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        self.0.exec(x);
        Ok(Flow::Next)
    }
}

/// What tensor copies write for elements out of bounds when the tensor map asks for NaN (`OOB-NaN`; see
/// `TensorMap::oob_element`). Its bits are not published; these are those that the model's copies write.
const OUT_OF_BOUNDS: u16 = 0x7fff;

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
    let mut m = Modifiers::new(d);
    let (ty, format, packed) = match m.last() {
        Some("f16") => (F16, Float::F16, false),
        Some("f16x2") => (F16x2, Float::F16, true),
        Some("bf16") => (Bf16, Float::Bf16, false),
        Some("bf16x2") => (Bf16x2, Float::Bf16, true),
        _ => return d.unknown(),
    };
    if !packed && m.take("f32") {
        return mixed(d, m, ty, format).map(Op);
    }
    let mods = Mods { format, ..Mods::default() };
    match d.opcode().first().map_or("", String::as_str) {
        name @ ("add" | "sub" | "mul") => sum(d, m, mods, name, (ty, packed)),
        "fma" => fma(d, m, mods, (ty, packed)),
        name @ ("neg" | "abs") => sign(d, m, mods, name, (ty, packed)),
        name @ ("min" | "max") => minmax(d, m, mods, name, (ty, packed)),
        name @ ("tanh" | "ex2") => approximation(d, m, mods, name, (ty, packed)),
        _ => d.unknown(),
    }
    .map(Op)
}

type Decoded = Result<Lanewise, ParseError>;

/// The frequent modifiers, as constants in their own loops.
const PLAIN_F16: Mods = Mods { format: Float::F16, ..Mods::NONE };
const PLAIN_BF16: Mods = Mods { format: Float::Bf16, ..Mods::NONE };

/// The loop of a function of half-precision numbers, on one a register (the upper half of a slot stays zero) or two.
macro_rules! halves {
    ($packed:expr, $mods:expr, |$m:ident, $($x:ident),*| $e:expr) => {{
        let run: Run32 = match ($packed, $mods) {
            (true, PLAIN_F16) => halves!(@2 |_unused, $($x),*| { let $m = PLAIN_F16; $e }),
            (true, PLAIN_BF16) => halves!(@2 |_unused, $($x),*| { let $m = PLAIN_BF16; $e }),
            (true, _) => halves!(@2 |$m, $($x),*| $e),
            (false, PLAIN_F16) => halves!(@1 |_unused, $($x),*| { let $m = PLAIN_F16; $e }),
            (false, PLAIN_BF16) => halves!(@1 |_unused, $($x),*| { let $m = PLAIN_BF16; $e }),
            (false, _) => halves!(@1 |$m, $($x),*| $e),
        };
        run
    }};
    (@2 |$m:ident, $a:ident| $e:expr) => {
        |$m, $a, _, _| lanes(|i| lanes1($a[i], |$a| $e))
    };
    (@2 |$m:ident, $a:ident, $b:ident| $e:expr) => {
        |$m, $a, $b, _| lanes(|i| lanes2($a[i], $b[i], |$a, $b| $e))
    };
    (@2 |$m:ident, $a:ident, $b:ident, $c:ident| $e:expr) => {
        |$m, $a, $b, $c| lanes(|i| lanes3($a[i], $b[i], $c[i], |$a, $b, $c| $e))
    };
    (@1 |$m:ident, $a:ident| $e:expr) => {
        |$m, $a, _, _| lanes(|i| { let $a = $a[i] as u16; u32::from($e) })
    };
    (@1 |$m:ident, $a:ident, $b:ident| $e:expr) => {
        |$m, $a, $b, _| lanes(|i| { let ($a, $b) = ($a[i] as u16, $b[i] as u16); u32::from($e) })
    };
    (@1 |$m:ident, $a:ident, $b:ident, $c:ident| $e:expr) => {
        |$m, $a, $b, $c| lanes(|i| {
            let ($a, $b, $c) = ($a[i] as u16, $b[i] as u16, $c[i] as u16);
            u32::from($e)
        })
    };
}

fn half_mods(m: Mods) -> HalfMods {
    HalfMods { ftz: m.ftz, sat: m.sat, relu: m.relu }
}

/// f16 came with sm_53, bf16 with sm_80 (`fma`, `neg`, `abs`, `min`, `max`) and sm_90 (`add`, `sub`, `mul`).
fn need_format(d: &Decoder<'_>, format: Float, bf16: u32) -> Result<(), ParseError> {
    need(d, if format == Float::Bf16 { bf16 } else { 53 })
}

/// `add`, `sub`, `mul{.rn}{.ftz}{.sat}`, for bf16 without the last two.
fn sum(
    d: &mut Decoder<'_>,
    mut m: Modifiers<'_>,
    mut mods: Mods,
    name: &str,
    ty: (ScalarType, bool),
) -> Decoded {
    need_format(d, mods.format, 90)?;
    m.take("rn");
    if mods.format == Float::F16 {
        (mods.ftz, mods.sat) = (m.take("ftz"), m.take("sat"));
    }
    m.end(d)?;
    let run = match name {
        "add" => halves!(ty.1, mods, |m, a, b| half_add(m.format, a, b, half_mods(m))),
        "sub" => halves!(ty.1, mods, |m, a, b| half_sub(m.format, a, b, half_mods(m))),
        _ => halves!(ty.1, mods, |m, a, b| half_mul(m.format, a, b, half_mods(m))),
    };
    Lanewise::decode32::<2>(d, ty.0, mods, run)
}

/// `fma.rn{.ftz}{.sat}`, `.rn{.ftz}.relu` of f16, `.rn{.relu}` of bf16, `.rn.oob{.relu}` of both.
fn fma(d: &mut Decoder<'_>, mut m: Modifiers<'_>, mut mods: Mods, ty: (ScalarType, bool)) -> Decoded {
    need_format(d, mods.format, 80)?;
    if !m.take("rn") {
        return d.error("`fma` of half precision needs its rounding mode, `.rn`");
    }
    (mods.oob, mods.relu) = (m.take("oob"), m.take("relu"));
    if mods.oob {
        need(d, 90)?;
    } else if mods.format == Float::F16 {
        mods.ftz = m.take("ftz");
        mods.sat = !mods.relu && m.take("sat");
    }
    m.end(d)?;
    let run = if mods.oob {
        halves!(ty.1, mods, |m, a, b, c| {
            if a == OUT_OF_BOUNDS || b == OUT_OF_BOUNDS {
                0
            } else {
                half_fma(m.format, a, b, c, half_mods(m))
            }
        })
    } else {
        halves!(ty.1, mods, |m, a, b, c| half_fma(m.format, a, b, c, half_mods(m)))
    };
    Lanewise::decode32::<3>(d, ty.0, mods, run)
}

/// `neg`, `abs{.ftz}`; `.ftz` for f16 only.
fn sign(
    d: &mut Decoder<'_>,
    mut m: Modifiers<'_>,
    mut mods: Mods,
    name: &str,
    ty: (ScalarType, bool),
) -> Decoded {
    need_format(d, mods.format, 80)?;
    mods.ftz = mods.format == Float::F16 && m.take("ftz");
    m.end(d)?;
    let run = if name == "neg" {
        halves!(ty.1, mods, |m, a| half_neg(m.format, a, m.ftz))
    } else {
        halves!(ty.1, mods, |m, a| half_abs(m.format, a, m.ftz))
    };
    Lanewise::decode32::<1>(d, ty.0, mods, run)
}

/// `min`, `max{.ftz}{.NaN}{.xorsign.abs}`; `.ftz` for f16 only.
fn minmax(
    d: &mut Decoder<'_>,
    mut m: Modifiers<'_>,
    mut mods: Mods,
    name: &str,
    ty: (ScalarType, bool),
) -> Decoded {
    need(d, 80)?;
    mods.ftz = mods.format == Float::F16 && m.take("ftz");
    mods.nan = m.take("NaN");
    if m.take("xorsign") {
        if !m.take("abs") {
            return d.error("`.xorsign` stands before `.abs`");
        }
        need(d, 86)?;
        mods.xorsign = true;
    }
    m.end(d)?;
    let run = if name == "min" {
        halves!(ty.1, mods, |m, a, b| half_min(m.format, a, b, minmax_mods(m)))
    } else {
        halves!(ty.1, mods, |m, a, b| half_max(m.format, a, b, minmax_mods(m)))
    };
    Lanewise::decode32::<2>(d, ty.0, mods, run)
}

/// `tanh.approx`, `ex2.approx` (which has `.ftz` for bf16, always).
fn approximation(
    d: &mut Decoder<'_>,
    mut m: Modifiers<'_>,
    mods: Mods,
    name: &str,
    ty: (ScalarType, bool),
) -> Decoded {
    need_format(d, mods.format, 90)?;
    need(d, 75)?;
    if !m.take("approx") {
        return d.error(format!("`{name}` exists as `{name}.approx` only"));
    }
    let run = if name == "tanh" {
        halves!(ty.1, mods, |m, a| approx::half_tanh(m.format, a))
    } else {
        if mods.format == Float::Bf16 && !m.take("ftz") {
            return d.error("`ex2.approx` of bf16 needs `.ftz`");
        }
        halves!(ty.1, mods, |m, a| approx::half_ex2(m.format, a))
    };
    m.end(d)?;
    Lanewise::decode32::<1>(d, ty.0, mods, run)
}

/// `add`, `sub{.rnd}{.sat}.f32.type d, a, c` and `fma.rnd{.sat}.f32.type d, a, b, c`: `a` and `b` are of half precision,
/// `c` and the result are f32 (ISA 9.7.5, sm_100).
fn mixed(d: &mut Decoder<'_>, mut m: Modifiers<'_>, ty: ScalarType, format: Float) -> Decoded {
    need(d, 100)?;
    let mut mods = Mods { format, ..Mods::default() };
    let rounding = m.rounding();
    mods.sat = m.take("sat");
    m.end(d)?;
    let run: Run32 = match d.opcode().first().map_or("", String::as_str) {
        "fma" => {
            mods.rounding = wanted(d, rounding)?;
            let run: Run32 = |m, a, b, c| {
                lanes(|i| arith::f32_fma(wide(m, a[i]), wide(m, b[i]), c[i], m.rounding, false, m.sat))
            };
            return Lanewise::mixed32(d, F32, [ty, ty, F32], mods, run);
        }
        "add" => |m, a, c, _| lanes(|i| arith::f32_add(wide(m, a[i]), c[i], m.rounding, false, m.sat)),
        "sub" => |m, a, c, _| lanes(|i| arith::f32_sub(wide(m, a[i]), c[i], m.rounding, false, m.sat)),
        _ => return d.unknown(),
    };
    mods.rounding = rounding.unwrap_or(Rounding::NearestEven);
    Lanewise::mixed32(d, F32, [ty, F32], mods, run)
}

#[inline(always)]
fn wide(m: Mods, a: u32) -> u32 {
    half_to_f32(m.format, a as u16).to_bits()
}

#[cfg(test)]
mod tests {
    use crate::launch::Module;
    use crate::testing::snippet;

    /// Runs an instruction; registers `%h...` have 16 bits, `%r...` 32. `%hd` or `%rd` is the result.
    fn result(text: &str, values: &[(&str, u128)]) -> u128 {
        let body = format!(".reg .b16 %ha, %hb, %hc, %hd; .reg .b32 %ra, %rb, %rc, %rd; {text};");
        let run = snippet(&body).target("sm_100a");
        let to = if text.contains("%hd") { "%hd" } else { "%rd" };
        values.iter().fold(run, |run, (name, value)| run.all(name, *value)).get(to)[31]
    }

    fn one(text: &str, a: u128, b: u128) -> u128 {
        result(text, &[("%ha", a), ("%hb", b)])
    }

    fn two(text: &str, a: u128, b: u128) -> u128 {
        result(text, &[("%ra", a), ("%rb", b)])
    }

    // f16: 1 is 0x3c00, 2 0x4000, 3 0x4200, 4 0x4400; bf16: 1 is 0x3f80, 2 0x4000, 3 0x4040, 4 0x4080.

    #[test]
    fn f16_alone_leaves_the_upper_half_zero() {
        assert_eq!(one("add.f16 %hd, %ha, %hb", 0x3c00, 0x4000), 0x4200);
        assert_eq!(one("sub.rn.f16 %hd, %ha, %hb", 0x3c00, 0x4000), 0xbc00);
        assert_eq!(one("mul.ftz.f16 %hd, %ha, %hb", 0x0001, 0x4000), 0);
        assert_eq!(one("mul.f16 %hd, %ha, %hb", 0x0001, 0x4000), 2);
        assert_eq!(one("add.sat.f16 %hd, %ha, %hb", 0x3c00, 0x4000), 0x3c00);
        assert_eq!(one("max.f16 %hd, %ha, %hb", 0xbc00, 0x4000), 0x4000);
        assert_eq!(one("min.NaN.f16 %hd, %ha, %hb", 0xfe00, 0x4000), 0x7fff);
        assert_eq!(one("max.xorsign.abs.bf16 %hd, %ha, %hb", 0xc040, 0x4000), 0xc040);
        assert_eq!(result("neg.f16 %hd, %ha", &[("%ha", 0x3c00)]), 0xbc00);
        assert_eq!(result("abs.bf16 %hd, %ha", &[("%ha", 0xbf80)]), 0x3f80);
        assert_eq!(result("tanh.approx.f16 %hd, %ha", &[("%ha", 0xfc00)]), 0xbc00);
        assert_eq!(result("ex2.approx.ftz.bf16 %hd, %ha", &[("%ha", 0x4000)]), 0x4080);
        let three = [("%ha", 0x4000), ("%hb", 0x4200), ("%hc", 0xc800)];
        // 2 * 3 - 8 = -2
        assert_eq!(result("fma.rn.f16 %hd, %ha, %hb, %hc", &three), 0xc000);
        assert_eq!(result("fma.rn.relu.f16 %hd, %ha, %hb, %hc", &three), 0);
    }

    #[test]
    fn pairs() {
        assert_eq!(two("add.f16x2 %rd, %ra, %rb", 0x3c00_4000, 0x4000_c000), 0x4200_0000);
        assert_eq!(two("sub.bf16x2 %rd, %ra, %rb", 0x4040_3f80, 0x3f80_3f80), 0x4000_0000);
        assert_eq!(two("mul.rn.bf16x2 %rd, %ra, %rb", 0x4000_3f80, 0x4000_c000), 0x4080_c000);
        assert_eq!(two("min.bf16x2 %rd, %ra, %rb", 0x4000_3f80, 0x3f80_c000), 0x3f80_c000);
        assert_eq!(result("neg.bf16x2 %rd, %ra", &[("%ra", 0x3f80_bf80)]), 0xbf80_3f80);
        assert_eq!(result("ex2.approx.f16x2 %rd, %ra", &[("%ra", 0x3c00_4000)]), 0x4000_4400);
        let three = [("%ra", 0x3f80_4000), ("%rb", 0x4040_4040), ("%rc", 0xc080_c000)];
        // 1 * 3 - 4 = -1 and 2 * 3 - 2 = 4
        assert_eq!(result("fma.rn.bf16x2 %rd, %ra, %rb, %rc", &three), 0xbf80_4080);
        assert_eq!(result("fma.rn.relu.bf16x2 %rd, %ra, %rb, %rc", &three), 0x0000_4080);
        let outside = [("%ra", 0x7fff_4000), ("%rb", 0x4040_4040), ("%rc", 0xc080_c000)];
        assert_eq!(result("fma.rn.oob.bf16x2 %rd, %ra, %rb, %rc", &outside), 0x0000_4080);
    }

    #[test]
    fn mixed_precision() {
        let bits = |f: f32| u128::from(f.to_bits());
        let values = [("%ha", 0x4200), ("%rc", bits(0.5))];
        assert_eq!(result("add.f32.f16 %rd, %ha, %rc", &values), bits(3.5));
        assert_eq!(result("sub.rn.f32.f16 %rd, %ha, %rc", &values), bits(2.5));
        let values = [("%ha", 0x4040), ("%hb", 0xc000), ("%rc", bits(0.5))];
        assert_eq!(result("fma.rn.f32.bf16 %rd, %ha, %hb, %rc", &values), bits(-5.5));
        assert_eq!(result("fma.rz.sat.f32.bf16 %rd, %ha, %hb, %rc", &values), 0);
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        for text in [
            "add.rz.f16 %hd, %ha, %hb",
            "add.sat.bf16 %hd, %ha, %hb",
            "add.ftz.bf16x2 %rd, %ra, %rb",
            "fma.f16 %hd, %ha, %hb, %ha",
            "fma.rn.sat.relu.f16 %hd, %ha, %hb, %ha",
            "fma.rn.oob.sat.f16 %hd, %ha, %hb, %ha",
            "neg.ftz.bf16 %hd, %ha",
            "max.abs.f16 %hd, %ha, %hb",
            "tanh.f16 %hd, %ha",
            "ex2.approx.bf16 %hd, %ha",
            "div.rn.f16 %hd, %ha, %hb",
            "sin.approx.f16 %hd, %ha",
            "add.f16 %hd, %ha, %rb",
            "add.f16x2 %hd, %ha, %hb",
            "mul.f32.f16 %rd, %ha, %rb",
            "add.f32.f16x2 %rd, %ra, %rb",
        ] {
            let body = format!(".reg .b16 %ha, %hb, %hd; .reg .b32 %ra, %rb, %rd; {text};");
            assert!(
                Module::from_text(&snippet(&body).target("sm_100a").module_text()).is_err(),
                "{text} is accepted"
            );
        }
    }
}
