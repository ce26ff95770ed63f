// RUN: %tidegate opt %s --passes=canonicalize,cse,assign-parity,canonicalize,cse | FileCheck %s

// The lap is the parity: no register is carried.
// CHECK-LABEL: tg.kernel @ring
tg.kernel @ring(%x: !tg.ref<64x128xf32, gmem>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %buf = tg.alloc : !tg.ref<3x128xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<3, arrivals = 1>
  %empty = tg.alloc_barrier : !tg.barrier_ref<3, arrivals = 1>
  tg.warp_specialize {
  // CHECK: role @producer
  role @producer warps 1 {
    // CHECK: scf.for %[[K:.*]] = %c0 to %n step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      %slot = arith.remui %k, %c3 : index
      %reuse = arith.cmpi uge, %k, %c3 : index
      scf.if %reuse {
        // The first lap is skipped, so the parity is the other one.
        // CHECK: %[[LAP:.*]] = arith.divui %[[K]], %c3
        // CHECK: %[[BIT:.*]] = arith.index_cast %[[LAP]] : index to i1
        // CHECK: %[[PARITY:.*]] = arith.xori %[[BIT]], %true
        // CHECK: tg.barrier_wait_parity %empty[%slot], %[[PARITY]]
        tg.barrier_wait %empty[%slot] : !tg.barrier_ref<3, arrivals = 1>
      }
      tg.copy_gmem_to_smem %x[%k] -> %buf[%slot], %full[%slot] : !tg.ref<64x128xf32, gmem> -> !tg.ref<3x128xf32, smem>, !tg.barrier_ref<3, arrivals = 1>
    }
  }
  // CHECK: role @consumer
  role @consumer {
    // CHECK: scf.for %[[K:.*]] = %c0 to %n step %c1 {
    // CHECK: %[[LAP:.*]] = arith.divui %[[K]], %c3
    // CHECK: %[[BIT:.*]] = arith.index_cast %[[LAP]] : index to i1
    // CHECK: tg.barrier_wait_parity %full[%slot{{.*}}], %[[BIT]]
    scf.for %k = %c0 to %n step %c1 {
      %slot = arith.remui %k, %c3 : index
      tg.barrier_wait %full[%slot] : !tg.barrier_ref<3, arrivals = 1>
      %v = tg.load %buf[%slot] : !tg.ref<3x128xf32, smem> -> vector<128xf32>
      tg.barrier_arrive %empty[%slot] : !tg.barrier_ref<3, arrivals = 1>
    }
  }
  }
}

// A wait under a condition that is not a matter of the lap: one bit for each barrier.
// CHECK-LABEL: tg.kernel @mask
tg.kernel @mask(%n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %bar = tg.alloc_barrier : !tg.barrier_ref<40, arrivals = 1>
  // More than 32 barriers: two words.
  // CHECK: scf.for {{.*}} iter_args(%bar_seen{{.*}} = %{{.*}}, %bar_seen{{.*}} = %{{.*}}) -> (i32, i32)
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c40 : index
    // CHECK: scf.if %p -> (i32, i32)
    scf.if %p {
      // CHECK: tg.barrier_wait_parity %bar[%s], %{{.*}}
      tg.barrier_wait %bar[%s] : !tg.barrier_ref<40, arrivals = 1>
    }
  }
}
