//! Dialect `math`: functions of numbers and, element by element, of arrays.
//!
//! On floats of 32 bits and less the lowering uses the hardware's approximations, with the errors that the CUDA
//! programming guide gives for `ex2.approx`, `lg2.approx`, `rsqrt.approx`, `sin.approx`, `cos.approx`,
//! `tanh.approx`; what the hardware lacks is computed from those, or refused by the lowering.

use super::arith::FASTMATH;
use super::dialect_ops;

dialect_ops! {
    dialect "math" enum MathOp table MATH;

    /// Absolute value of a float.
    AbsF "absf" fn math_absf {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Rounded up to a whole number.
    Ceil "ceil" fn math_ceil {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Cosine of an angle in radians.
    Cos "cos" fn math_cos {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// The error function.
    Erf "erf" fn math_erf {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// e to the power of the operand.
    Exp "exp" fn math_exp {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// 2 to the power of the operand.
    Exp2 "exp2" fn math_exp2 {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Rounded down to a whole number.
    Floor "floor" fn math_floor {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Natural logarithm.
    Log "log" fn math_log {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Logarithm to base 10.
    Log10 "log10" fn math_log10 {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Logarithm to base 2.
    Log2 "log2" fn math_log2 {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Rounded to the nearest whole number, halves away from zero.
    Round "round" fn math_round {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Rounded to the nearest whole number, halves to even.
    RoundEven "roundeven" fn math_roundeven {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// 1 divided by the square root.
    Rsqrt "rsqrt" fn math_rsqrt {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Sine of an angle in radians.
    Sin "sin" fn math_sin {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Square root.
    Sqrt "sqrt" fn math_sqrt {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Hyperbolic tangent.
    Tanh "tanh" fn math_tanh {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Rounded towards zero to a whole number.
    Trunc "trunc" fn math_trunc {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Absolute value of a signed integer; the least one is its own.
    AbsI "absi" fn math_absi {
        operands { one operand: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand attrs `:` type($result)";
    }

    /// The number of zero bits above the highest one bit.
    CountLeadingZeros "ctlz" fn math_ctlz {
        operands { one operand: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand attrs `:` type($result)";
    }

    /// The number of one bits.
    CtPop "ctpop" fn math_ctpop {
        operands { one operand: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand attrs `:` type($result)";
    }

    /// The number of zero bits below the lowest one bit.
    CountTrailingZeros "cttz" fn math_cttz {
        operands { one operand: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand attrs `:` type($result)";
    }

    /// The first operand with the sign of the second.
    CopySign "copysign" fn math_copysign {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// The first operand to the power of the second.
    PowF "powf" fn math_powf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// `a * b + c` with one rounding.
    Fma "fma" fn math_fma {
        operands { one a: FloatLike, []; one b: FloatLike, []; one c: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$a `,` $b `,` $c opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }
}
