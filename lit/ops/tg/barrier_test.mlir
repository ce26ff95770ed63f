// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Whether a phase has completed, without waiting for it.

// CHECK-LABEL: tg.kernel @barrier_test
tg.kernel @barrier_test(%i: index) {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %false = arith.constant false
  tg.barrier_arrive %full[%i] : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.barrier_test %{{.*}}[%{{.*}}], %{{.*}} : !tg.barrier_ref<2, arrivals = 1>
  %done = tg.barrier_test %full[%i], %false : !tg.barrier_ref<2, arrivals = 1>
  tg.assert %done, "the only arrival completes the phase"
  tg.barrier_wait_parity %full[%i], %false : !tg.barrier_ref<2, arrivals = 1>
}
