use crate::testing::compute;

const A: u128 = u32::MAX as u128;

fn b32(instruction: &str, sources: &[u128]) -> u128 {
    let sources: Vec<_> = sources.iter().map(|&v| ("b32", v)).collect();
    compute("b32", instruction, &sources)
}

#[test]
fn counting() {
    assert_eq!(b32("popc.b32 d, a;", &[0xf0f]), 8);
    assert_eq!(compute("b32", "popc.b64 d, a;", &[("b64", u64::MAX.into())]), 64);
    assert_eq!(b32("clz.b32 d, a;", &[1]), 31);
    assert_eq!(b32("clz.b32 d, a;", &[0]), 32);
    assert_eq!(compute("b32", "clz.b64 d, a;", &[("b64", 1)]), 63);
    assert_eq!(b32("bfind.u32 d, a;", &[0x1_0000]), 16);
    assert_eq!(b32("bfind.shiftamt.u32 d, a;", &[0x1_0000]), 15);
    assert_eq!(b32("bfind.u32 d, a;", &[0]), A);
    assert_eq!(b32("bfind.shiftamt.u32 d, a;", &[0]), A);
    assert_eq!(b32("bfind.s32 d, a;", &[A]), A);
    assert_eq!(b32("bfind.s32 d, a;", &[A - 4]), 2);
    assert_eq!(compute("b32", "bfind.s64 d, a;", &[("b64", u128::from(u64::MAX) - 4)]), 2);
    assert_eq!(compute("b32", "bfind.shiftamt.u64 d, a;", &[("b64", 1)]), 63);
    assert_eq!(b32("brev.b32 d, a;", &[0x8000_0001]), 0x8000_0001);
    assert_eq!(b32("brev.b32 d, a;", &[6]), 0x6000_0000);
    assert_eq!(compute("b64", "brev.b64 d, a;", &[("b64", 2)]), 1 << 62);
}

#[test]
fn the_nth_set_bit() {
    let fns = |base: u128, offset: i32| b32(&format!("fns.b32 d, a, b, {offset};"), &[0b1011_0010, base]);
    assert_eq!(fns(0, 1), 1);
    assert_eq!(fns(0, 3), 5);
    assert_eq!(fns(4, 1), 4);
    assert_eq!(fns(4, 2), 5);
    assert_eq!(fns(4, -2), 1);
    assert_eq!(fns(4, -3), A);
    assert_eq!(fns(4, 0), 4);
    assert_eq!(fns(3, 0), A);
    assert_eq!(fns(40, -1), A);
}

#[test]
fn fields() {
    assert_eq!(b32("bfe.u32 d, a, 8, 8;", &[0x1234_5678]), 0x56);
    assert_eq!(b32("bfe.s32 d, a, 8, 8;", &[0x1234_f678]), A - 9);
    assert_eq!(b32("bfe.u32 d, a, 28, 8;", &[0xf234_f678]), 0xf);
    assert_eq!(b32("bfe.s32 d, a, 28, 8;", &[0xf234_f678]), A);
    assert_eq!(b32("bfe.s32 d, a, 99, 8;", &[0xf234_f678]), A);
    assert_eq!(b32("bfe.u32 d, a, 99, 8;", &[0xf234_f678]), 0);
    assert_eq!(b32("bfe.s32 d, a, 8, 0;", &[A]), 0);
    assert_eq!(b32("bfe.u32 d, a, 0, 255;", &[A]), A);
    assert_eq!(b32("bfe.u32 d, a, b, c;", &[A, 256, 256 + 4]), 15);
    assert_eq!(compute("b64", "bfe.u64 d, a, 40, 8;", &[("b64", 0xab << 40)]), 0xab);
    assert_eq!(compute("b64", "bfe.s64 d, a, 40, 8;", &[("b64", 0xab << 40)]), u128::from(u64::MAX) - 0x54);
    assert_eq!(b32("bfi.b32 d, a, b, 8, 8;", &[0x1ab, 0x1234_5678]), 0x1234_ab78);
    assert_eq!(b32("bfi.b32 d, a, b, 28, 8;", &[0xab, 0x1234_5678]), 0xb234_5678);
    assert_eq!(b32("bfi.b32 d, a, b, 32, 8;", &[0xab, 0x1234_5678]), 0x1234_5678);
    assert_eq!(b32("bfi.b32 d, a, b, 0, 0;", &[0xab, 0x1234_5678]), 0x1234_5678);
    assert_eq!(compute("b64", "bfi.b64 d, a, b, 60, 8;", &[("b64", 0xab), ("b64", 1)]), (0xb << 60) + 1);
    assert_eq!(b32("szext.wrap.s32 d, a, 8;", &[0x1f6]), A - 9);
    assert_eq!(b32("szext.clamp.u32 d, a, 8;", &[0x1f6]), 0xf6);
    assert_eq!(b32("szext.clamp.s32 d, a, 32;", &[0x1f6]), 0x1f6);
    assert_eq!(b32("szext.wrap.s32 d, a, 32;", &[0x1f6]), 0);
    assert_eq!(b32("bmsk.clamp.b32 d, 4, 8;", &[]), 0xff0);
    assert_eq!(b32("bmsk.clamp.b32 d, 28, 8;", &[]), 0xf000_0000);
    assert_eq!(b32("bmsk.clamp.b32 d, 4, 40;", &[]), 0xffff_fff0);
    assert_eq!(b32("bmsk.clamp.b32 d, 32, 4;", &[]), 0);
    assert_eq!(b32("bmsk.wrap.b32 d, 36, 40;", &[]), 0xff0);
}

#[test]
fn dot_products() {
    // 1 * 4 + 2 * 3 + (-1) * 2 + (-2) * 1 + 10, low byte first.
    assert_eq!(b32("dp4a.s32.s32 d, a, b, c;", &[0xfeff_0201, 0x0102_0304, 10]), 16);
    // 255 * 2 + 254 * 1 instead of the last two.
    assert_eq!(b32("dp4a.u32.u32 d, a, b, c;", &[0xfeff_0201, 0x0102_0304, 10]), 784);
    assert_eq!(b32("dp4a.u32.s32 d, a, b, c;", &[0x0000_00ff, 0x0000_00ff, 0]), A - 254);
    // (-1) * 4 + 2 * 3.
    assert_eq!(b32("dp2a.lo.s32.s32 d, a, b, c;", &[0x0002_ffff, 0x0102_0304, 0]), 2);
    // 65535 * 2 + 2 * 1.
    assert_eq!(b32("dp2a.hi.u32.u32 d, a, b, c;", &[0x0002_ffff, 0x0102_0304, 0]), 131_072);
}
