//! Arrays as launches take them: an element type, a shape, dense row-major bytes.

use half::{bf16, f16};
use tidegate_machine::num::Float;
use tidegate_machine::num::ue8m0_to_f32;

macro_rules! dtypes {
    ($($variant:ident = $name:literal, $short:literal, $bytes:literal;)*) => {
        /// Element types, named as numpy and `ml_dtypes` name them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum DType { $(#[doc = concat!("`", $name, "`")] $variant,)* }
        impl DType {
            /// All of them.
            pub const ALL: &'static [DType] = &[$(DType::$variant,)*];
            /// As numpy and `ml_dtypes` call it: `float32`.
            pub fn name(self) -> &'static str { match self { $(DType::$variant => $name,)* } }
            /// As PTX and Rust call it: `f32`.
            pub fn short(self) -> &'static str { match self { $(DType::$variant => $short,)* } }
            /// Bytes of an element.
            pub fn bytes(self) -> usize { match self { $(DType::$variant => $bytes,)* } }
        }
    };
}

dtypes! {
    Bool = "bool", "bool", 1;
    I8 = "int8", "i8", 1;
    I16 = "int16", "i16", 2;
    I32 = "int32", "i32", 4;
    I64 = "int64", "i64", 8;
    U8 = "uint8", "u8", 1;
    U16 = "uint16", "u16", 2;
    U32 = "uint32", "u32", 4;
    U64 = "uint64", "u64", 8;
    F16 = "float16", "f16", 2;
    Bf16 = "bfloat16", "bf16", 2;
    F32 = "float32", "f32", 4;
    F64 = "float64", "f64", 8;
    F8E4M3 = "float8_e4m3fn", "f8e4m3", 1;
    F8E5M2 = "float8_e5m2", "f8e5m2", 1;
    F8E8M0 = "float8_e8m0fnu", "f8e8m0", 1;
}

/// A number of an array, for messages and comparisons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of integer types and `bool`.
    Integer(i128),
    /// Of floating-point types: exact.
    Float(f64),
}

impl Number {
    /// The nearest f64.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Integer(i) => i as f64,
            Number::Float(f) => f,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Integer(i) => write!(f, "{i}"),
            Number::Float(x) => write!(f, "{x}"),
        }
    }
}

impl DType {
    /// The type of this name, numpy's or the short one. `tfloat32` is stored as `float32`.
    pub fn parse(name: &str) -> Option<DType> {
        let found = DType::ALL.iter().copied().find(|d| d.name() == name || d.short() == name);
        found.or(match name {
            "tfloat32" | "tf32" => Some(DType::F32),
            "float8_e8m0" => Some(DType::F8E8M0),
            "int1" => Some(DType::Bool),
            _ => None,
        })
    }

    /// Whether elements are floating-point numbers.
    pub fn is_float(self) -> bool {
        use DType as D;
        matches!(self, D::F16 | D::Bf16 | D::F32 | D::F64 | D::F8E4M3 | D::F8E5M2 | D::F8E8M0)
    }

    /// The element that these little-endian bytes hold; missing bytes count as zeros.
    pub fn decode(self, bytes: &[u8]) -> Number {
        let mut wide = [0; 8];
        let n = bytes.len().min(self.bytes());
        wide[..n].copy_from_slice(&bytes[..n]);
        let bits = u64::from_le_bytes(wide);
        match self {
            DType::Bool => Number::Integer(i128::from(bits != 0)),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Number::Integer(i128::from(bits)),
            DType::I8 => Number::Integer(i128::from(bits as u8 as i8)),
            DType::I16 => Number::Integer(i128::from(bits as u16 as i16)),
            DType::I32 => Number::Integer(i128::from(bits as u32 as i32)),
            DType::I64 => Number::Integer(i128::from(bits as i64)),
            DType::F16 => Number::Float(f16::from_bits(bits as u16).to_f64()),
            DType::Bf16 => Number::Float(bf16::from_bits(bits as u16).to_f64()),
            DType::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
            DType::F64 => Number::Float(f64::from_bits(bits)),
            DType::F8E4M3 => Number::Float(f64::from(Float::E4m3.to_f32(bits))),
            DType::F8E5M2 => Number::Float(f64::from(Float::E5m2.to_f32(bits))),
            DType::F8E8M0 => Number::Float(f64::from(ue8m0_to_f32(bits as u8))),
        }
    }

