//! Types as modifiers, their widths, and special registers that change while a warp runs.

use crate::ast::ScalarType;

/// The type that a modifier names.
pub fn scalar_type(modifier: &str) -> Option<ScalarType> {
    use ScalarType::*;
    Some(match modifier {
        "pred" => Pred,
        "b8" => B8,
        "b16" => B16,
        "b32" => B32,
        "b64" => B64,
        "b128" => B128,
        "u8" => U8,
        "u16" => U16,
        "u32" => U32,
        "u64" => U64,
        "s8" => S8,
        "s16" => S16,
        "s32" => S32,
        "s64" => S64,
        "f16" => F16,
        "f16x2" => F16x2,
        "bf16" => Bf16,
        "bf16x2" => Bf16x2,
        "f32" => F32,
        "f64" => F64,
        _ => return None,
    })
}

/// Bits of a type; a predicate has 1.
pub fn bits(ty: ScalarType) -> u32 {
    use ScalarType::*;
    match ty {
        Pred => 1,
        B8 | U8 | S8 => 8,
        B16 | U16 | S16 | F16 | Bf16 => 16,
        B32 | U32 | S32 | F32 | F16x2 | Bf16x2 => 32,
        B64 | U64 | S64 | F64 | Opaque => 64,
        B128 => 128,
    }
}

/// Whether a type is a signed integer.
pub fn is_signed(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::S8 | ScalarType::S16 | ScalarType::S32 | ScalarType::S64)
}

/// Whether a type is a signed or unsigned integer (not a bit-size type).
pub fn is_integer(ty: ScalarType) -> bool {
    is_signed(ty) || matches!(ty, ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64)
}

/// Special registers whose value is not that of the launch: they are read when the instruction runs.
pub fn changes(name: &str) -> bool {
    name.starts_with("clock") || name.starts_with("globaltimer") || name.starts_with("pm")
}

/// Whether modifiers name a type of f16 or bf16: the instruction is of the half-precision family.
pub fn names_half(opcode: &[String]) -> bool {
    opcode.iter().any(|m| matches!(m.as_str(), "f16" | "f16x2" | "bf16" | "bf16x2"))
}

/// Whether modifiers name f32 or f64 (or a pair of f32): the instruction is of the floating-point family.
pub fn names_float(opcode: &[String]) -> bool {
    opcode.iter().any(|m| matches!(m.as_str(), "f32" | "f32x2" | "f64"))
}
