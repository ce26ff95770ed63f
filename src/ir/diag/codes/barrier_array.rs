//! `TG01xx`: a barrier is a reference and not an array.

codes! {
    static ROWS_01;

    BARRIER_AS_ARRAY = "TG0101", Error, "barrier read as an array", r#"
A barrier reference stands for one or more mbarriers in shared memory. It is a reference and never
an array: it has a group shape and no elements, and there is no value to load from it. The 64 bits
behind an mbarrier are the hardware's own; the PTX ISA leaves their format open, and reading them
tells nothing that holds a moment later.

What a barrier is for: wait for a phase of it, arrive on it, hand it to an asynchronous operation,
index its group, pass it into a region.

Wrong:

```mlir
%v = tg.load %full[%i] : !tg.barrier_ref<2, arrivals = 1> -> i64
```

Right: wait until the phase has completed, then read the data it guards.

```mlir
tg.barrier_wait %full[%i] : !tg.barrier_ref<2, arrivals = 1>
%v = tg.load %buf[%i] : !tg.ref<2x128xf32, smem> -> vector<128xf32>
```
"#;

    BARRIER_STORE = "TG0102", Error, "store to a barrier", r#"
Something is written to a barrier: by a store, or as the destination of a copy. An mbarrier is
changed by mbarrier operations only. An ordinary write over it destroys its counts, and the threads
that wait on it never come back; the hardware reports nothing.

To set a barrier up, allocate it: `tg.alloc_barrier` initialises it before any role starts. To
signal, arrive.

Wrong:

```mlir
tg.store %zero, %full[%i] : i64, !tg.barrier_ref<2, arrivals = 1>
```

Right:

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
tg.barrier_arrive %full[%i] : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    BARRIER_ARRAY_OP = "TG0103", Error, "array operation on a barrier", r#"
An operation on arrays (arithmetic, a cast, a reshape, a broadcast, a comparison) has a barrier as
an operand. A barrier is a reference; there is no array behind it that could be added to or
reshaped.

To choose a barrier of a group, give as many indices as the group has dimensions, where the barrier
is used. The arithmetic is then on the index.

Wrong:

```mlir
%next = "arith.addi"(%full, %c1)
  : (!tg.barrier_ref<2, arrivals = 1>, index) -> !tg.barrier_ref<2, arrivals = 1>
tg.barrier_wait %next[%c0] : !tg.barrier_ref<2, arrivals = 1>
```

Right:

```mlir
%slot = arith.remui %k, %c2 : index
tg.barrier_wait %full[%slot] : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    BARRIER_AS_RESULT = "TG0104", Error, "barrier as a result or output", r#"
A barrier is asked to leave the place where it lives: as an output of a kernel, as the result of a
branch, as an argument that a loop carries. A barrier lives in the shared memory of a running block
and is gone with it, so no kernel can return one. And what waits on a barrier is decided when the
kernel is compiled: a barrier chosen by control flow would leave open whose phase is meant.

Use the barrier where it is seen from, inside regions too; carry the index instead.

Wrong:

```mlir
%b = scf.if %even -> (!tg.barrier_ref<1, arrivals = 1>) {
  scf.yield %ping : !tg.barrier_ref<1, arrivals = 1>
} else {
  scf.yield %pong : !tg.barrier_ref<1, arrivals = 1>
}
```

Right: one group of two barriers, and an index into it.

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
%slot = arith.remui %k, %c2 : index
tg.barrier_wait %full[%slot] : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    BARRIER_FOR_ARRAY_REF = "TG0105", Error, "barrier where an array reference is wanted", r#"
An operand has to be a reference to an array (`!tg.ref<...>`), and a barrier reference was given.
Most often two operands changed places: in a copy the barrier stands last.

Wrong:

```mlir
tg.copy_gmem_to_smem %x[%off] -> %full[%slot], %buf[%slot]
  : !tg.ref<1024xf32, gmem> -> !tg.barrier_ref<2, arrivals = 1>, !tg.ref<2x128xf32, smem>
```

Right: source, destination, barrier.

```mlir
tg.copy_gmem_to_smem %x[%off] -> %buf[%slot], %full[%slot]
  : !tg.ref<1024xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
```
"#;

    ARRAY_REF_FOR_BARRIER = "TG0106", Error, "array reference where a barrier is wanted", r#"
An operand has to be a barrier reference, and a reference to an array was given. Memory that holds
an array is not initialised as an mbarrier: waiting on it hangs or faults, whatever its element
type. No element type makes an array a barrier, `i64` in shared memory neither.

Wrong:

```mlir
%full = tg.alloc : !tg.ref<2xi64, smem>
tg.barrier_wait %full[%i] : !tg.ref<2xi64, smem>
```

Right:

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
tg.barrier_wait %full[%i] : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    SEMAPHORE_AS_ARRAY = "TG0107", Error, "semaphore used as an array", r#"
A semaphore reference stands for counters in global memory that synchronise blocks. As a barrier, it
is a reference and not an array: an ordinary load can be stale, and an ordinary store loses the
signals that others send at the same time.

tidegate has the type, so that modules of other tools can be read and kept, and no operations on it
yet. A number that blocks only have to find, because the kernel that wrote it has ended, is an
ordinary array.

Wrong:

```mlir
%count = tg.load %sem[%i] : !tg.semaphore_ref<4> -> i32
```

Right:

```mlir
%count = tg.load %counts[%i] : !tg.ref<4xi32, gmem> -> i32
```
"#;

    BARRIER_SPACE = "TG0108", Error, "barrier in a memory space other than shared memory", r#"
A barrier is declared in, or taken from, global memory, tensor memory or registers. An mbarrier is
an object in shared memory: the PTX ISA defines its operations for no other space, and asynchronous
copies signal an address in shared memory. The type `!tg.barrier_ref` therefore has no space to
choose. Blocks of one cluster synchronise by a cluster barrier, which each of them has in its own shared
memory.

Wrong:

```mlir
%full = "tg.alloc_barrier"() : () -> !tg.ref<2xi64, gmem>
```

Right:

```mlir
%full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
```
"#;

    NOT_A_BARRIER_REF = "TG0109", Error, "pointer or number where a barrier reference is wanted", r#"
An operand has to be a barrier reference, and it is an integer, an index, a pointer or another
value. An address is not a barrier: from it nobody can tell how many arrivals a phase takes, how
large the group is, whether it was initialised and in whose shared memory it lies. The reference
carries all that, so the checks can work.

Wrong:

```mlir
"tg.barrier_wait"(%address) : (i32) -> ()
```

Right:

```mlir
tg.barrier_wait %full[%i] : !tg.barrier_ref<2, arrivals = 1>
```
"#;
}
