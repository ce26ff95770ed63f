// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A tile back by TMA, in a group of its own or in one to be closed.

// CHECK-LABEL: tg.kernel @copy_smem_to_gmem
tg.kernel @copy_smem_to_gmem(%y: !tg.ref<8x128xf32, gmem>, %i: index, %p: i1) {
  %ring = tg.alloc : !tg.ref<2x128xf32, smem>
  // CHECK: tg.copy_smem_to_gmem %{{.*}}[0] -> %{{.*}}[%{{.*}}] : !tg.ref<2x128xf32, smem> -> !tg.ref<8x128xf32, gmem>
  tg.copy_smem_to_gmem %ring[0] -> %y[%i] : !tg.ref<2x128xf32, smem> -> !tg.ref<8x128xf32, gmem>
  // CHECK: tg.copy_smem_to_gmem %{{.*}}[%{{.*}}] -> %{{.*}}[7, 0] uncommitted if %{{.*}} : !tg.ref<2x128xf32, smem> -> !tg.ref<8x128xf32, gmem>
  tg.copy_smem_to_gmem %ring[%i] -> %y[7, 0] uncommitted if %p : !tg.ref<2x128xf32, smem> -> !tg.ref<8x128xf32, gmem>
  tg.commit_group
  tg.wait_smem_to_gmem 0
}
