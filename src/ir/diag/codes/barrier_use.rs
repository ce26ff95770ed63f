//! `TG02xx`: how barriers are used.

codes! {
    static ROWS_02;

    BARRIER_GROUP_FOR_ONE = "TG0201", Error, "group of barriers where one barrier is wanted", r#"
Waiting, arriving and asynchronous operations act on exactly one barrier. Here the reference still
stands for a group: it has no index, fewer indices than dimensions, or a slice. An operation on all
of them at once does not exist, and to take the first one silently would hide a mistake.

Wrong:

```mlir
tg.barrier_wait %full : !tg.barrier_ref<4, arrivals = 1>
```

Right:

```mlir
tg.barrier_wait %full[%slot] : !tg.barrier_ref<4, arrivals = 1>
```
"#;

    BARRIER_INDEX_RANGE = "TG0202", Error, "barrier index out of range", r#"
A constant index is not less than the extent of the group in its dimension; indices count from 0.
The operation would act on the memory behind the group, which may be the next barrier or the data of
a tile.

An index in a ring of n slots is the step modulo n.

Wrong:

```mlir
tg.barrier_wait %full[4] : !tg.barrier_ref<4, arrivals = 1>
```

Right:

```mlir
%slot = arith.remui %k, %c4 : index
tg.barrier_wait %full[%slot] : !tg.barrier_ref<4, arrivals = 1>
```
"#;

    BARRIER_ARRIVALS_RANGE = "TG0203", Error, "number of arrivals out of range", r#"
The number of arrivals that a phase takes is from 1 to 1048575, which is 2^20 - 1: an mbarrier
counts pending arrivals in 20 bits. With 0 no phase could ever be waited for.

The number counts threads of the IR (a warpgroup, or a warp in a role of fewer warps), not lanes.
Where the lowering lets every lane arrive, the hardware's count is 128 times as large (32 times for
a warp), and that number has to fit as well.

Wrong:

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 0>
```

Right:

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    BARRIER_GROUP_SIZE = "TG0204", Error, "barrier group empty or too large", r#"
A group has at least one barrier in each dimension, and all its barriers (8 bytes each) have to fit
into shared memory. A group without barriers has nothing to wait for: every use of it would be out
of range.

Wrong:

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<0, arrivals = 1>
```

Right: as many barriers as the ring has slots.

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<4, arrivals = 1>
```
"#;

    BARRIER_PARITY_TYPE = "TG0205", Error, "parity is not an i1", r#"
The parity of a phase is one bit, and its type is `i1`. A phase number or a loop counter is not a
parity: the hardware looks at one bit, so 2 would be taken for 0 or be undefined.

Of the n-th phase of a barrier, counted from 0, the parity is the lowest bit of n. `tg.barrier_wait`
without a parity keeps count on its own: it waits for the next completion this thread has not yet
seen.

Wrong:

```mlir
tg.barrier_wait_parity %full[%slot], %k : !tg.barrier_ref<2, arrivals = 1>
```

Right:

```mlir
%lap = arith.divui %k, %c2 : index
%n = arith.index_cast %lap : index to i32
%parity = arith.trunci %n : i32 to i1
tg.barrier_wait_parity %full[%slot], %parity : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    WAIT_ON_PEER_BARRIER = "TG0206", Error, "wait on the barrier of another block", r#"
A thread can arrive on a barrier of another block of its cluster, and cannot wait on one:
`mbarrier.test_wait` and `mbarrier.try_wait` take barriers in the shared memory of their own block
only.

Let the other block signal a barrier of this one. A cluster barrier does so: an arrival reaches the
barrier of every block along its axes, and each block waits on its own.

Wrong:

```mlir
tg.barrier_wait %done[0] peer(%rank) : !tg.barrier_ref<1, arrivals = 1>
```

Right:

```mlir
%done = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["x"]>
tg.barrier_arrive %done[0] : !tg.barrier_ref<1, arrivals = 1, cluster = ["x"]>
tg.barrier_wait %done[0] : !tg.barrier_ref<1, arrivals = 1, cluster = ["x"]>
```
"#;

    CLUSTER_BARRIER_AXES = "TG0207", Error, "cluster barrier without its cluster, or along an unknown axis", r#"
A cluster barrier names the axes of the cluster along which its arrivals go. Here the kernel has no
cluster, or no axis of its cluster has this name, or an axis is named twice. An axis of the grid
does not do: blocks of a grid that are in different clusters cannot reach each other's shared
memory.

Wrong:

```mlir
tg.kernel @k() grid ["i" = 8] {
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["i"]>
}
```

Right:

```mlir
tg.kernel @k() grid ["i" = 8] cluster ["x" = 2] {
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["x"]>
  tg.barrier_arrive %b[0] : !tg.barrier_ref<1, arrivals = 1, cluster = ["x"]>
  tg.barrier_wait %b[0] : !tg.barrier_ref<1, arrivals = 1, cluster = ["x"]>
}
```
"#;

    BARRIER_USE_BEFORE_INIT = "TG0208", Error, "barrier used before it is initialised", r#"
On some path this operation comes before the barrier is initialised, or before its initialisation
can be seen by whoever acts on it: another role, the async proxy, another block of the cluster.
Until then the memory holds whatever was there, and the operation has no defined effect.

Barriers from `tg.alloc_barrier` at the top of a kernel are initialised, fenced and synchronised
over the block (over the cluster, where a peer uses them) before any role starts. To announce bytes
with `expect_tx` initialises nothing.

