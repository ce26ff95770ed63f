// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Groups of barriers: one, a matrix of them, one for a cluster, one that the kernel initialises itself.

// CHECK-LABEL: tg.kernel @alloc_barrier
tg.kernel @alloc_barrier() cluster ["x" = 2, "y" = 1] {
  // CHECK: tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %one = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  // CHECK: tg.alloc_barrier : !tg.barrier_ref<2x4, arrivals = 3>
  %many = tg.alloc_barrier : !tg.barrier_ref<2x4, arrivals = 3>
  // CHECK: tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1, cluster = ["x", "y"]>
  %across = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1, cluster = ["x", "y"]>
  // CHECK: tg.alloc_barrier uninitialized at 64 : !tg.barrier_ref<1, arrivals = 1>
  %own = tg.alloc_barrier uninitialized at 64 : !tg.barrier_ref<1, arrivals = 1>
  tg.init_barrier %own : !tg.barrier_ref<1, arrivals = 1>
}
