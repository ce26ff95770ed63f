use super::*;
use crate::launch::Module;
use crate::testing::snippet;

const NAN: u128 = 0x7fff_ffff;

fn bits(f: f32) -> u128 {
    u128::from(f.to_bits())
}

fn bits64(f: f64) -> u128 {
    u128::from(f.to_bits())
}

/// Runs an instruction on registers of one type, its result in `%d`; what it does not name has no slot.
fn result(ty: &str, text: &str, values: [u128; 3]) -> u128 {
    let body = format!(".reg .{ty} %a, %b, %c, %d; {text};");
    let run = snippet(&body).target("sm_100a");
    let named = ["%a", "%b", "%c"].into_iter().zip(values).filter(|(name, _)| text.contains(name));
    named.fold(run, |run, (name, value)| run.all(name, value)).get("%d")[31]
}

fn f32_of(text: &str, a: u128, b: u128, c: u128) -> u128 {
    result("f32", text, [a, b, c])
}

fn f64_of(text: &str, a: u128, b: u128, c: u128) -> u128 {
    result("b64", text, [a, b, c])
}

fn refused(text: &str, target: &'static str) -> String {
    let body = format!(".reg .f32 %a, %b, %d; .reg .b64 %x, %y; .reg .pred %p; {text};");
    let module = snippet(&body).target(target).module_text();
    Module::from_text(&module).unwrap_err()[0].message.clone()
}

#[test]
fn sums_and_products() {
    let (a, b, c) = (bits(1.5), bits(-2.25), bits(10.0));
    assert_eq!(f32_of("add.f32 %d, %a, %b", a, b, c), bits(-0.75));
    assert_eq!(f32_of("sub.rn.f32 %d, %a, %b", a, b, c), bits(3.75));
    assert_eq!(f32_of("mul.f32 %d, %a, 0f40000000", a, b, c), bits(3.0));
    assert_eq!(f32_of("fma.rn.f32 %d, %a, %b, %c", a, b, c), bits(6.625));
    assert_eq!(f32_of("mad.rn.f32 %d, %a, %b, %c", a, b, c), bits(6.625));
    assert_eq!(f32_of("add.sat.f32 %d, %a, %b", a, b, c), 0);
    assert_eq!(f32_of("fma.rn.sat.f32 %d, %a, %b, %c", a, b, c), bits(1.0));
    // 1 + 2^-24 is half a unit above 1: even is 1, up is 1 + 2^-23.
    let half_unit = bits(f32::powi(2.0, -24));
    assert_eq!(f32_of("add.f32 %d, %a, %b", bits(1.0), half_unit, 0), 0x3f80_0000);
    assert_eq!(f32_of("add.rp.f32 %d, %a, %b", bits(1.0), half_unit, 0), 0x3f80_0001);
    assert_eq!(f32_of("sub.rz.f32 %d, %a, %b", bits(1.0), half_unit, 0), 0x3f7f_ffff);
    // Rounded once: (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24, of which the product in f32 would lose the end.
    let near_one = bits(1.0 + f32::powi(2.0, -12));
    let exact = bits(f32::powi(2.0, -11) + f32::powi(2.0, -24));
    assert_eq!(f32_of("fma.rn.f32 %d, %a, %a, %b", near_one, bits(-1.0), 0), exact);
}

#[test]
fn not_a_number_is_canonical_and_subnormal_numbers_are_flushed() {
    let infinity = bits(f32::INFINITY);
    assert_eq!(f32_of("sub.f32 %d, %a, %a", infinity, 0, 0), NAN);
    assert_eq!(f32_of("add.f32 %d, %a, %b", 0xffc0_1234, bits(1.0), 0), NAN);
    assert_eq!(f32_of("mul.ftz.f32 %d, %a, %b", 0x0000_0001, bits(2.0), 0), 0);
    assert_eq!(f32_of("mul.f32 %d, %a, %b", 0x0000_0001, bits(2.0), 0), 2);
    assert_eq!(f32_of("add.ftz.f32 %d, %a, %b", 0x8000_0001, 0x8000_0001, 0), 0x8000_0000);
    assert_eq!(f32_of("abs.ftz.f32 %d, %a", 0x8000_0001, 0, 0), 0);
    assert_eq!(f32_of("neg.f32 %d, %a", bits(3.0), 0, 0), bits(-3.0));
}

