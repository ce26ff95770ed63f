//! Verification, transformation and lowering of tidegate IR.

pub mod analysis;
pub mod lower;
pub mod target;
pub mod verify;
