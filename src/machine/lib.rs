//! The hardware that kernels run on, as a model: mbarriers, engines, memories, happens-before, schedules, findings.
//!
//! It knows neither PTX nor IR: whatever executes is a program that drives it.

pub mod cluster_barrier;
pub mod lanes;
pub mod mbarrier;
pub mod named;
pub mod num;
pub mod tensormap;
