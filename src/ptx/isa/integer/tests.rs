use crate::launch::Module;
use crate::testing::{compute, snippet};

const A: u128 = u32::MAX as u128;
const A64: u128 = u64::MAX as u128;

fn b16(instruction: &str, sources: &[u128]) -> u128 {
    typed("b16", instruction, sources)
}

fn b32(instruction: &str, sources: &[u128]) -> u128 {
    typed("b32", instruction, sources)
}

fn b64(instruction: &str, sources: &[u128]) -> u128 {
    typed("b64", instruction, sources)
}

fn typed(ty: &str, instruction: &str, sources: &[u128]) -> u128 {
    let sources: Vec<_> = sources.iter().map(|&v| (ty, v)).collect();
    compute(ty, instruction, &sources)
}

fn refused(instruction: &str) {
    let text =
        snippet(&format!(".reg .b16 h<4>; .reg .b32 r<5>; .reg .b64 l<5>; .reg .f32 f<4>; {instruction}"));
    assert!(Module::from_text(&text.module_text()).is_err(), "{instruction} is accepted");
}

#[test]
fn sums_and_differences() {
    assert_eq!(b32("add.s32 d, a, b;", &[A, 3]), 2);
    assert_eq!(b32("add.u32 d, a, -3;", &[1]), A - 1);
    assert_eq!(b32("sub.s32 d, a, b;", &[1, 3]), A - 1);
    assert_eq!(b16("add.s16 d, a, b;", &[0xffff, 2]), 1);
    assert_eq!(b16("sub.u16 d, a, b;", &[1, 2]), 0xffff);
    assert_eq!(b64("add.s64 d, a, b;", &[A64, 2]), 1);
    assert_eq!(b64("sub.u64 d, a, b;", &[0, 1]), A64);
    assert_eq!(b32("add.sat.s32 d, a, b;", &[0x7fff_ffff, 1]), 0x7fff_ffff);
    assert_eq!(b32("sub.sat.s32 d, a, b;", &[0x8000_0000, 1]), 0x8000_0000);
    assert_eq!(b32("add.u16x2 d, a, b;", &[0x0001_ffff, 0x0002_0003]), 0x0003_0002);
}

#[test]
fn products() {
    assert_eq!(b32("mul.lo.s32 d, a, b;", &[0x8000_0001, 3]), 0x8000_0003);
    assert_eq!(b32("mul.hi.s32 d, a, b;", &[A, 2]), A);
    assert_eq!(b32("mul.hi.u32 d, a, b;", &[A, 2]), 1);
    assert_eq!(b16("mul.hi.u16 d, a, b;", &[0x8000, 4]), 2);
    assert_eq!(b16("mul.hi.s16 d, a, b;", &[0x8000, 4]), 0xfffe);
    assert_eq!(b16("mul.lo.s16 d, a, b;", &[0xffff, 5]), 0xfffb);
    assert_eq!(b64("mul.lo.s64 d, a, b;", &[A64, 5]), A64 - 4);
    assert_eq!(b64("mul.hi.s64 d, a, b;", &[A64, 5]), A64);
    assert_eq!(b64("mul.hi.u64 d, a, b;", &[A64, 5]), 4);
    assert_eq!(compute("b64", "mul.wide.s32 d, a, b;", &[("b32", A), ("b32", 5)]), A64 - 4);
    assert_eq!(compute("b64", "mul.wide.u32 d, a, b;", &[("b32", A), ("b32", A)]), 0xffff_fffe_0000_0001);
    assert_eq!(compute("b32", "mul.wide.u16 d, a, b;", &[("b16", 0xffff), ("b16", 2)]), 0x1_fffe);
    assert_eq!(compute("b32", "mul.wide.s16 d, a, b;", &[("b16", 0xffff), ("b16", 2)]), A - 1);
    assert_eq!(b32("mul24.lo.s32 d, a, b;", &[0x00ff_ffff, 3]), A - 2);
    assert_eq!(b32("mul24.lo.u32 d, a, b;", &[0xffff_ffff, 3]), 0x2ff_fffd);
    assert_eq!(b32("mul24.hi.u32 d, a, b;", &[0xff_ffff, 0xff_ffff]), 0xffff_fe00);
    assert_eq!(b32("mul24.hi.s32 d, a, b;", &[0xff_ffff, 1]), A);
}

