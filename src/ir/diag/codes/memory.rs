//! `TG04xx`: memory spaces and references.

codes! {
    static ROWS_04;

    WRONG_SPACE = "TG0401", Error, "operation does not work in this memory space", r#"
Each operation reaches certain memory spaces. Ordinary loads and stores reach `smem` and `gmem`; a
TMA copy goes between `gmem` and `smem`. Parameters of a kernel are in `gmem`.

Wrong: the destination is in global memory.

```mlir
tg.copy_gmem_to_smem %x[%off] -> %y, %full[0]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<1024xf32, gmem>, !tg.barrier_ref<1, arrivals = 1>
```

Right:

```mlir
%buf = tg.alloc : !tg.ref<128xf32, smem>
tg.copy_gmem_to_smem %x[%off] -> %buf, %full[0]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
```
"#;

    SHAPE_MISMATCH = "TG0402", Error, "shapes do not match", r#"
Two shapes that have to be equal differ: that of a reference after indexing and that of the value
loaded or stored, or those of the operands of an element-wise operation.

Shapes are not broadcast silently. An index removes the leading dimension it stands for.

Wrong:

```mlir
%v = tg.load %buf : !tg.ref<2x128xf32, smem> -> vector<128xf32>
```

Right:

```mlir
%v = tg.load %buf[%slot] : !tg.ref<2x128xf32, smem> -> vector<128xf32>
```
"#;

    ELEMENT_TYPE_MISMATCH = "TG0403", Error, "element types do not match", r#"
The element type of a reference and that of the value loaded or stored differ. Loads and stores move
bits as they are; a conversion is an operation of its own, since it rounds.

Wrong:

```mlir
tg.store %sum, %out : vector<128xf32>, !tg.ref<128xbf16, smem>
```

Right:

```mlir
%rounded = arith.truncf %sum : vector<128xf32> to vector<128xbf16>
tg.store %rounded, %out : vector<128xbf16>, !tg.ref<128xbf16, smem>
```
"#;

    OUT_OF_BOUNDS = "TG0404", Error, "access out of bounds", r#"
A constant index or offset leads outside of the memory that the reference describes. In shared
memory such an access reaches the neighbour, perhaps a barrier, without any fault.

Indices that are known only at run time are not checked. A TMA copy may reach over the edge of its
array in global memory: what it reads there is zero, what it writes there is dropped.

Wrong:

```mlir
%v = tg.load %buf[2] : !tg.ref<2x128xf32, smem> -> vector<128xf32>
```

Right:

```mlir
%slot = arith.remui %k, %c2 : index
%v = tg.load %buf[%slot] : !tg.ref<2x128xf32, smem> -> vector<128xf32>
```
"#;

    UNSUPPORTED_TRANSFORM = "TG0405", Error, "unsupported tile, swizzle or transform", r#"
The layout that a reference asks for does not exist, does not fit its shape, or is not one that the
operation can read. A swizzle is over 32, 64 or 128 bytes (or none); a tile divides the last
dimensions; the innermost extent of a tile, in bytes, is not wider than the swizzle.

Wrong: 64 elements of f32 are 256 bytes.

```mlir
%a = tg.alloc : !tg.ref<128x64xf32, smem, tile = [8, 64], swizzle = 128>
```

Right:

```mlir
%a = tg.alloc : !tg.ref<128x64xf32, smem, tile = [8, 32], swizzle = 128>
```
"#;

    DYNAMIC_SHAPE = "TG0406", Error, "dynamic shape where a static one is needed", r#"
Only references to global memory have dimensions that are known at launch. Shared and tensor memory
are laid out when the kernel is compiled, and arrays in registers are distributed over the lanes
then, so their shapes are constants.

Take a tile of fixed size and loop over as many as the dimension asks for; `tg.dim` reads it.

Wrong:

```mlir
%buf = tg.alloc : !tg.ref<?x128xf32, smem>
```

Right:

```mlir
%rows = tg.dim %x, 0 : !tg.ref<?x128xf32, gmem>
%buf = tg.alloc : !tg.ref<64x128xf32, smem>
```
"#;

    UNSUPPORTED_ELEMENT = "TG0407", Error, "element type or layout not supported in this memory space", r#"
Array references hold numbers, never arrays, barriers or references. Floats are those that the
hardware has, integers are of 1 to 64 bits, or `index`.

Wrong:

```mlir
%p = tg.alloc : !tg.ref<128xvector<4xf32>, smem>
```

Right:

```mlir
%p = tg.alloc : !tg.ref<128x4xf32, smem>
```
"#;
}
