//! `TG03xx`: structure, dominance and types.

codes! {
    static ROWS_03;

    DOMINANCE = "TG0301", Error, "value used where its definition does not reach", r#"
A value can be used only where its definition has been executed for certain: behind it in the same
block, in a region nested there, or in a block that every path reaches through it. Here some path
comes to the use without passing the definition.

A value of one role is never seen in another: roles run at the same time. Hand it over through
shared memory and a barrier, or compute it in both.

Wrong:

```mlir
%sum = arith.addf %v, %v : f32
%v = arith.constant 1.0 : f32
```

Right:

```mlir
%v = arith.constant 1.0 : f32
%sum = arith.addf %v, %v : f32
```
"#;

    OPERAND_TYPE = "TG0302", Error, "operand has the wrong type", r#"
An operand is of a type that the operation does not take, or two operands that have to agree differ.
Nothing is converted silently: rounding and sign extension are the author's choice.

For a barrier in the place of an array, or the reverse, the codes TG0101 to TG0109 say more.

Wrong:

```mlir
%r = "arith.addf"(%x, %n) : (f32, i32) -> f32
```

Right:

```mlir
%y = arith.sitofp %n : i32 to f32
%r = arith.addf %x, %y : f32
```
"#;

    RESULT_TYPE = "TG0303", Error, "result has the wrong type", r#"
The type written for a result is not the one that follows from the operands and attributes, or not
one that the operation can produce.

Wrong: a comparison gives one bit.

```mlir
%less = "arith.cmpi"(%a, %b) <{predicate = 2 : i64}> : (i32, i32) -> i32
```

Right:

```mlir
%less = "arith.cmpi"(%a, %b) <{predicate = 2 : i64}> : (i32, i32) -> i1
```
"#;

    ATTRIBUTE_FORM = "TG0304", Error, "attribute missing or of the wrong form", r#"
An attribute that the operation needs is absent, has a value of another kind (a string in the place
of an integer, one integer in the place of a list), or one outside its range.

The message names the attribute and what it takes. For text that cannot be read as an attribute at
all, see TG0007.

Wrong:

```mlir
%i = "tg.axis_index"() <{axis = 0 : i64}> : () -> index
```

Right:

```mlir
%i = "tg.axis_index"() <{axis = "block"}> : () -> index
```
"#;

    TERMINATOR = "TG0305", Error, "block terminator missing or misplaced", r#"
A block ends with exactly one terminator, which says what comes next: `scf.yield`, `scf.condition`,
`tg.return`. It stands nowhere else, because nothing behind it would be executed. In short forms it may
be left out, where a region without results can only end in one way.

Wrong: nothing behind `scf.yield` would be executed.

```mlir
scf.for %k = %c0 to %n step %c1 {
  scf.yield
  tg.thread_sync
}
```

Right:

```mlir
scf.for %k = %c0 to %n step %c1 {
  tg.thread_sync
  scf.yield
}
```
"#;

    REGION_STRUCTURE = "TG0306", Error, "wrong number or shape of regions or blocks", r#"
The operation has another number of regions than it takes, a region is empty or has several blocks
where one is wanted, or the arguments of its first block are not those that the operation passes.

Bodies of loops, branches and roles are single blocks: control flow inside them is structured, which
is what makes it possible to prove a barrier protocol.

Wrong: a loop without a body.

```mlir
"scf.for"(%c0, %n, %c1) ({}) : (index, index, index) -> ()
```

Right:

```mlir
"scf.for"(%c0, %n, %c1) ({
^bb0(%k: index):
  "scf.yield"() : () -> ()
}) : (index, index, index) -> ()
```
"#;

    DUPLICATE_SYMBOL = "TG0307", Error, "symbol defined twice", r#"
Two kernels or other symbols of one module have the same name. A symbol is how a kernel is found by
the one who launches it, and the name of its entry in PTX, so it is given once.

Wrong:

```mlir
tg.kernel @k() { tg.return }
tg.kernel @k() { tg.return }
```

Right:

```mlir
tg.kernel @k_small() { tg.return }
tg.kernel @k_large() { tg.return }
```
"#;

    OP_NOT_ALLOWED_HERE = "TG0308", Error, "operation not allowed here", r#"
The operation needs, or forbids, something around it: a kernel stands at the top level of a module,
allocations and roles in the body of a kernel, a terminator in the operation it belongs to.

Memory and barriers of a kernel are laid out when it is compiled, so they are not allocated inside a
loop, a branch or a role.

Wrong:

```mlir
scf.for %k = %c0 to %n step %c1 {
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
}
```

Right:

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
scf.for %k = %c0 to %n step %c1 {
  tg.barrier_wait %full[0] : !tg.barrier_ref<1, arrivals = 1>
}
```
"#;

    OPAQUE_OP = "TG0309", Error, "operation of an unknown dialect cannot be lowered", r#"
The operation belongs to a dialect that tidegate does not know. It is read, kept and printed
unchanged, so that other tools find it again; what it does is unknown, so it cannot be
lowered.

Replace it by operations of `tg`, `arith`, `math`, `scf` or `vector`, or lower it with the tool it
belongs to before the module comes here. `tidegate opt` passes such operations through.

Wrong, for `tidegate compile`:

```mlir
%r = "mydialect.fused_add"(%a, %b) : (f32, f32) -> f32
```

Right:

```mlir
%r = arith.addf %a, %b : f32
```
"#;

    OPERAND_COUNT = "TG0310", Error, "wrong number of operands or results", r#"
The operation takes, or returns, another number of values. The message says how many it wants and
how many there are; reference pages list the operands of each operation with their names.

Wrong:

```mlir
%r = "arith.addi"(%a) : (i32) -> i32
```

Right:

```mlir
%r = "arith.addi"(%a, %b) : (i32, i32) -> i32
```
"#;
}
