//! Conversions between formats of floats.
//!
//! Numbers of 8 bits are carried as bits, and converted two at a time: the hardware has no other way. What is too large
//! becomes the largest finite number (`satfinite`), and infinities do too; NaN stays NaN.

use melior::ir::Value as Mlir;
use tidegate_ir::attr::float_from_bits;
use tidegate_ir::types::{FloatKind, TypeKind};
use tidegate_ir::{Op, Value};

use super::{
    Lower, Lowering, unsupported,
    value::{Array, Form},
};
use crate::analysis::layout::Layout;

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// `arith.extf` and `arith.truncf`.
    pub(super) fn convert_float(&mut self, op: Op) -> Lower<()> {
        let module = self.module();
        let kind = |value: Value| match module.types.kind(module.types.elem_of(module.ty(value))) {
            TypeKind::Float(kind) => Some(*kind),
            _ => None,
        };
        let source = module.get_operand(op, 0);
        let (from, to) = (source.and_then(kind), module.results(op).next().and_then(kind));
        match (from, to) {
            (Some(FloatKind::TF32), Some(FloatKind::F32)) => {
                // The same 32 bits.
                let low = source.map(|source| self.low(op, source)).transpose()?;
                if let (Some(low), Some(result)) = (low, module.results(op).next()) {
                    self.values.insert(result, low);
                }
                Ok(())
            }
            (Some(FloatKind::F32), Some(FloatKind::TF32)) => self.map_elements(op, &|this, element| {
                let bits = this.e.intrinsic("llvm.nvvm.f2tf32.rna", &[element], this.e.types().i32)?;
                Ok(this.e.convert("arith.bitcast", bits, this.e.types().f32)?)
            }),
            (Some(from), Some(to)) if is_byte(to) && is_plain(from) && from != FloatKind::F64 => {
                if module.attr_i64(op, "roundingmode").is_some_and(|mode| mode != 0) {
                    let what = "to 8-bit floats rounds to the nearest even only";
                    return Err(unsupported(module, op, what).into());
                }
                self.convert_bytes(op, from, to)
            }
            (Some(from), Some(to)) if is_byte(from) && is_plain(to) => self.convert_bytes(op, from, to),
            (Some(from), Some(to)) if is_plain(from) && is_plain(to) => {
                let name = module.op_name(op);
                self.elementwise(op, name, true)
            }
            _ => Err(unsupported(module, op, "converts between formats that have no lowering").into()),
        }
    }

    /// Two numbers as two bytes, an `i16`, the first one below.
    fn to_bytes(
        &self,
        from: FloatKind,
        to: FloatKind,
        low: Mlir<'c, 'a>,
        high: Option<Mlir<'c, 'a>>,
    ) -> Lower<Mlir<'c, 'a>> {
        let e = self.e;
        let format = format_name(to);
        let high = match high {
            Some(high) => high,
            None => e.float(self.float_type(from)?, 0.0)?,
        };
        if from == FloatKind::F16 {
            let pair = e.parse_type("vector<2xf16>")?;
            let pair = e.value("vector.from_elements", &[low, high], pair, &[])?;
            let name = format!("llvm.nvvm.f16x2.to.{format}x2.rn");
            return Ok(e.intrinsic(&name, &[pair], e.types().i16)?);
        }
        let wide = |number| match from {
            FloatKind::F32 => Ok(number),
            _ => e.convert("arith.extf", number, e.types().f32),
        };
        let name = format!("llvm.nvvm.ff.to.{format}x2.rn");
        Ok(e.intrinsic(&name, &[wide(high)?, wide(low)?], e.types().i16)?)
    }

    /// Two bytes, an `i16`, as two numbers. All of the numbers are in `f16` too, so that no step rounds.
    fn of_bytes(&self, from: FloatKind, to: FloatKind, bytes: Mlir<'c, 'a>) -> Lower<Vec<Mlir<'c, 'a>>> {
        let e = self.e;
        let (half, pair) = (e.parse_type("f16")?, e.parse_type("vector<2xf16>")?);
        let name = format!("llvm.nvvm.{}x2.to.f16x2.rn", format_name(from));
        let halves = e.intrinsic(&name, &[bytes], pair)?;
        (0..2)
            .map(|place| {
                let number = e.value("llvm.extractelement", &[halves, e.i32(place)?], half, &[])?;
                Ok(match to {
                    FloatKind::F16 => number,
                    FloatKind::BF16 => {
                        let single = e.convert("arith.extf", number, e.types().f32)?;
                        e.convert("arith.truncf", single, self.float_type(to)?)?
                    }
                    _ => e.convert("arith.extf", number, self.float_type(to)?)?,
                })
            })
            .collect()
    }

    fn float_type(&self, kind: FloatKind) -> Lower<melior::ir::Type<'c>> {
        Ok(match kind {
            FloatKind::F32 => self.e.types().f32,
            FloatKind::F16 => self.e.parse_type("f16")?,
            FloatKind::BF16 => self.e.parse_type("bf16")?,
            _ => self.e.parse_type("f64")?,
        })
    }

    /// Converts the only operand to or from 8 bits.
    fn convert_bytes(&mut self, op: Op, from: FloatKind, to: FloatKind) -> Lower<()> {
        let module = self.module();
        let (result, source) = (module.result(op, 0), module.operand(op, 0));
        if module.types.as_vector(module.ty(result)).is_none() {
            let number = self.number(op, source)?;
            let made = self.bytes_of_chunk(from, to, number, 1, None)?;
            self.set_number(op, made);
            return Ok(());
        }
        let form = self.form(op, result)?;
        let own = self.form_with(op, source, form.layout)?;
        let count = if form.layout == Layout::Splat { 1 } else { form.vec };
        let chunks = self.chunks(op, source, &own)?;
        let chunks = chunks
            .into_iter()
            .map(|chunk| self.bytes_of_chunk(from, to, chunk, count, Some((&own, &form))))
            .collect::<Lower<Vec<_>>>()?;
        self.set_array(op, Array { layout: form.layout, chunks });
        Ok(())
    }

    /// A chunk of `count` numbers, converted.
    fn bytes_of_chunk(
        &self,
        from: FloatKind,
        to: FloatKind,
        chunk: Mlir<'c, 'a>,
        count: i64,
        forms: Option<(&Form<'c>, &Form<'c>)>,
    ) -> Lower<Mlir<'c, 'a>> {
        let e = self.e;
        let types = *e.types();
        let Some((own, form)) = forms.filter(|_| count > 1) else {
            if is_byte(to) {
                return Ok(e.convert("arith.trunci", self.to_bytes(from, to, chunk, None)?, types.i8)?);
            }
            let bytes = e.convert("arith.extui", chunk, types.i16)?;
            return Ok(self.of_bytes(from, to, bytes)?[0]);
        };
        // Chunks are of 2, 4, 8 or 16 numbers: pairs, packed in one register or more.
        let pairs = self.chunk_type(types.i16, count / 2)?;
        if is_byte(to) {
            let elements = self.elements_of(chunk, own)?;
            let packed = elements
                .chunks(2)
                .map(|pair| self.to_bytes(from, to, pair[0], pair.get(1).copied()))
                .collect::<Lower<Vec<_>>>()?;
            let packed = match packed.as_slice() {
                [one] => *one,
                all => e.value("vector.from_elements", all, pairs, &[])?,
            };
            return Ok(e.convert("llvm.bitcast", packed, form.chunk)?);
        }
        let packed = e.convert("llvm.bitcast", chunk, pairs)?;
        let mut elements = Vec::new();
        for place in 0..count / 2 {
            let pair = match count {
                2 => packed,
                _ => e.value("llvm.extractelement", &[packed, e.i32(place)?], types.i16, &[])?,
            };
            elements.extend(self.of_bytes(from, to, pair)?);
        }
        self.chunk_of(&elements, form)
    }
}

