//! Conversions and arithmetic against other ways to compute the same: the `half` crate, the host, f64.

use proptest::prelude::*;

use super::arith::*;
use super::arith16::*;
use super::cvt::*;
use super::format::Float;
use super::round::{Rounding, Saturation};
use super::soft;

const DIRECTIONS: [Rounding; 5] =
    [Rounding::NearestEven, Rounding::NearestAway, Rounding::Zero, Rounding::Down, Rounding::Up];

fn rn() -> CvtMods {
    CvtMods::default()
}

/// Numbers of f32 that include every special value, and cluster around the limits of narrower formats.
fn f32_bits() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => any::<u32>(),
        // Exponents near one: sums cancel, products are in range.
        4 => (any::<bool>(), 90u32..165, any::<u32>())
            .prop_map(|(s, e, m)| u32::from(s) << 31 | e << 23 | m & 0x7f_ffff),
        // Few bits: ties.
        3 => (any::<bool>(), 96u32..150, 0u32..0x800)
            .prop_map(|(s, e, m)| u32::from(s) << 31 | e << 23 | m << 12),
        1 => (any::<bool>(), any::<u32>()).prop_map(|(s, m)| u32::from(s) << 31 | m & 0x7f_ffff),
        1 => prop::sample::select(vec![
            0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fff_ffff, 0x7f80_0001, 0x3f80_0000, 0x7f7f_ffff, 1,
        ]),
    ]
}

fn f64_bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => any::<u64>(),
        3 => (any::<bool>(), 990u64..1060, any::<u64>())
            .prop_map(|(s, e, m)| u64::from(s) << 63 | e << 52 | m & ((1 << 52) - 1)),
        2 => (any::<bool>(), 990u64..1060, 0u64..64)
            .prop_map(|(s, e, m)| u64::from(s) << 63 | e << 52 | m << 46),
        1 => (any::<bool>(), 0u64..4, any::<u64>())
            .prop_map(|(s, e, m)| u64::from(s) << 63 | e << 52 | m & ((1 << 52) - 1)),
        1 => f32_bits().prop_map(|x| f64::from(f32::from_bits(x)).to_bits()),
    ]
}

fn same32(ours: u32, host: f32) -> bool {
    if host.is_nan() { ours == 0x7fff_ffff } else { ours == host.to_bits() }
}

fn same64(ours: u64, host: f64) -> bool {
    if host.is_nan() { Float::F64.is_nan(ours) } else { ours == host.to_bits() }
}

#[test]
fn every_f16_and_bf16_goes_to_f32_and_back() {
    for code in 0..=u16::MAX {
        let wide = f16_to_f32(code);
        assert_eq!(wide, Float::F16.to_f32(u64::from(code)).to_bits(), "{code:#x}");
        let is_nan = Float::F16.is_nan(u64::from(code));
        assert_eq!(f32_to_f16(wide), if is_nan { 0x7fff } else { code });
        let wide = bf16_to_f32(code);
        assert_eq!(wide, Float::Bf16.to_f32(u64::from(code)).to_bits(), "{code:#x}");
        let is_nan = Float::Bf16.is_nan(u64::from(code));
        assert_eq!(f32_to_bf16(wide), if is_nan { 0x7fff } else { code });
    }
}

#[test]
fn every_narrow_code_comes_back_in_every_direction() {
    for format in [Float::E2m1, Float::E2m3, Float::E3m2, Float::E4m3, Float::E5m2, Float::F16, Float::Bf16] {
        for code in 0..1u64 << format.storage_bits() {
            let want = if format.is_nan(code) { format.canonical_nan() } else { code };
            for rounding in DIRECTIONS {
                let mods = CvtMods::rounding(rounding);
                assert_eq!(encode_f32(format.to_f32(code).to_bits(), format, mods), want, "{format:?}");
            }
        }
    }
}

#[test]
fn narrow_formats_round_between_their_neighbours() {
    for format in [Float::E2m1, Float::E2m3, Float::E3m2, Float::E4m3, Float::E5m2, Float::F16] {
        for code in 0..format.max_finite() {
            let (low, high) = (format.to_f32(code), format.to_f32(code + 1));
            let middle = low + (high - low) / 2.0;
            let quarter = low + (high - low) / 4.0;
            let even = code + (code & 1);
            let encode = |x: f32, r| encode_f32(x.to_bits(), format, CvtMods::rounding(r));
            assert_eq!(encode(middle, Rounding::NearestEven), even);
            assert_eq!(encode(middle, Rounding::NearestAway), code + 1);
            assert_eq!(encode(middle, Rounding::Zero), code);
            assert_eq!(encode(quarter, Rounding::NearestEven), code);
            assert_eq!(encode(quarter, Rounding::Up), code + 1);
            assert_eq!(encode(quarter, Rounding::Down), code);
            let sign = format.sign_mask();
            assert_eq!(encode(-quarter, Rounding::Up), code | sign);
            assert_eq!(encode(-quarter, Rounding::Down), (code + 1) | sign);
            assert_eq!(encode(-middle, Rounding::NearestEven), even | sign);
        }
    }
}

