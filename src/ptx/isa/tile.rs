//! Elements of matrix instructions: their types, and tiles of them as numbers that [`tidegate_machine::num::dot`] sums.

use tidegate_machine::num::{Float, slices};

/// The type of the elements of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    S8,
    U8,
    S4,
    U4,
    B1,
    F64,
}

impl Element {
    /// The type that a modifier names.
    pub(super) fn from_modifier(modifier: &str) -> Option<Element> {
        Some(match modifier {
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "tf32" => Element::Tf32,
            "e4m3" => Element::E4m3,
            "e5m2" => Element::E5m2,
            "s8" => Element::S8,
            "u8" => Element::U8,
            "s4" => Element::S4,
            "u4" => Element::U4,
            "b1" => Element::B1,
            "f64" => Element::F64,
            _ => return None,
        })
    }

    /// Bits of an element in memory and in a register.
    pub(super) fn bits(self) -> u32 {
        match self {
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 => 32,
            Element::E4m3 | Element::E5m2 | Element::S8 | Element::U8 => 8,
            Element::S4 | Element::U4 => 4,
            Element::B1 => 1,
            Element::F64 => 64,
        }
    }

    /// Sums in s32.
    pub(super) fn is_integer(self) -> bool {
        matches!(self, Element::S8 | Element::U8 | Element::S4 | Element::U4)
    }

    /// Eight bits of a floating-point number.
    pub(super) fn is_f8(self) -> bool {
        matches!(self, Element::E4m3 | Element::E5m2)
    }

    /// Numbers of a floating-point type from their bytes; integers give nothing.
    pub(super) fn floats(self, bytes: &[u8], out: &mut [f32]) {
        let format = match self {
            Element::F16 => Float::F16,
            Element::Bf16 => Float::Bf16,
            Element::Tf32 => Float::Tf32,
            Element::E4m3 => Float::E4m3,
            Element::E5m2 => Float::E5m2,
            Element::F64 => Float::F64,
            _ => return,
        };
        slices::decode_bytes(format, bytes, out);
    }

    /// Numbers of an integer type from their bytes (two of 4 bits in each, the low half first); others give nothing.
    pub(super) fn integers(self, bytes: &[u8], out: &mut [i32]) {
        match self {
            Element::S8 => slices::decode_s8(bytes, out),
            Element::U8 => slices::decode_u8(bytes, out),
            Element::S4 | Element::U4 => {
                for (pair, byte) in out.chunks_mut(2).zip(bytes) {
                    for (out, half) in pair.iter_mut().zip([byte & 15, byte >> 4]) {
                        let value = i32::from(half);
                        *out = if self == Element::S4 { (value ^ 8) - 8 } else { value };
                    }
                }
            }
            _ => {}
        }
    }
}

/// `out` (`columns` by `rows`) becomes `from` (`rows` by `columns`) transposed; lengths that do not fit give nothing.
pub(super) fn transpose<T: Copy>(rows: usize, columns: usize, from: &[T], out: &mut [T]) {
    if from.len() != rows * columns || out.len() != rows * columns {
        return;
    }
    // In blocks of 8 rows, so that what is written lies in one cache line.
    let mut row = 0;
    while row < rows {
        let height = (rows - row).min(8);
        for column in 0..columns {
            let to = &mut out[column * rows + row..][..height];
            for (i, to) in to.iter_mut().enumerate() {
                *to = from[(row + i) * columns + column];
            }
        }
        row += height;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_bytes() {
        let mut out = [9; 4];
        Element::S4.integers(&[0x8f, 0x17], &mut out);
        assert_eq!(out, [-1, -8, 7, 1]);
        Element::U4.integers(&[0x8f, 0x17], &mut out);
        assert_eq!(out, [15, 8, 7, 1]);
    }

    #[test]
    fn transposed() {
        let mut out = [0; 30];
        let from: Vec<i32> = (0..30).collect();
        transpose(10, 3, &from, &mut out);
        assert!((0..30).all(|i| out[i] == from[i % 10 * 3 + i / 10]));
    }
}
