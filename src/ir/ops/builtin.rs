//! Dialect `builtin`.

use super::dialect_ops;

dialect_ops! {
    dialect "builtin" enum BuiltinOp table BUILTIN;

    /// The top op: a list of kernels, and whatever else a module from elsewhere holds.
    Module "module" fn builtin_module {
        attrs { opt sym_name: Symbol; opt sym_visibility: Str; }
        regions { one body; }
        traits { ISOLATED }
        format custom;
    }
}