#[test]
fn limits_of_conversions() {
    let finite = CvtMods { saturation: Saturation::Finite, ..rn() };
    let f = |x: f32| x.to_bits();
    // E4M3: 464 is the tie between 448 and what would be 480.
    assert_eq!(encode_f32(f(464.0), Float::E4m3, rn()), 0x7e);
    assert_eq!(encode_f32(f(465.0), Float::E4m3, rn()), 0x7f);
    assert_eq!(encode_f32(f(465.0), Float::E4m3, finite), 0x7e);
    assert_eq!(encode_f32(f(f32::NEG_INFINITY), Float::E4m3, finite), 0xfe);
    assert_eq!(encode_f32(f(f32::NAN), Float::E4m3, finite), 0x7f);
    assert_eq!(encode_f32(f(f32::NAN), Float::E5m2, finite), 0x7f);
    assert_eq!(encode_f32(f(f32::INFINITY), Float::E5m2, finite), 0x7b);
    assert_eq!(encode_f32(f(f32::INFINITY), Float::E5m2, rn()), 0x7c);
    assert_eq!(encode_f32(0xffc0_0000, Float::E2m1, finite), 7);
    assert_eq!(encode_f32(f(-100.0), Float::E2m1, finite), 0xf);
    assert_eq!(encode_f32(f(-100.0), Float::E2m1, CvtMods { relu: true, ..finite }), 0);
    assert_eq!(encode_f32(f(1e6), Float::F16, rn()), 0x7c00);
    assert_eq!(encode_f32(f(1e6), Float::F16, finite), 0x7bff);
    assert_eq!(encode_f32(f(1e6), Float::F16, CvtMods::rounding(Rounding::Zero)), 0x7bff);
    assert_eq!(encode_f32(f(-1e6), Float::F16, CvtMods::rounding(Rounding::Up)), 0xfbff);
    assert_eq!(encode_f32(f(-1e6), Float::F16, CvtMods::rounding(Rounding::Down)), 0xfc00);
    assert_eq!(encode_f32(f(2.5), Float::F16, CvtMods { saturation: Saturation::Unit, ..rn() }), 0x3c00);
    // TF32: a tie in bit 12.
    assert_eq!(encode_f32(0x3f80_1000, Float::Tf32, rn()), 0x3f80_0000);
    assert_eq!(encode_f32(0x3f80_1000, Float::Tf32, CvtMods::rounding(Rounding::NearestAway)), 0x3f80_2000);
    assert_eq!(encode_f32(0xff80_0001, Float::Tf32, rn()), 0x7fff_ffff);
    assert_eq!(encode_f32(0x7f7f_ffff, Float::Tf32, finite), 0x7f7f_e000);
    assert_eq!(encode_f32(0x7f7f_ffff, Float::Tf32, rn()), 0x7f80_0000);
    // f64.
    assert_eq!(encode_f64(1e300f64.to_bits(), Float::F32, rn()), 0x7f80_0000);
    assert_eq!(encode_f64(1e-40f64.to_bits(), Float::F32, CvtMods { ftz: true, ..rn() }), 0);
    assert_eq!(encode_f32(0x8000_0001, Float::F64, CvtMods { ftz: true, ..rn() }), 1 << 63);
    assert_eq!(encode_f32(0x7fff_ffff, Float::F64, rn()), 0x7fff_ffff_e000_0000);
    assert_eq!(float_to_float(0x7e, Float::E4m3, Float::F16, rn()), 0x5f00);
}

