// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The next completion that this thread has not seen; of a barrier of a group, of the only one.

// CHECK-LABEL: tg.kernel @barrier_wait
tg.kernel @barrier_wait(%i: index) {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %done = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_arrive %full[%i] : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.barrier_wait %{{.*}}[%{{.*}}] : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait %full[%i] : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_arrive %done : !tg.barrier_ref<1, arrivals = 1>
  // CHECK: tg.barrier_wait %{{.*}} : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %done : !tg.barrier_ref<1, arrivals = 1>
}
