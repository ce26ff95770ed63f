// Roles, registers, and synchronisation that all threads must reach (OPEN_CASES 7.2).
tg.kernel @cluster_sync() cluster ["c" = 2] {
  tg.warp_specialize {
  role @P warps 1 { tg.thread_sync }
  role @C {
    tg.cluster_sync // error: TG0502 `tg.cluster_sync` is run by role @C only (128 of 160 threads of the block); all threads of all blocks of the cluster must take part
    // detail: use a cluster barrier
  }
  }
}
// -----
tg.kernel @block_sync() {
  tg.warp_specialize {
  role @P warps 1 { tg.thread_sync }
  role @C { tg.block_sync } // error: TG0501 `tg.block_sync` is run by role @C only (128 of 160 threads of the block)
  // detail: use `tg.thread_sync`
  }
}
// -----
tg.kernel @uneven() {
  tg.warp_specialize {
  role @P { tg.block_sync } // error: TG0501 by all roles, but not the same number of times
  role @C {
    tg.block_sync
    tg.block_sync
  }
  }
}
// -----
// twins: outside of the roles, the same in every role, or a cluster barrier
tg.kernel @outside() cluster ["c" = 2] {
  tg.cluster_sync
  tg.warp_specialize {
  role @P warps 1 { tg.thread_sync }
  role @C { tg.thread_sync }
  }
  tg.cluster_sync
}
tg.kernel @everywhere() cluster ["c" = 2] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tg.warp_specialize {
  role @P warps 1 {
    tg.cluster_sync
    scf.for %i = %c0 to %c8 step %c1 { tg.block_sync }
  }
  role @C {
    tg.cluster_sync
    scf.for %i = %c0 to %c8 step %c1 { tg.block_sync }
  }
  }
}
tg.kernel @barrier() cluster ["c" = 2] {
  %all = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2, cluster = ["c"]>
  tg.warp_specialize {
  role @P warps 1 { tg.thread_sync }
  role @C {
    tg.barrier_arrive %all : !tg.barrier_ref<1, arrivals = 2, cluster = ["c"]>
    tg.barrier_wait %all : !tg.barrier_ref<1, arrivals = 2, cluster = ["c"]>
  }
  }
}
// -----
// conditions that differ from thread to thread
tg.kernel @divergent() threads ["wg" = 2] cluster ["c" = 2] {
  %c0 = arith.constant 0 : index
  %wg = tg.axis_index "wg" : index
  %c = tg.axis_index "c" : index
  %first = arith.cmpi eq, %wg, %c0 : index
  %leader = arith.cmpi eq, %c, %c0 : index
  scf.if %first {
    tg.block_sync // error: TG0501 under a condition that differs from thread to thread
  }
  scf.if %leader {
    tg.block_sync
    tg.cluster_sync // error: TG0502 under a condition that differs from thread to thread; all threads of all blocks of the cluster
  }
}
// -----
tg.kernel @forms() {
  tg.warp_specialize {
  role @a warps 0 { tg.return } // error: TG0503 role @a has 0 warps
  role @b warps 6 { tg.return } // error: TG0503 role @b has 6 warps; a role is 1 warp, or whole warpgroups of 4 warps
  role @c warps 4 threads ["wg" = 2] { tg.return } // error: TG0503 role @c has 4 warps and 2 threads
  role @d registers 100 { tg.return } // error: TG0505 attribute `registers` of `tg.role` is 100; it is a multiple of 8 from 24 to 256
  role @e warps 1 registers 40 { tg.return } // error: TG0505 role @e has one warp
  role @f warps 1 {
    tg.set_max_registers 40 decrease // error: TG0506 executed by the four warps of a warpgroup, and role @f has one warp
  }
  role @g {
    tg.set_max_registers 41 decrease // error: TG0505 is 41; it is a multiple of 8
    tg.set_max_registers 40 decrease
  }
  }
}
// -----
tg.kernel @names() {
  tg.warp_specialize { // error@+2: TG0507 two roles called @a
  role @a { tg.return }
  role @a { tg.return }
  }
}
// -----
tg.kernel @empty() {
  tg.warp_specialize { } // error: TG0507 has no roles
}
// -----
tg.kernel @twice() {
  tg.warp_specialize {
  role @a { tg.return }
  }
  tg.warp_specialize { // error: TG0507 this is the second `tg.warp_specialize` of the kernel
  role @b { tg.return }
  }
}
// -----
tg.kernel @nested() {
  tg.warp_specialize {
  role @a {
    tg.warp_specialize { // error: TG0507 a role cannot be divided further
    role @b { tg.return }
    }
  }
  }
}
// -----
tg.kernel @both() threads ["wg" = 2] {
  tg.warp_specialize { // error: TG0507 declares `threads ["wg" = 2]` and has roles
  role @a { tg.return }
  }
}
// -----
tg.kernel @budget() {
  tg.warp_specialize { // error: TG0504 the roles need 89088 registers (128 x 232 + 128 x 232 + 128 x 232); a block has 65536
  role @a registers 232 { tg.return }
  role @b registers 232 { tg.return }
  role @c registers 232 { tg.return }
  }
}
tg.kernel @budget_twin() {
  tg.warp_specialize {
  role @a registers 40 { tg.return }
  role @b registers 232 { tg.return }
  role @c registers 232 { tg.return }
  }
}
// -----
tg.kernel @outside_op(%x: !tg.ref<8xf32, gmem>) {
  %v = tg.load %x : !tg.ref<8xf32, gmem> -> vector<8xf32> // error: TG0506 `tg.load` is outside of the roles, where whole warpgroups execute it; the warp of role @P belongs to none
  tg.warp_specialize {
  role @P warps 1 { tg.return }
  role @C { tg.return }
  }
}
// -----
tg.kernel @axes() grid ["row" = 4] cluster ["c" = 2] {
  %0 = tg.axis_index "rows" : index // error: TG0508 this kernel has no axis "rows"; its axes are "row", "c"
  // detail: did you mean "row"?
  %1 = tg.axis_index "row" : index
  tg.warp_specialize {
  role @a threads ["wg" = 2] { %2 = tg.axis_index "wg" : index }
  role @b { %3 = tg.axis_index "wg" : index } // error: TG0508 no axis "wg"
  // detail: it is the thread axis of another role
  }
}
// -----
tg.kernel @same_axis() grid ["i" = 4] cluster ["i" = 2] { // error: TG0508 axis "i" is declared twice
}
