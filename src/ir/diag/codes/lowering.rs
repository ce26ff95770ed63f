//! `TG08xx`: passes, lowering and tools.

codes! {
    static ROWS_08;

    UNKNOWN_PASS = "TG0801", Error, "unknown pass or malformed pipeline", r#"
The pipeline names a pass that does not exist, gives a pass an option it does not have, or cannot be
read. A pipeline is a list of names with commas between them; options stand behind a name in braces
as `name=value` with spaces between them.

`tidegate opt --help` lists the passes.

Wrong:

```sh
tidegate opt --passes 'verify;canonicalise' kernel.tg
```

Right:

```sh
tidegate opt --passes 'verify,canonicalise' kernel.tg
```
"#;

    NO_LOWERING = "TG0802", Error, "operation has no lowering for this target", r#"
The target does not have what the operation needs. Clusters, TMA copies, mbarrier transactions and
WGMMA come with `sm_90`/`sm_90a`; tensor memory and the `tcgen05` operations with `sm_100a`, which
in turn has no WGMMA. Features of the targets that end in `a` are not carried over to later ones.

Choose the target that has the operation, or the operation that the target has.

Wrong: WGMMA on Blackwell.

```sh
tidegate compile --target sm_100a hopper_matmul.tg
```

Right:

```sh
tidegate compile --target sm_90a hopper_matmul.tg
```
"#;

    MLIR_ERROR = "TG0803", Error, "MLIR refused the lowered module", r#"
A pass or the verifier of MLIR reported an error while the kernel was lowered. The label is the
operation of the kernel that the error belongs to, the message is MLIR's own.

The checks before lowering should leave nothing for MLIR to refuse, so this is likely a gap in them.
Report it with the kernel and the text of the module:

```sh
tidegate compile --emit nvvm --target sm_90a kernel.tg
```
"#;

    PTXAS_ERROR = "TG0804", Error, "ptxas refused the PTX", r#"
The PTX was made, and `ptxas` did not make a cubin of it. The message is that of `ptxas`, and its
line is one of the PTX text. Notes C7514 and C7517 (WGMMA serialised, a wait inserted) count as
errors too: the result would be right and slow.

Often the `ptxas` found is older than the PTX asks for: `sm_90a` needs CUDA 12.0 or later, `sm_100a`
CUDA 12.8. To look at the PTX:

```sh
tidegate compile --emit ptx --target sm_90a kernel.tg
```
"#;

    UNKNOWN_TARGET = "TG0805", Error, "unknown target", r#"
The name is no target that tidegate lowers to. Targets are named as `ptxas` names them: `sm_90a`
(Hopper) and `sm_100a` (Blackwell). The letter `a` belongs to the name: without it the features that
warp-specialised kernels need are missing.

Wrong:

```sh
tidegate compile --target hopper kernel.tg
```

Right:

```sh
tidegate compile --target sm_90a kernel.tg
```
"#;

    TOOL_MISSING = "TG0806", Error, "a needed tool was not found", r#"
An external program is needed for this and was not found: `ptxas` for cubins, `cuobjdump` or
`nvdisasm` for SASS reports. They come with the CUDA toolkit, and are looked for in `CUDA_HOME/bin`,
`/usr/local/cuda/bin` and `PATH`.

Checking, simulating and making PTX need none of them. A build of tidegate without the feature
`mlir` cannot lower at all, and says so with this code.

```sh
CUDA_HOME=/opt/cuda-13 tidegate compile --emit cubin --target sm_90a kernel.tg
```
"#;

    NOT_A_KERNEL = "TG0807", Error, "not a kernel, or entry point not found", r#"
The name that was asked for is no kernel of the module, or the module has several kernels and none
was named, or no kernel at all. Kernels are `tg.kernel` operations at the top level of a module.

The message lists the kernels that there are.

Wrong:

```sh
tidegate sim --kernel matmul kernel.tg    # the file has @matmul_tn
```

Right:

```sh
tidegate sim --kernel matmul_tn kernel.tg
```
"#;

    LAYOUT_INFERENCE = "TG0808", Error, "no layout could be inferred", r#"
An array in registers is distributed over the 128 lanes of a thread, and its layout follows from the
operations around it: a WGMMA result has the layout of its accumulator, a reduction keeps that of
its operand. Here two uses ask for layouts that cannot be converted into each other in registers, or
nothing determines one.

Store the array to shared memory and load it again, which takes any layout; or write the layout on
the operation that makes it.

Wrong: the sum of a product and of an array loaded in a row layout.

```mlir
%sum = arith.addf %product, %row : vector<64x128xf32>
```

Right:

```mlir
tg.store %row, %tmp : vector<64x128xf32>, !tg.ref<64x128xf32, smem>
%again = tg.load %tmp : !tg.ref<64x128xf32, smem> -> vector<64x128xf32>
%sum = arith.addf %product, %again : vector<64x128xf32>
```
"#;

    PASS_FAILED = "TG0809", Error, "a pass failed", r#"
A pass could not do its work on this module, or the module was not valid after it. Other diagnostics
next to this one say why. If the verifier found the fault behind the pass, the pass is wrong and not
the kernel: report it.

To see what the pass was given, print the module before each pass and cut the pipeline down to the
one that fails:

```sh
tidegate opt --passes 'canonicalise' --print-before-all kernel.tg
```
"#;
}
