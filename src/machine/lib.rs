//! The hardware that kernels run on, as a model: mbarriers, engines, memories, happens-before, schedules, findings.
//!
//! It knows neither PTX nor IR: whatever executes is a program that drives it.

pub mod access;
mod asynchronous;
pub mod barrier;
pub mod clock;
pub mod cluster;
mod deadlock;
pub mod engine;
pub mod finding;
pub mod global;
pub mod hardware;
pub mod mbarrier;
pub mod memory;
pub mod num;
pub mod order;
pub mod schedule;
pub mod shadow;
pub mod tensormap;
