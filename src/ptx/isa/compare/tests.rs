use crate::launch::Module;
use crate::testing::{compute, snippet};

fn setp(form: &str, ty: &str, a: u128, b: u128) -> u128 {
    compute("pred", &format!("setp.{form} d, a, b;"), &[(ty, a), (ty, b)])
}

#[test]
fn integers() {
    let minus = u128::from(u32::MAX);
    for (form, found) in [
        ("eq.s32", 0),
        ("ne.s32", 1),
        ("lt.s32", 1),
        ("le.s32", 1),
        ("gt.s32", 0),
        ("ge.s32", 0),
        ("lt.u32", 0),
        ("le.u32", 0),
        ("gt.u32", 1),
        ("ge.u32", 1),
        ("lo.u32", 0),
        ("ls.u32", 0),
        ("hi.u32", 1),
        ("hs.u32", 1),
        ("eq.b32", 0),
        ("ne.b32", 1),
    ] {
        assert_eq!(setp(form, "b32", minus, 1), found, "{form}");
    }
    for (form, found) in
        [("eq.s32", 1), ("ne.s32", 0), ("lt.s32", 0), ("le.s32", 1), ("gt.u32", 0), ("hs.u32", 1)]
    {
        assert_eq!(setp(form, "b32", 9, 9), found, "{form}");
    }
    assert_eq!(setp("lt.s16", "b16", 0xffff, 0), 1);
    assert_eq!(setp("lt.u16", "b16", 0xffff, 0), 0);
    assert_eq!(setp("lt.s64", "b64", u64::MAX.into(), 0), 1);
    assert_eq!(setp("gt.u64", "b64", u64::MAX.into(), 0), 1);
}

#[test]
fn floats_and_nan() {
    let (one, two, nan) = (0x3f80_0000, 0x4000_0000, 0x7fc0_0000);
    let forms = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];
    for ((a, b), found) in [
        ((one, two), [0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0]),
        ((two, two), [1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0]),
        ((two, one), [0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0]),
        ((nan, one), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1]),
    ] {
        let (a16, b16) = (a >> 16, b >> 16);
        for (form, found) in forms.iter().zip(found) {
            assert_eq!(setp(&format!("{form}.f32"), "f32", a, b), found, "{form} {a:x} {b:x}");
            assert_eq!(setp(&format!("{form}.bf16"), "b16", a16, b16), found, "{form} {a:x} {b:x}");
        }
    }
    assert_eq!(setp("eq.f32", "f32", 0x8000_0000, 0), 1);
    assert_eq!(setp("eq.f32", "f32", 1, 0), 0);
    assert_eq!(setp("eq.ftz.f32", "f32", 1, 0), 1);
    assert_eq!(setp("lt.f64", "f64", 1.5_f64.to_bits().into(), 2.5_f64.to_bits().into()), 1);
    assert_eq!(setp("gt.f16", "b16", 0x3c01, 0x3c00), 1);
    assert_eq!(setp("eq.ftz.f16", "b16", 0x0001, 0x8000), 1);
}

#[test]
fn joined_with_a_predicate_and_the_second_result() {
    let text = ".reg .b32 a; .reg .pred p, q, c, x, y; setp.eq.and.s32 p|q, a, 1, c; setp.eq.or.s32 x, a, 1, !c; setp.eq.xor.s32 _|y, a, 1, c;";
    let after = snippet(text).each("a", |l| l & 1).each("c", |l| l >> 1 & 1).run();
    assert_eq!(after.get("p")[..4], [0, 0, 0, 1]);
    assert_eq!(after.get("q")[..4], [0, 0, 1, 0]);
    assert_eq!(after.get("x")[..4], [1, 1, 0, 1]);
    assert_eq!(after.get("y")[..4], [1, 0, 0, 1]);
    // Two halves have a result each: 1.0 and 2.0 against 2.0 and 2.0.
    let text = ".reg .b32 a, b; .reg .pred p, q; setp.lt.f16x2 p|q, a, b;";
    let after = snippet(text).all("a", 0x4000_3c00_u32).all("b", 0x4000_4000_u32).run();
    assert_eq!((after.first("p"), after.first("q")), (1, 0));
}

