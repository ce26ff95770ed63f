use crate::launch::Module;
use crate::testing::{compute, snippet};

#[test]
fn values_of_every_width() {
    assert_eq!(compute("b16", "mov.u16 d, a;", &[("b16", 0xffff)]), 0xffff);
    assert_eq!(compute("b16", "mov.b16 d, -1;", &[]), 0xffff);
    assert_eq!(compute("b32", "mov.b32 d, 0f3F800000;", &[]), 0x3f80_0000);
    assert_eq!(compute("f32", "mov.f32 d, 1.5;", &[]), 0x3fc0_0000);
    assert_eq!(compute("b64", "mov.b64 d, -2;", &[]), u128::from(u64::MAX - 1));
    assert_eq!(compute("f64", "mov.f64 d, a;", &[("f64", 7)]), 7);
    assert_eq!(compute("pred", "mov.pred d, -1;", &[]), 1);
    assert_eq!(compute("pred", "mov.pred d, a;", &[("pred", 1)]), 1);
    assert_eq!(compute("b128", "mov.b128 d, a;", &[("b128", 5 << 100)]), 5 << 100);
}

#[test]
fn vectors() {
    assert_eq!(compute("b64", "mov.b64 d, {a, b};", &[("b32", 1), ("b32", 2)]), 0x2_0000_0001);
    assert_eq!(compute("b32", "mov.b32 d, {a, b};", &[("b16", 1), ("b16", 2)]), 0x2_0001);
    assert_eq!(compute("b16", "mov.b16 d, {a, b};", &[("b8", 1), ("b8", 2)]), 0x201);
    let four = [("b16", 1), ("b16", 2), ("b16", 3), ("b16", 0x8004)];
    assert_eq!(compute("b64", "mov.b64 d, {a, b, c, e};", &four), 0x8004_0003_0002_0001);
    assert_eq!(compute("b128", "mov.b128 d, {a, b};", &[("b64", 1), ("b64", 2)]), (2 << 64) + 1);
    let text = ".reg .b64 v; .reg .b32 lo, hi, x; mov.b64 {lo, hi}, v; mov.b64 {_, x}, v;";
    let after = snippet(text).all("v", 0x1234_5678_9abc_def0_u64).run();
    assert_eq!(
        (after.first("lo"), after.first("hi"), after.first("x")),
        (0x9abc_def0, 0x1234_5678, 0x1234_5678)
    );
    let text =
        ".reg .b32 v; .reg .b8 a, b, c, e; .reg .b16 g, h; mov.b32 {a, b, c, e}, v; mov.b32 {g, _}, v;";
    let after = snippet(text).all("v", 0x1234_5678_u32).run();
    assert_eq!(["a", "b", "c", "e", "g"].map(|n| after.first(n)), [0x78, 0x56, 0x34, 0x12, 0x5678]);
}

#[test]
fn special_registers_and_addresses() {
    let text = ".reg .u32 r, s; .reg .u16 h; .reg .u64 l; mov.u32 r, %tid.x; mov.u16 h, %ntid.x; mov.u32 s, %lanemask_lt; mov.u64 l, %clock64;";
    let after = snippet(text).run();
    assert_eq!(after.get("r")[31], 31);
    assert_eq!(after.first("h"), 32);
    assert_eq!(after.get("s")[4], 15);
    assert!(after.first("l") > 0);
    let text =
        ".reg .u32 r; .reg .u64 l; .shared .b32 x[4]; .shared .b32 y[4]; mov.u32 r, y; mov.u64 l, y+8;";
    let after = snippet(text).run();
    assert_eq!(after.first("l"), after.first("r") + 8);
    let text = ".reg .u64 l; .local .b32 x[4]; .local .b32 y[4]; mov.u64 l, y;";
    assert_eq!(snippet(text).get("l")[5], 16);
}

#[test]
fn forms_that_do_not_exist() {
    for text in [
        "mov.f16 h0, h1;",
        "mov.b32 r0, h1;",
        "mov.u32 r0, f0;",
        "mov.b32 r0, %clock64;",
        "mov.b64 l0, {h0, h1};",
        "mov.b64 l0, {r0, r1, r2};",
        "mov.u64 l0, {r0, r1};",
        "mov.u32 r0, 1.5;",
        "mov.s32.s32 r0, r1;",
        "mov.pred p, !p;",
        "mov.b32 r0, _;",
    ] {
        let text = snippet(&format!(
            ".reg .b16 h<4>; .reg .b32 r<5>; .reg .b64 l<5>; .reg .f32 f<4>; .reg .pred p; {text}"
        ));
        assert!(Module::from_text(&text.module_text()).is_err(), "{} is accepted", text.module_text());
    }
}
