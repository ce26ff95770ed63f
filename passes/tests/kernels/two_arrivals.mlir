// Two TMA copies complete one phase.
tg.kernel @two_arrivals(in %x: !tg.ref<128xf32, gmem>, in %y: !tg.ref<128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>) {
  %a = tg.alloc : !tg.ref<128xf32, smem>
  %b = tg.alloc : !tg.ref<128xf32, smem>
  %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2>
  tg.copy_gmem_to_smem %x -> %a, %bar : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 2>
  tg.copy_gmem_to_smem %y -> %b, %bar : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 2>
  tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = 2>
  %v = tg.load %a : !tg.ref<128xf32, smem> -> vector<128xf32>
  %w = tg.load %b : !tg.ref<128xf32, smem> -> vector<128xf32>
  %s = arith.addf %v, %w : vector<128xf32>
  tg.store %s, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
}
