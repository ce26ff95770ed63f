// Use before initialisation, and two barriers at one address (OPEN_CASES 5.1, 5.2).
tg.kernel @before_init() {
  %raw = tg.alloc_barrier uninitialized : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_arrive_expect_tx %raw[0] bytes 8192 : !tg.barrier_ref<1, arrivals = 1> // error: TG0208 `tg.barrier_arrive_expect_tx` uses `%raw` before it is initialised
  // detail: `tg.init_barrier` initialises it
  tg.block_sync
  tg.barrier_wait %raw[0] : !tg.barrier_ref<1, arrivals = 1>
}
// -----
tg.kernel @twin() {
  %raw = tg.alloc_barrier uninitialized : !tg.barrier_ref<1, arrivals = 1>
  tg.init_barrier %raw : !tg.barrier_ref<1, arrivals = 1>
  tg.block_sync
  tg.barrier_arrive_expect_tx %raw[0] bytes 8192 : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %raw[0] : !tg.barrier_ref<1, arrivals = 1>
}
// -----
tg.kernel @part() {
  %raw = tg.alloc_barrier uninitialized : !tg.barrier_ref<2, arrivals = 1>
  tg.init_barrier %raw[0] : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_arrive %raw[0] : !tg.barrier_ref<2, arrivals = 1>
  %p = tg.at %raw[1] : !tg.barrier_ref<2, arrivals = 1> to !tg.barrier_ref<arrivals = 1>
  tg.barrier_wait %p : !tg.barrier_ref<arrivals = 1> // error: TG0208 `tg.barrier_wait` uses `%p` before it is initialised
}
// -----
tg.kernel @dead() {
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 1>
  tg.inval_barrier %b : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1> // error: TG0209 `tg.barrier_wait` uses `%b` after it was invalidated
}
// -----
tg.kernel @again() {
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.init_barrier %b : !tg.barrier_ref<1, arrivals = 1> // error: TG0209 `tg.init_barrier` initialises `%b`, which is live
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1>
}
// -----
// in a loop, the second pass initialises what is live
tg.kernel @loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = tg.alloc_barrier uninitialized : !tg.barrier_ref<1, arrivals = 1>
  scf.for %i = %c0 to %c8 step %c1 {
    tg.init_barrier %b : !tg.barrier_ref<1, arrivals = 1> // error: TG0209 which is live
    tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 1>
    tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1>
  }
}
// -----
// invalidated at the end of each pass, and in one branch only: no certain fault
tg.kernel @loop_twin(%c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = tg.alloc_barrier uninitialized : !tg.barrier_ref<1, arrivals = 1>
  scf.for %i = %c0 to %c8 step %c1 {
    tg.init_barrier %b : !tg.barrier_ref<1, arrivals = 1>
    tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 1>
    tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1>
    tg.inval_barrier %b : !tg.barrier_ref<1, arrivals = 1>
  }
  scf.if %c {
    tg.init_barrier %b : !tg.barrier_ref<1, arrivals = 1>
  }
  tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 1>
}
// -----
// one role initialises, another uses: the order is the schedule's
tg.kernel @roles() {
  %b = tg.alloc_barrier uninitialized : !tg.barrier_ref<1, arrivals = 1>
  %r = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.warp_specialize {
  role @a {
    tg.init_barrier %b : !tg.barrier_ref<1, arrivals = 1>
    tg.barrier_arrive %r : !tg.barrier_ref<1, arrivals = 1>
    tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1>
  }
  role @b {
    tg.barrier_wait %r : !tg.barrier_ref<1, arrivals = 1>
    tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 1>
  }
  }
}
// -----
// two barriers at one address
tg.kernel @overlap(%flag: i1) {
  %a = tg.alloc_barrier at 0 : !tg.barrier_ref<1, arrivals = 1>
  %b = tg.alloc_barrier at 0 : !tg.barrier_ref<1, arrivals = 4> // error: TG0215 barriers `%a` and `%b` overlap in shared memory: bytes 0 to 7 and 0 to 7
  scf.if %flag {
    tg.barrier_wait %a : !tg.barrier_ref<1, arrivals = 1>
  }
  tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 4>
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 4>
}
// -----
// the twin: invalidated, joined, then the other is initialised
tg.kernel @overlap_twin(%flag: i1) {
  %a = tg.alloc_barrier at 0 : !tg.barrier_ref<1, arrivals = 1>
  %b = tg.alloc_barrier uninitialized at 0 : !tg.barrier_ref<1, arrivals = 4>
  scf.if %flag {
    tg.barrier_wait %a : !tg.barrier_ref<1, arrivals = 1>
  }
  tg.inval_barrier %a : !tg.barrier_ref<1, arrivals = 1>
  tg.block_sync
  tg.init_barrier %b : !tg.barrier_ref<1, arrivals = 4>
  tg.block_sync
  tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 4>
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 4>
}
// -----
// without the join they still overlap
tg.kernel @no_join() {
  %a = tg.alloc_barrier at 0 : !tg.barrier_ref<1, arrivals = 1>
  %b = tg.alloc_barrier uninitialized at 0 : !tg.barrier_ref<1, arrivals = 4> // error: TG0215 overlap
  tg.barrier_wait %a : !tg.barrier_ref<1, arrivals = 1>
  tg.inval_barrier %a : !tg.barrier_ref<1, arrivals = 1>
  tg.init_barrier %b : !tg.barrier_ref<1, arrivals = 4>
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 4>
}
// -----
tg.kernel @array(%y: !tg.ref<4xf32, gmem>) {
  %a = tg.alloc at 0 : !tg.ref<4xf32, smem>
  %b = tg.alloc_barrier at 8 : !tg.barrier_ref<1, arrivals = 1> // error: TG0215 the barrier `%b` and the array `%a` overlap in shared memory: bytes 8 to 15 and 0 to 15
  %v = tg.load %a : !tg.ref<4xf32, smem> -> vector<4xf32>
  tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1>
  tg.store %v, %y : vector<4xf32>, !tg.ref<4xf32, gmem>
}