#[test]
fn scales() {
    let f = |x: f32| x.to_bits();
    for (x, up, zero) in [
        (0.0, 0, 0),
        (1.0, 127, 127),
        (-1.5, 128, 127),
        (2f32.powi(-127), 0, 0),
        (2f32.powi(-127) * 1.5, 1, 0),
        (2f32.powi(-126), 1, 1),
        (2f32.powi(127), 254, 254),
        (f32::MAX, 254, 254),
        (f32::INFINITY, 254, 254),
    ] {
        assert_eq!(f32_to_ue8m0(f(x), Rounding::Up, true), up, "{x}");
        assert_eq!(f32_to_ue8m0(f(x), Rounding::Zero, true), zero, "{x}");
    }
    assert_eq!(f32_to_ue8m0(f(f32::MAX), Rounding::Up, false), 255);
    assert_eq!(f32_to_ue8m0(f(f32::NAN), Rounding::Up, true), 255);
}

#[test]
fn integers() {
    let int = |x: f32, to, r| float_to_int(u64::from(x.to_bits()), Float::F32, to, r, false);
    assert_eq!(int(f32::NAN, Int::S32, Rounding::Zero), 0);
    assert_eq!(int(f32::NAN, Int::S64, Rounding::Zero), 1 << 63);
    assert_eq!(float_to_int(f64::NAN.to_bits(), Float::F64, Int::S32, Rounding::Zero, false) as u32, 1 << 31);
    assert_eq!(float_to_int(f64::NAN.to_bits(), Float::F64, Int::U32, Rounding::Zero, false), 1 << 31);
    assert_eq!(int(-1.0, Int::U32, Rounding::Zero), 0);
    assert_eq!(int(1e20, Int::U64, Rounding::Zero), u64::MAX);
    assert_eq!(int(-1e20, Int::S64, Rounding::Zero), 1 << 63);
    assert_eq!(int(300.0, Int::S8, Rounding::Zero), 127);
    assert_eq!(int(-300.0, Int::S8, Rounding::Zero), -128i64 as u64);
    assert_eq!(int(f32::INFINITY, Int::S32, Rounding::Zero), 0x7fff_ffff);
    assert_eq!(int(2.5, Int::S32, Rounding::NearestEven), 2);
    assert_eq!(int(-2.5, Int::S32, Rounding::Down), -3i64 as u64);
    assert_eq!(int(1e-40, Int::S32, Rounding::Up), 1);
    assert_eq!(float_to_int(1, Float::F32, Int::S32, Rounding::Up, true), 0);
    assert_eq!(float_to_int(0x4248, Float::F16, Int::U16, Rounding::Zero, false), 3);

    assert_eq!(int_to_float(u64::MAX, Int::U64, Float::F16, rn()), 0x7c00);
    assert_eq!(int_to_float(u64::MAX, Int::S32, Float::F32, rn()), u64::from((-1f32).to_bits()));
    let sat = CvtMods { saturation: Saturation::Unit, ..rn() };
    assert_eq!(int_to_float(7, Int::S32, Float::F32, sat), u64::from(1f32.to_bits()));
    assert_eq!(int_to_float(0, Int::S32, Float::F64, rn()), 0);

    assert_eq!(int_to_int(0xffff_ffff, Int::S32, Int::U8, true), 0);
    assert_eq!(int_to_int(0xffff_ffff, Int::S32, Int::U8, false), 0xff);
    assert_eq!(int_to_int(0x80, Int::S8, Int::S64, false), -128i64 as u64);
    assert_eq!(int_to_int(0xffff_ffff, Int::U32, Int::S16, true), 0x7fff);
    assert_eq!(int_to_int(u64::MAX, Int::U64, Int::S64, true), i64::MAX as u64);
}

