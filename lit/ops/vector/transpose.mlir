// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Rows become columns.

// CHECK-LABEL: tg.kernel @transpose
tg.kernel @transpose(%x: !tg.ref<64x128xf32, gmem>, %y: !tg.ref<128x64xf32, gmem>) {
  %v = tg.load %x : !tg.ref<64x128xf32, gmem> -> vector<64x128xf32>
  // CHECK: vector.transpose %{{.*}}, [1, 0] : vector<64x128xf32> to vector<128x64xf32>
  %t = vector.transpose %v, [1, 0] : vector<64x128xf32> to vector<128x64xf32>
  tg.store %t, %y : vector<128x64xf32>, !tg.ref<128x64xf32, gmem>
}
