//! Matrix multiply-accumulate by warps (ISA 9.7.14): `mma.sync`, and `wmma.load`, `wmma.mma`, `wmma.store`.
//!
//! A matrix is gathered from the registers of the warp as the bytes of its rows (B by its columns), multiplied and added
//! with [`tidegate_machine::num::dot`], and scattered. Sums of floating-point numbers are taken in the order of K in
//! f32 (f64 for f64), f16 accumulators rounded once at the end; see there.

mod decode;
mod fragment;
mod quad;
#[cfg(test)]
mod tests;
mod wmma;

use super::tile::{Element, transpose};
use crate::exec::{Exec, Flow};
pub(super) use decode::decode;
use fragment::Fragment;
use std::sync::Arc;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Stop;
use tidegate_machine::num::{dot, slices};

/// An instruction of this family.
#[derive(Clone, Debug)]
pub enum Op {
    /// `mma.sync` and `wmma.mma`.
    Product(Arc<Product>),
    /// `mma.sync.m8n8k4` of f16: four products of quads of lanes.
    Quads(Arc<quad::Quads>),
    /// `wmma.load`, `wmma.store`.
    Move(Arc<wmma::Move>),
}

/// The type of C or D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sum {
    F16,
    F32,
    F64,
    S32,
}

impl Sum {
    fn from_modifier(modifier: &str) -> Option<Sum> {
        Some(match modifier {
            "f16" => Sum::F16,
            "f32" => Sum::F32,
            "f64" => Sum::F64,
            "s32" => Sum::S32,
            _ => return None,
        })
    }

    fn bits(self) -> usize {
        match self {
            Sum::F16 => 16,
            Sum::F32 | Sum::S32 => 32,
            Sum::F64 => 64,
        }
    }
}

/// How two bits are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bits {
    And,
    Xor,
}

/// A product of the whole warp.
#[derive(Debug)]
pub struct Product {
    shape: dot::Shape,
    a_type: Element,
    b_type: Element,
    c_type: Sum,
    d_type: Sum,
    satfinite: bool,
    bits: Bits,
    d: Fragment,
    a: Fragment,
    /// By columns.
    b: Fragment,
    c: Fragment,
}

impl Op {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        if let Some(flow) = x.aligned()? {
            return Ok(flow);
        }
        if x.lanes != u32::MAX {
            return x.fail(
                Code::Divergence,
                "a matrix instruction is executed by a warp with fewer than 32 threads",
            );
        }
        match self {
            Op::Product(p) => p.exec(x),
            Op::Quads(q) => q.exec(x),
            Op::Move(m) => m.exec(x)?,
        }
        Ok(Flow::Next)
    }
}

/// Bytes of the largest matrix: 16 by 16 of f64.
const BYTES: usize = 2048;
/// Elements of A or B: 16 by 64 of 4 bits.
const ELEMENTS: usize = 1024;
/// Elements of D.
const SUMS: usize = 256;

