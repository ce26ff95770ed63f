//! Shapes as arguments: `[128, 64]`, a `Vec`, or one number.

use crate::ir::types::DYNAMIC;

/// A dimension of a kernel parameter that is known at launch only: `k.input("x", [DYN, 128], F32)`.
pub const DYN: i64 = DYNAMIC;

/// What can be given as a shape.
///
/// `i64` is the only number that implements it, so literals need no suffix.
pub trait IntoShape {
    /// The extents, the outermost first.
    fn into_shape(self) -> Vec<i64>;
}

impl IntoShape for i64 {
    fn into_shape(self) -> Vec<i64> {
        vec![self]
    }
}
impl<const N: usize> IntoShape for [i64; N] {
    fn into_shape(self) -> Vec<i64> {
        self.to_vec()
    }
}
impl IntoShape for &[i64] {
    fn into_shape(self) -> Vec<i64> {
        self.to_vec()
    }
}
impl IntoShape for Vec<i64> {
    fn into_shape(self) -> Vec<i64> {
        self
    }
}
impl IntoShape for &Vec<i64> {
    fn into_shape(self) -> Vec<i64> {
        self.clone()
    }
}

/// `2x128`, `?x64`, and nothing for rank 0.
pub(crate) fn join(shape: &[i64]) -> String {
    let text: Vec<String> =
        shape.iter().map(|&dim| if dim == DYNAMIC { "?".to_owned() } else { dim.to_string() }).collect();
    text.join("x")
}
