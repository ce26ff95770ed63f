//! Verification, transformation and lowering of tidegate IR.
