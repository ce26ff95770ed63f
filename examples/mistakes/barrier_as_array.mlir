// Five ways to take a barrier for an array.
tg.kernel @misuse(%x: !tg.ref<128xf32, gmem>, out %y: !tg.barrier_ref<2, arrivals = 1>) {
  %zero = arith.constant 0 : i64
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %done = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %v = tg.load %full[0] : !tg.barrier_ref<2, arrivals = 1> -> i64
  tg.store %zero, %full[0] : i64, !tg.barrier_ref<2, arrivals = 1>
  %r = vector.shape_cast %full : !tg.barrier_ref<2, arrivals = 1> to vector<2x1xi64>
  tg.copy_gmem_to_smem %x -> %full, %done : !tg.ref<128xf32, gmem> -> !tg.barrier_ref<2, arrivals = 1>, !tg.barrier_ref<1, arrivals = 1>
}
