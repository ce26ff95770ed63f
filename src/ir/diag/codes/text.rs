//! `TG00xx`: text and parsing.

codes! {
    static ROWS_00;

    UNEXPECTED_TOKEN = "TG0001", Error, "unexpected token or character", r#"
The text has a character or a word that cannot stand at this place. Reading goes on behind it, so a
later message about the same line may only follow from this one.

Names of values start with `%`, symbols with `@`, blocks with `^`, types of a dialect with `!`,
attributes of a dialect with `#`. Comments start with `//`.

Wrong:

```mlir
$full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
```

Right:

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    EXPECTED_SOMETHING = "TG0002", Error, "something else was expected here", r#"
The text is well formed up to here, and only certain words or signs can follow. The message names
them.

At the end of a file this mostly means that a brace, a bracket or an angle bracket was opened and
never closed.

Wrong:

```mlir
%full = tg.alloc_barrier !tg.barrier_ref<2, arrivals = 1>
```

Right: a colon stands before the type.

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    UNKNOWN_OP = "TG0003", Error, "unknown operation in a known dialect", r#"
The dialect is one that tidegate knows (`tg`, `arith`, `math`, `scf`, `vector`, `builtin`), and it
has no operation of this name. If a name is close to it, the message proposes that one.

Operations of dialects that tidegate does not know are read in MLIR's generic form and kept as they
are; only lowering refuses them (TG0309).

Wrong:

```mlir
tg.barrier_await %full[%i] : !tg.barrier_ref<2, arrivals = 1>
```

Right:

```mlir
tg.barrier_wait %full[%i] : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    UNDEFINED_VALUE = "TG0004", Error, "use of a value that is not defined", r#"
No operation or block argument of this name can be seen from here. Either the name is misspelt, or
the definition stands inside a region (the body of a loop, of a branch, of a role) and is used
outside of it.

What a region computes leaves it through `scf.yield`. For a value that exists and does not reach
this place, see TG0301.

Wrong:

```mlir
scf.if %first { %x = arith.constant 1 : i32 }
%y = arith.addi %x, %x : i32
```

Right:

```mlir
%x = scf.if %first -> (i32) {
  %one = arith.constant 1 : i32
  scf.yield %one : i32
} else {
  %two = arith.constant 2 : i32
  scf.yield %two : i32
}
%y = arith.addi %x, %x : i32
```
"#;

    VALUE_REDEFINED = "TG0005", Error, "value defined twice", r#"
The IR is in SSA form: each name is defined once in its scope and never changes. A second definition
under the same name would leave open which of the two later uses mean.

A value that changes from one round of a loop to the next is a loop argument.

Wrong:

```mlir
%i = arith.constant 0 : index
%i = arith.addi %i, %c1 : index
```

Right:

```mlir
%i = arith.constant 0 : index
%next = arith.addi %i, %c1 : index
```
"#;

    MALFORMED_TYPE = "TG0006", Error, "malformed or unknown type", r#"
The text of a type cannot be read, names a type that does not exist, or describes one that cannot
be: an array with a negative extent, an integer of no bits.

The types are those of MLIR (`i32`, `index`, `f16`, `vector<128xf32>`) and those of `tg`: `!tg.ref`,
`!tg.barrier_ref`, `!tg.semaphore_ref`, `!tg.acc`.

Wrong:

```mlir
%buf = tg.alloc : !tg.ref<2x128xfloat, smem>
```

Right:

```mlir
%buf = tg.alloc : !tg.ref<2x128xf32, smem>
```
"#;

    MALFORMED_ATTRIBUTE = "TG0007", Error, "malformed attribute", r#"
The value of an attribute cannot be read: its text is no attribute, or the attribute of this name
takes another kind of value.

In MLIR's generic form the properties of an operation stand in `<{...}>` and its other attributes in
`{...}`, each as `name = value`. A name alone is a unit attribute.

Wrong:

```mlir
%c = arith.constant 4 : f32
```

Right:

```mlir
%c = arith.constant 4.0 : f32
```
"#;

    MALFORMED_NUMBER = "TG0008", Error, "malformed number, or number out of range", r#"
A number cannot be read, or its value does not fit where it stands: an integer constant that its
type cannot hold, a dimension larger than 2^63 - 1, a floating-point number without digits behind
the point.

A constant is never cut to fit: a silently changed number in a kernel is found late.

Wrong:

```mlir
%c = arith.constant 300 : i8
```

Right:

```mlir
%c = arith.constant 300 : i16
```
"#;

    UNTERMINATED = "TG0009", Error, "unterminated string or comment", r#"
A string starts here and the line or the file ends before its closing quotation mark. Strings do not
run over lines; a line break in a string is written `\n`, a quotation mark `\"`.

All text behind the opening mark is taken to be part of the string, so the rest is not read.

Wrong:

```mlir
%i = tg.axis_index "block : index
```

Right:

```mlir
%i = tg.axis_index "block" : index
```
"#;

    OPERAND_TYPE_LIST = "TG0010", Error, "number of operands and list of types do not match", r#"
Behind the colon stands one type for each operand, and behind the arrow one for each result. Here
the lists differ in length, so it is open which type belongs to which value.

Wrong:

```mlir
%r = "arith.addi"(%a, %b) : (i32) -> i32
```

Right:

```mlir
%r = "arith.addi"(%a, %b) : (i32, i32) -> i32
```
"#;

    UNDEFINED_BLOCK = "TG0011", Error, "undefined block, or block or symbol defined twice", r#"
A branch names a block that its region does not have, or a region has two blocks of the same label,
or a module two symbols of the same name at the same place.

A label is seen in its own region only, and only operations of dialects that tidegate does not know
have regions of several blocks: control flow of kernels is that of `scf`.

Wrong:

```mlir
"other.region"() ({
  "cf.br"()[^done] : () -> ()
^end:
  "other.end"() : () -> ()
}) : () -> ()
```

Right:

```mlir
"other.region"() ({
  "cf.br"()[^end] : () -> ()
^end:
  "other.end"() : () -> ()
}) : () -> ()
```
"#;

    UNKNOWN_ALIAS = "TG0012", Error, "unknown location or alias", r#"
An alias (`#loc3`, `!tile`) is used and nowhere defined in this file, or the text behind `loc` is no
location.

Aliases are defined at the top level of a file, before or behind their uses. A location is
`"file":line:column`, `"name"(location)`, `fused[...]`, `callsite(location at location)` or
`unknown`.

Wrong:

```mlir
tg.kernel @k() {
  %c = arith.constant 0 : index loc(#kernel)
}
```

Right:

```mlir
#kernel = loc("kernel.py":12:4)
tg.kernel @k() {
  %c = arith.constant 0 : index loc(#kernel)
}
```
"#;

    NESTING_TOO_DEEP = "TG0013", Error, "nesting too deep", r#"
Regions, types, attributes or locations are nested deeper than the reader goes. The limit keeps a
damaged or hostile file from exhausting the stack; no kernel that a person or a front end writes
comes near it.

If a program generated the file, look for a loop in it that wraps its own output once more in each
round. For locations, drop inlining history that nobody reads: print the module without debug
locations.
"#;

    UNREADABLE_FILE = "TG0014", Error, "file cannot be read or is not UTF-8", r#"
The input file does not exist, may not be read, or holds bytes that are not UTF-8. The message says
which, and for bytes that are not UTF-8 how far into the file the first of them is.

MLIR bytecode (it starts with the bytes `ML\xefR`) is not text. Turn it into text first:

```sh
mlir-opt --allow-unregistered-dialect kernel.mlirbc -o kernel.mlir
```

A name of `-` reads standard input.
"#;

    FILE_TOO_LARGE = "TG0016", Error, "file too large", r#"
The file, or all files of this run together, are larger than the reader takes. Positions are kept in
32 bits, which bounds all input texts together at 4 GiB.

A kernel that large is nearly always one with its data written out as constants. Hand data over as
an argument, or split the module: each kernel can be checked and compiled on its own.
"#;

    TOO_MANY_ERRORS = "TG0017", Note, "more diagnostics than are shown", r#"
More errors or warnings were found in a file than are shown for it. They are counted, and this note
says how many there were and where the first of them is.

Often all follow from the first few; mend those and run again. To see more, raise the limit: by
`--limit` of `tidegate check`, or in the sink that collects diagnostics (`Diagnostics::unlimited`).
"#;
}
