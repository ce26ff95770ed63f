// Two warpgroups both arrive on, and both wait for, one barrier; each then takes what the other brought.
tg.kernel @rendezvous(in %x: !tg.ref<256xf32, gmem>, out %o: !tg.ref<256xf32, gmem>) threads ["wg" = 2] {
  %buf = tg.alloc : !tg.ref<256xf32, smem>
  %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2>
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %wg = tg.axis_index "wg" : index
  %own = arith.muli %wg, %c128 : index
  %v = tg.load %x[%own] : !tg.ref<256xf32, gmem> -> vector<128xf32>
  tg.store %v, %buf[%own] : vector<128xf32>, !tg.ref<256xf32, smem>
  tg.barrier_arrive %bar : !tg.barrier_ref<1, arrivals = 2>
  tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = 2>
  %other = arith.subi %c1, %wg : index
  %their = arith.muli %other, %c128 : index
  %w = tg.load %buf[%their] : !tg.ref<256xf32, smem> -> vector<128xf32>
  tg.store %w, %o[%own] : vector<128xf32>, !tg.ref<256xf32, gmem>
}
