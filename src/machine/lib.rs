//! The hardware that kernels run on, as a model: mbarriers, engines, memories, happens-before, schedules, findings.
//!
//! It knows neither PTX nor IR: whatever executes is a program that drives it.

pub mod access;
mod asynchronous;
pub mod barrier;
pub mod boxes;
pub mod clock;
pub mod cluster;
pub mod cluster_barrier;
mod deadlock;
pub mod engine;
mod fence;
pub mod finding;
pub mod global;
pub mod grid;
pub mod hardware;
pub mod lanes;
pub mod matrix;
pub mod mbarrier;
pub mod meet;
pub mod memory;
pub mod named;
pub mod num;
pub mod order;
pub mod reduce;
pub mod schedule;
pub mod shadow;
pub mod tensor_memory;
pub mod tensormap;
pub mod warp_access;
