use crate::testing::{compute, snippet};

const A: u128 = u32::MAX as u128;

fn b32(instruction: &str, sources: &[u128]) -> u128 {
    let sources: Vec<_> = sources.iter().map(|&v| ("b32", v)).collect();
    compute("b32", instruction, &sources)
}

#[test]
fn bits_of_every_width() {
    assert_eq!(b32("and.b32 d, a, b;", &[12, 10]), 8);
    assert_eq!(b32("or.b32 d, a, b;", &[12, 10]), 14);
    assert_eq!(b32("xor.b32 d, a, b;", &[12, 10]), 6);
    assert_eq!(b32("not.b32 d, a;", &[1]), A - 1);
    assert_eq!(compute("b16", "not.b16 d, a;", &[("b16", 1)]), 0xfffe);
    assert_eq!(compute("b16", "xor.b16 d, a, -1;", &[("b16", 1)]), 0xfffe);
    assert_eq!(compute("b64", "not.b64 d, a;", &[("b64", 0)]), u128::from(u64::MAX));
    assert_eq!(compute("b64", "and.b64 d, a, b;", &[("b64", 3 << 40), ("b64", 1 << 40)]), 1 << 40);
    assert_eq!(b32("cnot.b32 d, a;", &[0]), 1);
    assert_eq!(b32("cnot.b32 d, a;", &[5]), 0);
    let text =
        ".reg .pred p, q, r, s, t; and.pred r, p, q; or.pred s, p, q; xor.pred t, p, q; not.pred p, p;";
    let after = snippet(text).each("p", |l| l & 1).each("q", |l| l >> 1 & 1).run();
    assert_eq!(after.get("r")[..4], [0, 0, 0, 1]);
    assert_eq!(after.get("s")[..4], [0, 1, 1, 1]);
    assert_eq!(after.get("t")[..4], [0, 1, 1, 0]);
    assert_eq!(after.get("p")[..4], [1, 0, 1, 0]);
}

#[test]
fn shifts_stop_at_the_width() {
    assert_eq!(b32("shl.b32 d, a, b;", &[3, 31]), 0x8000_0000);
    assert_eq!(b32("shl.b32 d, a, b;", &[3, 32]), 0);
    assert_eq!(b32("shl.b32 d, a, b;", &[3, A]), 0);
    assert_eq!(b32("shr.u32 d, a, b;", &[0x8000_0000, 31]), 1);
    assert_eq!(b32("shr.u32 d, a, b;", &[0x8000_0000, 33]), 0);
    assert_eq!(b32("shr.s32 d, a, b;", &[0x8000_0000, 33]), A);
    assert_eq!(b32("shr.s32 d, a, 4;", &[0x8000_0000]), 0xf800_0000);
    assert_eq!(compute("b16", "shl.b16 d, a, b;", &[("b16", 0xffff), ("b32", 8)]), 0xff00);
    assert_eq!(compute("b16", "shr.s16 d, a, b;", &[("b16", 0x8000), ("b32", 40)]), 0xffff);
    assert_eq!(compute("b16", "shr.u16 d, a, 15;", &[("b16", 0x8000)]), 1);
    assert_eq!(compute("b64", "shl.b64 d, a, b;", &[("b64", 1), ("b32", 63)]), 1 << 63);
    assert_eq!(compute("b64", "shl.b64 d, a, b;", &[("b64", 1), ("b32", 64)]), 0);
    assert_eq!(compute("b64", "shl.b64 d, a, 63;", &[("b64", 3)]), 1 << 63);
    assert_eq!(compute("b64", "shl.b64 d, a, 64;", &[("b64", 3)]), 0);
    assert_eq!(compute("b64", "shr.s64 d, a, 60;", &[("b64", 1 << 63)]), u128::from(u64::MAX) - 7);
    assert_eq!(compute("b64", "shr.u64 d, a, 60;", &[("b64", 1 << 63)]), 8);
    assert_eq!(b32("shl.b32 d, a, 32;", &[3]), 0);
    assert_eq!(b32("shr.u32 d, a, 31;", &[A]), 1);
    assert_eq!(b32("shr.s32 d, a, -1;", &[A]), A);
    assert_eq!(compute("b64", "shr.u64 d, a, b;", &[("b64", 1 << 63), ("b32", 62)]), 2);
    assert_eq!(compute("b64", "shr.s64 d, a, b;", &[("b64", 1 << 63), ("b32", 99)]), u128::from(u64::MAX));
}

