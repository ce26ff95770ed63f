//! Scalar types, with MLIR's names.

use std::fmt;

/// The widest integer type, as in MLIR.
pub(super) const MAX_INT_WIDTH: u32 = (1 << 24) - 1;

/// `i`, `si` or `ui`. The `arith` dialect and all of `tg` use signless integers only.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// `i32`: the operation says how the bits are read.
    Signless,
    /// `si32`.
    Signed,
    /// `ui32`.
    Unsigned,
}

macro_rules! floats {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $bits:literal, $exponent:literal, $mantissa:literal;)*) => {
        /// A floating-point format, named as in MLIR.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names are the standard's own; `Display` spells them")]
        pub enum FloatKind { $($(#[$doc])* $name,)* }

        impl FloatKind {
            /// All formats.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
            /// The name in text.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
            /// Bits in memory. `tf32` takes 32 bits there, of which 19 count.
            pub fn bits(self) -> u32 {
                match self { $(Self::$name => $bits,)* }
            }
            /// Bits of the exponent field.
            pub fn exponent_bits(self) -> u32 {
                match self { $(Self::$name => $exponent,)* }
            }
            /// Bits of the significand field, the hidden bit not counted.
            pub fn mantissa_bits(self) -> u32 {
                match self { $(Self::$name => $mantissa,)* }
            }
            /// Bits that count: those of the sign, the exponent and the significand.
            pub fn value_bits(self) -> u32 {
                match self { Self::TF32 => 19, other => other.bits() }
            }
            /// Whether there are infinities; what is too large is a NaN or the largest number otherwise.
            pub fn has_infinity(self) -> bool {
                matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64 | Self::TF32 | Self::F8E5M2)
            }
            /// Whether there are NaNs; the formats of 4 and 6 bits have none.
            pub fn has_nan(self) -> bool {
                !matches!(self, Self::F6E2M3FN | Self::F6E3M2FN | Self::F4E2M1FN)
            }
            /// The largest number.
            pub fn largest(self) -> f64 {
                let (exponent, mantissa) = (self.exponent_bits(), self.mantissa_bits());
                let all_ones = (1u64 << (exponent + mantissa)) - 1;
                // Infinities and NaNs take the topmost exponent, or only the topmost bit pattern.
                let taken = match (self.has_infinity(), self.has_nan()) {
                    (true, _) => 1u64 << mantissa,
                    (false, true) => 1,
                    (false, false) => 0,
                };
                crate::attr::float_from_bits(all_ones - taken, self)
            }
            /// The format called `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

floats! {
    F16 = "f16", 16, 5, 10;
    BF16 = "bf16", 16, 8, 7;
    F32 = "f32", 32, 8, 23;
    F64 = "f64", 64, 11, 52;
    TF32 = "tf32", 32, 8, 10;
    F8E4M3FN = "f8E4M3FN", 8, 4, 3;
    F8E5M2 = "f8E5M2", 8, 5, 2;
    F8E8M0FNU = "f8E8M0FNU", 8, 8, 0;
    F6E2M3FN = "f6E2M3FN", 6, 2, 3;
    F6E3M2FN = "f6E3M2FN", 6, 3, 2;
    F4E2M1FN = "f4E2M1FN", 4, 2, 1;
}

impl fmt::Display for FloatKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Signedness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Signless => "i",
            Self::Signed => "si",
            Self::Unsigned => "ui",
        })
    }
}
