//! Analyses: facts about a module that verifier, transformations and lowering share.

pub mod dominance;
pub mod layout;
pub mod scratch;