    /// The little-endian bytes of the number that a text denotes: `5`, `-0x10`, `1.5e3`, `nan`, `-inf`, `true`.
    /// Floating-point numbers are rounded to the nearest.
    ///
    /// # Errors
    ///
    /// What is wrong with it, as text: no number, or outside the range of the type.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, String> {
        let none = |wanted: &str| format!("`{text}` is no {}; {wanted} is wanted", self.name());
        if self.is_float() {
            let value: f64 = text.parse().map_err(|_| none("a number such as 1.5, nan or -inf"))?;
            return Ok(match self {
                DType::F16 => f16::from_f64(value).to_le_bytes().to_vec(),
                DType::Bf16 => bf16::from_f64(value).to_le_bytes().to_vec(),
                DType::F64 => value.to_le_bytes().to_vec(),
                DType::F8E4M3 | DType::F8E5M2 | DType::F8E8M0 => vec![self.nearest_byte(value)],
                _ => (value as f32).to_le_bytes().to_vec(),
            });
        }
        if self == DType::Bool {
            return match text {
                "true" | "True" | "1" => Ok(vec![1]),
                "false" | "False" | "0" => Ok(vec![0]),
                _ => Err(none("true or false")),
            };
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let parsed = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let value = match parsed {
            Ok(value) if value >= 0 => {
                if negative {
                    -value
                } else {
                    value
                }
            }
            _ => return Err(none("a whole number such as 5, -3 or 0x10")),
        };
        let bits = 8 * self.bytes() as u32;
        let (low, high) = match self {
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
                (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
            }
            _ => (0, (1i128 << bits) - 1),
        };
        if value < low || value > high {
            return Err(format!("{value} is outside the range of {}, {low} to {high}", self.name()));
        }
        Ok(value.to_le_bytes()[..self.bytes()].to_vec())
    }

    /// The code of an 8-bit format that is nearest to a value (ties to the even code); the largest finite one for what
    /// is larger, as PTX's `satfinite` has it.
    fn nearest_byte(self, value: f64) -> u8 {
        let mut best: Option<(f64, u8)> = None;
        for code in 0..=u8::MAX {
            let Number::Float(x) = self.decode(&[code]) else { continue };
            if value.is_nan() || x.is_nan() {
                if value.is_nan() && x.is_nan() {
                    return code;
                }
                continue;
            }
            if x == value && x.is_sign_negative() == value.is_sign_negative() {
                return code;
            }
            if !x.is_finite() {
                continue;
            }
            let distance = (x - value).abs();
            let nearer =
                best.is_none_or(|(d, c)| distance < d || (distance == d && c % 2 == 1 && code % 2 == 0));
            if nearer {
                best = Some((distance, code));
            }
        }
        best.map_or(0, |(_, code)| code)
    }
}

/// An array: dense, row-major, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The elements.
    pub dtype: DType,
    /// Extents, the outermost first; empty for a scalar.
    pub shape: Vec<u64>,
    /// The elements' bytes.
    pub bytes: Vec<u8>,
}

impl Array {
    /// Zeros. Nothing when the array is larger than memory can be.
    pub fn zeros(dtype: DType, shape: &[u64]) -> Option<Array> {
        let bytes = count(shape)?.checked_mul(dtype.bytes() as u64).filter(|&n| n <= 1 << 36)?;
        Some(Array { dtype, shape: shape.to_vec(), bytes: vec![0; usize::try_from(bytes).ok()?] })
    }

