//! Transformations: passes that change a module and keep what it means.
//!
//! None of them duplicates a convergent op or moves one into other control flow, and none removes a synchronising op
//! that may be executed.

pub mod canonicalize;
mod constants;
pub mod cse;
pub mod dce;
pub mod fences;
pub mod layouts;
pub mod licm;
pub mod parity;
mod places;
mod rewrite;
pub mod smem;
#[cfg(test)]
mod tests;
