// Barriers do not leave the place where they live: loops, branches, selections, roles.
tg.kernel @loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %b) -> (!tg.barrier_ref<1, arrivals = 1>) { // error: TG0104 `%b` is a reference to one barrier in shared memory, not an array, and a loop cannot carry one
    // detail: carry its index
    tg.barrier_wait %x : !tg.barrier_ref<1, arrivals = 1>
    scf.yield %x : !tg.barrier_ref<1, arrivals = 1>
  }
  tg.barrier_wait %r : !tg.barrier_ref<1, arrivals = 1>
}
// -----
tg.kernel @branch(%c: i1) {
  %a = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %r = scf.if %c -> (!tg.barrier_ref<1, arrivals = 1>) { // error: TG0104 a branch cannot give one as its result
    scf.yield %a : !tg.barrier_ref<1, arrivals = 1>
  } else {
    scf.yield %b : !tg.barrier_ref<1, arrivals = 1>
  }
  tg.barrier_wait %r : !tg.barrier_ref<1, arrivals = 1>
}
// -----
tg.kernel @while(%c: i1) {
  %a = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %r = scf.while (%x = %a) : (!tg.barrier_ref<1, arrivals = 1>) -> !tg.barrier_ref<1, arrivals = 1> { // error: TG0104 a loop cannot carry one
    scf.condition(%c) %x : !tg.barrier_ref<1, arrivals = 1>
  } do {
  ^bb0(%y: !tg.barrier_ref<1, arrivals = 1>):
    scf.yield %y : !tg.barrier_ref<1, arrivals = 1>
  }
}
// -----
tg.kernel @select(%c: i1) {
  %a = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %b = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %r = arith.select %c, %a, %b : !tg.barrier_ref<2, arrivals = 1> // error: TG0103 `arith.select` chooses between values, but `%a` is a reference to 2 barriers
  // detail: select the index
  tg.barrier_wait %r[0] : !tg.barrier_ref<2, arrivals = 1>
}
// -----
tg.kernel @arithmetic() {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %c1 = arith.constant 1 : index
  %next = "arith.addi"(%full, %c1) : (!tg.barrier_ref<2, arrivals = 1>, index) -> !tg.barrier_ref<2, arrivals = 1> // error: TG0103 `arith.addi` works on arrays, but `%full` is a reference to 2 barriers in shared memory, not an array
  tg.barrier_wait %next[0] : !tg.barrier_ref<2, arrivals = 1>
  %cast = "arith.index_cast"(%full) : (!tg.barrier_ref<2, arrivals = 1>) -> i64 // error: TG0103 works on arrays
  %exp = "math.exp"(%full) : (!tg.barrier_ref<2, arrivals = 1>) -> f32 // error: TG0103 works on arrays
  %wide = "vector.broadcast"(%full) : (!tg.barrier_ref<2, arrivals = 1>) -> vector<4xf32> // error: TG0103 works on arrays
}
// -----
tg.kernel @copies(%x: !tg.ref<128xf32, gmem>) {
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  "tg.copy_gmem_to_smem"(%x, %b, %buf) <{operandSegmentSizes = array<i32: 1, 0, 1, 0, 1, 0, 0>}> : (!tg.ref<128xf32, gmem>, !tg.barrier_ref<1, arrivals = 1>, !tg.ref<128xf32, smem>) -> () // error: TG0105 `dest` of `tg.copy_gmem_to_smem` has to be a reference to an array, but `%b` is a reference to one barrier in shared memory, not an array
  // detail: the two seem to have changed places
  "tg.copy_smem_to_gmem"(%b, %x) <{operandSegmentSizes = array<i32: 1, 0, 1, 0, 0>}> : (!tg.barrier_ref<1, arrivals = 1>, !tg.ref<128xf32, gmem>) -> () // error: TG0105 `source` of `tg.copy_smem_to_gmem`
  "tg.copy_gmem_to_smem"(%x, %buf, %buf) <{operandSegmentSizes = array<i32: 1, 0, 1, 0, 1, 0, 0>}> : (!tg.ref<128xf32, gmem>, !tg.ref<128xf32, smem>, !tg.ref<128xf32, smem>) -> () // error: TG0106 `barrier` of `tg.copy_gmem_to_smem` has to be a barrier
  %d = "tg.dim"(%b) <{dimension = 0 : i64}> : (!tg.barrier_ref<1, arrivals = 1>) -> index // error: TG0105 `source` of `tg.dim`
  tg.debug_print "{}", %b : !tg.barrier_ref<1, arrivals = 1> // error: TG0101 `tg.debug_print` takes values
  tg.store %b, %buf : !tg.barrier_ref<1, arrivals = 1>, !tg.ref<128xf32, smem> // error: TG0101 `tg.store` takes values
  %l = "tg.load"(%buf) : (!tg.ref<128xf32, smem>) -> !tg.barrier_ref<1, arrivals = 1> // error: TG0101 `tg.load` gives a number or an array of numbers
  "tg.assert"(%b) <{message = "m"}> : (!tg.barrier_ref<1, arrivals = 1>) -> () // error: TG0103 `condition` of `tg.assert`
  "scf.if"(%b) ({ scf.yield }, {}) : (!tg.barrier_ref<1, arrivals = 1>) -> () // error: TG0103 `condition` of `scf.if`
}
// -----
tg.kernel @semaphores(%s: !tg.semaphore_ref<4>) {
  %v = "tg.load"(%s) : (!tg.semaphore_ref<4>) -> i32 // error: TG0107 `%s` is a reference to semaphores in global memory, not an array
  "tg.barrier_wait"(%s) : (!tg.semaphore_ref<4>) -> () // error: TG0107 reference to semaphores
  tg.return %s : !tg.semaphore_ref<4> // error: TG0107 cannot be the result of a kernel
}
// -----
// Refs pass through: ops of other tools may take barriers, roles and regions see them.
tg.kernel @twin() {
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  "other.tool"(%b) : (!tg.barrier_ref<1, arrivals = 1>) -> ()
  tg.warp_specialize {
  role @a { tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 1> }
  role @b { tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1> }
  }
}
