//! `TG07xx`: resources of a block, a cluster, a grid.

codes! {
    static ROWS_07;

    SHARED_MEMORY_LIMIT = "TG0701", Error, "shared memory over the limit", r#"
The allocations of the kernel, its barriers and the padding between them need more shared memory
than a block can have: 232448 bytes (227 KiB) on `sm_90a` and `sm_100a`. Such a kernel compiles and
fails when it is launched; here it is known before. The message lists the largest allocations.

Take fewer slots in the ring, smaller tiles, or let arrays that are never live together share their
memory.

Wrong: 2 x 8 x 16384 bytes of tiles are 262144.

```mlir
%a = tg.alloc : !tg.ref<8x128x64xf16, smem>
%b = tg.alloc : !tg.ref<8x128x64xf16, smem>
```

Right: 2 x 7 x 16384 bytes are 229376, which leaves room for the barriers.

```mlir
%a = tg.alloc : !tg.ref<7x128x64xf16, smem>
%b = tg.alloc : !tg.ref<7x128x64xf16, smem>
```
"#;

    TENSOR_MEMORY_LIMIT = "TG0702", Error, "tensor memory over the limit", r#"
Tensor memory has 128 lanes and 512 columns of 32 bits. It is allocated by columns, in powers of two
of at least 32; what is needed after rounding up is more than there is. An array of it has 64 or 128
rows, and takes a column for each 32 bits of a row.

Use an accumulator again once its values have been read, or narrow types with `packed`.

Wrong: 600 columns.

```mlir
%acc = tg.alloc : !tg.ref<128x600xf32, tmem>
```

Right:

```mlir
%acc = tg.alloc : !tg.ref<128x512xf32, tmem>
```
"#;

    NAMED_BARRIER_LIMIT = "TG0703", Error, "too many named barriers", r#"
A block has 16 named barriers (`barrier.sync` with a number from 0 to 15). Number 0 is the
block-wide synchronisation, and each warpgroup takes one to join its lanes; the warp of a one-warp
role takes none. Here more are needed.

Named barriers are not mbarriers: the latter live in shared memory, there are as many as fit, and
they also count bytes. Roles that meet rarely can do with an mbarrier.

A block of the targets that there are has at most 8 warpgroups, which need 9. A target with larger
blocks could come to this limit.
"#;

    BLOCK_THREADS = "TG0704", Error, "invalid number of threads in a block", r#"
A block has from 1 to 1024 threads, in whole warps of 32. Where an operation works on warpgroups, it
is whole warpgroups of 128, so at most 8 of them.

Wrong: 9 warpgroups are 1152 threads.

```mlir
tg.kernel @k() threads ["wg" = 9] { tg.return }
```

Right:

```mlir
tg.kernel @k() threads ["wg" = 8] { tg.return }
```
"#;

    CLUSTER_SIZE = "TG0705", Error, "invalid cluster size", r#"
A cluster has at least one block and at most 8 on every device; up to 16 where the device allows it
and the launch asks for a size that is not portable. The axes of `grid` count clusters: there are as
many blocks as both together say.

Wrong: 32 blocks.

```mlir
tg.kernel @k() grid ["i" = 64] cluster ["x" = 32] { tg.return }
```

Right:

```mlir
tg.kernel @k() grid ["i" = 64] cluster ["x" = 8] { tg.return }
```
"#;

    GRID_SIZE = "TG0706", Error, "invalid grid size", r#"
A grid has at least one block in each dimension, and at most 2147483647 (2^31 - 1) in the first and
65535 in the second and third. A kernel with more axes has them folded into these three, the last
ones together.

Wrong:

```mlir
tg.kernel @k() grid ["i" = 0] { tg.return }
```

Right: at least one block; a block with nothing to do returns.

```mlir
tg.kernel @k() grid ["i" = 1] { tg.return }
```
"#;
}
