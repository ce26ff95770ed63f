tg.kernel @warning() {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
}
