//! Numbers as the GPU computes with them: formats, conversions, rounded arithmetic, approximations, and the
//! sums of the tensor cores.
//!
//! Everything is a pure function on bit patterns (`u16`, `u32`, `u64`), for one lane; [`dot`] and [`slices`]
//! work on tiles. Results are the same on every host. Where the PTX ISA leaves a result open (the last bits
//! of an approximation, the order of a sum), the functions say what they choose.

pub mod approx;
pub mod arith;
pub mod arith16;
pub mod cvt;
pub mod dot;
pub mod format;
pub mod minmax;
mod round;
pub mod slices;
mod soft;
#[cfg(test)]
mod tests;

pub use format::{Float, ue8m0_to_f32};
pub use round::{Rounding, Saturation, relu, saturate_unit, to_whole};
