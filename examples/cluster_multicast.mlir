// Two blocks of a cluster fetch half a tile each and both get the whole of it.

tg.kernel @cluster_multicast(in %x: !tg.ref<128x64xf32, gmem>, out %o: !tg.ref<2x128x64xf32, gmem>)
    grid ["g" = 1] cluster ["c" = 2] {
  %a = tg.alloc : !tg.ref<128x64xf32, smem>
  %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  // Arrivals reach every block along "c": a phase takes one from each of the two.
  %ready = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
  // Nobody writes to a block before it runs and its barriers are initialised.
  tg.barrier_arrive %ready : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
  tg.barrier_wait %ready : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
  // Both blocks execute the copy; each announces all 32768 bytes and is sent all of them. It completes on the block's
  // own barrier, never on a cluster barrier.
  tg.copy_gmem_to_smem %x -> %a, %bar collective ["c"]
    : !tg.ref<128x64xf32, gmem> -> !tg.ref<128x64xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = 1>
  %c = tg.axis_index "c" : index
  // What TMA wrote, TMA may read without a fence.
  tg.copy_smem_to_gmem %a -> %o[%c] : !tg.ref<128x64xf32, smem> -> !tg.ref<2x128x64xf32, gmem>
  tg.wait_smem_to_gmem 0
}
