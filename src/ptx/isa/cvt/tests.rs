use crate::launch::Module;
use crate::testing::snippet;

/// Declares registers of each width: `%b...` 8, `%h...` 16, `%r...` 32, `%x...` 64 bits.
const REGISTERS: &str =
    ".reg .b8 %ba, %bd; .reg .b16 %ha, %hd; .reg .b32 %ra, %rb, %rc, %rd; .reg .b64 %xa, %xd;";

/// Runs a conversion, with the values of its source registers; the first operand is the result.
fn result(text: &str, sources: &[u128]) -> u128 {
    let names: Vec<&str> = text.split([' ', ',']).filter(|word| word.starts_with('%')).collect();
    let run = snippet(&format!("{REGISTERS} {text};")).target("sm_100a");
    let named = names[1..].iter().zip(sources);
    named.fold(run, |run, (name, value)| run.all(name, *value)).get(names[0])[31]
}

fn bits(f: f32) -> u128 {
    u128::from(f.to_bits())
}

fn bits64(f: f64) -> u128 {
    u128::from(f.to_bits())
}

#[test]
fn integers() {
    for (text, from, to) in [
        ("cvt.u32.u64 %rd, %xa", 0x1_2345_6789, 0x2345_6789),
        ("cvt.u64.u32 %xd, %ra", 0xffff_fffe, 0xffff_fffe),
        ("cvt.s64.s32 %xd, %ra", 0xffff_fffe, 0xffff_ffff_ffff_fffe),
        ("cvt.u64.s32 %xd, %ra", 0xffff_fffe, 0xffff_ffff_ffff_fffe),
        ("cvt.s64.u32 %xd, %ra", 0xffff_fffe, 0xffff_fffe),
        ("cvt.u16.u32 %hd, %ra", 0x1_fffe, 0xfffe),
        ("cvt.u32.u16 %rd, %ha", 0xfffe, 0xfffe),
        ("cvt.s32.s16 %rd, %ha", 0xfffe, 0xffff_fffe),
        // Wider registers than types: low bits are read, results are extended.
        ("cvt.s32.s8 %rd, %ra", 0x1fe, 0xffff_fffe),
        ("cvt.s64.s8 %xd, %xa", 0x1fe, 0xffff_ffff_ffff_fffe),
        ("cvt.s16.s8 %rd, %ra", 0x1fe, 0xffff_fffe),
        ("cvt.s16.s8 %hd, %ra", 0x1fe, 0xfffe),
        ("cvt.u16.s8 %rd, %ra", 0x1fe, 0xfffe),
        ("cvt.u8.u32 %rd, %ra", 0x1fe, 0xfe),
        ("cvt.s8.u32 %hd, %ra", 0x1fe, 0xfffe),
        ("cvt.s8.s64 %hd, %xa", 0x1fe, 0xfffe),
        ("cvt.u32.s8 %xd, %ra", 0xfe, 0xffff_fffe),
        ("cvt.s32.s64 %xd, %xa", 0xffff_fffe, 0xffff_ffff_ffff_fffe),
        ("cvt.u8.u16 %bd, %ha", 0x1fe, 0xfe),
        ("cvt.sat.s8.s32 %hd, %ra", 0xffff_0000, 0xff80),
        ("cvt.sat.u8.s32 %rd, %ra", 0xffff_0000, 0),
        ("cvt.sat.u8.s64 %rd, %xa", 300, 255),
        ("cvt.sat.s32.s64 %rd, %xa", 0x8000_0000, 0x7fff_ffff),
        ("cvt.sat.u32.s64 %rd, %xa", 0xffff_ffff_ffff_ffff, 0),
    ] {
        assert_eq!(result(text, &[from]), to, "{text}: {:#x}", result(text, &[from]));
    }
    assert_eq!(result("cvt.u64.u32 %xd, 7", &[]), 7);
}

#[test]
fn integers_and_floats() {
    for (text, from, to) in [
        ("cvt.rn.f32.s32 %rd, %ra", 0xffff_fffd, bits(-3.0)),
        ("cvt.rn.f32.u32 %rd, %ra", 0xffff_fffd, bits(4294967296.0)),
        ("cvt.rz.f32.u32 %rd, %ra", 0xffff_fffd, 0x4f7f_ffff),
        ("cvt.rn.f32.s8 %rd, %ra", 0x1fd, bits(-3.0)),
        ("cvt.rn.f64.s64 %xd, %xa", 0xffff_ffff_ffff_fffd, bits64(-3.0)),
        ("cvt.rn.f16.s32 %hd, %ra", 3, 0x4200),
        ("cvt.rp.f32.u64 %rd, %xa", 0x100_0001, bits(16777218.0)),
        ("cvt.rzi.s32.f32 %rd, %ra", bits(-2.9), 0xffff_fffe),
        ("cvt.rzi.u32.f32 %rd, %ra", bits(-2.9), 0),
        ("cvt.rzi.s32.f32 %rd, %ra", bits(f32::NAN), 0),
        ("cvt.rzi.s32.f32 %rd, %ra", bits(1e10), 0x7fff_ffff),
        ("cvt.rni.s32.f32 %rd, %ra", bits(2.5), 2),
        ("cvt.rni.ftz.s32.f32 %rd, %ra", bits(3.5), 4),
        ("cvt.rmi.s32.f32 %rd, %ra", bits(-2.1), 0xffff_fffd),
        ("cvt.rpi.s64.f64 %xd, %xa", bits64(2.1), 3),
        ("cvt.rzi.s64.f32 %xd, %ra", bits(f32::NAN), 1 << 63),
        ("cvt.rzi.s16.f32 %hd, %ra", bits(-5.0), 0xfffb),
        ("cvt.rzi.s16.f32 %rd, %ra", bits(-5.0), 0xffff_fffb),
        ("cvt.rzi.s32.f16 %rd, %ha", 0xc200, 0xffff_fffd),
    ] {
        assert_eq!(result(text, &[from]), to, "{text}: {:#x}", result(text, &[from]));
    }
}

