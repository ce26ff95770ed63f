// One barrier out of a group (OPEN_CASES 1.2), counts, parities (4.2), peers (11.2), cluster axes.
// (a) the whole group
tg.kernel @a() {
  %b = tg.alloc_barrier : !tg.barrier_ref<3, arrivals = 1>
  tg.barrier_wait %b : !tg.barrier_ref<3, arrivals = 1> // error: TG0201 `tg.barrier_wait` takes one barrier, but `%b` is a group of shape [3] (3 barriers)
  // detail: index it: `%b[%i]`
}
// -----
// (b) past the end, as a number and as a constant
tg.kernel @b() {
  %b = tg.alloc_barrier : !tg.barrier_ref<3, arrivals = 1>
  tg.barrier_arrive %b[3] : !tg.barrier_ref<3, arrivals = 1> // error: TG0202 index 3 is out of range: dimension 0 of `%b` has 3 barriers
  %c = arith.constant 4 : i32
  %i = arith.index_cast %c : i32 to index
  tg.barrier_wait %b[%i] : !tg.barrier_ref<3, arrivals = 1> // error: TG0202 index 4 is out of range
  tg.barrier_wait %b[-1] : !tg.barrier_ref<3, arrivals = 1> // error: TG0202 index -1 is out of range
}
// -----
// (c) a strided slice
tg.kernel @c() {
  %b = tg.alloc_barrier : !tg.barrier_ref<3, arrivals = 1>
  %s = tg.subview %b[0] [2] step [2] : !tg.barrier_ref<3, arrivals = 1> to !tg.barrier_ref<2, arrivals = 1> // error: TG0201 a strided slice of shape [2] of `%b` is no group of barriers
  // detail: index the group where the barrier is used
  tg.barrier_arrive %s : !tg.barrier_ref<2, arrivals = 1>
}
// -----
// (d) one index on a group of two dimensions
tg.kernel @d(%x: !tg.ref<128xf32, gmem>) {
  %a = tg.alloc : !tg.ref<128xf32, smem>
  %g = tg.alloc_barrier : !tg.barrier_ref<2x4, arrivals = 1>
  tg.copy_gmem_to_smem %x -> %a, %g[1] : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<2x4, arrivals = 1> // error: TG0201 `%g[1]` is a group of shape [4] (4 barriers)
  // detail: index it: `%g[1, %i]`
}
// -----
// a contiguous sub-group is still a group
tg.kernel @e() {
  %b = tg.alloc_barrier : !tg.barrier_ref<4, arrivals = 1>
  %s = tg.subview %b[0] [2] : !tg.barrier_ref<4, arrivals = 1> to !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait %s : !tg.barrier_ref<2, arrivals = 1> // error: TG0201 `%s` is a group of shape [2]
  %t = tg.subview %b[3] [2] : !tg.barrier_ref<4, arrivals = 1> to !tg.barrier_ref<2, arrivals = 1> // error: TG0202 barriers 3 to 4 in dimension 0 of `%b`, which has 4
  %g = tg.alloc_barrier : !tg.barrier_ref<2x4, arrivals = 1>
  %u = tg.subview %g[0, 0] [2, 2] : !tg.barrier_ref<2x4, arrivals = 1> to !tg.barrier_ref<2x2, arrivals = 1> // error: TG0201 a slice with gaps
}
// -----
// too many indices
tg.kernel @f() {
  %b = tg.alloc_barrier : !tg.barrier_ref<4, arrivals = 1>
  tg.barrier_wait %b[0, 0] : !tg.barrier_ref<4, arrivals = 1> // error: TG0211 2 indices for `%b`, a reference to 4 barriers in shared memory of shape [4]
  %p = tg.at %b[0, 0] : !tg.barrier_ref<4, arrivals = 1> to !tg.barrier_ref<arrivals = 1> // error: TG0211 2 indices
}
// -----
// an index that is no index
tg.kernel @g() {
  %b = tg.alloc_barrier : !tg.barrier_ref<4, arrivals = 1>
  %f = arith.constant 1.5 : f32
  "tg.barrier_wait"(%b, %f) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tg.barrier_ref<4, arrivals = 1>, f32) -> () // error: TG0302 operand `indices` of `tg.barrier_wait` has type `f32`; it has to be `index`
  "tg.barrier_wait"(%b, %b) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tg.barrier_ref<4, arrivals = 1>, !tg.barrier_ref<4, arrivals = 1>) -> () // error: TG0103 `indices` of `tg.barrier_wait` has to be `index`, but `%b` is a reference to 4 barriers
}
// -----
// parities
tg.kernel @parity() {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %two = arith.constant 2 : i32
  %i = arith.constant 7 : index
  "tg.barrier_wait_parity"(%full, %two) <{static_indices = array<i64: 0>}> : (!tg.barrier_ref<2, arrivals = 1>, i32) -> () // error: TG0205 2 is not a parity: the parity of a phase is one bit, `i1`, not `i32`
  "tg.barrier_wait_parity"(%full, %i) <{static_indices = array<i64: 0>}> : (!tg.barrier_ref<2, arrivals = 1>, index) -> () // error: TG0205 the parity of a phase is one bit
  // detail: take the lowest bit (`i & 1`) of the number of completions of this barrier seen so far
}
// -----
// counts
tg.kernel @count() {
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2>
  tg.barrier_arrive %b[0] count 128 : !tg.barrier_ref<1, arrivals = 2> // error: TG0212 attribute `count` makes 128 arrivals at once, and a phase of `%b` takes 2 arrivals
  // detail: not one for each lane
  tg.barrier_arrive %b[0] count 0 : !tg.barrier_ref<1, arrivals = 2> // error: TG0212 makes 0 arrivals
  tg.barrier_arrive_expect_tx %b[0] bytes -4 : !tg.barrier_ref<1, arrivals = 2> // error: TG0610 attribute `bytes` of `tg.barrier_arrive_expect_tx` is -4
  tg.barrier_expect_tx %b[0] bytes 1048576 : !tg.barrier_ref<1, arrivals = 2> // error: TG0610 is 1048576; a phase counts from 0 to 1048575 bytes
  tg.barrier_wait %b[0] : !tg.barrier_ref<1, arrivals = 2>
}
// -----
// (11.2 d) waiting on a peer's barrier
tg.kernel @peer() cluster ["c" = 2] {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %b[0] peer(%one) : !tg.barrier_ref<1, arrivals = 1> // error: TG0206 cannot wait on `%b` of another block
  // detail: arriving on a peer's barrier is possible
  tg.barrier_arrive %b[0] peer(%two) : !tg.barrier_ref<1, arrivals = 1> // error: TG0202 the peer's rank is 2; the cluster has 2 blocks
  tg.barrier_arrive %b[0] peer(%one) : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %b[0] : !tg.barrier_ref<1, arrivals = 1>
}
// -----
tg.kernel @no_cluster() {
  %one = arith.constant 1 : index
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_arrive %b[0] peer(%one) : !tg.barrier_ref<1, arrivals = 1> // error: TG0207 this kernel has no cluster
}
// -----
// (11.2 a, b, c) barriers in other spaces, and pointers
tg.kernel @spaces(%x: !tg.ref<1xi64, gmem>, %r: i64) {
  %v = arith.constant dense<0> : vector<1xi64>
  tg.barrier_wait %x[0] : !tg.ref<1xi64, gmem> // error: TG0108 a barrier has to live in shared memory, but `%x` is an array in global memory
  "tg.barrier_wait"(%v) : (vector<1xi64>) -> () // error: TG0108 a barrier has to live in shared memory, but `%v` is a value in registers
  "tg.barrier_wait"(%r) : (i64) -> () // error: TG0109 takes a barrier reference, not `i64`
  %p = "llvm.generic_pointer"(%r) : (i64) -> !llvm.ptr
  "tg.barrier_wait"(%p) : (!llvm.ptr) -> () // error: TG0109 takes a barrier reference, not `!llvm.ptr`
  %b = "tg.alloc_barrier"() : () -> !tg.ref<1xi64, gmem> // error: TG0108 a barrier has to live in shared memory
  %c = "tg.alloc_barrier"() : () -> !tg.ref<1xi64, smem> // error: TG0106 `tg.alloc_barrier` makes barriers
  %d = "tg.alloc_barrier"() : () -> vector<1xi64> // error: TG0108 registers
  %e = "tg.alloc"() : () -> !tg.barrier_ref<1, arrivals = 1> // error: TG0105 `tg.alloc` makes memory for arrays
}
// -----
// cluster barriers along axes that are none
tg.kernel @axes() grid ["g" = 4] cluster ["c" = 2] {
  %a = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["nope"]> // error: TG0207 the cluster of this kernel has no axis "nope"; its axes are "c"
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["g"]> // error: TG0207 no axis "g"
  // detail: "g" is an axis of the grid
}
// -----
tg.kernel @no_axes() {
  %a = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]> // error: TG0207 this kernel has no cluster
}
// -----
// target: sm_90a
tg.kernel @tensor_core() {
  %a = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, orders_tensor_core> // error: TG0802 `orders_tensor_core` orders `tcgen05` operations, which sm_90a does not have
  // detail: sm_100a
}
// -----
// target: sm_100a
tg.kernel @tensor_core_twin() {
  %a = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, orders_tensor_core>
  tg.barrier_arrive %a : !tg.barrier_ref<1, arrivals = 1, orders_tensor_core>
  tg.barrier_wait %a : !tg.barrier_ref<1, arrivals = 1, orders_tensor_core>
}
// -----
// unused, and not waited for
tg.kernel @unused(%x: !tg.ref<128xf32, gmem>) {
  %a = tg.alloc : !tg.ref<128xf32, smem>
  %b = tg.alloc_barrier : !tg.barrier_ref<4, arrivals = 1> // warning: TG0213 the group of 4 barriers `%b` is never used
  %c = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1> // warning: TG0213 nobody ever waits on the barrier `%c`
  tg.copy_gmem_to_smem %x -> %a, %c : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
}
// -----
// twins of 4.2 and 1.2
tg.kernel @twin() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  scf.for %i = %c0 to %c8 step %c1 {
    %n = arith.index_cast %i : index to i32
    %p = arith.trunci %n : i32 to i1
    tg.barrier_arrive %b[1] : !tg.barrier_ref<2, arrivals = 1>
    tg.barrier_wait_parity %b[1], %p : !tg.barrier_ref<2, arrivals = 1>
  }
}
