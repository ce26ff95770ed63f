//! Analyses: facts about a module that verifier, transformations and lowering share.

pub mod access;
pub mod divisor;
pub mod dominance;
pub mod layout;
pub mod scratch;
pub mod smem_layout;
pub mod smem_liveness;
pub mod threads;
pub mod uniform;
