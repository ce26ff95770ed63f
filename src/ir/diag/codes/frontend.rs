//! `TG09xx`: the front end, specs and builder.

codes! {
    static ROWS_09;

    SPEC_ARRIVALS = "TG0901", Error, "spec with an invalid number of arrivals", r#"
`num_arrivals` of a `Barrier` or `ClusterBarrier` is from 1 to 1048575 (2^20 - 1), because an
mbarrier counts pending arrivals in 20 bits. It counts threads of the kernel (a warpgroup, or the
warp of a small role), not lanes.

For a cluster barrier it is the arrivals of each block along its axes: two blocks that arrive once
each make it 1.

Wrong:

```rust
let full = k.scratch(Barrier::new().num_arrivals(0));
```

Right:

```rust
let full = k.scratch(Barrier::new().num_arrivals(1));
```
"#;

    SPEC_EMPTY_GROUP = "TG0902", Error, "spec of an empty barrier group", r#"
`num_barriers` has a dimension of 0, or no dimension at all. A group without barriers has nothing
that could be waited for or signalled; that it comes from a computed number of slots is the usual
cause.

Wrong:

```rust
let full = k.scratch(Barrier::new().num_barriers(slots - 1)); // slots is 1
```

Right:

```rust
let full = k.scratch(Barrier::new().num_barriers(slots));
```
"#;

    SPEC_BLOCK_DIMENSION = "TG0903", Error, "unsupported block dimension", r#"
A dimension of a `BlockSpec` is a positive number of elements (a block), an element-wise window
without padding, or one that is squeezed away. Other kinds (bounded slices, padded elements) have no
lowering to a TMA box. A block is not larger than the array, and its shape has as many dimensions.

Wrong:

```rust
let x = BlockSpec::new([BlockDim::BoundedSlice(64)]);
```

Right:

```rust
let x = BlockSpec::new([BlockDim::Blocked(64)]);
```
"#;

    SPEC_PIPELINE_MODE = "TG0904", Error, "unsupported pipeline mode", r#"
A pipeline over blocks is a ring of slots in shared memory that a producer fills and consumers
empty. Its mode says how many slots: at least one. Modes that other back ends know and that do not
map to such a ring are refused rather than ignored: a kernel that silently loses its pipelining is
slow for no visible reason.

Slots that are released late need more slots than the delay.

Wrong:

```rust
let x = BlockSpec::new([64]).pipeline_mode(PipelineMode::Buffered(0));
```

Right:

```rust
let x = BlockSpec::new([64]).pipeline_mode(PipelineMode::Buffered(2));
```
"#;

    SPEC_TMEM_OPTIONS = "TG0905", Error, "tensor memory option outside tensor memory", r#"
`packed`, `collective` and `layout` describe how an array is placed in tensor memory. For another
memory space they mean nothing, given as `false` neither. The layout of shared memory is described
by tiles and swizzles.

Wrong:

```rust
let buf = k.scratch(Smem::new([128, 64], BF16).packed(true));
```

Right:

```rust
let buf = k.scratch(Tmem::new([128, 64], BF16).packed(true));
```
"#;

    SPEC_PACKED_LAYOUT = "TG0906", Error, "packed together with a layout", r#"
`packed` chooses a layout of tensor memory: several narrow elements in each cell of 32 bits. An
explicit `layout` says how elements are placed too, and perhaps otherwise. Give one of them.

Wrong:

```rust
let p = k.scratch(Tmem::new([128, 128], BF16).packed(true).layout(layout));
```

Right:

```rust
let p = k.scratch(Tmem::new([128, 128], BF16).layout(layout));
```
"#;

    SPEC_TMEM_TRANSFORMS = "TG0907", Error, "transforms on tensor memory", r#"
Tiles and swizzles change the addresses of shared memory so that TMA and tensor cores reach it
without bank conflicts. Tensor memory has lanes and columns and no such addresses; its placement is
`packed` or `layout`.

Wrong:

```rust
let acc = k.scratch(Tmem::new([128, 128], F32).swizzle(128));
```

Right:

```rust
let acc = k.scratch(Tmem::new([128, 128], F32));
```
"#;

    SPEC_TMEM_NARROW = "TG0908", Error, "narrow element type in tensor memory", r#"
A cell of tensor memory has 32 bits. For an element type that is narrower it has to be said whether
an element has a cell to itself or shares it: by `packed`, or by a `layout`. Instructions that read
it expect one or the other, so there is no default.

Wrong:

```rust
let p = k.scratch(Tmem::new([128, 128], BF16));
```

Right:

```rust
let p = k.scratch(Tmem::new([128, 128], BF16).packed(true));
```
"#;

    BARRIER_ARRAY_AVAL = "TG0909", Error, "a barrier has no array aval", r#"
A spec describes something by abstract values: `ref_aval()` is the reference, `array_aval()` the
array behind it. Barriers, cluster barriers and semaphores have the first and not the second,
because they are not arrays: there is no shape of elements, no element type and no value to load.
Code that works on any `Spec` has to take this error, or ask for the reference.

Wrong:

```rust
let aval = Spec::from(Barrier::new().num_barriers(2)).array_aval()?;
```

Right:

```rust
let aval = Spec::from(Barrier::new().num_barriers(2)).ref_aval();
```
"#;

    FOREIGN_HANDLE = "TG0910", Error, "handle of another kernel", r#"
A handle (of a reference, a barrier, a value) was made by one builder and is used with another. It
is a number in the module it was made for; in another module that number is something else or
nothing.

Make what a kernel uses in that kernel. Two kernels hand data to each other through global memory.

Wrong:

```rust
let full = first.scratch(Barrier::new());
second.barrier_wait(full.at(0));
```

Right:

```rust
let full = second.scratch(Barrier::new());
second.barrier_wait(full.at(0));
```
"#;

    BUILDER_MISUSE = "TG0911", Error, "builder used in the wrong order", r#"
The builder was asked for something that is not possible at this point: an input after the body was
begun, a second `warp_specialize`, a scratch allocation inside a role, an axis or a name given
twice, a value used outside of the region it was made in.

Declare first (grid, cluster, inputs, outputs, scratch), then write the body.

Wrong:

```rust
k.warp_specialize(|ws| { /* ... */ });
let buf = k.scratch(Smem::new([128], F32));
```

Right:

```rust
let buf = k.scratch(Smem::new([128], F32));
k.warp_specialize(|ws| { /* ... */ });
```
"#;

    SPEC_UNION = "TG0912", Error, "invalid union of references", r#"
A `RefUnion` is arrays of one memory space of which one is live at a time, so that they can share
their memory. It has at least one member and is itself neither an array nor one reference. A barrier
is never a member: it lives as long as its kernel, and an array written over it destroys its counts.

Wrong:

```rust
let shared = RefUnion::new([Smem::new([128], F32).into(), Barrier::new().into()]);
```

Right:

```rust
let shared = RefUnion::new([Smem::new([128], F32).into(), Smem::new([256], F16).into()]);
let full = k.scratch(Barrier::new());
```
"#;

    SPEC_SHAPE = "TG0913", Error, "spec with an invalid shape", r#"
Extents are at least 1, and their product can be counted in 63 bits. An accumulator has two: a
multiple of 64 rows, and 8 to 256 columns in steps of 8.

Wrong:

```rust
let buf = k.scratch(Smem::new([slots - 1, 128], F32)); // slots is 1
```

Right:

```rust
let buf = k.scratch(Smem::new([slots, 128], F32));
```
"#;
}
