// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The maximum of each row, and the sum over all.

// CHECK-LABEL: tg.kernel @multi_reduction
tg.kernel @multi_reduction(%x: !tg.ref<64x128xf32, gmem>) {
  %v = tg.load %x : !tg.ref<64x128xf32, gmem> -> vector<64x128xf32>
  %least = arith.constant dense<0xFF800000> : vector<64xf32>
  %zero = arith.constant 0.000000e+00 : f32
  // CHECK: vector.multi_reduction <maximumf>, %{{.*}}, %{{.*}} [1] : vector<64x128xf32> to vector<64xf32>
  %rows = vector.multi_reduction <maximumf>, %v, %least [1] : vector<64x128xf32> to vector<64xf32>
  // CHECK: vector.multi_reduction <add>, %{{.*}}, %{{.*}} [0, 1] : vector<64x128xf32> to f32
  %all = vector.multi_reduction <add>, %v, %zero [0, 1] : vector<64x128xf32> to f32
}
