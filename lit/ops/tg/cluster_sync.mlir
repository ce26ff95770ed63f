// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// All blocks of the cluster meet, so that peers may use the barriers.

// CHECK-LABEL: tg.kernel @cluster_sync
tg.kernel @cluster_sync(%peer: index) cluster ["c" = 2] {
  %full = tg.alloc_barrier uninitialized : !tg.barrier_ref<2, arrivals = 1>
  tg.init_barrier %full : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.cluster_sync
  tg.cluster_sync
  tg.barrier_arrive %full[0] peer(%peer) : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<2, arrivals = 1>
}
