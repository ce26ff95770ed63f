//! Dialect `scf`: structured control flow, as in MLIR.

use super::dialect_ops;

dialect_ops! {
    dialect "scf" enum ScfOp table SCF;

    /// Counts from `lower_bound` to `upper_bound`, which is not reached, in steps of `step` (at least 1). Values in
    /// `iter_args` are carried from one pass to the next and come out as results.
    For "for" fn scf_for {
        operands { one lower_bound: IntScalar, []; one upper_bound: IntScalar, []; one step: IntScalar, []; many iter_args: Any, []; }
        attrs { opt unsignedCmp: Unit; }
        results { many results: Any; }
        regions { one body; }
        format custom;
    }

    /// Runs the first region when the condition holds, else the second, if there is one.
    If "if" fn scf_if {
        operands { one condition: I1, []; }
        results { many results: Any; }
        regions { one then_region; opt else_region; }
        format custom;
    }

    /// Runs the first region; while it ends in a true `scf.condition`, runs the second and starts again.
    While "while" fn scf_while {
        operands { many inits: Any, []; }
        results { many results: Any; }
        regions { one before; one after; }
        format custom;
    }

    /// Ends the first region of an `scf.while`: whether to go on, and the values handed on.
    Condition "condition" fn scf_condition {
        operands { one condition: I1, []; many args: Any, []; }
        traits { TERMINATOR }
        format "`(` $condition `)` attrs opt($args `:` type($args))";
    }

    /// Ends a region of `scf.for`, `scf.if` or `scf.while` with the values that it hands on.
    Yield "yield" fn scf_yield {
        operands { many results: Any, []; }
        traits { TERMINATOR }
        format "attrs opt($results `:` type($results))";
    }
}
