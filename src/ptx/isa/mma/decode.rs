//! Decoding: which shapes, types and modifiers exist (ISA 9.7.14.2, 9.7.14.4 and 9.7.14.5).

use super::super::matrix_moves::Place;
use super::fragment::{Fragment, Layout};
use super::quad::Quads;
use super::wmma::Move;
use super::{Bits, Element, Op, Product, Sum};
use crate::ast::ScalarType;
use crate::decode::{Decoder, Dst, Src};
use crate::error::ParseError;
use crate::regs::S32;
use std::sync::Arc;
use tidegate_machine::num::dot;

type Result<T> = std::result::Result<T, ParseError>;

pub(in super::super) fn decode(d: &mut Decoder<'_>) -> Result<Op> {
    let parts: Vec<String> = d.opcode().to_vec();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts[..] {
        ["mma", "sp" | "sp::ordered_metadata", ..] => {
            d.error("mma.sp (sparse A) is not modelled; a dense mma.sync is")
        }
        ["mma", "sync", "aligned", ref rest @ ..] if rest.iter().any(|m| m.starts_with("kind::")) => {
            d.error("mma.sync with `.kind` (f8f6f4 and block-scaled types of sm_120a) is not modelled")
        }
        ["mma", "sync", "aligned", ref rest @ ..] => mma(d, rest),
        ["wmma", "load", role @ ("a" | "b" | "c"), "sync", "aligned", ref rest @ ..] => moves(d, role, rest),
        ["wmma", "store", "d", "sync", "aligned", ref rest @ ..] => moves(d, "d", rest),
        ["wmma", "mma", "sync", "aligned", ref rest @ ..] => wmma(d, rest, None),
        ["wmma", "mma", bits @ ("xor" | "and"), "popc", "sync", "aligned", ref rest @ ..] => {
            wmma(d, rest, Some(if bits == "xor" { Bits::Xor } else { Bits::And }))
        }
        _ => d.unknown(),
    }
}

