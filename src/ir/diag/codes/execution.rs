//! `TG10xx`: what a run finds. The machine (`tidegate_machine::finding`) has the same codes and titles.
//!
//! Examples are bodies of a kernel of 64 threads with registers `%p`, `%r`, `%rd` and `%f`, mbarriers `full` and
//! `empty`, and 1024 bytes `buf`; tests run them.

codes! {
    static ROWS_10;

    RUN_DEADLOCK = "TG1001", Error, "nothing can move", r#"
Every thread that has not ended waits, and nothing is under way that could end a wait. The message lists
who waits where and for what; of each barrier it says in which phase it is, how many arrivals were
made, how many bytes are outstanding, and where those are that arrived before.

On a GPU the kernel hangs. Usual causes: one thread too few arrives; bytes are expected that no copy
brings; the parity that is waited for is the wrong one; a producer waits for a slot that consumers
free only after it has gone on; threads that had to meet at `bar.sync` have ended.

Wrong: two arrivals are wanted, and one is made.

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra WAIT;
mbarrier.init.shared.b64 [full], 2;
mbarrier.arrive.shared.b64 %rd1, [full];
WAIT:
bar.sync 0;
LOOP:
mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
@!%p2 bra LOOP;
```

Right:

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra WAIT;
mbarrier.init.shared.b64 [full], 1;
mbarrier.arrive.shared.b64 %rd1, [full];
WAIT:
bar.sync 0;
LOOP:
mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
@!%p2 bra LOOP;
```
"#;

    RUN_FUEL = "TG1002", Error, "the run used up its fuel", r#"
The kernel has executed as many instructions of warps as the run allows (`--fuel`), and has not ended.
The message says where its warps are.

A kernel that spins on something that never comes is the usual cause: a loop around a load, say,
which the machine cannot tell from work. A large kernel simply needs more: `tidegate run --fuel N`.

Wrong: nobody ends this loop.

```ptx
LOOP:
add.u32 %r1, %r1, 1;
bra LOOP;
```

Right:

```ptx
mov.u32 %r1, 0;
LOOP:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 10;
@%p1 bra LOOP;
```
"#;

    RUN_OVER_ARRIVAL = "TG1003", Error, "more arrivals than the phase has left", r#"
A phase of an mbarrier takes as many arrivals as `mbarrier.init` said. One more arrives while the phase
waits for none, or for fewer than arrive. What a GPU does then is undefined: the phase flips too
early, or never.

The count of `mbarrier.init` and those who arrive have to be counted in the same unit. A warp that
arrives with all lanes makes 32 arrivals, not one.

Wrong: 64 threads arrive where 32 arrivals are wanted for the phase, while a copy keeps it open.

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [full], 32;
mbarrier.expect_tx.relaxed.cta.shared.b64 [full], 16;
READY:
bar.sync 0;
mbarrier.arrive.shared.b64 %rd1, [full];
```

Right: the count is that of the threads.

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [full], 64;
READY:
bar.sync 0;
mbarrier.arrive.shared.b64 %rd1, [full];
```
"#;

    RUN_LAPPED = "TG1004", Error, "a phase may pass before a waiter has seen it", r#"
A wait by parity cannot tell a phase from the next but one. Here a barrier may go on by two phases
while someone still waits for the first of them: that waiter then takes a phase that is not over for
the one it missed, or waits for one that never comes.

This run may have been lucky; the message says which order is missing. Whoever completes a phase has
to know that all waiters have seen the one before: a second barrier leads back, on which each waiter
arrives after its wait. That is what the `empty` barriers of a ring are for.

Wrong: thread 0 completes two phases, and nothing tells it that the others have seen the first.

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [full], 1;
READY:
bar.sync 0;
@%p1 bra WAIT;
mbarrier.arrive.shared.b64 %rd1, [full];
mbarrier.arrive.shared.b64 %rd1, [full];
bra DONE;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
@!%p2 bra WAIT;
DONE:
```

Right: all wait before the next arrival.

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [full], 1;
READY:
bar.sync 0;
@%p1 bra WAIT;
mbarrier.arrive.shared.b64 %rd1, [full];
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
@!%p2 bra WAIT;
bar.sync 0;
@%p1 bra DONE;
mbarrier.arrive.shared.b64 %rd1, [full];
DONE:
```
"#;

    RUN_BYTES = "TG1005", Error, "bytes of a phase do not balance", r#"
The bytes that a phase of an mbarrier expects (`expect_tx`) and those that copies bring (`complete_tx`)
do not match: the count leaves its range of 2^20 - 1 bytes, or it is not zero when the kernel ends.

A tensor copy brings the bytes of its whole box, also where it reaches beyond the tensor. A copy that
is multicast brings them to each block's barrier.

Wrong: 64 bytes are expected, and none come.

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra DONE;
mbarrier.init.shared.b64 [full], 1;
mbarrier.arrive.expect_tx.shared.b64 %rd1, [full], 64;
DONE:
```

Right: what is expected comes.

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra DONE;
mbarrier.init.shared.b64 [full], 1;
mbarrier.arrive.expect_tx.shared.b64 %rd1, [full], 64;
mbarrier.complete_tx.relaxed.cta.shared.b64 [full], 64;
DONE:
```
"#;

    RUN_BARRIER_LIFE = "TG1006", Error, "a barrier is used outside its life", r#"
An mbarrier lives from `mbarrier.init` to `mbarrier.inval`. It is used before, or after, or by someone
who does not know that it was initialised; or it is initialised while it lives; or its eight bytes
are written with ordinary stores.

Between the initialisation and the first use by others a barrier of all users is needed (`bar.sync`;
in a cluster `barrier.cluster.arrive` and `.wait`), and `fence.mbarrier_init` where peers or copies
use it.

Wrong: nobody waits for the initialisation.

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [full], 64;
READY:
mbarrier.arrive.shared.b64 %rd1, [full];
```

Right:

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [full], 64;
READY:
bar.sync 0;
mbarrier.arrive.shared.b64 %rd1, [full];
```
"#;

    RUN_NAMED_BARRIER = "TG1007", Error, "a named barrier is misused", r#"
A named barrier (`barrier.sync` and `barrier.arrive` with a number from 0 to 15) is used with a thread
count that is no multiple of 32, with another count than others use it with at the same time, by more
threads than the count says, or by a warp that is already there.

Wrong: the two warps disagree.

```ptx
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 32;
@%p1 bra FIRST;
barrier.sync 1, 64;
bra DONE;
FIRST:
barrier.sync 1, 96;
DONE:
```

Right:

```ptx
barrier.sync 1, 64;
```
"#;

    RUN_CLUSTER_BARRIER = "TG1008", Error, "a cluster barrier is misused", r#"
`barrier.cluster.arrive` and `barrier.cluster.wait` come in pairs, in each thread. A thread arrives
twice without a wait between, or waits without having arrived. The standard calls both undefined.

Wrong:

```ptx
barrier.cluster.arrive;
barrier.cluster.arrive;
barrier.cluster.wait;
```

Right:

```ptx
barrier.cluster.arrive;
barrier.cluster.wait;
```
"#;

    RUN_RACE = "TG1009", Error, "two accesses race", r#"
Two accesses touch the same bytes, at least one of them writes, and nothing orders one before the
other: no barrier, no fence with an atomic, no wait for the asynchronous operation that one belongs to.
The result depends on which comes first, and another run or GPU may see another one.

The message has both places. It holds for all schedules in which the synchronisation happens in the
same order, not only for the one that ran. `tidegate run --seeds N` tries more.

Wrong: one warp writes what the other reads.

```ptx
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, buf;
add.u32 %r4, %r3, %r2;
st.shared.u32 [%r4], %r1;
xor.b32 %r5, %r2, 128;
add.u32 %r6, %r3, %r5;
ld.shared.u32 %r7, [%r6];
```

Right:

```ptx
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, buf;
add.u32 %r4, %r3, %r2;
st.shared.u32 [%r4], %r1;
bar.sync 0;
xor.b32 %r5, %r2, 128;
add.u32 %r6, %r3, %r5;
ld.shared.u32 %r7, [%r6];
```
"#;

    RUN_MISSING_FENCE = "TG1010", Error, "a generic write reaches the async proxy without a fence", r#"
Ordinary stores go through the generic proxy; bulk copies and tensor-core operations read shared memory
through the async proxy. A barrier alone does not carry a write from one to the other:
`fence.proxy.async` does, by the threads that have written, before the barrier that the issuing thread
waits at. Without it the copy may take stale bytes.

Wrong: `st.shared` by all threads, `bar.sync`, then one thread issues `cp.async.bulk` from shared memory.

Right: `st.shared`, `fence.proxy.async.shared::cta`, `bar.sync`, then the copy.
"#;

    RUN_UNINITIALISED = "TG1011", Error, "memory is read that was never written", r#"
The kernel reads bytes that neither it nor the host has written. On a GPU they hold whatever was there
before.

Outputs have no contents before the kernel writes them; a kernel that adds to one reads it, and has
to be given its first contents (`tidegate run --init y=y0.npy`). Shared memory is never zeroed.
`--no-uninitialised` turns the check off.

Wrong:

```ptx
ld.shared.u32 %r1, [buf];
add.u32 %r2, %r1, 1;
```

Right:

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
st.shared.u32 [buf], 0;
READY:
bar.sync 0;
ld.shared.u32 %r1, [buf];
add.u32 %r2, %r1, 1;
```
"#;

    RUN_OUT_OF_BOUNDS = "TG1012", Error, "an access outside every allocation", r#"
The address lies in no array of the launch, no variable of the module, and not in the memory of the
block. The message says what lies nearest, and how far the access is from it.

Usual causes: an index without its mask at the edge; more threads than elements; a shape that the
kernel was not made for; too little dynamic shared memory in the launch.

Wrong: `buf` has 1024 bytes, and it is the last of the variables.

```ptx
mov.u32 %r1, buf;
st.shared.u32 [%r1+200000], 0;
```

Right:

```ptx
mov.u32 %r2, %tid.x;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra DONE;
mov.u32 %r1, buf;
st.shared.u32 [%r1+1020], 0;
DONE:
```
"#;

    RUN_MISALIGNED = "TG1013", Error, "a misaligned access", r#"
An address has to be a multiple of the bytes that are accessed: 8 for `.b64`, 16 for `.v4.b32`, 16 for
`cp.async.bulk`, 128 for the shared-memory side of a tensor copy, 8 for an mbarrier. A GPU
stops the kernel.

Wrong:

```ptx
mov.u32 %r1, buf;
st.shared.u64 [%r1+4], 0;
```

Right:

```ptx
mov.u32 %r2, %tid.x;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra DONE;
mov.u32 %r1, buf;
st.shared.u64 [%r1+8], 0;
DONE:
```
"#;

    RUN_PEER_GONE = "TG1014", Error, "the shared memory of a block that may have ended is accessed", r#"
A block of the cluster reads or writes a peer's shared memory, or arrives on its mbarrier, and nothing
keeps that peer from having ended: its memory may belong to another block by then.

The last accesses to a peer and the ends of all blocks need a barrier of the cluster between them:
`barrier.cluster.arrive` after the access, `barrier.cluster.wait` before each block ends.

Wrong: `mapa` of the peer's variable, `st.shared::cluster` to it, `exit`.

Right: the same with `barrier.cluster.arrive.release` and `barrier.cluster.wait.acquire` before `exit`,
in all threads of all blocks.
"#;

    RUN_REGISTERS_IN_FLIGHT = "TG1015", Error, "registers of an asynchronous operation are touched before it is waited for", r#"
`wgmma.mma_async` and `tcgen05.ld` write their registers when they please, and `wgmma` reads those of its A
operand. Until `wgmma.wait_group` or `tcgen05.wait` has returned, and for accumulators that were
written before until `wgmma.fence`, these registers must not be touched. `ptxas` sees some of these
mistakes and serialises the operations; a GPU reads garbage in the others.

Wrong: `wgmma.mma_async`, `wgmma.commit_group`, then a use of the accumulator.

Right: `wgmma.wait_group.sync.aligned 0` before the use.
"#;

    RUN_DIVERGENCE = "TG1016", Error, "lanes that have to run an instruction together do not", r#"
An `.aligned` instruction has to be run by all threads of the warp together, a `.sync` instruction with a
mask by all lanes of the mask. Here some lanes have ended or are elsewhere, and cannot come.

Wrong: half of the warp runs it.

```ptx
mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 1;
setp.eq.u32 %p1, %r2, 0;
@%p1 bar.sync 0;
```

Right:

```ptx
bar.sync 0;
```
"#;

    RUN_DESCRIPTOR = "TG1017", Error, "a descriptor that the hardware does not take", r#"
A descriptor says where and how a matrix lies in shared memory, or which shape and types an operation
of the tensor cores has; a tensor map says the same of a tensor in global memory. This one has a field
that the hardware refuses or does not define, describes something outside the block's memory, or is
none at all: the bytes were never a tensor map.

Compare each field with the table of the PTX ISA for the instruction; a swizzle, say, has to be that
of the copy that brought the data, and a swizzled matrix has to start where its pattern does.
"#;

    RUN_TENSOR_MEMORY = "TG1018", Error, "tensor memory is misused", r#"
Tensor memory is allocated with `tcgen05.alloc`, in powers of two of at least 32 columns, and is freed with
`tcgen05.dealloc` by the kernel before it ends. Here columns are used that are not allocated, or lanes that
the warp cannot reach, or columns are not freed, or one allocates after `relinquish_alloc_permit`.

Warp i of a warpgroup reaches lanes 32 i to 32 i + 31 only.
"#;

    RUN_TRAP = "TG1019", Error, "the kernel stopped itself", r#"
The kernel executed `trap`, or an assertion failed (`__assertfail`): it found something wrong itself. The
message has what it said; what it printed before stands on standard output.

Wrong:

```ptx
trap;
```

Right: without what the assertion is about.

```ptx
mov.u32 %r1, 0;
```
"#;

    RUN_UNSUPPORTED = "TG1020", Error, "something that the machine does not model", r#"
The instruction is a valid one, and the machine that `tidegate run` executes kernels on has no model of
it. Nothing is said about whether the kernel is right.

Please report it with the kernel.
"#;

    RUN_INVALID_OPERAND = "TG1021", Error, "an operand outside what the instruction takes", r#"
The value of an operand, known only now that the kernel runs, is one that the instruction does not take:
a count of 0 for `mbarrier.init`, a lane mask without the lane itself, a barrier number over 15.

Wrong:

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
mov.u32 %r2, 0;
@%p1 bra DONE;
mbarrier.init.shared.b64 [full], %r2;
DONE:
```

Right:

```ptx
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
mov.u32 %r2, 1;
@%p1 bra DONE;
mbarrier.init.shared.b64 [full], %r2;
DONE:
```
"#;

    RUN_EXIT_IN_FLIGHT = "TG1022", Error, "a block ends while its asynchronous work is in flight", r#"
Copies or tensor-core operations of a block still read or write its shared memory, and nothing makes the
block wait for them: it ends, and its memory may be given to another block.

Wait before the end, in the thread that issued them: for the groups (`cp.async.bulk.wait_group.read 0`,
`cp.async.wait_all`, `wgmma.wait_group`), or for the mbarrier that the operation signals.

Wrong: `cp.async.bulk.global.shared::cta.bulk_group`, `cp.async.bulk.commit_group`, `exit`.

Right: `cp.async.bulk.wait_group.read 0` before `exit`.
"#;
}