#[test]
fn funnel_shifts() {
    // b is the upper half.
    assert_eq!(b32("shf.l.wrap.b32 d, a, b, 8;", &[0x1122_3344, 0x5566_7788]), 0x6677_8811);
    assert_eq!(b32("shf.r.wrap.b32 d, a, b, 8;", &[0x1122_3344, 0x5566_7788]), 0x8811_2233);
    assert_eq!(b32("shf.l.wrap.b32 d, a, b, 40;", &[0x1122_3344, 0x5566_7788]), 0x6677_8811);
    assert_eq!(b32("shf.l.clamp.b32 d, a, b, 40;", &[0x1122_3344, 0x5566_7788]), 0x1122_3344);
    assert_eq!(b32("shf.r.clamp.b32 d, a, b, 40;", &[0x1122_3344, 0x5566_7788]), 0x5566_7788);
}

#[test]
fn tables_of_three_bits() {
    let (a, b, c) = (0xf0f0_1234_u32, 0xcccc_5678_u32, 0xaaaa_9abc_u32);
    let run = |table: u8| b32(&format!("lop3.b32 d, a, b, c, {table};"), &[a.into(), b.into(), c.into()]);
    assert_eq!(run(0x80), u128::from(a & b & c));
    assert_eq!(run(0xfe), u128::from(a | b | c));
    assert_eq!(run(0x96), u128::from(a ^ b ^ c));
    assert_eq!(run(0xe2), u128::from(a & b | !b & c));
    assert_eq!(run(0x1a), u128::from((a & b | c) ^ a));
    let text = ".reg .b32 d, a; .reg .pred p, q, n; lop3.and.b32 d|p, a, a, a, 0x80, q; lop3.or.b32 _|n, a, a, a, 0x80, !q;";
    let after = snippet(text).each("a", |l| l & 1).each("q", |l| l >> 1 & 1).run();
    assert_eq!(after.get("d")[..4], [0, 1, 0, 1]);
    assert_eq!(after.get("p")[..4], [0, 0, 0, 1]);
    assert_eq!(after.get("n")[..4], [1, 1, 0, 1]);
}

#[test]
fn permutations_of_bytes() {
    let constant = |mode: &str, control: u128| {
        b32(&format!("prmt.b32{mode} d, a, b, {control};"), &[0x3382_1100, 0x7766_5544])
    };
    assert_eq!(constant("", 0x7310), 0x7733_1100);
    assert_eq!(constant("", 0xa000), 0xff00_0000);
    assert_eq!(constant(".b4e", 1), 0x6677_0011);
    let run = |mode: &str, control: u128| {
        b32(&format!("prmt.b32{mode} d, a, b, c;"), &[0x3382_1100, 0x7766_5544, control])
    };
    assert_eq!(run("", 0x7310), 0x7733_1100);
    assert_eq!(run("", 0xb210), 0x0082_1100);
    assert_eq!(run("", 0xa000), 0xff00_0000);
    assert_eq!(run(".f4e", 3), 0x6655_4433);
    assert_eq!(run(".b4e", 1), 0x6677_0011);
    assert_eq!(run(".rc8", 2), 0x8282_8282);
    assert_eq!(run(".ecl", 2), 0x3382_8282);
    assert_eq!(run(".ecr", 1), 0x1111_1100);
    assert_eq!(run(".rc16", 1), 0x3382_3382);
}
