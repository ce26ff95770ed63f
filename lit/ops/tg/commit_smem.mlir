// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// What was stored is published before TMA reads it.

// CHECK-LABEL: tg.kernel @commit_smem
tg.kernel @commit_smem(%y: !tg.ref<128xf32, gmem>, %a: f32) {
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  %v = vector.broadcast %a : f32 to vector<128xf32>
  tg.store %v, %buf : vector<128xf32>, !tg.ref<128xf32, smem>
  // CHECK: tg.commit_smem
  tg.commit_smem
  tg.copy_smem_to_gmem %buf -> %y : !tg.ref<128xf32, smem> -> !tg.ref<128xf32, gmem>
  tg.wait_smem_to_gmem 0
}
