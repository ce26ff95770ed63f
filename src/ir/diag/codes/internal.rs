//! `TG99xx`: faults of tidegate itself.

codes! {
    static ROWS_99;

    INTERNAL_ERROR = "TG9901", Error, "internal error", r#"
tidegate came to a state that its authors took to be impossible. The fault is in tidegate, whatever
the kernel looks like: a wrong kernel gets a diagnostic with a code of its own.

Please report it with the input. Where a pass failed, `--reproducer FILE` of `tidegate opt` and
`tidegate compile` writes a file with the module as the pass got it and the passes that were to come.
It holds the text of the kernel, so look through it first if that is confidential.

The exit code of the command line is 3. Output of the same run is not to be relied upon.
"#;
}
