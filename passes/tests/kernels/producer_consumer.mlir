// x * 2 + 1, by two warpgroups, with a barrier each way.
tg.kernel @producer_consumer(in %x: !tg.ref<128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>) {
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %done = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.warp_specialize {
  role @producer {
    %two = arith.constant dense<2.0> : vector<128xf32>
    %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
    %w = arith.mulf %v, %two : vector<128xf32>
    tg.store %w, %buf : vector<128xf32>, !tg.ref<128xf32, smem>
    tg.barrier_arrive %full : !tg.barrier_ref<1, arrivals = 1>
    tg.barrier_wait %done : !tg.barrier_ref<1, arrivals = 1>
  }
  role @consumer {
    %one = arith.constant dense<1.0> : vector<128xf32>
    tg.barrier_wait %full : !tg.barrier_ref<1, arrivals = 1>
    %v = tg.load %buf : !tg.ref<128xf32, smem> -> vector<128xf32>
    %w = arith.addf %v, %one : vector<128xf32>
    tg.store %w, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
    tg.barrier_arrive %done : !tg.barrier_ref<1, arrivals = 1>
  }
  }
}
