//! `TG08xx`: passes, lowering and tools.

codes! {
    static ROWS_08;

    UNKNOWN_PASS = "TG0801", Error, "unknown pass or malformed pipeline", r#"
The pipeline names a pass that does not exist, gives a pass an option it does not have, or cannot be
read. A pipeline is a list of names with commas between them; options stand behind a name in braces
as `name=value` with spaces between them.

`tidegate opt --list-passes` lists the passes with their options.

Wrong:

```sh
tidegate opt --passes 'canonicalise;cse' kernel.mlir
```

Right:

```sh
tidegate opt --passes 'canonicalize,cse' kernel.mlir
```
"#;

    NO_LOWERING = "TG0802", Error, "operation has no lowering for this target", r#"
The target, or this version of tidegate, does not have what the operation needs. Clusters, TMA copies
and transactions of mbarriers come with `sm_90a`; tensor memory with `sm_100a`. Features of the targets
that end in `a` are not carried over to later ones.

Choose the target that has the operation, or the operation that the target has. For tensor memory:

```sh
tidegate check --target sm_100a kernel.mlir
```
"#;

    MLIR_ERROR = "TG0803", Error, "MLIR refused the lowered module", r#"
A pass or the verifier of MLIR reported an error while the kernel was lowered. The label is the
operation of the kernel that the error belongs to, the message is MLIR's own.

The checks before lowering should leave nothing for MLIR to refuse, so this is likely a gap in them.
Report it with the kernel and the text of the module:

```sh
tidegate compile --emit nvvm --target sm_90a kernel.mlir
```
"#;

    PTXAS_ERROR = "TG0804", Error, "ptxas refused the PTX", r#"
The PTX was made, and `ptxas` did not make a cubin of it. The message is that of `ptxas`, and its
line is one of the PTX text. Notes C7514 and C7517 (WGMMA serialised, a wait inserted) count as
errors too: the result would be right and slow.

Often the `ptxas` found is older than the PTX asks for: `sm_90a` needs CUDA 12.0 or later, `sm_100a`
CUDA 12.8. To look at the PTX:

```sh
tidegate compile --emit ptx --target sm_90a kernel.mlir
```
"#;

    UNKNOWN_TARGET = "TG0805", Error, "unknown target", r#"
The name is no target that tidegate lowers to. Targets are named as `ptxas` names them: `sm_90a`
(Hopper) and `sm_100a` (Blackwell). The letter `a` belongs to the name: without it the features that
warp-specialised kernels need are missing.

Wrong:

```sh
tidegate compile --target hopper kernel.mlir
```

Right:

```sh
tidegate compile --target sm_90a kernel.mlir
```
"#;

    TOOL_MISSING = "TG0806", Error, "a needed tool was not found", r#"
An external program is needed for this and was not found: `ptxas` makes cubins, and is needed for SASS
reports. It comes with the CUDA toolkit, and from PyPI in `nvidia-cuda-nvcc`. `TIDEGATE_PTXAS` names
the program; otherwise it is looked for on `PATH` and in the `bin` of `CUDA_HOME`.

Checking and making PTX need no such program.

```sh
CUDA_HOME=/opt/cuda-13 tidegate compile --emit cubin --target sm_90a kernel.mlir
```
"#;

    NOT_A_KERNEL = "TG0807", Error, "not a kernel, or entry point not found", r#"
The name that was asked for is no kernel of the module, or the module has no kernel at all. Kernels are
`tg.kernel` operations at the top level of a module; a role is part of one and is not compiled alone.

The message lists the kernels that there are. Without `--kernel`, all are compiled.

Wrong:

```sh
tidegate compile --kernel copy kernel.mlir    # the file has @copy_rows
```

Right:

```sh
tidegate compile --kernel copy_rows kernel.mlir
```
"#;

    LAYOUT_INFERENCE = "TG0808", Error, "no layout could be inferred", r#"
An array in registers is distributed over the lanes of the thread that works on it, 128 of a warpgroup or
32 of a warp, and its layout has to suit every operation that makes or uses it. Here two operations ask
for different ones, an array of one width of thread is used by another, or nothing is known of how an
operation wants arrays to lie.

Store the array to shared memory and load it again, which takes any layout; or use operations of
dialects that tidegate knows.

Wrong: an operation of another dialect on an array.

```mlir
%w = "mydialect.scale"(%v) : (vector<128xf32>) -> vector<128xf32>
```

Right:

```mlir
%w = arith.mulf %v, %v : vector<128xf32>
```
"#;

    PASS_FAILED = "TG0809", Error, "a pass failed", r#"
A pass could not do its work on this module, or the module was not valid after it. Other diagnostics
next to this one say why. If the verifier found the fault behind the pass, the pass is wrong and not
the kernel: report it.

To see what the pass was given, print the module after each pass before it, or have a file written
that repeats the failure:

```sh
tidegate opt --passes 'canonicalize,cse' --print-after-all --reproducer failure.mlir kernel.mlir
```
"#;
}