#[test]
fn quotients_and_roots() {
    let (one, three) = (bits(1.0), bits(3.0));
    assert_eq!(f32_of("div.full.f32 %d, %a, %b", one, three, 0), 0x3eaa_aaab);
    assert_eq!(f32_of("div.rz.f32 %d, %a, %b", one, three, 0), 0x3eaa_aaaa);
    assert_eq!(f32_of("div.approx.ftz.f32 %d, %a, %b", bits(6.0), three, 0), bits(2.0));
    assert_eq!(f32_of("rcp.rn.f32 %d, %a", bits(4.0), 0, 0), bits(0.25));
    assert_eq!(f32_of("rcp.approx.ftz.f32 %d, %a", 0x0000_0001, 0, 0), bits(f32::INFINITY));
    assert_eq!(f32_of("sqrt.rn.f32 %d, %a", bits(2.0), 0, 0), bits(f32::sqrt(2.0)));
    assert_eq!(f32_of("sqrt.approx.f32 %d, %a", bits(-1.0), 0, 0), NAN);
    assert_eq!(f32_of("rsqrt.approx.f32 %d, %a", bits(16.0), 0, 0), bits(0.25));
    assert_eq!(f32_of("ex2.approx.ftz.f32 %d, %a", three, 0, 0), bits(8.0));
    assert_eq!(f32_of("lg2.approx.f32 %d, %a", bits(8.0), 0, 0), three);
    assert_eq!(f32_of("sin.approx.f32 %d, %a", 0, 0, 0), 0);
    assert_eq!(f32_of("cos.approx.f32 %d, %a", 0, 0, 0), one);
    assert_eq!(f32_of("tanh.approx.f32 %d, %a", bits(f32::INFINITY), 0, 0), one);
}

