// Two warpgroups meet at one barrier and swap halves: o = [x[128..], x[..128]].

tg.kernel @rendezvous(in %x: !tg.ref<256xf32, gmem>, out %o: !tg.ref<256xf32, gmem>) threads ["wg" = 2] {
  %c128 = arith.constant 128 : index
  %buf = tg.alloc : !tg.ref<256xf32, smem>
  // Both arrive, both wait: a phase completes when the second one has come.
  %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2>
  %wg = tg.axis_index "wg" : index
  %own = arith.muli %wg, %c128 : index
  %other = arith.subi %c128, %own : index
  // 128 elements from %own on: the array on the other side says how many.
  %v = tg.load %x[%own] : !tg.ref<256xf32, gmem> -> vector<128xf32>
  tg.store %v, %buf[%own] : vector<128xf32>, !tg.ref<256xf32, smem>
  tg.barrier_arrive %bar : !tg.barrier_ref<1, arrivals = 2>
  tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = 2>
  %w = tg.load %buf[%other] : !tg.ref<256xf32, smem> -> vector<128xf32>
  tg.store %w, %o[%own] : vector<128xf32>, !tg.ref<256xf32, gmem>
}
