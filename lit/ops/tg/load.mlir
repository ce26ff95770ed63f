// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// An array or a number from global or shared memory.

// CHECK-LABEL: tg.kernel @load
tg.kernel @load(%x: !tg.ref<64x128xf32, gmem>, %i: index) {
  %ring = tg.alloc : !tg.ref<2x128xf32, smem>
  // CHECK: tg.load %{{.*}} : !tg.ref<64x128xf32, gmem> -> vector<64x128xf32>
  %whole = tg.load %x : !tg.ref<64x128xf32, gmem> -> vector<64x128xf32>
  // CHECK: tg.load %{{.*}}[%{{.*}}] : !tg.ref<64x128xf32, gmem> -> vector<128xf32>
  %row = tg.load %x[%i] : !tg.ref<64x128xf32, gmem> -> vector<128xf32>
  // CHECK: tg.load %{{.*}}[%{{.*}}, 3] : !tg.ref<64x128xf32, gmem> -> f32
  %number = tg.load %x[%i, 3] : !tg.ref<64x128xf32, gmem> -> f32
  // CHECK: tg.load %{{.*}}[1] : !tg.ref<2x128xf32, smem> -> vector<128xf32>
  %slot = tg.load %ring[1] : !tg.ref<2x128xf32, smem> -> vector<128xf32>
}
