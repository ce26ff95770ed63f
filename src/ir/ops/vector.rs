//! Dialect `vector`: the ops on whole arrays that kernels need, as in MLIR.

use super::arith::FASTMATH;
use super::dialect_ops;

/// How elements are combined in a reduction.
pub const REDUCTIONS: &[&str] = &[
    "add", "mul", "minui", "minsi", "minnumf", "maxui", "maxsi", "maxnumf", "and", "or", "xor", "maximumf",
    "minimumf",
];

dialect_ops! {
    dialect "vector" enum VectorOp table VECTOR;

    /// An array filled with a number, or with copies of a smaller array along new leading dimensions and along
    /// dimensions of extent 1.
    Broadcast "broadcast" fn vector_broadcast {
        operands { one source: Number, []; }
        results { one vector: Array; }
        traits { PURE }
        format "$source attrs `:` type($source) `to` type($vector)";
    }

    /// Combines all elements of a one-dimensional array, and a start value if one is given, into one number.
    Reduction "reduction" fn vector_reduction {
        operands { one vector: Array, []; opt acc: Number, []; }
        attrs {
            req kind: Keyword { mnemonic: "vector.kind", words: REDUCTIONS, many: false };
            opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none";
        }
        infers { one dest: Number, ElemOf(0); }
        traits { PURE, CONVERGENT }
        format "keyword($kind) `,` $vector opt(`,` $acc) opt(`fastmath` keyword($fastmath)) attrs `:` type($vector) `into` type($dest)";
    }

    /// Combines the elements along some dimensions into an accumulator of the other dimensions.
    MultiReduction "multi_reduction" fn vector_multi_reduction {
        operands { one source: Array, []; one acc: Number, []; }
        attrs {
            req kind: Keyword { mnemonic: "vector.kind", words: REDUCTIONS, many: false };
            req reduction_dims: I64s;
        }
        infers { one dest: Number, SameAs(1); }
        traits { PURE, CONVERGENT }
        format "keyword($kind) `,` $source `,` $acc $reduction_dims attrs `:` type($source) `to` type($dest)";
    }

    /// The same elements in row-major order as an array of another shape.
    ShapeCast "shape_cast" fn vector_shape_cast {
        operands { one source: Array, []; }
        results { one result: Array; }
        traits { PURE, CONVERGENT }
        format "$source attrs `:` type($source) `to` type($result)";
    }

    /// The array with its dimensions permuted: dimension `i` of the result is dimension `permutation[i]` of the source.
    Transpose "transpose" fn vector_transpose {
        operands { one vector: Array, []; }
        attrs { req permutation: I64s; }
        results { one result: Array; }
        traits { PURE, CONVERGENT }
        format "$vector `,` $permutation attrs `:` type($vector) `to` type($result)";
    }
}
