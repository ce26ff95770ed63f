//! Whole slices of numbers decoded for [`super::dot`], and its results encoded.
//!
//! Every function handles as many numbers as the shorter of its slices holds, and returns nothing: lengths
//! are checked where tiles are multiplied. Memory of the GPU is little-endian; the functions that take bytes
//! read it as it lies. Decoded NaNs and encoded NaNs are canonical, as of single numbers in [`super::cvt`].

use multiversion::multiversion;

use super::cvt::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use super::format::{E2M1, E2M3, E3M2, E4M3, E5M2, Float};

/// f16 codes to f32.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
pub fn decode_f16(codes: &[u16], out: &mut [f32]) {
    for (out, code) in out.iter_mut().zip(codes) {
        *out = f32::from_bits(f16_to_f32(*code));
    }
}

/// bf16 codes to f32.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
pub fn decode_bf16(codes: &[u16], out: &mut [f32]) {
    for (out, code) in out.iter_mut().zip(codes) {
        *out = f32::from_bits(bf16_to_f32(*code));
    }
}

/// tf32 codes to f32: the low 13 bits are ignored, as the tensor core does.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
pub fn decode_tf32(codes: &[u32], out: &mut [f32]) {
    for (out, code) in out.iter_mut().zip(codes) {
        *out = tf32_value(*code);
    }
}

/// NaN is looked for before the low bits go: a NaN with payload in these alone stays one.
#[inline(always)]
fn tf32_value(code: u32) -> f32 {
    let bits = if code & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { code & 0xffff_e000 };
    f32::from_bits(bits)
}

fn through_table(table: &[f32; 256], codes: &[u8], out: &mut [f32]) {
    for (out, code) in out.iter_mut().zip(codes) {
        *out = table[usize::from(*code)];
    }
}

/// E4M3 codes to f32.
pub fn decode_e4m3(codes: &[u8], out: &mut [f32]) {
    through_table(&E4M3, codes, out);
}

/// E5M2 codes to f32.
pub fn decode_e5m2(codes: &[u8], out: &mut [f32]) {
    through_table(&E5M2, codes, out);
}

/// E2M3 codes to f32, one in the low 6 bits of a byte.
pub fn decode_e2m3(codes: &[u8], out: &mut [f32]) {
    through_table(&E2M3, codes, out);
}

/// E3M2 codes to f32, one in the low 6 bits of a byte.
pub fn decode_e3m2(codes: &[u8], out: &mut [f32]) {
    through_table(&E3M2, codes, out);
}

/// E2M1 codes to f32, one in the low 4 bits of a byte.
pub fn decode_e2m1(codes: &[u8], out: &mut [f32]) {
    through_table(&E2M1, codes, out);
}

/// E2M1 codes to f32, two in a byte, the low half first.
pub fn decode_e2m1_packed(codes: &[u8], out: &mut [f32]) {
    for (pair, code) in out.chunks_mut(2).zip(codes) {
        let values = [E2M1[usize::from(*code)], E2M1[usize::from(code >> 4)]];
        for (out, value) in pair.iter_mut().zip(values) {
            *out = value;
        }
    }
}