    /// Whole numbers from -4 to 4 (unsigned: 0 to 8; `bool`: either; powers of two from 1/2 to 2 in `float8_e8m0fnu`), the same for the same seed.
    ///
    /// With these, products and sums of a matmul are exact in any order.
    pub fn random(dtype: DType, shape: &[u64], seed: u64) -> Option<Array> {
        let mut array = Array::zeros(dtype, shape)?;
        let codes: Vec<Vec<u8>> = match dtype {
            DType::Bool => vec![vec![0], vec![1]],
            DType::F8E8M0 => vec![vec![126], vec![127], vec![128]],
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
                (0..=8).filter_map(|n: i32| dtype.encode(&n.to_string()).ok()).collect()
            }
            _ => (-4..=4).filter_map(|n: i32| dtype.encode(&n.to_string()).ok()).collect(),
        };
        let mut state = seed ^ 0x7469_6465_6761_7465;
        for element in array.bytes.chunks_exact_mut(dtype.bytes()) {
            // splitmix64 (Steele, Lea, Flood, 2014): written down, so that a seed means the same in every version.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^= z >> 31;
            if let Some(code) = codes.get((z >> 32) as usize % codes.len().max(1)) {
                element.copy_from_slice(code);
            }
        }
        Some(array)
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.dtype.bytes()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// An element by its position in row-major order; zero past the end.
    pub fn get(&self, index: usize) -> Number {
        let n = self.dtype.bytes();
        self.dtype.decode(self.bytes.get(index * n..).unwrap_or(&[]))
    }

    /// The index of the element at a position: `[3, 7]`.
    pub fn index(&self, position: usize) -> Vec<u64> {
        let mut rest = position as u64;
        let mut index: Vec<u64> = self
            .shape
            .iter()
            .rev()
            .map(|&extent| {
                let i = rest % extent.max(1);
                rest /= extent.max(1);
                i
            })
            .collect();
        index.reverse();
        index
    }
}

/// The number of elements of a shape, unless it passes 64 bits.
pub(super) fn count(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1u64, |all, &extent| all.checked_mul(extent))
}

/// `128 x 64`, or `scalar`.
pub fn shape_text(shape: &[u64]) -> String {
    if shape.is_empty() {
        return "scalar".to_owned();
    }
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type() {
        assert_eq!(DType::I8.encode("-128"), Ok(vec![0x80]));
        assert_eq!(DType::I8.decode(&[0x80]), Number::Integer(-128));
        assert_eq!(DType::U64.encode("0xffffffffffffffff"), Ok(vec![0xff; 8]));
        assert_eq!(DType::F16.encode("1.5"), Ok(vec![0x00, 0x3e]));
        assert_eq!(DType::Bf16.encode("-2"), Ok(vec![0x00, 0xc0]));
        assert_eq!(DType::F8E4M3.encode("448"), Ok(vec![0x7e]));
        assert_eq!(DType::F8E4M3.encode("1e9"), Ok(vec![0x7e]));
        assert_eq!(DType::F8E5M2.encode("-inf"), Ok(vec![0xfc]));
        assert_eq!(DType::F8E8M0.encode("2"), Ok(vec![128]));
        assert_eq!(DType::F8E4M3.decode(&[0x38]), Number::Float(1.0));
        assert_eq!(DType::Bool.encode("true"), Ok(vec![1]));
        let error = DType::U8.encode("256").unwrap_err();
        assert!(error.contains("0 to 255"), "{error}");
        for (dtype, text) in [
            (DType::I32, "1.5"),
            (DType::I32, ""),
            (DType::I32, "--1"),
            (DType::F32, "x"),
            (DType::Bool, "2"),
        ] {
            assert!(dtype.encode(text).is_err(), "{text}");
        }
        for &dtype in DType::ALL {
            assert_eq!(DType::parse(dtype.name()), Some(dtype));
            assert_eq!(DType::parse(dtype.short()), Some(dtype));
        }
    }

    #[test]
    fn random_numbers_are_small_and_whole() {
        for &dtype in DType::ALL {
            let a = Array::random(dtype, &[3, 50], 7).unwrap();
            assert_eq!(a.len(), 150);
            assert_eq!(Array::random(dtype, &[3, 50], 7), Some(a.clone()));
            let first = a.get(0);
            assert!((1..150).any(|i| a.get(i) != first), "{dtype:?}");
            for i in 0..150 {
                let x = a.get(i).to_f64();
                assert!(
                    (-4.0..=8.0).contains(&x) && (x.fract() == 0.0 || dtype == DType::F8E8M0),
                    "{dtype:?} {x}"
                );
            }
            assert_eq!(a.index(149), [2, 49]);
        }
        assert_eq!(Array::zeros(DType::F64, &[u64::MAX, 2]), None);
    }
}
