// RUN: %tidegate opt %s --passes=canonicalize | FileCheck %s
// RUN: %tidegate opt %s --passes=canonicalize | %tidegate opt - --passes=canonicalize | FileCheck %s

// CHECK-LABEL: tg.kernel @slots_and_parts
tg.kernel @slots_and_parts(%x: !tg.ref<64x128xf32, gmem>, %i: index) {
  %c8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %buf = tg.alloc : !tg.ref<8x128xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<8, arrivals = 1>
  // A remainder by a power of two is a mask.
  // CHECK: %slot = arith.andi %i, %c7 : index
  // CHECK-NOT: remui
  %slot = arith.remui %i, %c8 : index
  // Parts go into the places of the ops that use them, constants become static.
  // CHECK-NOT: tg.at
  // CHECK: tg.copy_gmem_to_smem %x[0] -> %buf[%{{.*}}], %full[%{{.*}}]
  %tile = tg.at %buf[%slot] : !tg.ref<8x128xf32, smem> to !tg.ref<128xf32, smem>
  %bar = tg.at %full[%slot] : !tg.barrier_ref<8, arrivals = 1> to !tg.barrier_ref<arrivals = 1>
  tg.copy_gmem_to_smem %x[%c0] -> %tile, %bar : !tg.ref<64x128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<arrivals = 1>
  // CHECK: tg.barrier_wait %full[%{{.*}}] : !tg.barrier_ref<8, arrivals = 1>
  tg.barrier_wait %bar : !tg.barrier_ref<arrivals = 1>
}

// Each synchronising op stays where it is, and there are as many as before: case 11.1.
// CHECK-LABEL: tg.kernel @no_sync_is_duplicated
tg.kernel @no_sync_is_duplicated(%c: i1, %a: f32, %b: f32) {
  // CHECK-COUNT-1: tg.thread_sync
  // CHECK-NOT: tg.thread_sync
  %x = scf.if %c -> (f32) { scf.yield %a : f32 } else { scf.yield %b : f32 }
  tg.thread_sync
  scf.if %c {
    %y = arith.addf %x, %a : f32
    tg.debug_print "{}", %y : f32
  } else {
    %z = arith.mulf %x, %b : f32
    tg.debug_print "{}", %z : f32
  }
}

// CHECK-LABEL: tg.kernel @undefined_stays
tg.kernel @undefined_stays() {
  // CHECK: arith.divui
  // CHECK: arith.shli
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %d = arith.divui %c1, %c0 : i32
  %s = arith.shli %c1, %c32 : i32
  tg.debug_print "{} {}", %d, %s : i32, i32
}