/// Numbers of any format to f32 from the bytes of memory. Formats of less than 8 bits take one byte each
/// (for packed ones see [`decode_e2m1_packed`]); F64 is rounded to nearest even.
pub fn decode_bytes(format: Float, bytes: &[u8], out: &mut [f32]) {
    match format {
        Float::E2m1 => decode_e2m1(bytes, out),
        Float::E2m3 => decode_e2m3(bytes, out),
        Float::E3m2 => decode_e3m2(bytes, out),
        Float::E4m3 => decode_e4m3(bytes, out),
        Float::E5m2 => decode_e5m2(bytes, out),
        Float::F16 => f16_bytes(bytes, out),
        Float::Bf16 => bf16_bytes(bytes, out),
        Float::Tf32 => tf32_bytes(bytes, out),
        Float::F32 => {
            for (out, code) in out.iter_mut().zip(bytes.as_chunks().0) {
                *out = f32::from_le_bytes(*code);
            }
        }
        Float::F64 => {
            for (out, code) in out.iter_mut().zip(bytes.as_chunks().0) {
                *out = Float::F64.to_f32(u64::from_le_bytes(*code));
            }
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
fn f16_bytes(bytes: &[u8], out: &mut [f32]) {
    for (out, code) in out.iter_mut().zip(bytes.as_chunks().0) {
        *out = f32::from_bits(f16_to_f32(u16::from_le_bytes(*code)));
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
fn bf16_bytes(bytes: &[u8], out: &mut [f32]) {
    for (out, code) in out.iter_mut().zip(bytes.as_chunks().0) {
        *out = f32::from_bits(bf16_to_f32(u16::from_le_bytes(*code)));
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
fn tf32_bytes(bytes: &[u8], out: &mut [f32]) {
    for (out, code) in out.iter_mut().zip(bytes.as_chunks().0) {
        *out = tf32_value(u32::from_le_bytes(*code));
    }
}

/// Signed bytes to i32.
pub fn decode_s8(codes: &[u8], out: &mut [i32]) {
    for (out, code) in out.iter_mut().zip(codes) {
        *out = i32::from(*code as i8);
    }
}

/// Unsigned bytes to i32.
pub fn decode_u8(codes: &[u8], out: &mut [i32]) {
    for (out, code) in out.iter_mut().zip(codes) {
        *out = i32::from(*code);
    }
}

/// f32 to f16 codes, to nearest even.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
pub fn encode_f16(values: &[f32], out: &mut [u16]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = f32_to_f16(value.to_bits());
    }
}

/// f32 to bf16 codes, to nearest even.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
pub fn encode_bf16(values: &[f32], out: &mut [u16]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = f32_to_bf16(value.to_bits());
    }
}

/// Rounds f32 to the nearest f16 in place: an accumulator of f16 after its instruction.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
pub fn round_to_f16(values: &mut [f32]) {
    for value in values {
        *value = f32::from_bits(f16_to_f32(f32_to_f16(value.to_bits())));
    }
}

/// Replaces every NaN by the one of the GPU, `0x7fffffff`: an accumulator of f32 after its instruction.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
pub fn canonical_f32(values: &mut [f32]) {
    for value in values {
        let bits = value.to_bits();
        *value = f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits });
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::time::Instant;

    use super::*;

    fn bits(values: &[f32]) -> Vec<u32> {
        values.iter().map(|v| v.to_bits()).collect()
    }

    #[test]
    fn every_half_code() {
        let codes: Vec<u16> = (0..=u16::MAX).collect();
        let bytes: Vec<u8> = codes.iter().flat_map(|c| c.to_le_bytes()).collect();
        let (mut out, mut other) = (vec![0.0; codes.len()], vec![0.0; codes.len()]);
        let mut back = vec![0; codes.len()];
        for format in [Float::F16, Float::Bf16] {
            let want: Vec<f32> = codes.iter().map(|c| format.to_f32(u64::from(*c))).collect();
            if format == Float::F16 {
                decode_f16(&codes, &mut out);
                encode_f16(&out, &mut back);
                let mut rounded = out.clone();
                round_to_f16(&mut rounded);
                assert_eq!(bits(&rounded), bits(&want));
            } else {
                decode_bf16(&codes, &mut out);
                encode_bf16(&out, &mut back);
            }
            assert_eq!(bits(&out), bits(&want));
            decode_bytes(format, &bytes, &mut other);
            assert_eq!(bits(&other), bits(&want));
            let is_nan = |c: u16| format.is_nan(u64::from(c));
            assert!(codes.iter().zip(&back).all(|(c, b)| if is_nan(*c) { *b == 0x7fff } else { c == b }));
        }
    }

    #[test]
    fn bytes_through_tables() {
        let codes: Vec<u8> = (0..=u8::MAX).collect();
        for format in [Float::E2m1, Float::E2m3, Float::E3m2, Float::E4m3, Float::E5m2] {
            let mut out = [0.0; 256];
            decode_bytes(format, &codes, &mut out);
            let want: Vec<f32> = codes.iter().map(|c| format.to_f32(u64::from(*c))).collect();
            assert_eq!(bits(&out), bits(&want), "{format:?}");
        }
        let mut out = [9.0; 5];
        decode_e2m1_packed(&[0x21, 0xf7, 0x03], &mut out);
        assert_eq!(out, [0.5, 1.0, 6.0, -6.0, 1.5]);
        let mut out = [0; 3];
        decode_s8(&[0xff, 0x80, 1], &mut out);
        assert_eq!(out, [-1, -128, 1]);
        decode_u8(&[0xff, 0x80, 1], &mut out);
        assert_eq!(out, [255, 128, 1]);
    }

    #[test]
    fn words() {
        let codes = [0x3f80_1fffu32, 0x7f80_0001, 0xff80_0000, 0x0000_1fff, 0x8000_2000];
        let bytes: Vec<u8> = codes.iter().flat_map(|c| c.to_le_bytes()).collect();
        let want = [0x3f80_0000, 0x7fff_ffff, 0xff80_0000, 0, 0x8000_2000];
        let mut out = [0.0; 5];
        decode_tf32(&codes, &mut out);
        assert_eq!(bits(&out), want);
        decode_bytes(Float::Tf32, &bytes, &mut out);
        assert_eq!(bits(&out), want);
        decode_bytes(Float::F32, &bytes, &mut out);
        assert_eq!(bits(&out), codes);
        canonical_f32(&mut out);
        assert_eq!(out[1].to_bits(), 0x7fff_ffff);
        decode_bytes(Float::F64, &0.1f64.to_le_bytes(), &mut out);
        assert_eq!(out[0], 0.1);
    }

    #[test]
    #[ignore = "a measurement: cargo test --release -p tidegate-machine -- --ignored --nocapture rates"]
    fn decoding_rates() {
        const N: usize = 4096;
        const REPEATS: usize = 20_000;
        let (halves, bytes) = (vec![0x3c01u16; N], vec![0x31u8; 2 * N]);
        let (mut out, mut codes) = (vec![0f32; N], vec![0u16; N]);
        let mut measure = |name: &str, run: &mut dyn FnMut(&mut [f32])| {
            let start = Instant::now();
            for _ in 0..REPEATS {
                run(black_box(&mut out));
            }
            let rate = (N * REPEATS) as f64 / start.elapsed().as_nanos() as f64;
            println!("{name}: {rate:.2} G numbers a second");
        };
        measure("decode f16", &mut |out| decode_f16(black_box(&halves), out));
        measure("decode f16 from bytes", &mut |out| decode_bytes(Float::F16, black_box(&bytes), out));
        measure("decode bf16", &mut |out| decode_bf16(black_box(&halves), out));
        measure("decode e4m3", &mut |out| decode_e4m3(black_box(&bytes), out));
        measure("encode f16", &mut |out| encode_f16(out, black_box(&mut codes)));
        measure("encode bf16", &mut |out| encode_bf16(out, black_box(&mut codes)));
        measure("round to f16", &mut |out| round_to_f16(out));
    }
}
