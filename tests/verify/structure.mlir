// Form, places, dominance (OPEN_CASES 12.1: nothing malformed aborts).
tg.kernel @attributes() {
  %i = "tg.axis_index"() <{axis = 0 : i64}> : () -> index // error: TG0304 attribute `axis` of `tg.axis_index` is `0 : i64`; it has to be a string
  %j = "tg.axis_index"() : () -> index // error: TG0304 `tg.axis_index` needs the attribute `axis`: a string
  "tg.thread_sync"() <{relaxed}> : () -> () // error: TG0304 `tg.thread_sync` has no attribute `relaxed`
  "tg.wait_smem_to_gmem"() <{cout = 1 : i64, count = 1 : i64}> : () -> () // error: TG0304 no attribute `cout`
  // detail: did you mean `count`?
  "tg.wait_smem_to_gmem"() <{count = 1 : i32}> : () -> () // error: TG0304 it has to be a 64-bit integer
  tg.wait_smem_to_gmem -1 // error: TG0304 attribute `count` of `tg.wait_smem_to_gmem` is -1; it is at least 0
  %a = arith.constant 1 : i32
  %c = "arith.cmpi"(%a, %a) <{predicate = 10 : i64}> : (i32, i32) -> i1 // error: TG0304 as an `i64` from 0 to 9
  %l = "arith.constant"() <{value = 1 : i32}> : () -> i64 // error: TG0303 the constant is of type `i32`
  %d = "arith.constant"() <{value = "x"}> : () -> i32 // error: TG0304 it has to be a number or an array of equal numbers
}
// -----
tg.kernel @segments(%x: !tg.ref<8xf32, gmem>) {
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %i = arith.constant 0 : index
  "tg.barrier_wait"(%b, %i) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (!tg.barrier_ref<1, arrivals = 1>, index) -> () // error: TG0304 `operandSegmentSizes` of `tg.barrier_wait` adds up to 3; the op has 2 operands
  "tg.barrier_wait"(%b, %i) <{operandSegmentSizes = array<i32: 1, -1, 2>}> : (!tg.barrier_ref<1, arrivals = 1>, index) -> () // error: TG0304 gives -1 operands to `indices`
  "tg.barrier_wait"(%b, %i) <{operandSegmentSizes = array<i32: 1, 1>}> : (!tg.barrier_ref<1, arrivals = 1>, index) -> () // error: TG0304 has 2 entries; the op has 3 operand groups
  "tg.barrier_wait"(%b, %i) <{operandSegmentSizes = "x"}> : (!tg.barrier_ref<1, arrivals = 1>, index) -> () // error: TG0304 is not a list of integers
  "tg.barrier_wait"(%b, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>, static_indices = array<i64: 0>}> : (!tg.barrier_ref<1, arrivals = 1>, index) -> () // error: TG0304 leaves 0 indices to operands, and 1 is given
  %r = "arith.addi"(%i) : (index) -> index // error: TG0310 `arith.addi` takes 2 operands, not 1
  "arith.addi"(%i, %i) : (index, index) -> () // error: TG0310 `arith.addi` has 1 result, not 0
  "tg.thread_sync"(%i) : (index) -> () // error: TG0310 `tg.thread_sync` takes 0 operands, not 1
}
// -----
tg.kernel @terminators(%c: i1) {
  "scf.if"(%c) ({ // error@+1: TG0305 a block of `scf.if` ends in `scf.yield`, which is missing
    tg.thread_sync
  }, {}) : (i1) -> ()
  "scf.if"(%c) ({ // error@+1: TG0305 ends in `scf.yield`, not in `tg.return`
    tg.return
  }, {}) : (i1) -> ()
  "scf.if"(%c) ({ tg.thread_sync }) : (i1) -> () // error: TG0306 `scf.if` has 2 regions, not 1
  "scf.if"(%c) ({}, {}) : (i1) -> () // error: TG0306 region `then_region` of `scf.if` is a single block, but it has none
  scf.if %c {
    scf.yield // error: TG0305 `scf.yield` stands before the end of its block
    tg.thread_sync
  }
}
// -----
tg.kernel @loops(%n: i32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c0 step %z { } // error: TG0302 the step of `scf.for` is 0; it is at least 1
  "scf.for"(%c0, %n, %c0) ({ // error: TG0302 bounds and step of `scf.for` are of one type
  ^bb0(%i: index):
    scf.yield
  }) : (index, i32, index) -> ()
  "scf.for"(%n, %n, %n) ({ // error: TG0306 a block of `scf.for` has the arguments `(index)`; it gets `(i32)`
  ^bb0(%i: index):
    scf.yield
  }) : (i32, i32, i32) -> ()
  %r = "scf.for"(%n, %n, %n, %f) ({ // error@+2: TG0310 `scf.yield` hands on `()`; `scf.for` wants `(f32)`
  ^bb0(%i: i32, %a: f32):
    scf.yield
  }) : (i32, i32, i32, f32) -> f32
  %q = "scf.for"(%n, %n, %n, %f) ({ // error: TG0303 the results of `scf.for` are `(f64)`; they have to be `(f32)`
  ^bb0(%i: i32, %a: f32):
    scf.yield %a : f32
  }) : (i32, i32, i32, f32) -> f64
}
// -----
tg.kernel @ifs(%c: i1, %f: f32, %n: i32) {
  %r = "scf.if"(%c) ({ scf.yield %f : f32 }, {}) : (i1) -> f32 // error: TG0306 `scf.if` has results and no `else`
  %s = "scf.if"(%c) ({ scf.yield %f : f32 }, { // error@+1: TG0302 `scf.yield` hands on `(i32)`; `scf.if` wants `(f32)`
    scf.yield %n : i32
  }) : (i1) -> f32
  %t = "scf.while"(%f) ({ // error@+2: TG0302 `scf.condition` hands on `(f32)`; `scf.while` wants `(i32)`
  ^bb0(%x: f32):
    scf.condition(%c) %x : f32
  }, {
  ^bb0(%y: i32):
    scf.yield %f : f32
  }) : (f32) -> i32
}
// -----
// dominance
tg.kernel @order(%c: i1) {
  %s = "arith.addi"(%late, %late) : (i32, i32) -> i32 // error: TG0301 `%late` is used before its definition
  %late = arith.constant 1 : i32
  %self = "arith.addi"(%self, %late) : (i32, i32) -> i32 // error: TG0301 `%self` is used by the op that defines it
}
// -----
// regions of other dialects: several blocks, and graph regions
"func.func"() ({
^bb0(%c: i1):
  %a = "other.make"() : () -> i32
  "cf.cond_br"(%c)[^bb1, ^bb2] : (i1) -> ()
^bb1:
  %x = "other.take"(%a) : (i32) -> i32
  "cf.br"()[^bb3] : () -> ()
^bb2:
  "cf.br"()[^bb3] : () -> ()
^bb3:
  "other.take"(%a) : (i32) -> ()
  "other.take"(%x) : (i32) -> () // error: TG0301 `%x` is used before its definition
  "other.return"() : () -> ()
}) {sym_name = "f"} : () -> ()
"other.graph"() ({
  "other.take"(%later) : (i32) -> ()
  %later = "other.make"() : () -> i32
}) : () -> ()
// -----
// places
tg.kernel @k() {
  tg.thread_sync
}
tg.kernel @k() { // error: TG0307 @k is defined twice in this module
}
tg.block_sync // error: TG0308 `tg.block_sync` is not allowed here: operations of `tg` stand inside a kernel
// -----
tg.kernel @nested(%c: i1) {
  scf.if %c {
    %a = tg.alloc : !tg.ref<4xf32, smem> // error: TG0308 the memory of a kernel is allocated in its body
    %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1> // error: TG0308 not inside `scf.if`
    %acc = tg.alloc : !tg.acc<64x64xf32>
  }
  tg.warp_specialize {
  role @a {
    %r = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1> // error: TG0308 not inside `tg.role`
  }
  }
  "tg.role"() <{sym_name = "lost"}> ({ tg.return }) : () -> () // error: TG0308 a role stands directly in `tg.warp_specialize`
  "builtin.module"() ({}) : () -> () // error: TG0306
}
// -----
tg.kernel @returns(%x: f32) {
  tg.return %x : f32 // error: TG0310 a kernel returns nothing, and 1 value given
}
// -----
tg.kernel @print(%x: f32) {
  tg.debug_print "{} and {}", %x : f32 // error: TG0304 has 2 places `{}` and there is 1 argument
  tg.debug_print "{}", %x : f32
}
