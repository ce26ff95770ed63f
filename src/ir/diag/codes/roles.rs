//! `TG05xx`: roles and synchronisation.

codes! {
    static ROWS_05;

    BLOCK_SYNC_IN_ROLE = "TG0501", Error, "block-wide synchronisation inside a role", r#"
A block-wide synchronisation waits for every thread of the block. Inside a role, only the threads of
that role come to it, and the others are somewhere else: the block hangs, or pairs this
synchronisation with another one of a different role.

Join the lanes of one thread with `tg.thread_sync`; order two threads, or two roles, by a barrier.

Wrong:

```mlir
tg.warp_specialize {
role @producer { tg.block_sync }
role @consumer { tg.return }
}
```

Right:

```mlir
tg.warp_specialize {
role @producer { tg.barrier_arrive %ready[0] : !tg.barrier_ref<1, arrivals = 1> }
role @consumer { tg.barrier_wait %ready[0] : !tg.barrier_ref<1, arrivals = 1> }
}
```
"#;

    CLUSTER_SYNC_IN_ROLE = "TG0502", Error, "cluster-wide synchronisation inside a role", r#"
A cluster-wide synchronisation (`barrier.cluster`) has no mask: every thread of every block of the
cluster has to arrive. Inside a role only some of them do, and the cluster hangs.

Put it outside of the roles, before or behind them. Single roles of several blocks synchronise by a
cluster barrier.

Wrong:

```mlir
tg.warp_specialize {
role @producer warps 1 { tg.return }
role @consumer { tg.cluster_sync }
}
```

Right:

```mlir
%all = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2, cluster = ["x"]>
tg.warp_specialize {
role @producer warps 1 { tg.return }
role @consumer {
  tg.barrier_arrive %all[0] : !tg.barrier_ref<1, arrivals = 2, cluster = ["x"]>
  tg.barrier_wait %all[0] : !tg.barrier_ref<1, arrivals = 2, cluster = ["x"]>
}
}
```
"#;

    ROLE_WARPS = "TG0503", Error, "roles do not cover the warps of the block", r#"
Each role has a number of whole warps, and the block has the warps of its roles. A role is one warp, or
whole warpgroups of four warps, which `warps` and `threads` have to agree on. Here it is none, or a
number in between.

Wrong:

```mlir
tg.warp_specialize {
role @producer warps 0 { tg.return }
role @consumer warps 4 { tg.return }
}
```

Right:

```mlir
tg.warp_specialize {
role @producer warps 4 { tg.return }
role @consumer warps 4 { tg.return }
}
```
"#;

    REGISTER_BUDGET = "TG0504", Error, "register budget exceeded", r#"
A streaming multiprocessor has 65536 registers of 32 bits, and one thread can have at most 255 of
them. Here the registers of the roles, each times its number of threads, come to more; a role that
asks for more would wait for ever for registers that nobody gives back.

With three warpgroups of 128 threads, for instance, 24 + 240 + 240 registers fit: (24 + 240 + 240) x
128 = 64512.

Wrong: (232 + 232 + 232) x 128 = 89088.

```mlir
role @producer registers 232 { tg.return }
role @consumer0 registers 232 { tg.return }
role @consumer1 registers 232 { tg.return }
```

Right:

```mlir
role @producer registers 40 { tg.return }
role @consumer0 registers 232 { tg.return }
role @consumer1 registers 232 { tg.return }
```
"#;

    MAX_REGISTERS_FORM = "TG0505", Error, "invalid register count for setmaxnreg", r#"
The number of registers of a role is set by the instruction `setmaxnreg`: a multiple of 8 from 24 to
256, executed by all warps of a warpgroup, in a kernel whose registers at launch are known.

It takes a whole warpgroup, so a role of fewer warps cannot have a number of its own.

Wrong:

```mlir
role @consumer registers 100 { tg.return }
```

Right:

```mlir
role @consumer registers 104 { tg.return }
```
"#;

    NEEDS_WARPGROUP = "TG0506", Error, "operation needs a whole warpgroup", r#"
The operation is executed by the four warps of a warpgroup together, as register reallocation is, or
it stands outside of the roles, where whole warpgroups execute it. The role it is in has one warp, or
the warp of another role belongs to no warpgroup.

Operations that one lane issues, such as TMA copies, do well in a role of one warp.

Wrong:

```mlir
role @producer warps 1 {
  tg.set_max_registers 40 decrease
}
```

Right:

```mlir
role @producer warps 4 {
  tg.set_max_registers 40 decrease
}
```
"#;

    ROLE_STRUCTURE = "TG0507", Error, "roles nested or named twice", r#"
`tg.warp_specialize` divides all warps of a block once, in the body of the kernel. A role cannot be
divided further, two roles cannot have one name, and there is at least one role.

Wrong:

```mlir
tg.warp_specialize {
role @consumer { tg.return }
role @consumer { tg.return }
}
```

Right:

```mlir
tg.warp_specialize {
role @consumer0 { tg.return }
role @consumer1 { tg.return }
}
```
"#;

    UNKNOWN_AXIS = "TG0508", Error, "unknown axis", r#"
The name is not an axis of this kernel. Axes are declared with the grid, the cluster and the threads
of a kernel, each name once, and are named wherever a position along one is asked for.

If a name is close to it, the message proposes that one.

Wrong:

```mlir
tg.kernel @k() grid ["row" = 4] {
  %i = tg.axis_index "rows" : index
}
```

Right:

```mlir
tg.kernel @k() grid ["row" = 4] {
  %i = tg.axis_index "row" : index
}
```
"#;
}