#[test]
fn between_floats() {
    for (text, from, to) in [
        ("cvt.f32.f16 %rd, %ha", 0x4200, bits(3.0)),
        ("cvt.f32.bf16 %rd, %ha", 0x4040, bits(3.0)),
        ("cvt.f64.f32 %xd, %ra", bits(3.0), bits64(3.0)),
        ("cvt.rn.f16.f32 %hd, %ra", bits(3.0), 0x4200),
        ("cvt.rn.bf16.f32 %hd, %ra", bits(3.0), 0x4040),
        ("cvt.rn.f16.f32 %hd, %ra", 0xffc0_0000, 0x7fff),
        // 65520 is half-way between 65504, the largest, and 65536.
        ("cvt.rn.f16.f32 %hd, %ra", bits(65520.0), 0x7c00),
        ("cvt.rz.f16.f32 %hd, %ra", bits(65520.0), 0x7bff),
        ("cvt.rn.satfinite.f16.f32 %hd, %ra", bits(1e9), 0x7bff),
        ("cvt.rn.relu.bf16.f32 %hd, %ra", bits(-1.0), 0),
        ("cvt.rm.f32.f64 %rd, %xa", bits64(1.0 - 1e-12), 0x3f7f_ffff),
        ("cvt.rn.f32.f64 %rd, %xa", bits64(1.0 - 1e-12), bits(1.0)),
        ("cvt.rn.bf16.f64 %hd, %xa", bits64(3.0), 0x4040),
        ("cvt.rni.f32.f32 %rd, %ra", bits(2.5), bits(2.0)),
        ("cvt.rmi.f64.f64 %xd, %xa", bits64(-2.5), bits64(-3.0)),
        ("cvt.rzi.f16.f16 %hd, %ha", 0x4280, 0x4200),
        ("cvt.sat.f32.f32 %rd, %ra", bits(7.0), bits(1.0)),
        ("cvt.ftz.f32.f32 %rd, %ra", 0x8000_0001, 0x8000_0000),
        ("cvt.ftz.f32.f32 %rd, %ra", bits(1.5), bits(1.5)),
        ("cvt.rna.tf32.f32 %rd, %ra", 0x3f80_1000, 0x3f80_2000),
        ("cvt.rn.tf32.f32 %rd, %ra", 0x3f80_1000, 0x3f80_0000),
        ("cvt.rn.bf16.f16 %hd, %ha", 0x4200, 0x4040),
    ] {
        assert_eq!(result(text, &[from]), to, "{text}: {:#x}", result(text, &[from]));
    }
}

