// Ops that do not exist, or are written otherwise.
tg.kernel @k(%x: !tg.ref<128xf32, gmem>, %i: index) {
  %b = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_await %b[0] : !tg.barrier_ref<2, arrivals = 1> // error: TG0003 dialect `tg` has no op `tg.barrier_await`
  tg.wait %b[0] : !tg.barrier_ref<2, arrivals = 1> // error: TG0003 dialect `tg` has no op `tg.wait`
  barrier_wait %b[0] : !tg.barrier_ref<2, arrivals = 1> // error: TG0002 expected an op, found `barrier_wait`
  nvgpu.mbarrier.arrive %b[0] // error: TG0003 `nvgpu.mbarrier.arrive` has no short form
  "tg.barrier_wiat"(%b) : (!tg.barrier_ref<2, arrivals = 1>) -> () // error: TG0003 dialect `tg` has no op `tg.barrier_wiat`
  ""() : () -> () // error: TG0003 an op needs a name
  %c = arith.addii %i, %i : index // error: TG0003 dialect `arith` has no op `arith.addii`
  %d = arith.add %i, %i : index // error: TG0003 dialect `arith` has no op `arith.add`
  return // error: TG0002 expected an op, found `return`
  tg.foo // error: TG0003 dialect `tg` has no op `tg.foo`
  role @r { // error: TG0002 expected an op, found `role`
  }
  %e, %f = arith.addi %i, %i : index // error: TG0310 the op has 1 result, and 2 are named
  %g:2 = arith.addi %i, %i : index // error: TG0310 the op has 1 result, and 2 are named
  %h = tg.barrier_wait %b[0] : !tg.barrier_ref<2, arrivals = 1> // error: TG0310 the op has 0 results, and 1 is named
  %k:0 = arith.addi %i, %i : index // error: TG0008 an op cannot have 0 results under one name
  func.func @f() { // error: TG0003 `func.func` has no short form
    %1 = arith.constant 1 : i32
  }
  %ok = arith.addi %i, %i : index
}
