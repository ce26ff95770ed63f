//! The front end from outside: what compiles, what is refused and how, and the examples.
#![allow(clippy::unwrap_used, reason = "a test's helpers fail as the test does")]

mod builder;
mod dynamic;
mod examples;
mod extremes;
mod refusals;
mod types;
