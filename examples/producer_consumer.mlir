// Two warpgroups hand a buffer to each other: o = 2 * x + 1, half of it in each.

tg.kernel @producer_consumer(in %x: !tg.ref<128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>) {
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  // One barrier for each direction, one arrival each: a warpgroup arrives as one thread.
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %done = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.warp_specialize {
    role @producer {
      %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
      %two = arith.constant dense<2.0> : vector<128xf32>
      %twice = arith.mulf %v, %two : vector<128xf32>
      tg.store %twice, %buf : vector<128xf32>, !tg.ref<128xf32, smem>
      // An arrival releases what the thread has done: who waits for the phase sees the store.
      tg.barrier_arrive %full : !tg.barrier_ref<1, arrivals = 1>
      // From here on the buffer would be free again.
      tg.barrier_wait %done : !tg.barrier_ref<1, arrivals = 1>
    }
    role @consumer {
      tg.barrier_wait %full : !tg.barrier_ref<1, arrivals = 1>
      %v = tg.load %buf : !tg.ref<128xf32, smem> -> vector<128xf32>
      %one = arith.constant dense<1.0> : vector<128xf32>
      %sum = arith.addf %v, %one : vector<128xf32>
      tg.store %sum, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
      tg.barrier_arrive %done : !tg.barrier_ref<1, arrivals = 1>
    }
  }
}