impl Product {
    fn exec(&self, x: &mut Exec<'_>) {
        let dot::Shape { m, n, k } = self.shape;
        let (mut a, mut b, mut c) = ([0; BYTES], [0; BYTES], [0; BYTES]);
        let a = self.a.read(x.regs, &mut a);
        let b = self.b.read(x.regs, &mut b);
        let c = self.c.read(x.regs, &mut c);
        let mut out = [0; BYTES];
        let out = &mut out[..(m * n * self.d_type.bits() / 8).min(BYTES)];
        let count = m * n;
        match self.d_type {
            // No shape that is decoded has more.
            _ if count > SUMS || self.a_type != Element::B1 && m.max(n) * k > ELEMENTS => return,
            Sum::F64 => {
                let (mut fa, mut fb, mut ft, mut fd) = ([0.0; 256], [0.0; 128], [0.0; 128], [0.0; SUMS]);
                if m * k > fa.len() || n * k > fb.len() {
                    return;
                }
                doubles(a, &mut fa);
                doubles(b, &mut ft);
                doubles(c, &mut fd);
                transpose(n, k, &ft[..n * k], &mut fb[..n * k]);
                let done = dot::mma_f64(self.shape, &fa[..m * k], &fb[..n * k], &mut fd[..count]);
                debug_assert!(done.is_ok());
                for (to, v) in out.as_chunks_mut::<8>().0.iter_mut().zip(&fd) {
                    let bits = if v.is_nan() { 0x7fff_ffff_ffff_ffff } else { v.to_bits() };
                    *to = bits.to_le_bytes();
                }
            }
            Sum::S32 => {
                let mut d = [0; SUMS];
                for (d, c) in d.iter_mut().zip(c.as_chunks().0) {
                    *d = i32::from_le_bytes(*c);
                }
                let d = &mut d[..count];
                if self.a_type == Element::B1 {
                    self.count_bits(a, b, d);
                } else {
                    self.integers(a, b, d);
                }
                for (to, v) in out.as_chunks_mut().0.iter_mut().zip(d) {
                    *to = v.to_le_bytes();
                }
            }
            Sum::F16 | Sum::F32 => {
                let (mut fa, mut fb, mut ft, mut d) =
                    ([0.0; ELEMENTS], [0.0; ELEMENTS], [0.0; ELEMENTS], [0.0; SUMS]);
                let d = &mut d[..count];
                self.a_type.floats(a, &mut fa[..m * k]);
                self.b_type.floats(b, &mut ft[..n * k]);
                transpose(n, k, &ft[..n * k], &mut fb[..n * k]);
                sums_from(self.c_type, c, d);
                let done = dot::mma_f32(self.shape, &fa[..m * k], &fb[..n * k], d);
                debug_assert!(done.is_ok());
                sums_to(self.d_type, d, out);
            }
        }
        self.d.write(x.regs, out);
    }

    fn integers(&self, a: &[u8], b: &[u8], d: &mut [i32]) {
        let dot::Shape { m, n, k } = self.shape;
        let (mut ia, mut ib, mut it) = ([0; ELEMENTS], [0; ELEMENTS], [0; ELEMENTS]);
        self.a_type.integers(a, &mut ia[..m * k]);
        self.b_type.integers(b, &mut it[..n * k]);
        transpose(n, k, &it[..n * k], &mut ib[..n * k]);
        let sum = if self.satfinite { dot::mma_i32_satfinite } else { dot::mma_i32 };
        let done = sum(self.shape, &ia[..m * k], &ib[..n * k], d);
        debug_assert!(done.is_ok());
    }

    fn count_bits(&self, a: &[u8], b: &[u8], d: &mut [i32]) {
        let dot::Shape { n, k, .. } = self.shape;
        for (a, d) in a.chunks_exact(k / 8).zip(d.chunks_exact_mut(n)) {
            for (b, d) in b.chunks_exact(k / 8).zip(d) {
                let ones = a.iter().zip(b).map(|(a, b)| match self.bits {
                    Bits::And => (a & b).count_ones(),
                    Bits::Xor => (a ^ b).count_ones(),
                });
                *d = d.wrapping_add(ones.sum::<u32>() as i32);
            }
        }
    }
}

fn doubles(bytes: &[u8], out: &mut [f64]) {
    for (out, bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
        *out = f64::from_le_bytes(*bytes);
    }
}

/// C in f32.
fn sums_from(ty: Sum, bytes: &[u8], out: &mut [f32]) {
    match ty {
        Sum::F16 => Element::F16.floats(bytes, out),
        _ => {
            for (out, bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
                *out = f32::from_le_bytes(*bytes);
            }
        }
    }
}

/// D from f32.
fn sums_to(ty: Sum, values: &mut [f32], out: &mut [u8]) {
    if ty == Sum::F16 {
        let mut codes = [0; SUMS];
        slices::encode_f16(values, &mut codes);
        for (out, code) in out.as_chunks_mut().0.iter_mut().zip(codes) {
            *out = code.to_le_bytes();
        }
    } else {
        slices::canonical_f32(values);
        for (out, v) in out.as_chunks_mut().0.iter_mut().zip(values) {
            *out = v.to_le_bytes();
        }
    }
}
