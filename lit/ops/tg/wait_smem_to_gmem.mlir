// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Until the memory may be written again; until all has arrived.

// CHECK-LABEL: tg.kernel @wait_smem_to_gmem
tg.kernel @wait_smem_to_gmem(%y: !tg.ref<2x128xf32, gmem>) {
  %ring = tg.alloc : !tg.ref<2x128xf32, smem>
  tg.copy_smem_to_gmem %ring -> %y : !tg.ref<2x128xf32, smem> -> !tg.ref<2x128xf32, gmem>
  // CHECK: tg.wait_smem_to_gmem 1 read_only
  tg.wait_smem_to_gmem 1 read_only
  // CHECK: tg.wait_smem_to_gmem 0
  tg.wait_smem_to_gmem 0
}
