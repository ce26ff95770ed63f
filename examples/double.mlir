// A warp-specialised ring: one warp loads tiles by TMA, a warpgroup doubles them.

tg.kernel @double(in %x: !tg.ref<4096xf32, gmem>, out %y: !tg.ref<4096xf32, gmem>) grid ["i" = 4] {
  %c1024 = arith.constant 1024 : index
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %buf = tg.alloc : !tg.ref<2x128xf32, smem>
  // A slot is full when its copy has landed, and empty when the consumer has read it.
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %empty = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %i = tg.axis_index "i" : index
  %base = arith.muli %i, %c1024 : index
  tg.warp_specialize {
    // Issuing copies takes one warp.
    role @producer warps 1 {
      scf.for %step = %c0 to %c8 step %c1 {
        %slot = arith.remui %step, %c2 : index
        // The first lap finds every slot free.
        %reuse = arith.cmpi sge, %step, %c2 : index
        scf.if %reuse {
          tg.barrier_wait %empty[%slot] : !tg.barrier_ref<2, arrivals = 1>
        }
        %ahead = arith.muli %step, %c128 : index
        %offset = arith.addi %base, %ahead : index
        tg.copy_gmem_to_smem %x[%offset] -> %buf[%slot], %full[%slot]
          : !tg.ref<4096xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
      }
    }
    role @consumer {
      scf.for %step = %c0 to %c8 step %c1 {
        %slot = arith.remui %step, %c2 : index
        tg.barrier_wait %full[%slot] : !tg.barrier_ref<2, arrivals = 1>
        %tile = tg.load %buf[%slot] : !tg.ref<2x128xf32, smem> -> vector<128xf32>
        // The tile is in registers: the slot can be filled while it is doubled and stored.
        tg.barrier_arrive %empty[%slot] : !tg.barrier_ref<2, arrivals = 1>
        %ahead = arith.muli %step, %c128 : index
        %offset = arith.addi %base, %ahead : index
        %two = arith.constant dense<2.0> : vector<128xf32>
        %twice = arith.mulf %tile, %two : vector<128xf32>
        tg.store %twice, %y[%offset] : vector<128xf32>, !tg.ref<4096xf32, gmem>
      }
    }
  }
}