#[test]
fn saturation_flushing_and_nans_of_arithmetic() {
    let f = |x: f32| x.to_bits();
    let near = Rounding::NearestEven;
    assert_eq!(f32_add(f(2.0), f(3.0), near, false, true), f(1.0));
    assert_eq!(f32_add(f(-2.0), f(1.0), near, false, true), 0);
    assert_eq!(f32_add(f(f32::INFINITY), f(f32::NEG_INFINITY), near, false, true), 0);
    assert_eq!(f32_add(f(f32::INFINITY), f(f32::NEG_INFINITY), near, false, false), 0x7fff_ffff);
    assert_eq!(f32_add(0xffc0_1234, f(1.0), near, false, false), 0x7fff_ffff);
    assert_eq!(f32_add(0x8000_0001, 0x8000_0001, near, true, false), 0x8000_0000);
    assert_eq!(f32_mul(0x0080_0000, f(0.5), near, false, false), 0x0040_0000);
    assert_eq!(f32_mul(0x0080_0000, f(-0.5), near, true, false), 0x8000_0000);
    assert_eq!(f32_fma(0x0000_0001, f(1.0), 0x8000_0001, near, true, false), 0);
    assert_eq!(f32_sub(f(1.0), f(1.0), Rounding::Down, false, false), f(-0.0));
    assert_eq!(f32_sub(f(1.0), f(1.0), near, false, false), 0);
    assert_eq!(f32_rcp(0x8000_0001, Rounding::Zero, true), f(f32::NEG_INFINITY));
    assert_eq!(f32_rcp(0x8000_0001, Rounding::Zero, false), f(f32::MIN));
    assert_eq!(f32_sqrt(f(-0.0), Rounding::Up, false), f(-0.0));
    assert_eq!(f32_sqrt(f(-1.0), Rounding::Up, false), 0x7fff_ffff);
    assert_eq!((f32_neg(0x0000_0001, true), f32_abs(0x8000_0001, true)), (0x8000_0000, 0));
    let infinity = f64::INFINITY.to_bits();
    assert_eq!(f64_sub(infinity, infinity, near), 0xfff8_0000_0000_0000);
    assert_eq!(f64_add(0x7ff0_0000_0000_0001, infinity, near), 0x7ff8_0000_0000_0001);
    assert_eq!(f64_add(0x7ff0_0000_0000_0001, infinity, Rounding::Up), 0x7ff8_0000_0000_0001);
}

/// Rounds `near + error`, where `near` is the f64 nearest to an exact value, to f32 by looking at the f32
/// neighbours: a way that shares nothing with `pack`.
fn direct(near: f64, error: f64, rounding: Rounding) -> f32 {
    let guess = near as f32;
    if guess.is_nan() || near.is_infinite() || (near == 0.0 && error == 0.0) {
        return guess;
    }
    // The largest f32 that is not above the value, and the smallest that is not below.
    let above = |x: f32| f64::from(x) > near || (f64::from(x) == near && error < 0.0);
    let below = |x: f32| f64::from(x) < near || (f64::from(x) == near && error > 0.0);
    let (mut low, mut high) = (guess, guess);
    if above(low) {
        low = low.next_down();
    }
    if below(high) {
        high = high.next_up();
    }
    match rounding {
        Rounding::Down => low,
        Rounding::Up => high,
        Rounding::Zero if near > 0.0 => low,
        Rounding::Zero => high,
        _ => guess,
    }
}

fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

const DIRECTED: [Rounding; 3] = [Rounding::Zero, Rounding::Down, Rounding::Up];

