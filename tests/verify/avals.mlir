// A barrier is a reference and not an array (OPEN_CASES 1.1).

// (a) read as a value
tg.kernel @k1(%y: !tg.ref<2xf32, gmem>) {
  %b = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %v = tg.load %b : !tg.barrier_ref<2, arrivals = 1> -> vector<2xf32> // error: TG0101 cannot load from `%b`: it is a reference to 2 barriers in shared memory, not an array
  // detail: the barrier is declared here
  // detail: indexed, waited for (`tg.barrier_wait`), arrived on (`tg.barrier_arrive`), handed to an asynchronous copy, and used in an inner region
  tg.store %v, %y : vector<2xf32>, !tg.ref<2xf32, gmem>
}
// -----
// (b) as a result
tg.kernel @k2() {
  %b = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  tg.return %b : !tg.barrier_ref<2, arrivals = 1> // error: TG0104 is a reference to 2 barriers in shared memory, not an array, and cannot be the result of a kernel
}
// -----
tg.kernel @k2b(%b: !tg.barrier_ref<2, arrivals = 1>) { // error: TG0104 cannot be a parameter of a kernel
}
// -----
tg.kernel @k2c(out %b: !tg.barrier_ref<2, arrivals = 1>) { // error: TG0104 cannot be an output of a kernel
}
// -----
// (c) array operation
tg.kernel @k3() {
  %b = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %c = "vector.shape_cast"(%b) : (!tg.barrier_ref<2, arrivals = 1>) -> vector<2x1xi64> // error: TG0103 works on arrays, but `%b` is a reference to 2 barriers in shared memory, not an array
}
// -----
// (d) ordinary store
tg.kernel @k3d() {
  %b = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %c0 = arith.constant 0 : i64
  tg.store %c0, %b[0] : i64, !tg.barrier_ref<2, arrivals = 1> // error: TG0102 cannot store to `%b`
  // detail: tg.barrier_arrive
}
// -----
// (e) the reverse
tg.kernel @k4() {
  %x = tg.alloc : !tg.ref<2xi64, smem>
  tg.barrier_wait %x[0] : !tg.ref<2xi64, smem> // error: TG0106 has to be a barrier, but `%x` is a reference to an array in shared memory
  tg.barrier_arrive %x[0] : !tg.ref<2xi64, smem> // error: TG0106
}
// -----
// Cluster barriers are named as such.
tg.kernel @k5() cluster ["c" = 2] {
  %b = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1, cluster = ["c"]>
  %v = tg.load %b[0] : !tg.barrier_ref<2, arrivals = 1, cluster = ["c"]> -> i64 // error: TG0101 a reference to 2 cluster barriers in shared memory, not an array
}
