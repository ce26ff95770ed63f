// A cluster barrier of which only the leader's counts: the leader goes on when both blocks have arrived.
tg.kernel @leader(in %x: !tg.ref<2x128xf32, gmem>, out %o: !tg.ref<2x128xf32, gmem>) grid ["g" = 1] cluster ["c" = 2] {
  %c0 = arith.constant 0 : index
  %c = tg.axis_index "c" : index
  %met = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"], leader_tracked>
  %leads = arith.cmpi eq, %c, %c0 : index
  tg.cluster_sync
  tg.barrier_arrive %met : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"], leader_tracked>
  scf.if %leads {
    tg.barrier_wait %met : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"], leader_tracked>
  }
  %v = tg.load %x[%c] : !tg.ref<2x128xf32, gmem> -> vector<128xf32>
  tg.store %v, %o[%c] : vector<128xf32>, !tg.ref<2x128xf32, gmem>
  tg.cluster_sync
}

// A cluster barrier along two axes, each for itself: a block hears of those in its row and of those in its column.
tg.kernel @crossed(in %x: !tg.ref<4x128xf32, gmem>, out %o: !tg.ref<4x128xf32, gmem>) grid ["g" = 1] cluster ["r" = 2, "c" = 2] {
  %c2 = arith.constant 2 : index
  %r = tg.axis_index "r" : index
  %c = tg.axis_index "c" : index
  %up = arith.muli %r, %c2 : index
  %rank = arith.addi %up, %c : index
  %met = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["r", "c"]>
  %v = tg.load %x[%rank] : !tg.ref<4x128xf32, gmem> -> vector<128xf32>
  tg.barrier_arrive %met : !tg.barrier_ref<1, arrivals = 1, cluster = ["r", "c"]>
  tg.barrier_wait %met : !tg.barrier_ref<1, arrivals = 1, cluster = ["r", "c"]>
  tg.store %v, %o[%rank] : vector<128xf32>, !tg.ref<4x128xf32, gmem>
  tg.cluster_sync
}
