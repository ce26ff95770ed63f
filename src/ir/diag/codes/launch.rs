//! `TG11xx`: PTX texts, manifests, launches, results.

codes! {
    static ROWS_11;

    PTX_ERROR = "TG1101", Error, "a PTX text that cannot be read", r#"
The text breaks a rule of PTX: of its grammar, of its names and types, or of an instruction, whose
modifiers, operands and target are all checked. The message says what was found and what is wanted.

Instructions that exist and that the interpreter does not know are reported this way, too, at their
place, before anything runs.

Wrong: there is no `add.b32`.

```ptx
add.b32 %r1, %r2, %r3;
```

Right:

```ptx
add.u32 %r1, %r2, %r3;
```
"#;

    BAD_MANIFEST = "TG1102", Error, "a manifest that is none", r#"
The text is no JSON, or a field of it is missing, unknown, or not what it has to be. The message starts
with the path of the field: `params[2].operand`.

`tidegate compile --manifest k.json` writes a manifest with each kernel; `docs/run.md` describes its fields.
"#;

    MANIFEST_MISFIT = "TG1103", Error, "a manifest of another kernel", r#"
The manifest and the PTX disagree: about the entry's name, the target, the parameters with their sizes
and alignments, the dynamic shared memory, the sizes of the block or the cluster. Mostly one of
the two is older than the other.

Make both anew, in one call: `tidegate compile k.mlir -o k.ptx --manifest k.manifest.json`.
"#;

    OPERAND_MISFIT = "TG1104", Error, "an array that does not fit its operand", r#"
An array has another type or shape than the kernel takes, or its file is damaged, or an operand that the
kernel reads was given none.

Types that numpy lacks are stored under another name: `bfloat16` as `uint16`, 8-bit floats as `uint8`,
both also as the void types (`|V2`, `|V1`) that `ml_dtypes` makes of them. These are taken for what the kernel
takes. No other type is converted.

`tidegate run k.ptx --random-inputs` makes what is missing.
"#;

    LAUNCH_REFUSED = "TG1105", Error, "a launch that a driver would refuse", r#"
The sizes of the grid, the cluster or the block are outside what there is or what the kernel was
compiled for; the block needs more shared memory than there is; a tensor map breaks a rule of
`cuTensorMapEncodeTiled`; a pointer lacks the alignment that the kernel relies on. The message names
the rule.
"#;

    OUTPUT_MISMATCH = "TG1106", Error, "an output differs from what is expected", r#"
An element of an output is further from the expected one than `--atol` plus `--rtol` times the expected
one allows: the rule of `numpy.allclose`. NaN equals NaN only with `--equal-nan`.

The message has the largest difference with its place, and how many elements differ. Sums of
floating-point numbers depend on their order: with whole numbers they are exact, and a difference is a
fault. `tidegate run k.ptx --random-inputs` takes whole numbers from -4 to 4.
"#;

    OUTPUT_UNWRITTEN = "TG1107", Warning, "an output that the kernel left unwritten", r#"
The kernel ended without findings, and elements of an output were never written: on a GPU they would hold
what was there before. The file holds zeros there.

Where that is meant, say what is there before the kernel runs: `tidegate run k.ptx --init y=y0.npy`.
"#;

    SCHEDULE_DEPENDENT = "TG1108", Warning, "a result that depends on the schedule", r#"
Two runs with the same inputs and another order of the threads' steps gave other outputs, though neither
has a race: atomic operations, say, are ordered as it happens, and floating-point sums depend on
the order.

The message has the first difference and the two schedules.
"#;
}
