// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The phase of a parity that the author keeps; on a fresh barrier parity 1 passes.

// CHECK-LABEL: tg.kernel @barrier_wait_parity
tg.kernel @barrier_wait_parity(%i: index) {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %true = arith.constant true
  %false = arith.constant false
  // CHECK: tg.barrier_wait_parity %{{.*}}[%{{.*}}], %{{.*}} : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait_parity %full[%i], %true : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_arrive %full[%i] : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.barrier_wait_parity %{{.*}}[%{{.*}}], %{{.*}} : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait_parity %full[%i], %false : !tg.barrier_ref<2, arrivals = 1>
}