/// Equal, but for the sign of a zero, which `direct` does not know.
fn agrees(ours: u32, other: f32) -> bool {
    same32(ours, other) || (other == 0.0 && ours & 0x7fff_ffff == 0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn nearest_even_is_that_of_the_half_crate(x in f32_bits()) {
        let value = f32::from_bits(x);
        let f16 = if value.is_nan() { 0x7fff } else { half::f16::from_f32(value).to_bits() };
        prop_assert_eq!(f32_to_f16(x), f16);
        prop_assert_eq!(encode_f32(x, Float::F16, rn()), u64::from(f16));
        let bf16 = if value.is_nan() { 0x7fff } else { half::bf16::from_f32(value).to_bits() };
        prop_assert_eq!(f32_to_bf16(x), bf16);
        prop_assert_eq!(encode_f32(x, Float::Bf16, rn()), u64::from(bf16));
    }

    #[test]
    fn conversions_are_those_of_the_host(x in f64_bits(), i in any::<u64>()) {
        let value = f64::from_bits(x);
        prop_assert!(same32(encode_f64(x, Float::F32, rn()) as u32, value as f32));
        for rounding in DIRECTED {
            let ours = encode_f64(x, Float::F32, CvtMods::rounding(rounding)) as u32;
            prop_assert!(agrees(ours, direct(value, 0.0, rounding)), "{rounding:?}");
        }
        let zero = Rounding::Zero;
        if !value.is_nan() {
            prop_assert_eq!(float_to_int(x, Float::F64, Int::S64, zero, false), value as i64 as u64);
            prop_assert_eq!(float_to_int(x, Float::F64, Int::U64, zero, false), value as u64);
            prop_assert_eq!(float_to_int(x, Float::F64, Int::S32, zero, false) as u32, value as i32 as u32);
            let whole = value.round_ties_even() as i64 as u64;
            prop_assert_eq!(float_to_int(x, Float::F64, Int::S64, Rounding::NearestEven, false), whole);
            let floor = value.floor() as i64 as u64;
            prop_assert_eq!(float_to_int(x, Float::F64, Int::S64, Rounding::Down, false), floor);
            let up = value.ceil().to_bits();
            prop_assert_eq!(super::to_whole(Float::F64, x, Rounding::Up), up);
        }
        prop_assert_eq!(int_to_float(i, Int::U64, Float::F32, rn()) as u32, (i as f32).to_bits());
        prop_assert_eq!(int_to_float(i, Int::S64, Float::F64, rn()), (i as i64 as f64).to_bits());
        prop_assert_eq!(int_to_float(i, Int::S32, Float::F32, rn()) as u32, (i as i32 as f32).to_bits());
    }

    #[test]
    fn whole_number_arithmetic_is_the_hosts_to_nearest(
        a in f32_bits(), b in f32_bits(), c in f32_bits(),
        x in f64_bits(), y in f64_bits(), z in f64_bits(),
    ) {
        let near = Rounding::NearestEven;
        let (u, v, w) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
        let (a, b, c) = (u64::from(a), u64::from(b), u64::from(c));
        prop_assert!(same32(soft::add(Float::F32, a, b, near) as u32, u + v));
        prop_assert!(same32(soft::mul(Float::F32, a, b, near) as u32, u * v));
        prop_assert!(same32(soft::div(Float::F32, a, b, near) as u32, u / v));
        prop_assert!(same32(soft::sqrt(Float::F32, a, near) as u32, u.sqrt()));
        prop_assert!(same32(soft::fma(Float::F32, a, b, c, near) as u32, libm::fmaf(u, v, w)));
        prop_assert!(same32(f32_fma(a as u32, b as u32, c as u32, near, false, false), libm::fmaf(u, v, w)));
        let (p, q, r) = (f64::from_bits(x), f64::from_bits(y), f64::from_bits(z));
        prop_assert!(same64(soft::add(Float::F64, x, y, near), p + q));
        prop_assert!(same64(soft::mul(Float::F64, x, y, near), p * q));
        prop_assert!(same64(soft::div(Float::F64, x, y, near), p / q));
        prop_assert!(same64(soft::sqrt(Float::F64, x, near), p.sqrt()));
        prop_assert!(same64(f64_fma(x, y, z, near), libm::fma(p, q, r)));
        prop_assert_eq!(f64_fma(x, y, z, near), soft::fma(Float::F64, x, y, z, near));
        // A sum that cancels.
        let cancelled = (-(p * q)).to_bits();
        let want = libm::fma(p, q, f64::from_bits(cancelled));
        prop_assert!(same64(soft::fma(Float::F64, x, y, cancelled, near), want));
    }

    #[test]
    fn directed_rounding_agrees_with_f64(a in f32_bits(), b in f32_bits(), c in f32_bits()) {
        let (x, y, z) =
            (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b)), f64::from(f32::from_bits(c)));
        for r in DIRECTED {
            let (near, error) = exact_sum(x, y);
            prop_assert!(agrees(f32_add(a, b, r, false, false), direct(near, error, r)), "add {r:?}");
            prop_assert!(agrees(f32_mul(a, b, r, false, false), direct(x * y, 0.0, r)), "mul {r:?}");
            let (near, error) = exact_sum(x * y, z);
            prop_assert!(agrees(f32_fma(a, b, c, r, false, false), direct(near, error, r)), "fma {r:?}");
            let near = x / y;
            // The sign of the remainder, relative to that of the divisor, is that of the error.
            let error = libm::fma(-near, y, x) * y.signum();
            prop_assert!(agrees(f32_div(a, b, r, false), direct(near, error, r)), "div {r:?}");
            let near = x.sqrt();
            let error = libm::fma(-near, near, x);
            prop_assert!(agrees(f32_sqrt(a, r, false), direct(near, error, r)), "sqrt {r:?}");
        }
    }

    #[test]
    fn directions_of_f64_enclose_the_nearest(x in f64_bits(), y in f64_bits(), z in f64_bits()) {
        let ops: [&dyn Fn(Rounding) -> u64; 5] = [
            &|r| f64_add(x, y, r),
            &|r| f64_mul(x, y, r),
            &|r| f64_fma(x, y, z, r),
            &|r| f64_div(x, y, r),
            &|r| f64_sqrt(x, r),
        ];
        for op in ops {
            let [near, zero, down, up] =
                [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up].map(|r| f64::from_bits(op(r)));
            if near.is_nan() {
                prop_assert!(zero.is_nan() && down.is_nan() && up.is_nan());
                continue;
            }
            prop_assert!(down <= near && near <= up && (down == up || down.next_up() == up));
            prop_assert!(near == down || near == up);
            let towards_zero = if up > 0.0 { down } else { up };
            prop_assert_eq!(zero, towards_zero);
        }
    }

    #[test]
    fn halves_are_rounded_once(a in any::<u16>(), b in any::<u16>(), c in any::<u16>()) {
        let near = Rounding::NearestEven;
        let mods = HalfMods::default();
        for format in [Float::F16, Float::Bf16] {
            let (x, y, z) = (u64::from(a), u64::from(b), u64::from(c));
            prop_assert_eq!(u64::from(half_add(format, a, b, mods)), soft::add(format, x, y, near));
            prop_assert_eq!(u64::from(half_mul(format, a, b, mods)), soft::mul(format, x, y, near));
            prop_assert_eq!(u64::from(half_fma(format, a, b, c, mods)), soft::fma(format, x, y, z, near));
        }
    }
}

