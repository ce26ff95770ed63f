// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The same elements in another shape.

// CHECK-LABEL: tg.kernel @shape_cast
tg.kernel @shape_cast(%x: !tg.ref<64x128xf32, gmem>) {
  %v = tg.load %x : !tg.ref<64x128xf32, gmem> -> vector<64x128xf32>
  // CHECK: vector.shape_cast %{{.*}} : vector<64x128xf32> to vector<8192xf32>
  %flat = vector.shape_cast %v : vector<64x128xf32> to vector<8192xf32>
  // CHECK: vector.shape_cast %{{.*}} : vector<64x128xf32> to vector<64x2x64xf32>
  %halves = vector.shape_cast %v : vector<64x128xf32> to vector<64x2x64xf32>
}
