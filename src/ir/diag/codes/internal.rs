//! `TG99xx`: faults of tidegate itself.

codes! {
    static ROWS_99;

    INTERNAL_ERROR = "TG9901", Error, "internal error", "";
}