#[test]
fn products_and_sums() {
    assert_eq!(b32("mad.lo.s32 d, a, b, c;", &[7, 6, A]), 41);
    assert_eq!(b32("mad.hi.u32 d, a, b, c;", &[A, 2, 5]), 6);
    assert_eq!(b32("mad.hi.s32 d, a, b, c;", &[A, 2, 5]), 4);
    assert_eq!(b16("mad.lo.u16 d, a, b, c;", &[0x100, 0x100, 7]), 7);
    assert_eq!(b64("mad.lo.s64 d, a, b, c;", &[1 << 40, 3, 1]), (3 << 40) + 1);
    assert_eq!(b64("mad.hi.u64 d, a, b, c;", &[A64, 4, 1]), 4);
    // 0x7fffffff * 0x7fffffff >> 32 is 0x3fffffff.
    assert_eq!(b32("mad.hi.sat.s32 d, a, b, c;", &[0x7fff_ffff, 0x7fff_ffff, 0x7000_0000]), 0x7fff_ffff);
    assert_eq!(b32("mad24.lo.u32 d, a, b, c;", &[5, 6, 7]), 37);
    assert_eq!(b32("mad24.hi.sat.s32 d, a, b, c;", &[0x40_0000, 0x40_0000, 0x7fff_ffff]), 0x7fff_ffff);
    let sources = [("b32", A), ("b32", 3), ("b64", 10)];
    assert_eq!(compute("b64", "mad.wide.s32 d, a, b, c;", &sources), 7);
    assert_eq!(compute("b64", "mad.wide.u32 d, a, b, c;", &sources), 3 * A + 10);
    let sources = [("b16", 0xffff), ("b16", 3), ("b32", 1)];
    assert_eq!(compute("b32", "mad.wide.s16 d, a, b, c;", &sources), A - 1);
    assert_eq!(compute("b32", "mad.wide.u16 d, a, b, c;", &sources), 0x2_fffe);
}

#[test]
fn quotients_and_remainders() {
    assert_eq!(b32("div.s32 d, a, b;", &[A - 6, 2]), A - 2);
    assert_eq!(b32("rem.s32 d, a, b;", &[A - 6, 2]), A);
    assert_eq!(b32("div.u32 d, a, b;", &[A, 2]), 0x7fff_ffff);
    assert_eq!(b32("div.s32 d, a, b;", &[0x8000_0000, A]), 0x8000_0000);
    assert_eq!(b32("rem.s32 d, a, b;", &[0x8000_0000, A]), 0);
    assert_eq!(b32("div.u32 d, a, b;", &[5, 0]), A);
    assert_eq!(b32("rem.u32 d, a, b;", &[5, 0]), A);
    assert_eq!(b32("div.s32 d, a, b;", &[5, 0]), A);
    assert_eq!(b16("rem.u16 d, a, b;", &[1000, 7]), 6);
    assert_eq!(b16("div.s16 d, a, b;", &[0xfff9, 2]), 0xfffd);
    assert_eq!(b64("div.s64 d, a, b;", &[A64 - 99, 7]), A64 - 13);
    assert_eq!(b64("rem.u64 d, a, b;", &[1 << 40, 1000]), 776);
}

#[test]
fn signs_and_extremes() {
    assert_eq!(b32("abs.s32 d, a;", &[A - 4]), 5);
    assert_eq!(b32("abs.s32 d, a;", &[0x8000_0000]), 0x8000_0000);
    assert_eq!(b16("neg.s16 d, a;", &[1]), 0xffff);
    assert_eq!(b64("neg.s64 d, a;", &[5]), A64 - 4);
    assert_eq!(b32("min.s32 d, a, b;", &[A, 1]), A);
    assert_eq!(b32("min.u32 d, a, b;", &[A, 1]), 1);
    assert_eq!(b32("max.s32 d, a, b;", &[A, 1]), 1);
    assert_eq!(b64("max.u64 d, a, b;", &[A64, 1]), A64);
    assert_eq!(b16("min.s16 d, a, b;", &[0xffff, 1]), 0xffff);
    assert_eq!(b32("min.relu.s32 d, a, b;", &[A, 1]), 0);
    assert_eq!(b32("max.s16x2 d, a, b;", &[0xffff_0005, 0x0001_0007]), 0x0001_0007);
    assert_eq!(b32("max.u16x2 d, a, b;", &[0xffff_0005, 0x0001_0007]), 0xffff_0007);
    assert_eq!(b32("min.relu.s16x2 d, a, b;", &[0xffff_0005, 0x0001_0007]), 0x0000_0005);
    assert_eq!(b32("sad.s32 d, a, b, c;", &[A, 3, 10]), 14);
    assert_eq!(b32("sad.u32 d, a, b, c;", &[2, 5, 10]), 13);
}

