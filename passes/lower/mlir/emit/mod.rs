//! Builders.
