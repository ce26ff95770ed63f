//! `TG00xx`: text and parsing.

codes! {
    static ROWS_00;

    UNEXPECTED_TOKEN = "TG0001", Error, "unexpected token or character", "";
    EXPECTED_SOMETHING = "TG0002", Error, "something else was expected here", "";
    UNKNOWN_OP = "TG0003", Error, "unknown operation in a known dialect", "";
    UNDEFINED_VALUE = "TG0004", Error, "use of a value that is not defined", "";
    VALUE_REDEFINED = "TG0005", Error, "value defined twice", "";
    MALFORMED_TYPE = "TG0006", Error, "malformed or unknown type", "";
    MALFORMED_ATTRIBUTE = "TG0007", Error, "malformed attribute", "";
    MALFORMED_NUMBER = "TG0008", Error, "malformed number, or number out of range", "";
    UNTERMINATED = "TG0009", Error, "unterminated string or comment", "";
    OPERAND_TYPE_LIST = "TG0010", Error, "number of operands and list of types do not match", "";
    UNDEFINED_BLOCK = "TG0011", Error, "undefined block, or block or symbol defined twice", "";
    UNKNOWN_ALIAS = "TG0012", Error, "unknown location or alias", "";
    NESTING_TOO_DEEP = "TG0013", Error, "nesting too deep", "";
    UNREADABLE_FILE = "TG0014", Error, "file cannot be read or is not UTF-8", "";
    MISSING_ATTRIBUTE = "TG0015", Error, "missing attribute", "";
    FILE_TOO_LARGE = "TG0016", Error, "file too large", "";
    TOO_MANY_ERRORS = "TG0017", Note, "more diagnostics than are shown", "";
}
