//! The typed IR of tidegate.

pub mod diag;