Wrong:

```mlir
%full = tg.alloc_barrier uninitialized : !tg.barrier_ref<1, arrivals = 1>
tg.barrier_arrive %full[0] : !tg.barrier_ref<1, arrivals = 1>
tg.init_barrier %full : !tg.barrier_ref<1, arrivals = 1>
```

Right:

```mlir
%full = tg.alloc_barrier uninitialized : !tg.barrier_ref<1, arrivals = 1>
tg.init_barrier %full : !tg.barrier_ref<1, arrivals = 1>
tg.block_sync
tg.barrier_arrive %full[0] : !tg.barrier_ref<1, arrivals = 1>
```
"#;

    BARRIER_LIFETIME = "TG0209", Error, "barrier used after invalidation, or initialised while live", r#"
An mbarrier lives from its initialisation to its invalidation or the end of the kernel. Used
afterwards it has no defined effect; initialised a second time while it lives, it forgets who has
arrived, and waiting threads hang.

To use the memory again: let all who use the barrier finish, invalidate it, synchronise, then
initialise. Mostly it is not worth it, since a barrier takes 8 bytes.

Wrong:

```mlir
tg.inval_barrier %full : !tg.barrier_ref<1, arrivals = 1>
tg.barrier_wait %full[0] : !tg.barrier_ref<1, arrivals = 1>
```

Right:

```mlir
tg.barrier_wait %full[0] : !tg.barrier_ref<1, arrivals = 1>
tg.block_sync
tg.inval_barrier %full : !tg.barrier_ref<1, arrivals = 1>
```
"#;

    COPY_ON_CLUSTER_BARRIER = "TG0210", Error, "asynchronous copy completes on a cluster barrier", r#"
A copy completes on a barrier of the block that receives the data: its bytes are counted off there.
A cluster barrier is for arrivals that reach several blocks; to pay bytes on one would make the
phases of the blocks differ.

Let the copy complete on a plain barrier. If the other blocks have to know, arrive on the cluster
barrier after the wait. A multicast copy signals the barrier at the same place in each block that
receives.

Wrong:

```mlir
tg.copy_gmem_to_smem %x[%off] -> %buf[%slot], %all[%slot]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1, cluster = ["x"]>
```

Right:

```mlir
tg.copy_gmem_to_smem %x[%off] -> %buf[%slot], %full[%slot]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
```
"#;

    BARRIER_INDEX_COUNT = "TG0211", Error, "wrong number of barrier indices", r#"
A barrier of a group is chosen with one index for each dimension of the group. More indices than
dimensions choose nothing; with fewer, a group is left (TG0201). Each index is an `index` value, not
a floating-point number or a vector.

Wrong:

```mlir
tg.barrier_wait %full[%i, %j] : !tg.barrier_ref<8, arrivals = 1>
```

Right:

```mlir
tg.barrier_wait %full[%i, %j] : !tg.barrier_ref<2x4, arrivals = 1>
```
"#;

    BARRIER_ARRIVAL_COUNT = "TG0212", Error, "declared arrivals are not the arrivals that happen", r#"
An arrival with a `count` makes more arrivals at once than a phase of the barrier takes. The surplus
would count towards the next phase, which then completes too early. The same goes for a barrier
whose declared arrivals are not those that the kernel makes in each phase: with fewer, the waiting
threads hang.

Each thread of a role (a warpgroup, or the warp of a small role) makes one arrival. An asynchronous
copy that announces its bytes makes one too. Two consumers that free a slot make two.

Wrong: 128 lanes are not 128 arrivals.

```mlir
tg.barrier_arrive %empty[%slot] count 128 : !tg.barrier_ref<2, arrivals = 2>
```

Right: each of two consumers makes one.

```mlir
tg.barrier_arrive %empty[%slot] : !tg.barrier_ref<2, arrivals = 2>
```
"#;

    BARRIER_UNUSED = "TG0213", Warning, "barrier is never used", r#"
The barrier is allocated and initialised, and nothing waits on it or arrives on it, or arrivals
happen that nobody waits for. The first wastes little. The second mostly means a forgotten wait:
data is read without knowing that it is there.

Wrong: nothing says when `%buf` is filled.

```mlir
tg.copy_gmem_to_smem %x[0] -> %buf, %full[0]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
%v = tg.load %buf : !tg.ref<128xf32, smem> -> vector<128xf32>
```

Right:

```mlir
tg.copy_gmem_to_smem %x[0] -> %buf, %full[0]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
tg.barrier_wait %full[0] : !tg.barrier_ref<1, arrivals = 1>
%v = tg.load %buf : !tg.ref<128xf32, smem> -> vector<128xf32>
```
"#;

    BARRIER_OVERLAP = "TG0215", Error, "live barriers overlap in memory", r#"
Two barriers, or a barrier and an array, share bytes of shared memory while the barrier lives. A
barrier lives from its initialisation until it is invalidated or the kernel ends, also on paths
where nobody uses it: its memory is not free just because the last use has passed.

Leave the placement to the allocator, which keeps them apart; or invalidate the first, let all roles
join, and only then initialise the second.

Wrong:

```mlir
%a = tg.alloc_barrier at 0 : !tg.barrier_ref<1, arrivals = 1>
%b = tg.alloc_barrier at 0 : !tg.barrier_ref<1, arrivals = 4>
```

Right:

```mlir
%a = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
%b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 4>
```
"#;
}
