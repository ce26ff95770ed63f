// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The life of a barrier starts here, for the whole group or for one of it.

// CHECK-LABEL: tg.kernel @init_barrier
tg.kernel @init_barrier() {
  %own = tg.alloc_barrier uninitialized : !tg.barrier_ref<2, arrivals = 1>
  %pair = tg.alloc_barrier uninitialized : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.init_barrier %{{.*}}[0] : !tg.barrier_ref<2, arrivals = 1>
  tg.init_barrier %own[0] : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.init_barrier %{{.*}}[1] : !tg.barrier_ref<2, arrivals = 1>
  tg.init_barrier %own[1] : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.init_barrier %{{.*}} : !tg.barrier_ref<2, arrivals = 1>
  tg.init_barrier %pair : !tg.barrier_ref<2, arrivals = 1>
  tg.block_sync
}
