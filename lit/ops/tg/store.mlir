// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// An array or a number to global or shared memory.

// CHECK-LABEL: tg.kernel @store
tg.kernel @store(out %y: !tg.ref<64x128xf32, gmem>, %i: index, %a: f32) {
  %ring = tg.alloc : !tg.ref<2x128xf32, smem>
  %row = vector.broadcast %a : f32 to vector<128xf32>
  // CHECK: tg.store %{{.*}}, %{{.*}}[%{{.*}}] : vector<128xf32>, !tg.ref<64x128xf32, gmem>
  tg.store %row, %y[%i] : vector<128xf32>, !tg.ref<64x128xf32, gmem>
  // CHECK: tg.store %{{.*}}, %{{.*}}[%{{.*}}, 3] : f32, !tg.ref<64x128xf32, gmem>
  tg.store %a, %y[%i, 3] : f32, !tg.ref<64x128xf32, gmem>
  // CHECK: tg.store %{{.*}}, %{{.*}}[1] : vector<128xf32>, !tg.ref<2x128xf32, smem>
  tg.store %row, %ring[1] : vector<128xf32>, !tg.ref<2x128xf32, smem>
}
