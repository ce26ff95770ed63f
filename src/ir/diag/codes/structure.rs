//! `TG03xx`: structure, dominance and types.

codes! {
    static ROWS_03;

    DOMINANCE = "TG0301", Error, "value used where its definition does not reach", "";
    OPERAND_TYPE = "TG0302", Error, "operand has the wrong type", "";
    RESULT_TYPE = "TG0303", Error, "result has the wrong type", "";
    ATTRIBUTE_FORM = "TG0304", Error, "attribute missing or of the wrong form", "";
    TERMINATOR = "TG0305", Error, "block terminator missing or misplaced", "";
    REGION_STRUCTURE = "TG0306", Error, "wrong number or shape of regions or blocks", "";
    DUPLICATE_SYMBOL = "TG0307", Error, "symbol defined twice", "";
    OP_NOT_ALLOWED_HERE = "TG0308", Error, "operation not allowed here", "";
    OPAQUE_OP = "TG0309", Error, "operation of an unknown dialect cannot be lowered", "";
    OPERAND_COUNT = "TG0310", Error, "wrong number of operands or results", "";
}