#[test]
fn carries() {
    // 128 bits: 0xffffffffffffffff_ffffffffffffffff + 1 by two halves; then the flag is 1.
    let text =
        ".reg .b64 lo, hi; .reg .b32 c; add.cc.u64 lo, lo, 1; addc.cc.u64 hi, hi, 0; addc.u32 c, 0, 0;";
    let after = snippet(text).all("lo", u64::MAX).each("hi", |lane| if lane == 3 { A64 } else { 7 }).run();
    assert_eq!((after.get("lo")[0], after.get("hi")[0], after.get("c")[0]), (0, 8, 0));
    assert_eq!((after.get("hi")[3], after.get("c")[3], after.get("c")[4]), (0, 1, 0));
    // A borrow: 0x1_00000000 - 1.
    let text = ".reg .b32 lo, hi; sub.cc.u32 lo, 0, 1; subc.u32 hi, 1, 0;";
    let after = snippet(text).run();
    assert_eq!((after.first("lo"), after.first("hi")), (A, 0));
    // A borrow of a borrow: 0 - 0 - 1.
    let text = ".reg .b32 r, s; sub.cc.u32 r, 0, 1; subc.cc.u32 r, 0, 0; subc.u32 s, 9, 0;";
    let after = snippet(text).run();
    assert_eq!((after.first("r"), after.first("s")), (A, 8));
    // 0xffffffff * 0xffffffff + 0xffffffff has the low word 0 and a carry, and the high word 0xffffffff in all.
    let text = ".reg .b32 a, lo, hi; mad.lo.cc.u32 lo, a, a, a; madc.hi.u32 hi, a, a, 0;";
    let after = snippet(text).all("a", u32::MAX).run();
    assert_eq!((after.first("lo"), after.first("hi")), (0, A));
    // Lanes that do not execute keep their flag.
    let text =
        ".reg .b32 r; .reg .pred p; add.cc.u32 r, 0xffffffff, 1; @p add.cc.u32 r, 0, 0; addc.u32 r, 0, 0;";
    assert_eq!(snippet(text).each("p", |lane| lane & 1).get("r")[..2], [1, 0]);
}

#[test]
fn forms_that_do_not_exist() {
    for text in [
        "add.sat.u32 r0, r1, r2;",
        "add.lo.s32 r0, r1, r2;",
        "add.s8 h0, h1, h2;",
        "mul.s32 r0, r1, r2;",
        "mul.wide.s64 l0, l1, l2;",
        "mad.hi.sat.u32 r0, r1, r2, r3;",
        "neg.u32 r0, r1;",
        "add.s32 r0, r1;",
        "add.s32 r0, r1, f1;",
        "add.s32 r0, r1, h1;",
        "add.s32 r0, r1, l1;",
        "add.s32 5, r1, r2;",
        "add.s32 r0, r1, 1.5;",
        "rem.f32 f0, f1, f2;",
        "addc.u16 h0, h1, h2;",
        "min.relu.u32 r0, r1, r2;",
    ] {
        refused(text);
    }
}

#[test]
fn lanes_without_the_guard_keep_their_value() {
    let text = ".reg .b32 r; .reg .pred p; @p add.s32 r, r, 100;";
    let got = snippet(text).each("r", |lane| lane).each("p", |lane| lane & 1).get("r");
    assert_eq!(got[..4], [0, 101, 2, 103]);
}
