// Misuses that JAX's Pallas answers late or never, in the form that they have in the IR (see MISUSE.md).
// read and use: the value is what is refused, not what is done with it
tg.kernel @read_and_use(%o: !tg.ref<1xf32, gmem>) {
  %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %v = tg.load %bar[0] : !tg.barrier_ref<1, arrivals = 1> -> i32 // error: TG0101 cannot load from `%bar`
  %f = arith.sitofp %v : i32 to f32
  tg.store %f, %o[0] : f32, !tg.ref<1xf32, gmem>
}
// -----
// store to the whole group, and to one
tg.kernel @stores() {
  %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %zero = arith.constant 0 : i32
  tg.store %zero, %bar : i32, !tg.barrier_ref<1, arrivals = 1> // error: TG0102 it is a reference to one barrier in shared memory, not an array
  tg.store %zero, %bar[0] : i32, !tg.barrier_ref<1, arrivals = 1> // error: TG0102 cannot store to `%bar`
}
// -----
// arrive and wait on arrays in both memories, and on a value
tg.kernel @not_barriers(%x: !tg.ref<128xf32, gmem>) {
  %s = tg.alloc : !tg.ref<128xf32, smem>
  %v = tg.load %s : !tg.ref<128xf32, smem> -> vector<128xf32>
  tg.barrier_arrive %s : !tg.ref<128xf32, smem> // error: TG0106 `barrier` of `tg.barrier_arrive` has to be a barrier
  tg.barrier_wait %x : !tg.ref<128xf32, gmem> // error: TG0108 has to live in shared memory, but `%x` is an array in global memory
  tg.barrier_wait %v : vector<128xf32> // error: TG0108 `%v` is a value in registers
}
// -----
// copies: the shapes differ; less than one byte a thread is fine
tg.kernel @copies(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<8xf32, gmem>) {
  %s = tg.alloc : !tg.ref<64xf32, smem>
  %t = tg.alloc : !tg.ref<8xf32, smem>
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2>
  tg.copy_gmem_to_smem %x -> %s, %b : !tg.ref<128xf32, gmem> -> !tg.ref<64xf32, smem>, !tg.barrier_ref<1, arrivals = 2> // error: TG0607 the box of shape [64] does not cover dimension 0 of `%x`, which has extent 128
  tg.copy_gmem_to_smem %y -> %t, %b : !tg.ref<8xf32, gmem> -> !tg.ref<8xf32, smem>, !tg.barrier_ref<1, arrivals = 2>
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 2>
}
// -----
// a block index out of range, known when the kernel is compiled
tg.kernel @block(%x: !tg.ref<128xf32, gmem>) {
  %s = tg.alloc : !tg.ref<64xf32, smem>
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[128] -> %s, %b : !tg.ref<128xf32, gmem> -> !tg.ref<64xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0404 elements 128 to 191 in dimension 0 of `%x`: the dimension has 128
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1>
}
// -----
// barriers for the whole block, allocated inside a thread
tg.kernel @per_thread() {
  tg.warp_specialize {
  role @a {
    %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1> // error: TG0308 the barriers of a kernel are allocated in its body for the whole block, not inside `tg.role`
    tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1>
  }
  }
}
// -----
// large groups and counts are fine: nothing is multiplied by 128
tg.kernel @counts() {
  %a = tg.alloc_barrier : !tg.barrier_ref<33, arrivals = 1>
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 10000>
  tg.barrier_wait %a[32] : !tg.barrier_ref<33, arrivals = 1>
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 10000>
}
// -----
// target: sm_100a
// a copy on a barrier that orders the tensor core counts one arrival, as on any other
tg.kernel @ordered(%x: !tg.ref<128xf32, gmem>) {
  %s = tg.alloc : !tg.ref<128xf32, smem>
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, orders_tensor_core>
  tg.copy_gmem_to_smem %x -> %s, %b : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1, orders_tensor_core>
  tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1, orders_tensor_core>
}
// -----
// an empty grid
tg.kernel @grid() grid ["i" = 0] { // error: TG0706 axis "i" has extent 0; an extent is at least 1
}
// -----
// ill-formed types end in the parser
tg.kernel @types() {
  %a = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 0> // error: TG0203 1 to 1048575 arrivals
}
// -----
tg.kernel @types2() {
  %a = tg.alloc_barrier : !tg.barrier_ref<0, arrivals = 1> // error: TG0204 at least one barrier
}
// -----
tg.kernel @types3() {
  %a = tg.alloc_barrier : !tg.barrier_ref<-1, arrivals = 1> // error: TG0204 dimension 0 has extent -1
}
// -----
tg.kernel @elements() {
  %a = tg.alloc : !tg.ref<1x!tg.barrier_ref<1, arrivals = 1>, smem> // error: TG0103 is a barrier reference and cannot be the element of an array
}
// -----
tg.kernel @tmem_packed() {
  %a = tg.alloc : !tg.ref<128x64xf16, tmem, packed, layout = "l"> // error: TG0906 `packed` and `layout` both fix the layout
}
// -----
tg.kernel @tmem_narrow() {
  %a = tg.alloc : !tg.ref<128x64xf16, tmem> // error: TG0908 need `packed` or a `layout`
}
// -----
tg.kernel @smem_packed() {
  %a = tg.alloc : !tg.ref<128x64xf16, smem, packed> // error: TG0905 `packed` is an option of tensor memory
}
// -----
tg.kernel @smem_collective() {
  %a = tg.alloc : !tg.ref<128x64xf16, smem, collective> // error: TG0905 `collective` is an option of tensor memory
}
// -----
tg.kernel @smem_layout() {
  %a = tg.alloc : !tg.ref<128x64xf16, smem, layout = "l"> // error: TG0905 `layout` is an option of tensor memory
}
// -----
tg.kernel @gmem_collective(%a: !tg.ref<128x64xf16, gmem, collective>) { // error: TG0905 a ref to global memory cannot have it
}
// -----
tg.kernel @tmem_tile() {
  %a = tg.alloc : !tg.ref<128x64xf32, tmem, tile = [8, 32]> // error: TG0907 `tile` is a transform of shared memory
}
// -----
tg.kernel @tmem_rows() {
  %a = tg.alloc : !tg.ref<100x128xf32, tmem> // error: TG0006 64 or 128 rows; this one has shape [100, 128]
}
