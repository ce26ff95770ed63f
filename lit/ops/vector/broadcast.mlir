// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A number to all elements; a row to all rows.

// CHECK-LABEL: tg.kernel @broadcast
tg.kernel @broadcast(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %row = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: vector.broadcast %{{.*}} : f32 to vector<64x128xf32>
  %filled = vector.broadcast %a : f32 to vector<64x128xf32>
  // CHECK: vector.broadcast %{{.*}} : vector<128xf32> to vector<64x128xf32>
  %rows = vector.broadcast %row : vector<128xf32> to vector<64x128xf32>
}
