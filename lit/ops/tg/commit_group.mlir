// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Two copies make one group.

// CHECK-LABEL: tg.kernel @commit_group
tg.kernel @commit_group(%y: !tg.ref<2x128xf32, gmem>) {
  %ring = tg.alloc : !tg.ref<2x128xf32, smem>
  tg.copy_smem_to_gmem %ring[0] -> %y[0] uncommitted : !tg.ref<2x128xf32, smem> -> !tg.ref<2x128xf32, gmem>
  tg.copy_smem_to_gmem %ring[1] -> %y[1] uncommitted : !tg.ref<2x128xf32, smem> -> !tg.ref<2x128xf32, gmem>
  // CHECK: tg.commit_group
  tg.commit_group
  tg.wait_smem_to_gmem 0
}
