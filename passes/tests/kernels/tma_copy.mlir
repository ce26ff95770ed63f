// TMA load, barrier, add, TMA store.
tg.kernel @tma_copy(in %x: !tg.ref<128x64xf32, gmem>, out %o: !tg.ref<128x64xf32, gmem>) {
  %a = tg.alloc : !tg.ref<128x64xf32, smem>
  %b = tg.alloc : !tg.ref<128x64xf32, smem>
  %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %one = arith.constant dense<1.0> : vector<128x64xf32>
  tg.copy_gmem_to_smem %x -> %a, %bar : !tg.ref<128x64xf32, gmem> -> !tg.ref<128x64xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = 1>
  %v = tg.load %a : !tg.ref<128x64xf32, smem> -> vector<128x64xf32>
  %w = arith.addf %v, %one : vector<128x64xf32>
  tg.store %w, %b : vector<128x64xf32>, !tg.ref<128x64xf32, smem>
  tg.commit_smem
  tg.copy_smem_to_gmem %b -> %o : !tg.ref<128x64xf32, smem> -> !tg.ref<128x64xf32, gmem>
  tg.wait_smem_to_gmem 0
}
