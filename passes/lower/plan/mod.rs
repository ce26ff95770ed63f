//! What the lowering decides before it makes a single op of MLIR. Nothing here needs MLIR.
//!
//! | file | decides |
//! |---|---|
//! | `shape` | which warps are which thread; grid, cluster and thread axes |
//! | `views` | which part of which allocation or parameter a ref is |
//! | `ranges` | which `index` values fit 32 bits, and what they are multiples of |
//! | `arrivals` | how each barrier counts arrivals, and which threads run on one lane |
//! | `sync` | where the lanes of a thread have to be joined |
//! | `params` | parameters and tensor maps of a kernel |
//! | `manifest` | how to launch it |

pub mod arrivals;
pub mod manifest;
pub mod params;
pub mod ranges;
pub mod shape;
pub mod sync;
pub mod views;

use tidegate_ir::diag::{Code, Diagnostic, codes};
use tidegate_ir::{Module, Op};

/// Why a kernel cannot be lowered: a diagnostic that points at the op.
pub type Refusal = Box<Diagnostic>;

/// A refusal of `op`.
pub(crate) fn refuse(module: &Module, op: Op, code: Code, message: impl Into<String>) -> Refusal {
    Box::new(Diagnostic::error(code, message).at(module.span(op), format!("`{}`", module.op_name(op))))
}

/// A refusal of something that lowering does not do for any target.
pub(crate) fn unsupported(module: &Module, op: Op, what: &str) -> Refusal {
    refuse(module, op, codes::NO_LOWERING, format!("`{}` {what}", module.op_name(op)))
}

/// A refusal for want of a pass that has to run before.
#[cfg(feature = "mlir")]
pub(crate) fn needs_pass(module: &Module, op: Op, pass: &str, what: &str) -> Refusal {
    let message = format!("`{}` {what}: run `{pass}` before lowering", module.op_name(op));
    let diagnostic = Diagnostic::error(codes::PASS_FAILED, message)
        .at(module.span(op), "lowering needs more than this says")
        .help(format!("the default pipeline of `tidegate compile` runs `{pass}`"));
    Box::new(diagnostic)
}
