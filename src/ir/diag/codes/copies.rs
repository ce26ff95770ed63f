//! `TG06xx`: asynchronous copies.

codes! {
    static ROWS_06;

    COPY_RANK = "TG0601", Error, "copy has an unsupported rank", r#"
A TMA copy moves a box of a tensor with 1 to 5 dimensions: that is what a tensor map can describe. A
tile in the layout counts, as it adds dimensions to the box.

Merge dimensions that follow each other in memory without gaps, or copy slices in a loop.

Wrong: six dimensions.

```mlir
tg.copy_gmem_to_smem %x -> %buf, %full[0] : !tg.ref<2x2x2x2x2x64xf16, gmem> ->
  !tg.ref<2x2x2x2x2x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```

Right: the first two are one.

```mlir
tg.copy_gmem_to_smem %x -> %buf, %full[0] : !tg.ref<4x2x2x2x64xf16, gmem> ->
  !tg.ref<4x2x2x2x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```
"#;

    COPY_BOX_EXTENT = "TG0602", Error, "box extent out of range", r#"
In each dimension, the box that a TMA copy moves has from 1 to 256 elements. A tensor map with
another extent is refused by the driver when the kernel is launched; here it is known before.

Split the copy, and let both parts complete on the same barrier.

Wrong: 512 rows.

```mlir
tg.copy_gmem_to_smem %x[0, 0] -> %buf, %full[0]
  : !tg.ref<1024x64xf16, gmem> -> !tg.ref<512x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```

Right: a tile of 256 rows for each copy.

```mlir
tg.copy_gmem_to_smem %x[0, 0] -> %buf, %full[0]
  : !tg.ref<1024x64xf16, gmem> -> !tg.ref<256x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```
"#;

    COPY_INNER_BYTES = "TG0603", Error, "inner dimension is not a multiple of 16 bytes", r#"
The innermost extent of the box of a TMA copy, in bytes, is a multiple of 16. A plain bulk copy has
the same rule for its whole size.

Pad the array, or load the rest with ordinary loads.

Wrong: 6 elements of f16 are 12 bytes.

```mlir
tg.copy_gmem_to_smem %x[0, 0] -> %buf, %full[0]
  : !tg.ref<64x64xf16, gmem> -> !tg.ref<64x6xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```

Right: 8 elements are 16 bytes.

```mlir
tg.copy_gmem_to_smem %x[0, 0] -> %buf, %full[0]
  : !tg.ref<64x64xf16, gmem> -> !tg.ref<64x8xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```
"#;

    COPY_SWIZZLE_SPAN = "TG0604", Error, "inner dimension is wider than the swizzle span", r#"
With a swizzle of 32, 64 or 128 bytes the innermost extent of the box may have at most that many
bytes: the pattern permutes pieces of 16 bytes inside one span. The driver refuses a wider one when
the kernel is launched.

Tile the innermost dimension by the span, or make several copies on one barrier.

Wrong: 128 elements of f16 are 256 bytes.

```mlir
tg.copy_gmem_to_smem %x[0, 0] -> %a, %full[0] : !tg.ref<64x256xf16, gmem>
  -> !tg.ref<16x128xf16, smem, swizzle = 128>, !tg.barrier_ref<1, arrivals = 1>
```

Right: tiles of 64 elements.

```mlir
tg.copy_gmem_to_smem %x[0, 0] -> %a, %full[0] : !tg.ref<64x256xf16, gmem>
  -> !tg.ref<16x128xf16, smem, tile = [8, 64], swizzle = 128>, !tg.barrier_ref<1, arrivals = 1>
```
"#;

    COPY_GLOBAL_ALIGNMENT = "TG0605", Error, "global address or stride not aligned", r#"
The global side of a TMA copy starts at a multiple of 16 bytes, and each of its strides except the
innermost, which is one element, is a multiple of 16 bytes and less than 2^40. Row-major arrays meet
this when a row does.

Pad the rows of the array in global memory, or load with ordinary loads.

Wrong: rows of 100 elements of f16 are 200 bytes apart.

```mlir
tg.copy_gmem_to_smem %x[0, 0] -> %buf, %full[0]
  : !tg.ref<512x100xf16, gmem> -> !tg.ref<64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```

Right: rows of 104 elements are 208 bytes apart.

```mlir
tg.copy_gmem_to_smem %x[0, 0] -> %buf, %full[0]
  : !tg.ref<512x104xf16, gmem> -> !tg.ref<64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```
"#;

    COPY_ELEMENT_TYPES = "TG0606", Error, "copy between different element types", r#"
A copy moves bits as they are, so both sides have the same element type. To convert, load the data,
convert it in registers and store it.

Wrong:

```mlir
tg.copy_gmem_to_smem %x[0] -> %buf, %full[0]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```

Right:

```mlir
tg.copy_gmem_to_smem %x[0] -> %buf, %full[0]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
```
"#;

    COPY_SHAPES = "TG0607", Error, "copy between different shapes", r#"
The box that is copied has the shape of the shared-memory side, and its extents do not exceed those
of the global side. Here the two sides differ in rank, or the shape after indexing is another one.

Wrong: the destination is two slots.

```mlir
tg.copy_gmem_to_smem %x[%off] -> %buf, %full[%slot]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
```

Right:

```mlir
tg.copy_gmem_to_smem %x[%off] -> %buf[%slot], %full[%slot]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
```
"#;

    COPY_SHARED_ALIGNMENT = "TG0608", Error, "shared memory side of a copy is not aligned", r#"
The shared-memory side of a TMA copy starts at a multiple of 128 bytes, that of a plain bulk copy at
a multiple of 16. With a swizzle, the pattern repeats after 256, 512 or 1024 bytes (for 32, 64 and
128), and a tile that tensor cores read starts at a multiple of that.

Allocations are aligned as needed; what goes wrong is mostly a slot or a slice in between whose size
is odd.

Wrong: slot 1 starts at byte 208.

```mlir
tg.copy_gmem_to_smem %x[0] -> %buf[1], %full[0]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<2x52xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
```

Right: slot 1 starts at byte 256.

```mlir
tg.copy_gmem_to_smem %x[0] -> %buf[1], %full[0]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<2x64xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
```
"#;

    COPY_MULTICAST = "TG0609", Error, "invalid multicast list", r#"
A multicast copy writes one box to the same place in the shared memory of several blocks of a
cluster, and signals the barrier at the same place in each. It needs a cluster. `multicast` lists
the blocks by rank: at least one, each once and less than the size of the cluster. `collective`
names axes of the cluster, each once; the blocks along them fetch a part of the box each, so its
leading dimension is a multiple of their number.

Wrong: a kernel without a cluster.

```mlir
tg.kernel @k(%x: !tg.ref<1024xf32, gmem>) grid ["i" = 8] {
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0] -> %buf, %full[0] multicast [0, 1]
    : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<1, arrivals = 1>
}
```

Right:

```mlir
tg.kernel @k(%x: !tg.ref<1024xf32, gmem>) grid ["i" = 8] cluster ["x" = 2] {
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0] -> %buf, %full[0] multicast [0, 1]
    : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<1, arrivals = 1>
}
```
"#;

    COPY_BYTES = "TG0610", Error, "expected bytes are not the bytes copied", r#"
A phase of a barrier completes when its arrivals have happened and the bytes announced for it have
all been delivered. An mbarrier counts outstanding bytes from 0 to 1048575 (2^20 - 1), and here more
are announced, or fewer than none. Bytes that are announced and never delivered make waiting threads
hang; bytes that nobody announced complete a phase too early.

`tg.copy_gmem_to_smem` announces its own bytes. Announce by hand only for copies that are `raw`, and
exactly what they deliver.

Wrong:

```mlir
tg.barrier_arrive_expect_tx %full[0] bytes 2097152 : !tg.barrier_ref<1, arrivals = 1>
```

Right: 64 x 64 elements of f16 are 8192 bytes.

```mlir
tg.barrier_arrive_expect_tx %full[0] bytes 8192 : !tg.barrier_ref<1, arrivals = 1>
tg.copy_gmem_to_smem %x[0, 0] -> %a, %full[0] raw
  : !tg.ref<64x64xf16, gmem> -> !tg.ref<64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
```
"#;

    MISSING_PROXY_FENCE = "TG0611", Error, "generic writes are not fenced from the async proxy", r#"
Ordinary stores go through the generic proxy; TMA copies and tensor-core operations read shared
memory through the async proxy. The second sees what the first wrote only after a fence by the
threads that wrote, followed by a synchronisation with the thread that issues. Without it, old data
is copied now and then.

`tg.commit_smem` is that fence. It has to be passed on every path from the store to the copy, also
where a loop in between runs zero times.

Wrong:

```mlir
tg.store %v, %buf : vector<128xf32>, !tg.ref<128xf32, smem>
tg.copy_smem_to_gmem %buf -> %y[%off] : !tg.ref<128xf32, smem> -> !tg.ref<1024xf32, gmem>
```

Right:

```mlir
tg.store %v, %buf : vector<128xf32>, !tg.ref<128xf32, smem>
tg.commit_smem
tg.copy_smem_to_gmem %buf -> %y[%off] : !tg.ref<128xf32, smem> -> !tg.ref<1024xf32, gmem>
```
"#;
}
