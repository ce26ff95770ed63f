//! `TG08xx`: passes, lowering and tools.

codes! {
    static ROWS_08;

    UNKNOWN_PASS = "TG0801", Error, "unknown pass or malformed pipeline", "";
    NO_LOWERING = "TG0802", Error, "operation has no lowering for this target", "";
    MLIR_ERROR = "TG0803", Error, "MLIR refused the lowered module", "";
    PTXAS_ERROR = "TG0804", Error, "ptxas refused the PTX", "";
    UNKNOWN_TARGET = "TG0805", Error, "unknown target", "";
    TOOL_MISSING = "TG0806", Error, "a needed tool was not found", "";
    NOT_A_KERNEL = "TG0807", Error, "not a kernel, or entry point not found", "";
    LAYOUT_INFERENCE = "TG0808", Error, "no layout could be inferred", "";
    PASS_FAILED = "TG0809", Error, "a pass failed", "";
}
