//! `tidegate compile`, where the lowering was left out.

use super::args::{ColorWhen, CompileArgs};
use super::report::{Outcome, say};

pub(crate) fn run(_args: &CompileArgs, _color: ColorWhen) -> Outcome {
    say("error: this tidegate was built without feature `mlir`, which compiling needs");
    say("  = help: build it with the default features; `cargo xtask setup` installs what they need");
    Outcome::Usage
}
