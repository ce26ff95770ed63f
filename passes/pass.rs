//! Passes and their manager: runs a list of passes on a module, verifies in between, and tells what happened.
//!
//! The manager writes nowhere by itself: module texts go to the writer that the caller supplies, timings and counts
//! come back in the [`RunReport`], and what is needed to repeat a failure comes back as a [`Reproducer`].

mod manager;
mod registry;
mod report;
#[cfg(test)]
mod tests;

use std::fmt;

use indexmap::IndexMap;
use tidegate_ir::Module;
use tidegate_ir::diag::{Diagnostics, Reported};

pub use manager::{Instrumentation, PassManager, PrintIr, VerifyHook};
pub use registry::{OptionInfo, OptionKind, OptionValues, PassInfo, Registry, default_pipeline};
pub use report::{PassFailure, PassReport, Reproducer, RunReport};

/// Whether a pass changed the module.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It did not.
    No,
    /// It did.
    Yes,
}

impl Changed {
    /// Whether it did.
    pub fn yes(self) -> bool {
        self == Self::Yes
    }
}

impl From<bool> for Changed {
    fn from(changed: bool) -> Self {
        if changed { Self::Yes } else { Self::No }
    }
}

impl std::ops::BitOr for Changed {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        (self.yes() || other.yes()).into()
    }
}

/// What a pass may use besides the module.
pub struct PassContext<'a> {
    /// Where it reports.
    pub diags: &'a mut Diagnostics,
    counts: IndexMap<&'static str, u64>,
}

impl fmt::Debug for PassContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassContext").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl<'a> PassContext<'a> {
    /// A context that reports to `diags`.
    pub fn new(diags: &'a mut Diagnostics) -> Self {
        Self { diags, counts: IndexMap::new() }
    }
    /// Adds `count` to one of the pass's statistics.
    pub fn count(&mut self, what: &'static str, count: u64) {
        *self.counts.entry(what).or_default() += count;
    }
    /// The statistics so far.
    pub fn counts(&self) -> &IndexMap<&'static str, u64> {
        &self.counts
    }
}

/// A transformation or check of a whole module.
pub trait Pass {
    /// The name in pipelines.
    fn name(&self) -> &'static str;
    /// One line about it.
    fn description(&self) -> &'static str;
    /// Does the work.
    ///
    /// # Errors
    /// When the module is at fault; the reason is in `ctx.diags`.
    fn run(&mut self, module: &mut Module, ctx: &mut PassContext<'_>) -> Result<Changed, Reported>;
}