#[test]
fn smallest_and_largest() {
    let (a, b, c) = (bits(-3.0), bits(2.0), bits(-5.0));
    assert_eq!(f32_of("max.f32 %d, %a, %b", a, b, c), b);
    assert_eq!(f32_of("min.f32 %d, %a, %b", a, b, c), a);
    assert_eq!(f32_of("max.f32 %d, %a, %b", NAN, b, c), b);
    assert_eq!(f32_of("max.NaN.f32 %d, %a, %b", NAN, b, c), NAN);
    assert_eq!(f32_of("min.xorsign.abs.f32 %d, %a, %b", a, b, c), bits(-2.0));
    assert_eq!(f32_of("max.f32 %d, %a, %b, %c", a, b, c), b);
    assert_eq!(f32_of("max.abs.f32 %d, %a, %b, %c", a, b, c), bits(5.0));
    assert_eq!(f32_of("min.f32 %d, %a, %b, %c", a, b, c), c);
    // The fast forms against the general ones.
    let values = [
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0xffff_ffff,
    ];
    for a in values {
        for b in values {
            let mods = MinMaxMods::default();
            assert_eq!(plain_max(a, b), minmax::f32_max(a, b, mods), "{a:#x} {b:#x}");
            assert_eq!(plain_min(a, b), minmax::f32_min(a, b, mods), "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn doubles() {
    let (a, b, c) = (bits64(1.5), bits64(-2.25), bits64(10.0));
    assert_eq!(f64_of("add.f64 %d, %a, %b", a, b, c), bits64(-0.75));
    assert_eq!(f64_of("sub.rp.f64 %d, %a, %b", a, b, c), bits64(3.75));
    assert_eq!(f64_of("mul.f64 %d, %a, %b", a, b, c), bits64(-3.375));
    assert_eq!(f64_of("fma.rn.f64 %d, %a, %b, %c", a, b, c), bits64(6.625));
    assert_eq!(f64_of("div.rn.f64 %d, %c, %a", a, b, c), bits64(10.0 / 1.5));
    assert_eq!(f64_of("rcp.rz.f64 %d, %c", a, b, c), bits64(0.1) - 1);
    assert_eq!(f64_of("sqrt.rn.f64 %d, %a", bits64(9.0), b, c), bits64(3.0));
    assert_eq!(f64_of("rsqrt.approx.f64 %d, %a", bits64(4.0), b, c), bits64(0.5));
    assert_eq!(f64_of("rcp.approx.ftz.f64 %d, %a", bits64(4.0), b, c), bits64(0.25));
    assert_eq!(f64_of("abs.f64 %d, %b", a, b, c), bits64(2.25));
    assert_eq!(f64_of("neg.f64 %d, %b", a, b, c), bits64(2.25));
    assert_eq!(f64_of("min.f64 %d, %a, %b", a, b, c), b);
    assert_eq!(f64_of("copysign.f64 %d, %b, %c", a, b, c), bits64(-10.0));
}

#[test]
fn pairs_are_two_numbers() {
    let two = |low: f32, high: f32| bits(low) | bits(high) << 32;
    let (a, b, c) = (two(1.0, 2.0), two(3.0, -4.0), two(0.5, 100.0));
    assert_eq!(f64_of("add.f32x2 %d, %a, %b", a, b, c), two(4.0, -2.0));
    assert_eq!(f64_of("sub.rn.f32x2 %d, %a, %b", a, b, c), two(-2.0, 6.0));
    assert_eq!(f64_of("mul.ftz.f32x2 %d, %a, %b", a, b, c), two(3.0, -8.0));
    assert_eq!(f64_of("fma.rn.f32x2 %d, %a, %b, %c", a, b, c), two(3.5, 92.0));
    assert!(refused("add.f32x2 %x, %x, %y", "sm_90a").contains("sm_100"));
}

#[test]
fn properties() {
    // 0, a subnormal number, 1, infinity, NaN
    let numbers = [0, 1, 0x3f80_0000, 0xff80_0000, 0x7fc0_0000];
    for (property, wanted) in [
        ("finite", [1, 1, 1, 0, 0]),
        ("infinite", [0, 0, 0, 1, 0]),
        ("number", [1, 1, 1, 1, 0]),
        ("notanumber", [0, 0, 0, 0, 1]),
        ("normal", [1, 0, 1, 0, 0]),
        ("subnormal", [0, 1, 0, 0, 0]),
    ] {
        let body = format!(".reg .f32 %a; .reg .pred %p; testp.{property}.f32 %p, %a;");
        let found = snippet(&body).each("%a", |lane| numbers[lane as usize % 5]).get("%p");
        assert_eq!(found[..5], wanted, "{property}");
        let wide = [0, 1, 0x3ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48];
        let body = format!(".reg .f64 %a; .reg .pred %p; testp.{property}.f64 %p, %a;");
        let found = snippet(&body).each("%a", |lane| wide[lane as usize % 5]).get("%p");
        assert_eq!(found[..5], wanted, "{property}");
    }
    assert_eq!(f32_of("copysign.f32 %d, %a, %b", bits(-1.0), bits(7.0), 0), bits(-7.0));
}

#[test]
fn guarded_lanes_alone_are_written() {
    let body = ".reg .f32 %a; .reg .pred %p; @%p add.f32 %a, %a, %a;";
    let found = snippet(body).each("%p", |lane| lane & 1).all("%a", bits(1.0)).get("%a");
    assert_eq!(found[..4], [bits(1.0), bits(2.0), bits(1.0), bits(2.0)]);
}

#[test]
fn what_does_not_exist_is_refused() {
    for text in [
        "add.rn.rz.f32 %d, %a, %b",
        "add.relu.f32 %d, %a, %b",
        "add.ftz.f64 %x, %x, %y",
        "fma.f32 %d, %a, %b, %a",
        "div.f32 %d, %a, %b",
        "div.approx.rn.f32 %d, %a, %b",
        "sin.f32 %d, %a",
        "sin.approx.f64 %x, %y",
        "tanh.approx.ftz.f32 %d, %a",
        "min.xorsign.f32 %d, %a, %b",
        "max.abs.f32 %d, %a, %b",
        "max.NaN.f64 %x, %x, %y",
        "max.f32 %d, %a, %b, %a",
        "rcp.approx.f64 %x, %y",
        "sqrt.f32 %d, %a",
        "add.f32 %d, %a",
        "add.f32 %d, %a, %x",
        "add.f64 %x, %y, %a",
        "testp.odd.f32 %p, %a",
        "copysign.ftz.f32 %d, %a, %b",
        "add.f32 _, %a, %b",
    ] {
        refused(text, "sm_90a");
    }
    assert!(refused("add.relu.f32 %d, %a, %b", "sm_90a").contains("`.relu`"));
}
