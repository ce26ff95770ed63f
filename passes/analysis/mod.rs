//! Analyses: facts about a module that verifier, transformations and lowering share.

pub mod layout;
pub mod scratch;
