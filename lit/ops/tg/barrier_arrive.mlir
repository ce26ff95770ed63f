// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// One arrival or several, here or on the same barrier of another block.

// CHECK-LABEL: tg.kernel @barrier_arrive
tg.kernel @barrier_arrive(%i: index, %rank: index) cluster ["c" = 2] {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 2>
  // CHECK: tg.barrier_arrive %{{.*}}[%{{.*}}] : !tg.barrier_ref<2, arrivals = 2>
  tg.barrier_arrive %full[%i] : !tg.barrier_ref<2, arrivals = 2>
  // CHECK: tg.barrier_arrive %{{.*}}[0] count 2 : !tg.barrier_ref<2, arrivals = 2>
  tg.barrier_arrive %full[0] count 2 : !tg.barrier_ref<2, arrivals = 2>
  // CHECK: tg.barrier_arrive %{{.*}}[1] peer(%{{.*}}) : !tg.barrier_ref<2, arrivals = 2>
  tg.barrier_arrive %full[1] peer(%rank) : !tg.barrier_ref<2, arrivals = 2>
  tg.barrier_wait %full[%i] : !tg.barrier_ref<2, arrivals = 2>
}
