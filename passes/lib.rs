//! Verification, transformation and lowering of tidegate IR.

pub mod analysis;
pub mod lower;
pub mod pass;
pub mod pipeline;
pub mod target;
pub mod transform;
pub mod verify;
