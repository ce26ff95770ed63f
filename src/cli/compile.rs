//! `tidegate compile`.

use super::args::{ColorWhen, CompileArgs};
use super::report::Outcome;

pub(crate) fn run(_args: &CompileArgs, _color: ColorWhen) -> Outcome {
    super::report::say("error: this tidegate was built without feature `mlir`, which the lowering needs");
    Outcome::Usage
}
