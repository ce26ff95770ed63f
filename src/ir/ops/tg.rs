//! Dialect `tg`: kernels, refs, barriers, asynchronous copies and synchronisation.
//!
//! **Places.** Ops on refs take a ref and a list of indices, numbers or `index` values: `%buf[%slot, 0]`.
//!
//! - On a *barrier group* the list picks one barrier: as many indices as the group has dimensions, or none when the
//!   group has exactly one barrier.
//! - On an *array ref* of rank r the list says where the access starts; missing trailing indices are 0. The extents
//!   of the access are those of the other side (the array loaded or stored, or the shared-memory side of a copy),
//!   aligned to the right, with extent 1 in front. A dimension without an index must be covered whole.
//!
//! So `tg.load %buf[%slot] : !tg.ref<2x128xf32, smem> -> vector<128xf32>` reads row `%slot`, and
//! `tg.copy_gmem_to_smem %x[%i, %j] -> %tile, ...` copies a box of the tile's shape that starts at row `%i`, column
//! `%j`.

use super::dialect_ops;
use crate::types::Space;

/// What `tg.set_max_registers` does.
const REGISTER_ACTIONS: &[&str] = &["increase", "decrease"];

dialect_ops! {
    dialect "tg" enum TgOp table TG;

    /// A kernel: its parameters are the arguments of its body (array refs to global memory, and scalars).
    ///
    /// - `grid ["i" = 4, "j" = ?]`: blocks along each axis, the last one being x; `?` is given at the launch. In a
    ///   kernel with a cluster, *clusters* along each axis: the launch has `grid` times `cluster` blocks.
    /// - `cluster ["c" = 2]`: blocks of a cluster along each axis, the last one being x.
    /// - `threads ["wg" = 2]`: warpgroups to a block, for kernels without `tg.warp_specialize`; 1 when not given.
    ///
    /// A parameter may be marked `in`, `out` or `inout`; without a mark, what the body does with it decides.
    Kernel "kernel" fn tg_kernel {
        attrs {
            req sym_name: Symbol;
            opt grid_names: Strs;
            opt grid: I64s;
            opt cluster_names: Strs;
            opt cluster: I64s;
            opt thread_name: Str;
            opt num_threads: I64;
            opt directions: Strs;
        }
        regions { one body; }
        traits { ISOLATED, SYMBOL }
        format custom;
    }

    /// Ends a kernel or a role. Kernels return nothing: they write to refs.
    Return "return" fn tg_return {
        operands { many results: Any, []; }
        traits { TERMINATOR }
        format "attrs opt($results `:` type($results))";
    }

    /// The position of the executing block, or thread, along the grid, cluster or thread axis of that name.
    AxisIndex "axis_index" fn tg_axis_index {
        attrs { req axis: Str; }
        infers { one index: Index, IsIndex; }
        traits { PURE }
        format "$axis attrs `:` type($index)";
    }

    /// The extent of dimension `dimension` of a ref, for dynamic ones.
    Dim "dim" fn tg_dim {
        operands { one source: Ref, []; }
        attrs { req dimension: I64; }
        infers { one extent: Index, IsIndex; }
        traits { PURE }
        format "$source `,` $dimension attrs `:` type($source)";
    }

    /// Memory for an array, for as long as the kernel runs: shared or tensor memory, or an accumulator in registers.
    /// `offset` is its place in bytes once `allocate-smem` has run.
    Alloc "alloc" fn tg_alloc {
        attrs { opt alignment: I64; opt offset: I64; }
        results { one memory: Allocation; }
        format "opt(`align` $alignment) opt(`at` $offset) attrs `:` type($memory)";
    }

    /// A group of barriers in shared memory. They are initialised before the kernel's first op is executed and live
    /// until it ends, unless `uninitialized` says that `tg.init_barrier` does it.
    AllocBarrier "alloc_barrier" fn tg_alloc_barrier {
        attrs { opt uninitialized: Unit; opt offset: I64; }
        results { one barrier: Barrier; }
        format "opt($uninitialized) opt(`at` $offset) attrs `:` type($barrier)";
    }

    /// Starts the life of a barrier (of a whole group when no indices are given): its first phase waits for the
    /// arrivals that its type says. Other threads may use it after a `tg.block_sync`, peer blocks after a
    /// `tg.cluster_sync`. This announces no bytes: see `tg.barrier_expect_tx`.
    InitBarrier "init_barrier" fn tg_init_barrier {
        operands { one barrier: Barrier, [Init]; many indices: Index, []; }
        attrs { opt static_indices: I64s; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$barrier index($indices) attrs `:` type($barrier)";
    }

    /// Ends the life of a barrier (of a whole group when no indices are given); its bytes may be used otherwise.
    InvalBarrier "inval_barrier" fn tg_inval_barrier {
        operands { one barrier: Barrier, [Inval]; many indices: Index, []; }
        attrs { opt static_indices: I64s; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$barrier index($indices) attrs `:` type($barrier)";
    }

    /// The part of a ref behind leading indices: one barrier or sub-group of a group, one tile of a ring.
    At "at" fn tg_at {
        operands { one source: AnyRef, []; many indices: Index, []; }
        attrs { opt static_indices: I64s; }
        results { one result: AnyRef; }
        traits { PURE }
        format "$source index($indices) attrs `:` type($source) `to` type($result)";
    }

    /// A contiguous range of a ref in each dimension: `tg.subview %a[%row, 0] [64, 64]` starts at row `%row` and has
    /// 64 by 64 elements; of a barrier group, a contiguous sub-group.
    Subview "subview" fn tg_subview {
        operands { one source: AnyRef, []; many offsets: Index, []; }
        attrs { req sizes: I64s; opt static_offsets: I64s; opt strides: I64s; }
        results { one result: AnyRef; }
        traits { PURE }
        format "$source index($offsets) $sizes opt(`step` $strides) attrs `:` type($source) `to` type($result)";
    }

    /// Reads an array (or one number) from global or shared memory into registers.
    Load "load" fn tg_load {
        operands { one source: Ref, [Read]; many indices: Index, []; }
        attrs { opt static_indices: I64s; }
        results { one value: Number; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$source index($indices) attrs `:` type($source) `->` type($value)";
    }

    /// Writes an array (or one number) from registers to global or shared memory.
    Store "store" fn tg_store {
        operands { one value: Number, []; one dest: Ref, [Write]; many indices: Index, []; }
        attrs { opt static_indices: I64s; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$value `,` $dest index($indices) attrs `:` type($value) `,` type($dest)";
    }

    /// Splits the warps of a block into roles that run concurrently; the op ends when all of them have.
    WarpSpecialize "warp_specialize" fn tg_warp_specialize {
        regions { one roles; }
        format custom;
    }

    /// One role: `warps` whole warps (4, a warpgroup, unless said otherwise) that run the body.
    ///
    /// `threads ["wg" = 2]` makes it two warpgroups, each a thread with its index on axis "wg". `registers 160` is the
    /// number of registers that each lane of the role has; a multiple of 8 from 24 to 256.
    Role "role" fn tg_role {
        attrs {
            req sym_name: Symbol;
            opt warps: I64;
            opt thread_name: Str;
            opt num_threads: I64;
            opt registers: I64;
        }
        regions { one body; }
        traits { SYMBOL }
        format custom;
    }

    /// Makes `count` (1 when not given) arrivals on one barrier. It releases what the thread has done: whoever waits
    /// for the phase sees it. On a cluster barrier the arrivals reach every block along its axes. `peer(%rank)` makes
    /// them on the same barrier of that block of the cluster.
    BarrierArrive "barrier_arrive" fn tg_barrier_arrive {
        operands { one barrier: Barrier, [Arrive]; many indices: Index, []; opt peer: Index, []; }
        attrs { opt static_indices: I64s; opt count: I64; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$barrier index($indices) opt(`peer` `(` $peer `)`) opt(`count` $count) attrs `:` type($barrier)";
    }

    /// Announces `bytes` to the current phase of one barrier, then makes one arrival on it.
    BarrierArriveExpectTx "barrier_arrive_expect_tx" fn tg_barrier_arrive_expect_tx {
        operands { one barrier: Barrier, [Arrive]; many indices: Index, []; opt peer: Index, []; }
        attrs { opt static_indices: I64s; req bytes: I64; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$barrier index($indices) opt(`peer` `(` $peer `)`) `bytes` $bytes attrs `:` type($barrier)";
    }

    /// Announces `bytes` to the current phase of one barrier; it makes no arrival.
    BarrierExpectTx "barrier_expect_tx" fn tg_barrier_expect_tx {
        operands { one barrier: Barrier, [Arrive]; many indices: Index, []; opt peer: Index, []; }
        attrs { opt static_indices: I64s; req bytes: I64; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$barrier index($indices) opt(`peer` `(` $peer `)`) `bytes` $bytes attrs `:` type($barrier)";
    }

    /// Waits for the next completion of one barrier that this thread has not yet seen. It acquires what the phase
    /// collected. The parity is kept for the author; `assign-parity` makes it explicit.
    BarrierWait "barrier_wait" fn tg_barrier_wait {
        operands { one barrier: Barrier, [Wait]; many indices: Index, []; opt peer: Index, []; }
        attrs { opt static_indices: I64s; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$barrier index($indices) opt(`peer` `(` $peer `)`) attrs `:` type($barrier)";
    }

    /// Waits until the phase of that parity has completed: the current phase has the other parity. On a fresh
    /// barrier parity 1 passes at once.
    BarrierWaitParity "barrier_wait_parity" fn tg_barrier_wait_parity {
        operands { one barrier: Barrier, [Wait]; many indices: Index, []; one parity: I1, []; }
        attrs { opt static_indices: I64s; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$barrier index($indices) `,` $parity attrs `:` type($barrier)";
    }

    /// Whether the phase of that parity has completed; never blocks.
    BarrierTest "barrier_test" fn tg_barrier_test {
        operands { one barrier: Barrier, [Wait]; many indices: Index, []; one parity: I1, []; }
        attrs { opt static_indices: I64s; }
        infers { one done: I1, IsI1; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$barrier index($indices) `,` $parity attrs `:` type($barrier)";
    }

    /// Starts an asynchronous copy (TMA) of a box of `source` into `dest`. It announces the box's bytes on the barrier
    /// and makes one arrival there, and pays the bytes when they have landed; with `raw` it only pays the bytes.
    ///
    /// `multicast [0, 1]` writes the box to the same place in those blocks of the cluster and pays on the barrier of
    /// each. `collective ["c"]`: the blocks along these axes execute the op together; each fetches its part of the
    /// box and writes it to all of them, so that every block announces, and gets, the whole box. `if %p` makes it
    /// conditional on an `i1`.
    CopyGmemToSmem "copy_gmem_to_smem" fn tg_copy_gmem_to_smem {
        operands {
            one source: RefIn(Space::Gmem), [Read];
            many source_indices: Index, [];
            one dest: RefIn(Space::Smem), [Write];
            many dest_indices: Index, [];
            one barrier: Barrier, [Arrive];
            many barrier_indices: Index, [];
            opt predicate: I1, [];
        }
        attrs {
            opt static_source_indices: I64s;
            opt static_dest_indices: I64s;
            opt static_barrier_indices: I64s;
            opt raw: Unit;
            opt multicast: I64s;
            opt collective: Strs;
        }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$source index($source_indices) `->` $dest index($dest_indices) `,` $barrier index($barrier_indices) opt($raw) opt(`multicast` $multicast) opt(`collective` $collective) opt(`if` $predicate) attrs `:` type($source) `->` type($dest) `,` type($barrier)";
    }

    /// Starts an asynchronous copy (TMA) of `source` into a box of `dest`, and closes its group unless `uncommitted`.
    /// What was written to `source` by ordinary stores must have been published by `tg.commit_smem` before.
    CopySmemToGmem "copy_smem_to_gmem" fn tg_copy_smem_to_gmem {
        operands {
            one source: RefIn(Space::Smem), [Read];
            many source_indices: Index, [];
            one dest: RefIn(Space::Gmem), [Write];
            many dest_indices: Index, [];
            opt predicate: I1, [];
        }
        attrs { opt static_source_indices: I64s; opt static_dest_indices: I64s; opt uncommitted: Unit; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$source index($source_indices) `->` $dest index($dest_indices) opt($uncommitted) opt(`if` $predicate) attrs `:` type($source) `->` type($dest)";
    }

    /// Closes the group of the copies to global memory that this thread has started since the last one.
    CommitGroup "commit_group" fn tg_commit_group {
        traits { CONVERGENT, THREAD_LEVEL }
        format "attrs";
    }

    /// Waits until at most `count` groups of this thread's copies to global memory are unfinished; with `read_only`,
    /// until at most so many still read shared memory.
    WaitSmemToGmem "wait_smem_to_gmem" fn tg_wait_smem_to_gmem {
        attrs { req count: I64; opt read_only: Unit; }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$count opt($read_only) attrs";
    }

    /// Publishes the thread's ordinary writes to shared memory to the asynchronous proxy (TMA, tensor cores), and
    /// joins the lanes of the thread.
    CommitSmem "commit_smem" fn tg_commit_smem {
        traits { CONVERGENT, THREAD_LEVEL }
        format "attrs";
    }

    /// Joins the lanes of the executing thread.
    ThreadSync "thread_sync" fn tg_thread_sync {
        traits { CONVERGENT, THREAD_LEVEL }
        format "attrs";
    }

    /// Joins all threads of the block; every one of them must execute it.
    BlockSync "block_sync" fn tg_block_sync {
        traits { CONVERGENT }
        format "attrs";
    }

    /// Joins all threads of all blocks of the cluster; every one of them must execute it.
    ClusterSync "cluster_sync" fn tg_cluster_sync {
        traits { CONVERGENT }
        format "attrs";
    }

    /// Changes the number of registers that each lane of the executing warpgroup has: a multiple of 8, 24 to 256.
    SetMaxRegisters "set_max_registers" fn tg_set_max_registers {
        attrs { req count: I64; req action: I64Enum(REGISTER_ACTIONS); }
        traits { CONVERGENT, THREAD_LEVEL }
        format "$count $action attrs";
    }

    /// Prints a line from one lane of the executing thread. Each `{}` of the format stands for an argument; arrays
    /// are printed by the simulator only.
    DebugPrint "debug_print" fn tg_debug_print {
        operands { many args: Number, []; }
        attrs { req format: Str; }
        traits { THREAD_LEVEL }
        format "$format opt(`,` $args `:` type($args)) attrs";
    }

    /// Stops the kernel with the message when the condition is false.
    Assert "assert" fn tg_assert {
        operands { one condition: I1, []; }
        attrs { req message: Str; }
        traits { THREAD_LEVEL }
        format "$condition `,` $message attrs";
    }
}