#[test]
fn two_numbers_in_a_register() {
    let (three, minus) = (bits(3.0), bits(-1.0));
    for (text, to) in [
        ("cvt.rn.f16x2.f32 %rd, %ra, %rb", 0x4200_bc00),
        ("cvt.rn.bf16x2.f32 %rd, %ra, %rb", 0x4040_bf80),
        ("cvt.rz.bf16x2.f32 %rd, %ra, %rb", 0x4040_bf80),
        ("cvt.rn.relu.f16x2.f32 %rd, %ra, %rb", 0x4200_0000),
        // e4m3: 3 is 2^1 * 1.5: exponent 8, fraction 4; e5m2: exponent 16, fraction 2.
        ("cvt.rn.satfinite.e4m3x2.f32 %hd, %ra, %rb", 0x44b8),
        ("cvt.rn.satfinite.e5m2x2.f32 %hd, %ra, %rb", 0x42bc),
        ("cvt.rn.satfinite.relu.e5m2x2.f32 %hd, %ra, %rb", 0x4200),
        // e2m3: exponent 2, fraction 4; e3m2: exponent 4, fraction 2; e2m1: exponent 2, fraction 1.
        ("cvt.rn.satfinite.e2m3x2.f32 %hd, %ra, %rb", 0x1428),
        ("cvt.rn.satfinite.e3m2x2.f32 %hd, %ra, %rb", 0x122c),
        ("cvt.rn.satfinite.e2m1x2.f32 %bd, %ra, %rb", 0x5a),
        ("cvt.rp.satfinite.ue8m0x2.f32 %hd, %ra, %rb", 0x817f),
        ("cvt.rz.ue8m0x2.f32 %hd, %ra, %rb", 0x807f),
    ] {
        let found = result(text, &[three, minus]);
        assert_eq!(found, to, "{text}: {found:#x}");
    }
    for (text, from, to) in [
        ("cvt.rn.satfinite.e4m3x2.f16x2 %hd, %ra", 0x4200_bc00, 0x44b8),
        ("cvt.rn.satfinite.e5m2x2.bf16x2 %hd, %ra", 0x4040_bf80, 0x42bc),
        ("cvt.rn.f16x2.e4m3x2 %rd, %ha", 0x44b8, 0x4200_bc00),
        ("cvt.rn.relu.f16x2.e5m2x2 %rd, %ha", 0x42bc, 0x4200_0000),
        ("cvt.rn.f16x2.e2m3x2 %rd, %ha", 0x1428, 0x4200_bc00),
        ("cvt.rn.f16x2.e3m2x2 %rd, %ha", 0x122c, 0x4200_bc00),
        ("cvt.rn.f16x2.e2m1x2 %rd, %ba", 0x5a, 0x4200_bc00),
        ("cvt.rn.bf16x2.ue8m0x2 %rd, %ha", 0x807f, 0x4000_3f80),
        ("cvt.rz.ue8m0x2.bf16x2 %hd, %ra", 0x4040_bf80, 0x807f),
    ] {
        let found = result(text, &[from]);
        assert_eq!(found, to, "{text}: {found:#x}");
    }
}

#[test]
fn packs_of_integers() {
    let sources = [0x1_0000, 0xffff_ffff, 0x0012_3456];
    for (text, to) in [
        ("cvt.pack.sat.s16.s32 %rd, %ra, %rb", 0x7fff_ffff),
        ("cvt.pack.sat.u16.s32 %rd, %ra, %rb", 0xffff_0000),
        ("cvt.pack.sat.u8.s32.b32 %rd, %ra, %rb, %rc", 0x3456_ff00),
        ("cvt.pack.sat.s8.s32.b32 %rd, %ra, %rb, %rc", 0x3456_7fff),
        ("cvt.pack.sat.s4.s32.b32 %rd, %ra, %rb, %rc", 0x1234_567f),
        ("cvt.pack.sat.u2.s32.b32 %rd, %ra, %rb, %rc", 0x0123_456c),
    ] {
        let found = result(text, &sources);
        assert_eq!(found, to, "{text}: {found:#x}");
    }
}

#[test]
fn what_does_not_exist_is_refused() {
    for text in [
        "cvt.u32 %rd, %ra",
        "cvt.rn.u32.u64 %rd, %xa",
        "cvt.b32.u64 %rd, %xa",
        "cvt.u32.u64 %rd, %ra",
        "cvt.u64.u32 %rd, %ra",
        "cvt.u32.u64 _, %xa",
        "cvt.u32.u64 %rd, %xa, %xa",
        "cvt.s32.f32 %rd, %ra",
        "cvt.rn.s32.f32 %rd, %ra",
        "cvt.f32.s32 %rd, %ra",
        "cvt.rzi.f32.s32 %rd, %ra",
        "cvt.f16.f32 %hd, %ra",
        "cvt.rn.f32.f16 %rd, %ha",
        "cvt.rzi.f64.f32 %xd, %ra",
        "cvt.ftz.f64.f16 %xd, %ha",
        "cvt.rm.relu.f16.f32 %hd, %ra",
        "cvt.rn.relu.f32.f64 %rd, %xa",
        "cvt.rn.f16x2.f32 %rd, %ra",
        "cvt.rm.f16x2.f32 %rd, %ra, %rb",
        "cvt.rn.e4m3x2.f32 %hd, %ra, %rb",
        "cvt.rn.satfinite.e4m3x2.f32 %rd, %ra, %rb",
        "cvt.rn.ue8m0x2.f32 %hd, %ra, %rb",
        "cvt.rna.satfinite.relu.tf32.f32 %rd, %ra",
        "cvt.rs.f16x2.f32 %rd, %ra, %rb, %rc",
        "cvt.pack.sat.u16.s32.b32 %rd, %ra, %rb, %rc",
        "cvt.pack.sat.u8.s32 %rd, %ra, %rb",
        "cvt.pack.u16.s32 %rd, %ra, %rb",
    ] {
        let module = snippet(&format!("{REGISTERS} {text};")).target("sm_100a").module_text();
        assert!(Module::from_text(&module).is_err(), "{text} is accepted");
    }
    let hopper = snippet(&format!("{REGISTERS} cvt.rn.f16x2.e2m1x2 %rd, %ba;")).module_text();
    let errors = Module::from_text(&hopper).unwrap_err();
    assert!(errors[0].message.contains("sm_100"), "{errors:?}");
}