#[test]
fn set_writes_ones_or_1() {
    let s = [("b32", 1), ("b32", 2)];
    assert_eq!(compute("b32", "set.lt.u32.s32 d, a, b;", &s), u128::from(u32::MAX));
    assert_eq!(compute("f32", "set.lt.f32.s32 d, a, b;", &s), 0x3f80_0000);
    assert_eq!(compute("f32", "set.gt.f32.s32 d, a, b;", &s), 0);
    let s = [("b32", 0x4000_3c00), ("b32", 0x4000_4000)];
    assert_eq!(compute("b32", "set.lt.f16x2.f16x2 d, a, b;", &s), 0x0000_3c00);
    assert_eq!(compute("b32", "set.eq.f16x2.f16x2 d, a, b;", &s), 0x3c00_0000);
    assert_eq!(compute("b32", "set.eq.bf16x2.bf16x2 d, a, b;", &s), 0x3f80_0000);
    assert_eq!(compute("b32", "set.ge.u32.f16x2 d, a, b;", &s), 0xffff_0000);
    let s = [("b16", 0x3c00), ("b16", 0x3c00)];
    assert_eq!(compute("b16", "set.eq.f16.f16 d, a, b;", &s), 0x3c00);
    assert_eq!(compute("b16", "set.eq.u16.f16 d, a, b;", &s), 0xffff);
}

#[test]
fn selection() {
    let text = ".reg .b32 r; .reg .b64 l; .reg .pred p; selp.b32 r, 1, 2, p; selp.b64 l, 3, 4, p;";
    let after = snippet(text).each("p", |l| l & 1).run();
    assert_eq!(after.get("r")[..2], [2, 1]);
    assert_eq!(after.get("l")[..2], [4, 3]);
    let s = |c: u128| [("b32", 1), ("b32", 2), ("b32", c)];
    assert_eq!(compute("b32", "slct.s32.s32 d, a, b, c;", &s(0)), 1);
    assert_eq!(compute("b32", "slct.s32.s32 d, a, b, c;", &s(0x8000_0000)), 2);
    assert_eq!(compute("b32", "slct.b32.f32 d, a, b, c;", &s(0x8000_0000)), 1);
    assert_eq!(compute("b32", "slct.b32.f32 d, a, b, c;", &s(0x8000_0001)), 2);
    assert_eq!(compute("b32", "slct.ftz.b32.f32 d, a, b, c;", &s(0x8000_0001)), 1);
    assert_eq!(compute("b32", "slct.b32.f32 d, a, b, c;", &s(0x7fc0_0000)), 2);
}

#[test]
fn forms_that_do_not_exist() {
    for text in [
        "setp.lo.s32 p, r0, r1;",
        "setp.lt.b32 p, r0, r1;",
        "setp.equ.s32 p, r0, r1;",
        "setp.eq.ftz.f64 p, l0, l1;",
        "setp.eq.s32 r0, r0, r1;",
        "setp.eq.and.s32 p, r0, r1;",
        "setp.eq.s32 p, r0, r1, p;",
        "setp.eq.s32 p, r0, f1;",
        "set.eq.s16.s32 h0, r0, r1;",
        "selp.b32 r0, r1, r2, !p;",
        "selp.pred p, p, p, p;",
        "slct.s32.u32 r0, r1, r2, r3;",
    ] {
        let text = snippet(&format!(
            ".reg .b16 h<4>; .reg .b32 r<5>; .reg .b64 l<5>; .reg .f32 f<4>; .reg .pred p; {text}"
        ));
        assert!(Module::from_text(&text.module_text()).is_err(), "{} is accepted", text.module_text());
    }
}
