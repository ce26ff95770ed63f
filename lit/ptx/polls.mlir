// REQUIRES: mlir
// RUN: %tidegate compile %s --emit ptx | FileCheck %s

// A test by a whole warpgroup: each lane tests, then they agree on their own named barrier, of a constant number.

// CHECK-LABEL: .entry polls
// CHECK: mbarrier.test_wait.parity
// CHECK: bar.red.and.pred {{.*}}, 1, 128
tg.kernel @polls(out %y: !tg.ref<1xi32, gmem>) {
  %even = arith.constant false
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2>
  tg.warp_specialize {
    role @arriver {
      tg.barrier_arrive %full : !tg.barrier_ref<1, arrivals = 2>
    }
    role @poller {
      tg.barrier_arrive %full : !tg.barrier_ref<1, arrivals = 2>
      %done = tg.barrier_test %full, %even : !tg.barrier_ref<1, arrivals = 2>
      %number = arith.extui %done : i1 to i32
      %many = vector.broadcast %number : i32 to vector<128xi32>
      %sum = vector.reduction <add>, %many : vector<128xi32> into i32
      tg.store %sum, %y[0] : i32, !tg.ref<1xi32, gmem>
    }
  }
}