/// The byte of the number nearest to `value`, of two the even one.
pub(super) fn byte_of(value: f64, kind: FloatKind) -> u8 {
    let distance = |byte: u8| {
        let number = float_from_bits(byte.into(), kind);
        match (number.is_nan(), value.is_nan()) {
            (true, true) => 0.0,
            (true, false) | (false, true) => f64::MAX,
            (false, false) if number == value => 0.0,
            (false, false) => (number - value).abs(),
        }
    };
    let wrong_sign = |byte: u8| kind != FloatKind::F8E8M0FNU && (byte >= 128) != value.is_sign_negative();
    let key = |byte: u8| (wrong_sign(byte), distance(byte), byte & 1);
    let better = |a: u8, b: u8| key(b).partial_cmp(&key(a)).is_some_and(std::cmp::Ordering::is_lt);
    (0..=u8::MAX).reduce(|best, byte| if better(best, byte) { byte } else { best }).unwrap_or(0)
}

/// How intrinsics call a format of 8 bits.
fn format_name(kind: FloatKind) -> &'static str {
    if kind == FloatKind::F8E5M2 { "e5m2" } else { "e4m3" }
}

/// Formats of 8 bits that the hardware converts.
fn is_byte(kind: FloatKind) -> bool {
    matches!(kind, FloatKind::F8E4M3FN | FloatKind::F8E5M2)
}

/// Formats that LLVM computes with.
fn is_plain(kind: FloatKind) -> bool {
    matches!(kind, FloatKind::F16 | FloatKind::BF16 | FloatKind::F32 | FloatKind::F64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_eight_bits() {
        for kind in [FloatKind::F8E4M3FN, FloatKind::F8E5M2] {
            for byte in 0..=u8::MAX {
                let value = float_from_bits(byte.into(), kind);
                assert!(value.is_nan() || byte_of(value, kind) == byte, "{kind} {byte} {value}");
            }
        }
        assert_eq!(byte_of(1.0, FloatKind::F8E4M3FN), 0x38);
        assert_eq!(byte_of(-0.0, FloatKind::F8E5M2), 0x80);
        assert_eq!(byte_of(1.0625, FloatKind::F8E4M3FN), 0x38);
        assert!(float_from_bits(byte_of(f64::NAN, FloatKind::F8E4M3FN).into(), FloatKind::F8E4M3FN).is_nan());
    }
}