#[test]
fn modifiers_of_halves() {
    let f16 = Float::F16;
    let plain = HalfMods::default();
    assert_eq!(half_sub(f16, 0x3c00, 0x4000, HalfMods { relu: true, ..plain }), 0);
    assert_eq!(half_add(f16, 0x4000, 0x4000, HalfMods { sat: true, ..plain }), 0x3c00);
    assert_eq!(half_add(f16, 0x0001, 0x0001, HalfMods { ftz: true, ..plain }), 0);
    assert_eq!(half_add(f16, 0x0001, 0x0001, plain), 2);
    assert_eq!(half_fma(f16, 0xfc00, 0, 0, HalfMods { relu: true, ..plain }), 0x7fff);
    assert_eq!(half_mul(f16, 0x7bff, 0x4000, plain), 0x7c00);
    assert_eq!((half_neg(f16, 0x3c00, false), half_abs(f16, 0x8001, true)), (0xbc00, 0));
    assert_eq!(lanes2(0x3c00_4000, 0x4000_4000, |a, b| half_add(f16, a, b, plain)), 0x4200_4400);
}

#[test]
#[ignore = "a measurement: cargo test --release -p tidegate-machine -- --ignored --nocapture rates"]
fn scalar_rates() {
    use std::hint::black_box;

    use super::approx;

    let values: Vec<u32> = (0..4096).map(|i| (i as f32 * 0.01 - 20.0).to_bits()).collect();
    let measure = |name: &str, op: &dyn Fn(&[u32]) -> u32| {
        let start = std::time::Instant::now();
        for _ in 0..500 {
            black_box(op(black_box(&values)));
        }
        println!("{name}: {:.2} ns", start.elapsed().as_nanos() as f64 / (500.0 * 4096.0));
    };
    macro_rules! rate {
        ($name:expr, $op:expr) => {
            measure($name, &|v| v.iter().fold(0u32, |s, x| s ^ $op(black_box(*x))))
        };
    }
    let near = Rounding::NearestEven;
    rate!("nothing", |x| x);
    rate!("add.f32", |x| f32_add(x, 0x4000_0000, near, false, false));
    rate!("add.ftz.f32", |x| f32_add(x, 0x4000_0000, near, true, false));
    rate!("add.rz.f32", |x| f32_add(x, 0x4000_0000, Rounding::Zero, false, false));
    rate!("fma.rn.f32", |x| f32_fma(x, x, 0x4000_0000, near, false, false));
    rate!("fma.rn.f64", |x| f64_fma(u64::from(x) << 32, 3f64.to_bits(), 1f64.to_bits(), near) as u32);
    rate!("div.full.f32", |x| approx::f32_div_full(x, 0x4040_0000, false));
    rate!("ex2.approx.ftz.f32", |x| approx::f32_ex2(x, true));
    rate!("cvt.rn.f16.f32", |x| u32::from(f32_to_f16(x)));
    rate!("cvt.rn.satfinite.e4m3.f32", |x| {
        encode_f32(x, Float::E4m3, CvtMods { saturation: Saturation::Finite, ..rn() }) as u32
    });
    rate!("cvt.rzi.s32.f32", |x| float_to_int(u64::from(x), Float::F32, Int::S32, Rounding::Zero, false)
        as u32);
    rate!("fma.rn.f16", |x| u32::from(half_fma(Float::F16, x as u16, 0x3c01, 0x4000, HalfMods::default())));
    rate!("max.f32", |x| super::minmax::f32_max(x, 0x4000_0000, Default::default()));
}
