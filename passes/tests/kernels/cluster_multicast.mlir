// A cluster of two blocks: each loads half and multicasts it, then stores the whole.
tg.kernel @cluster_multicast(in %x: !tg.ref<128x64xf32, gmem>, out %o: !tg.ref<2x128x64xf32, gmem>) grid ["g" = 1] cluster ["c" = 2] {
  %a = tg.alloc : !tg.ref<128x64xf32, smem>
  %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %cbar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
  %c = tg.axis_index "c" : index
  tg.barrier_arrive %cbar : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
  tg.barrier_wait %cbar : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
  tg.copy_gmem_to_smem %x -> %a, %bar collective ["c"] : !tg.ref<128x64xf32, gmem> -> !tg.ref<128x64xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_smem_to_gmem %a -> %o[%c] : !tg.ref<128x64xf32, smem> -> !tg.ref<2x128x64xf32, gmem>
  tg.wait_smem_to_gmem 0
}
