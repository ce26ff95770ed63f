//! Dialect `arith`: MLIR's integer and floating-point arithmetic on numbers and on arrays, element by element.

use super::dialect_ops;

/// The flags of `fastmath<...>`.
pub(super) const FASTMATH: &[&str] =
    &["none", "reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast"];
/// The flags of `overflow<...>`.
const OVERFLOW: &[&str] = &["none", "nsw", "nuw"];
/// Integer comparisons in MLIR's order.
pub const CMPI_PREDICATES: &[&str] = &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
/// Float comparisons in MLIR's order: `o` for ordered (false on NaN), `u` for unordered (true on NaN).
pub const CMPF_PREDICATES: &[&str] = &[
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno", "true",
];
/// Rounding of a narrowing conversion.
const ROUNDING: &[&str] = &["to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"];

dialect_ops! {
    dialect "arith" enum ArithOp table ARITH;

    /// A constant number, or an array whose elements are all the same number (`dense<0.0> : vector<128xf32>`).
    Constant "constant" fn arith_constant {
        attrs { req value: Literal; }
        results { one result: Number; }
        traits { PURE }
        format custom;
    }

    /// Sum of integers, modulo 2ⁿ.
    AddI "addi" fn arith_addi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        attrs { opt overflowFlags: Keyword { mnemonic: "arith.overflow", words: OVERFLOW, many: true }, default "none"; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs opt(`overflow` keyword($overflowFlags)) attrs `:` type($result)";
    }

    /// Difference of integers, modulo 2ⁿ.
    SubI "subi" fn arith_subi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        attrs { opt overflowFlags: Keyword { mnemonic: "arith.overflow", words: OVERFLOW, many: true }, default "none"; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt(`overflow` keyword($overflowFlags)) attrs `:` type($result)";
    }

    /// Product of integers, modulo 2ⁿ.
    MulI "muli" fn arith_muli {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        attrs { opt overflowFlags: Keyword { mnemonic: "arith.overflow", words: OVERFLOW, many: true }, default "none"; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs opt(`overflow` keyword($overflowFlags)) attrs `:` type($result)";
    }

    /// Signed quotient, rounded towards zero. Undefined for a divisor of 0 and when it overflows.
    DivSI "divsi" fn arith_divsi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        attrs { opt isExact: Unit; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt($isExact) attrs `:` type($result)";
    }

    /// Unsigned quotient. Undefined for a divisor of 0.
    DivUI "divui" fn arith_divui {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        attrs { opt isExact: Unit; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt($isExact) attrs `:` type($result)";
    }

    /// Signed quotient, rounded up. Undefined for a divisor of 0 and when it overflows.
    CeilDivSI "ceildivsi" fn arith_ceildivsi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// Unsigned quotient, rounded up. Undefined for a divisor of 0.
    CeilDivUI "ceildivui" fn arith_ceildivui {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// Signed quotient, rounded down. Undefined for a divisor of 0 and when it overflows.
    FloorDivSI "floordivsi" fn arith_floordivsi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// Remainder of `divsi`; it has the sign of the dividend.
    RemSI "remsi" fn arith_remsi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// Remainder of `divui`.
    RemUI "remui" fn arith_remui {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// Bitwise and.
    AndI "andi" fn arith_andi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// Bitwise or.
    OrI "ori" fn arith_ori {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// Bitwise exclusive or.
    XOrI "xori" fn arith_xori {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// Shift to the left. Undefined when the second operand is the width or more.
    ShLI "shli" fn arith_shli {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        attrs { opt overflowFlags: Keyword { mnemonic: "arith.overflow", words: OVERFLOW, many: true }, default "none"; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt(`overflow` keyword($overflowFlags)) attrs `:` type($result)";
    }

    /// Shift to the right, copying the sign bit. Undefined when the second operand is the width or more.
    ShRSI "shrsi" fn arith_shrsi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        attrs { opt isExact: Unit; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt($isExact) attrs `:` type($result)";
    }

    /// Shift to the right, filling with zeros. Undefined when the second operand is the width or more.
    ShRUI "shrui" fn arith_shrui {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        attrs { opt isExact: Unit; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt($isExact) attrs `:` type($result)";
    }

    /// The larger of two signed integers.
    MaxSI "maxsi" fn arith_maxsi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// The larger of two unsigned integers.
    MaxUI "maxui" fn arith_maxui {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// The smaller of two signed integers.
    MinSI "minsi" fn arith_minsi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// The smaller of two unsigned integers.
    MinUI "minui" fn arith_minui {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one result: IntLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs attrs `:` type($result)";
    }

    /// Sum of floats, rounded to nearest even.
    AddF "addf" fn arith_addf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Difference of floats, rounded to nearest even.
    SubF "subf" fn arith_subf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Product of floats, rounded to nearest even.
    MulF "mulf" fn arith_mulf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Quotient of floats, rounded to nearest even; `fastmath<afn>` or `fast` permits the approximate division.
    DivF "divf" fn arith_divf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Remainder of the division rounded towards zero.
    RemF "remf" fn arith_remf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// The larger float; NaN when either is NaN, and +0 is larger than −0.
    MaximumF "maximumf" fn arith_maximumf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// The smaller float; NaN when either is NaN, and −0 is smaller than +0.
    MinimumF "minimumf" fn arith_minimumf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// The larger float; the other one when one is NaN.
    MaxNumF "maxnumf" fn arith_maxnumf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// The smaller float; the other one when one is NaN.
    MinNumF "minnumf" fn arith_minnumf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE, COMMUTATIVE }
        format "$lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// The float with its sign flipped.
    NegF "negf" fn arith_negf {
        operands { one operand: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        infers { one result: FloatLike, SameAs(0); }
        traits { PURE, SAME_TYPE }
        format "$operand opt(`fastmath` keyword($fastmath)) attrs `:` type($result)";
    }

    /// Sum of unsigned integers, and whether it overflowed.
    AddUIExtended "addui_extended" fn arith_addui_extended {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one sum: IntLike, SameAs(0); one overflow: BoolLike, BoolOf(0); }
        traits { PURE, COMMUTATIVE, SAME_OPERANDS }
        format "$lhs `,` $rhs attrs `:` type($sum) `,` type($overflow)";
    }

    /// Low and high half of the double-width product of signed integers.
    MulSIExtended "mulsi_extended" fn arith_mulsi_extended {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one low: IntLike, SameAs(0); one high: IntLike, SameAs(0); }
        traits { PURE, COMMUTATIVE, SAME_TYPE }
        format "$lhs `,` $rhs attrs `:` type($lhs)";
    }

    /// Low and high half of the double-width product of unsigned integers.
    MulUIExtended "mului_extended" fn arith_mului_extended {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        infers { one low: IntLike, SameAs(0); one high: IntLike, SameAs(0); }
        traits { PURE, COMMUTATIVE, SAME_TYPE }
        format "$lhs `,` $rhs attrs `:` type($lhs)";
    }

    /// Compares integers. `s` predicates read them as signed, `u` predicates as unsigned.
    CmpI "cmpi" fn arith_cmpi {
        operands { one lhs: IntLike, []; one rhs: IntLike, []; }
        attrs { req predicate: I64Enum(CMPI_PREDICATES); }
        infers { one result: BoolLike, BoolOf(0); }
        traits { PURE, SAME_SHAPE, SAME_OPERANDS }
        format "$predicate `,` $lhs `,` $rhs attrs `:` type($lhs)";
    }

    /// Compares floats. `o` predicates are false, `u` predicates true when either operand is NaN.
    CmpF "cmpf" fn arith_cmpf {
        operands { one lhs: FloatLike, []; one rhs: FloatLike, []; }
        attrs {
            req predicate: I64Enum(CMPF_PREDICATES);
            opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none";
        }
        infers { one result: BoolLike, BoolOf(0); }
        traits { PURE, SAME_SHAPE, SAME_OPERANDS }
        format "$predicate `,` $lhs `,` $rhs opt(`fastmath` keyword($fastmath)) attrs `:` type($lhs)";
    }

    /// One of two values, chosen by a condition, or element by element by an array of conditions.
    Select "select" fn arith_select {
        operands { one condition: BoolLike, []; one true_value: Any, []; one false_value: Any, []; }
        infers { one result: Any, SameAs(1); }
        traits { PURE }
        format custom;
    }

    /// Widens an integer, copying the sign bit.
    ExtSI "extsi" fn arith_extsi {
        operands { one input: IntLike, []; }
        results { one out: IntLike; }
        traits { PURE, SAME_SHAPE }
        format "$input attrs `:` type($input) `to` type($out)";
    }

    /// Widens an integer, filling with zeros.
    ExtUI "extui" fn arith_extui {
        operands { one input: IntLike, []; }
        results { one out: IntLike; }
        traits { PURE, SAME_SHAPE }
        format "$input attrs `:` type($input) `to` type($out)";
    }

    /// Narrows an integer to its low bits.
    TruncI "trunci" fn arith_trunci {
        operands { one input: IntLike, []; }
        attrs { opt overflowFlags: Keyword { mnemonic: "arith.overflow", words: OVERFLOW, many: true }, default "none"; }
        results { one out: IntLike; }
        traits { PURE, SAME_SHAPE }
        format "$input opt(`overflow` keyword($overflowFlags)) attrs `:` type($input) `to` type($out)";
    }

    /// Widens a float; exact.
    ExtF "extf" fn arith_extf {
        operands { one input: FloatLike, []; }
        attrs { opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none"; }
        results { one out: FloatLike; }
        traits { PURE, SAME_SHAPE }
        format "$input opt(`fastmath` keyword($fastmath)) attrs `:` type($input) `to` type($out)";
    }

    /// Narrows a float, to nearest even unless another rounding is named.
    TruncF "truncf" fn arith_truncf {
        operands { one input: FloatLike, []; }
        attrs {
            opt roundingmode: I32Enum(ROUNDING);
            opt fastmath: Keyword { mnemonic: "arith.fastmath", words: FASTMATH, many: true }, default "none";
        }
        results { one out: FloatLike; }
        traits { PURE, SAME_SHAPE }
        format "$input opt($roundingmode) opt(`fastmath` keyword($fastmath)) attrs `:` type($input) `to` type($out)";
    }

    /// Signed integer to float, to nearest even.
    SIToFP "sitofp" fn arith_sitofp {
        operands { one input: IntLike, []; }
        results { one out: FloatLike; }
        traits { PURE, SAME_SHAPE }
        format "$input attrs `:` type($input) `to` type($out)";
    }

    /// Unsigned integer to float, to nearest even.
    UIToFP "uitofp" fn arith_uitofp {
        operands { one input: IntLike, []; }
        results { one out: FloatLike; }
        traits { PURE, SAME_SHAPE }
        format "$input attrs `:` type($input) `to` type($out)";
    }

    /// Float to signed integer, rounded towards zero. Undefined when it does not fit.
    FPToSI "fptosi" fn arith_fptosi {
        operands { one input: FloatLike, []; }
        results { one out: IntLike; }
        traits { PURE, SAME_SHAPE }
        format "$input attrs `:` type($input) `to` type($out)";
    }

    /// Float to unsigned integer, rounded towards zero. Undefined when it does not fit.
    FPToUI "fptoui" fn arith_fptoui {
        operands { one input: FloatLike, []; }
        results { one out: IntLike; }
        traits { PURE, SAME_SHAPE }
        format "$input attrs `:` type($input) `to` type($out)";
    }

    /// Between `index` and integers, as signed numbers.
    IndexCast "index_cast" fn arith_index_cast {
        operands { one input: IntLike, []; }
        results { one out: IntLike; }
        traits { PURE, SAME_SHAPE }
        format "$input attrs `:` type($input) `to` type($out)";
    }

    /// Between `index` and integers, as unsigned numbers.
    IndexCastUI "index_castui" fn arith_index_castui {
        operands { one input: IntLike, []; }
        results { one out: IntLike; }
        traits { PURE, SAME_SHAPE }
        format "$input attrs `:` type($input) `to` type($out)";
    }

    /// The same bits as another type of the same width.
    Bitcast "bitcast" fn arith_bitcast {
        operands { one input: Number, []; }
        results { one out: Number; }
        traits { PURE, SAME_SHAPE }
        format "$input attrs `:` type($input) `to` type($out)";
    }
}
