tg.kernel @wrong(%x: !tg.ref<128xf32, gmem>) {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %v = tg.load %full[0] : !tg.ref<2xi64, smem> -> i64
  %w = tg.load %full[1] : !tg.barrier_ref<2, arrivals = 1> -> i64
  tg.barrier_wait %full : !tg.barrier_ref<2, arrivals = 1>
}
