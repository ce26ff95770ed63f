// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The life of a barrier ends here, and its bytes are free.

// CHECK-LABEL: tg.kernel @inval_barrier
tg.kernel @inval_barrier() {
  %full = tg.alloc_barrier uninitialized : !tg.barrier_ref<2, arrivals = 1>
  tg.init_barrier %full : !tg.barrier_ref<2, arrivals = 1>
  tg.block_sync
  tg.barrier_arrive %full[0] : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.inval_barrier %{{.*}} : !tg.barrier_ref<2, arrivals = 1>
  tg.inval_barrier %full : !tg.barrier_ref<2, arrivals = 1>
}
