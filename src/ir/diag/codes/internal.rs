//! `TG99xx`: faults of tidegate itself.

codes! {
    static ROWS_99;

    INTERNAL_ERROR = "TG9901", Error, "internal error", r#"
tidegate came to a state that its authors took to be impossible. The fault is in tidegate, whatever
the kernel looks like: a wrong kernel gets a diagnostic with a code of its own.

The module as it was at that moment, the command line and the version were written to a file, the
reproducer, whose name stands in the message. Please report the fault with this file; it holds the
text of the kernel, so look through it first if that is confidential.

The exit code of the command line is 3. Output of the same run is not to be relied upon.
"#;
}
