//! Work of asynchronous operations that touch registers: done when the machine says so, not when they are issued.

use crate::regs::Regs;
use tidegate_machine::engine::Op;
use tidegate_machine::hardware::{Hardware, Stop};

/// A function of an operation on registers.
pub type Function = Box<dyn FnOnce(&Op, &mut Regs, &mut Hardware) -> Result<(), Stop> + Send>;

/// What an operation does to registers: a function of its own, with what it needs.
pub struct Work(pub Function);

impl Work {
    /// Does it. The function enters the frame ([`Regs::enter`]) in which it was issued by itself.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding kept.
    pub fn run(self, op: &Op, regs: &mut Regs, hw: &mut Hardware) -> Result<(), Stop> {
        (self.0)(op, regs, hw)
    }
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Work")
    }
}