/// `mMnNkK`
fn shape(text: &str) -> Option<dot::Shape> {
    let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some(dot::Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
}

/// So many registers of an operand.
fn slots(d: &mut Decoder<'_>, index: usize, count: usize, wide: bool, written: bool) -> Result<Vec<u32>> {
    let list = d.elements(index)?;
    if list.len() != count {
        let found = list.len();
        return d.error_at(index, format!("this shape takes {count} registers here, found {found}"));
    }
    let span = d.span(index);
    let mut out = Vec::with_capacity(count);
    for arg in &list {
        let slot = if written {
            match d.dst_of(arg, span)? {
                Dst::R32(s) if !wide => Some(s.0),
                Dst::R64(s) if wide => Some(s.0),
                _ => None,
            }
        } else {
            match d.src_of(arg, if wide { ScalarType::B64 } else { ScalarType::B32 }, span)? {
                Src::R32(s) if !wide => Some(s.0),
                Src::R64(s) if wide => Some(s.0),
                _ => None,
            }
        };
        match slot {
            Some(slot) => out.push(slot),
            None => {
                let bits = if wide { 64 } else { 32 };
                return d.error_at(index, format!("registers of {bits} bits are wanted here"));
            }
        }
    }
    Ok(out)
}

fn narrow(slots: Vec<u32>) -> Vec<S32> {
    slots.into_iter().map(S32).collect()
}

fn needs(d: &Decoder<'_>, arch: u32) -> Result<()> {
    if d.arch >= arch {
        return Ok(());
    }
    d.error(format!("`{}` needs sm_{arch} or later, the target is sm_{}", d.opcode().join("."), d.arch))
}

fn mma(d: &mut Decoder<'_>, rest: &[&str]) -> Result<Op> {
    use Element::{B1, Bf16, F16, F64, S4, S8, Tf32, U4, U8};
    let (text, a_layout, b_layout, rest) = match rest {
        [shape, a @ ("row" | "col"), b @ ("row" | "col"), rest @ ..] => (*shape, *a, *b, rest),
        _ => return d.unknown(),
    };
    let (satfinite, rest) = match rest {
        ["satfinite", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (types, bits) = match rest {
        [types @ .., "and", "popc"] => (types, Some(Bits::And)),
        [types @ .., "xor", "popc"] => (types, Some(Bits::Xor)),
        types => (types, None),
    };
    let [dtype, atype, btype, ctype] = types else { return d.unknown() };
    let (Some(shape), Some(d_type), Some(a_type), Some(b_type), Some(c_type)) = (
        shape(text),
        Sum::from_modifier(dtype),
        Element::from_modifier(atype),
        Element::from_modifier(btype),
        Sum::from_modifier(ctype),
    ) else {
        return d.unknown();
    };
    let sizes = (shape.m, shape.n, shape.k);
    d.operands(4..=4)?;
    if (a_type, sizes) == (F16, (8, 8, 4)) {
        let known = matches!((d_type, c_type), (Sum::F32, Sum::F32 | Sum::F16) | (Sum::F16, Sum::F16));
        if b_type != a_type || !known || satfinite || bits.is_some() {
            return d.unknown();
        }
        let count = |ty: Sum| if ty == Sum::F16 { 4 } else { 8 };
        return Ok(Op::Quads(Arc::new(Quads {
            a_row: a_layout == "row",
            b_row: b_layout == "row",
            c_type,
            d_type,
            d: narrow(slots(d, 0, count(d_type), false, true)?),
            a: narrow(slots(d, 1, 2, false, false)?),
            b: narrow(slots(d, 2, 2, false, false)?),
            c: narrow(slots(d, 3, count(c_type), false, false)?),
        })));
    }
    let integer = a_type.is_integer();
    if (a_layout, b_layout) != ("row", "col")
        || c_type != d_type
        || satfinite && !integer
        || bits.is_some() != (a_type == B1)
    {
        return d.unknown();
    }
    let arch = match (a_type, b_type, d_type, sizes) {
        (F16, F16, Sum::F16 | Sum::F32, (16, 8, 8 | 16)) => 75,
        (Bf16, Bf16, Sum::F32, (16, 8, 8 | 16)) | (Tf32, Tf32, Sum::F32, (16, 8, 4 | 8)) => 80,
        (a, b, Sum::F16 | Sum::F32, (16, 8, 16 | 32)) if a.is_f8() && b.is_f8() => 89,
        (S8 | U8, S8 | U8, Sum::S32, (8, 8, 16)) | (S4 | U4, S4 | U4, Sum::S32, (8, 8, 32)) => 75,
        (S8 | U8, S8 | U8, Sum::S32, (16, 8, 16 | 32)) | (S4 | U4, S4 | U4, Sum::S32, (16, 8, 32 | 64)) => 80,
        (B1, B1, Sum::S32, (8, 8, 128) | (16, 8, 128 | 256)) => 75,
        (F64, F64, Sum::F64, (8, 8, 4)) => 80,
        (F64, F64, Sum::F64, (16, 8, 4 | 8 | 16)) => 90,
        _ => return d.unknown(),
    };
    needs(d, arch)?;
    let wide = a_type == F64;
    let register_bits = if wide { 64 } else { 32 };
    let k_bits = shape.k * a_type.bits() as usize;
    let a_count = shape.m * k_bits / 32 / register_bits;
    let c_count = shape.m * shape.n * d_type.bits() / 32 / register_bits;
    let input = |slots: Vec<u32>, layout: Layout, rows: usize| Fragment {
        slots,
        wide,
        layout,
        row_bytes: k_bits / 8,
        bytes: rows * k_bits / 8,
    };
    let sum = |slots: Vec<u32>| Fragment {
        slots,
        wide,
        layout: if d_type == Sum::F16 { Layout::C16 } else { Layout::C },
        row_bytes: shape.n * d_type.bits() / 8,
        bytes: shape.m * shape.n * d_type.bits() / 8,
    };
    let a_layout = if shape.m == 16 { Layout::A } else { Layout::B };
    Ok(Op::Product(Arc::new(Product {
        shape,
        a_type,
        b_type,
        c_type,
        d_type,
        satfinite,
        bits: bits.unwrap_or(Bits::And),
        d: sum(slots(d, 0, c_count, wide, true)?),
        a: input(slots(d, 1, a_count, wide, false)?, a_layout, shape.m),
        b: input(slots(d, 2, 8 * k_bits / 32 / register_bits, wide, false)?, Layout::B, 8),
        c: sum(slots(d, 3, c_count, wide, false)?),
    })))
}

/// Whether a shape of wmma exists for elements of A and B (ISA 9.7.14.2).
fn wmma_shape(text: &str, a: Element) -> Option<dot::Shape> {
    let s = shape(text)?;
    let known = match a {
        Element::F16 | Element::Bf16 | Element::S8 | Element::U8 => {
            matches!((s.m, s.n, s.k), (16, 16, 16) | (32, 8, 16) | (8, 32, 16))
        }
        Element::Tf32 => (s.m, s.n, s.k) == (16, 16, 8),
        Element::F64 => (s.m, s.n, s.k) == (8, 8, 4),
        Element::S4 | Element::U4 => (s.m, s.n, s.k) == (8, 8, 32),
        Element::B1 => (s.m, s.n, s.k) == (8, 8, 128),
        Element::E4m3 | Element::E5m2 => false,
    };
    known.then_some(s)
}

/// The fragment of A (`rows` of M) or B (of N) of an operand.
fn wmma_input(
    d: &mut Decoder<'_>,
    index: usize,
    ty: Element,
    (rows, k): (usize, usize),
    written: bool,
) -> Result<Fragment> {
    let wide = ty == Element::F64;
    let row_bytes = k * ty.bits() as usize / 8;
    let bytes = rows * row_bytes;
    // Fragments of f16 have 8 registers in every shape, with elements twice or more.
    let count = if ty == Element::F16 { 8 } else { bytes / 32 / if wide { 8 } else { 4 } };
    let slots = slots(d, index, count, wide, written)?;
    Ok(Fragment { slots, wide, layout: Layout::Linear, row_bytes, bytes })
}

/// The fragment of C or D of an operand.
fn wmma_sum(d: &mut Decoder<'_>, index: usize, ty: Sum, s: dot::Shape, written: bool) -> Result<Fragment> {
    let wide = ty == Sum::F64;
    let row_bytes = s.n * ty.bits() / 8;
    let bytes = s.m * row_bytes;
    let slots = slots(d, index, bytes / 32 / if wide { 8 } else { 4 }, wide, written)?;
    Ok(Fragment { slots, wide, layout: Layout::Linear, row_bytes, bytes })
}

fn moves(d: &mut Decoder<'_>, role: &str, rest: &[&str]) -> Result<Op> {
    let (layout, text, ty) = match rest {
        [layout @ ("row" | "col"), shape, "global" | "shared" | "shared::cta", ty]
        | [layout @ ("row" | "col"), shape, ty] => (*layout, *shape, *ty),
        _ => return d.unknown(),
    };
    d.operands(2..=3)?;
    let store = role == "d";
    let (values, address) = if store { (1, 0) } else { (0, 1) };
    let (fragment, bits) = match role {
        "a" | "b" => {
            let Some(element) = Element::from_modifier(ty) else { return d.unknown() };
            let Some(s) = wmma_shape(text, element) else { return d.unknown() };
            needs(d, if matches!(element, Element::Bf16 | Element::Tf32 | Element::F64) { 80 } else { 75 })?;
            if element.bits() < 8 && (role, layout) != ("a", "row") && (role, layout) != ("b", "col") {
                return d
                    .error(format!("{role} of {ty} is `.{}` only", if role == "a" { "row" } else { "col" }));
            }
            let rows = if role == "a" { s.m } else { s.n };
            (wmma_input(d, values, element, (rows, s.k), true)?, element.bits() as usize)
        }
        _ => {
            let Some(sum) = Sum::from_modifier(ty) else { return d.unknown() };
            let inputs: &[Element] = match sum {
                Sum::F16 => &[Element::F16],
                Sum::F32 => &[Element::F16, Element::Tf32],
                Sum::F64 => &[Element::F64],
                Sum::S32 => &[Element::S8, Element::S4, Element::B1],
            };
            let Some(s) = inputs.iter().find_map(|a| wmma_shape(text, *a)) else { return d.unknown() };
            (wmma_sum(d, values, sum, s, !store)?, sum.bits())
        }
    };
    // Fragments of B are by columns.
    let along = (layout == "row") != (role == "b");
    let columns = fragment.row_bytes * 8 / bits;
    let natural = if along { columns } else { fragment.bytes / fragment.row_bytes.max(1) };
    let stride =
        if d.instr().args.len() == 3 { Ok(d.src32(2, ScalarType::U32)?) } else { Err(natural as u32) };
    let place = Place::decode(d, address)?;
    Ok(Op::Move(Arc::new(Move { store, fragment, place, stride, bits, along })))
}

fn wmma(d: &mut Decoder<'_>, rest: &[&str], bits: Option<Bits>) -> Result<Op> {
    let (a_layout, b_layout, text, types) = match rest {
        [a @ ("row" | "col"), b @ ("row" | "col"), shape, types @ ..] => (*a, *b, *shape, types),
        _ => return d.unknown(),
    };
    let (dtype, atype, btype, ctype, tail) = match types {
        [d, c] => (*d, "f16", "f16", *c, ""),
        [d, c, "satfinite"] => (*d, "f16", "f16", *c, "satfinite"),
        [d, a, b, c] => (*d, *a, *b, *c, ""),
        [d, a, b, c, tail] => (*d, *a, *b, *c, *tail),
        _ => return d.unknown(),
    };
    let (Some(d_type), Some(a_type), Some(b_type), Some(c_type)) = (
        Sum::from_modifier(dtype),
        Element::from_modifier(atype),
        Element::from_modifier(btype),
        Sum::from_modifier(ctype),
    ) else {
        return d.unknown();
    };
    let Some(s) = wmma_shape(text, a_type) else { return d.unknown() };
    use Element::{B1, Bf16, F16, F64, S4, S8, Tf32, U4, U8};
    let known = match (a_type, b_type) {
        (F16, F16) => {
            matches!(d_type, Sum::F16 | Sum::F32) && matches!(c_type, Sum::F16 | Sum::F32) && types.len() <= 3
        }
        (Bf16, Bf16) | (Tf32, Tf32) => (d_type, c_type) == (Sum::F32, Sum::F32),
        (F64, F64) => (d_type, c_type) == (Sum::F64, Sum::F64),
        (S8, S8) | (U8, U8) => (d_type, c_type) == (Sum::S32, Sum::S32),
        (S4, S4) | (U4, U4) | (B1, B1) => {
            (d_type, c_type) == (Sum::S32, Sum::S32) && (a_layout, b_layout) == ("row", "col")
        }
        _ => false,
    };
    if !known || bits.is_some() != (a_type == B1) {
        return d.unknown();
    }
    let satfinite = match tail {
        "" => false,
        "satfinite" if a_type.is_integer() => true,
        "satfinite" if a_type == F16 => {
            return d.error("wmma.mma of f16 with `.satfinite` is not modelled; it is without");
        }
        "rn" if a_type == F64 => false,
        "rz" | "rm" | "rp" if a_type == F64 => {
            return d.error(format!("wmma.mma of f64 with `.{tail}` is not modelled; `.rn` is"));
        }
        _ => return d.unknown(),
    };
    needs(d, if matches!(a_type, Bf16 | Tf32 | F64) { 80 } else { 75 })?;
    d.operands(4..=4)?;
    Ok(Op::Product(Arc::new(Product {
        shape: s,
        a_type,
        b_type,
        c_type,
        d_type,
        satfinite,
        bits: bits.unwrap_or(Bits::Xor),
        d: wmma_sum(d, 0, d_type, s, true)?,
        a: wmma_input(d, 1, a_type, (s.m, s.k), false)?,
        b: wmma_input(d, 2, b_type, (s.n, s.k), false)?,
        c: wmma_sum(d, 3, c_type, s, false)?,
    })))
}
