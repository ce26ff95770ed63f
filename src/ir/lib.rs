//! The typed IR of tidegate.
