// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The larger number; a NaN wins.

// CHECK-LABEL: tg.kernel @maximumf
tg.kernel @maximumf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.maximumf %{{.*}}, %{{.*}} : f32
  %largest = arith.maximumf %a, %b : f32
  // CHECK: arith.maximumf %{{.*}}, %{{.*}} fastmath<nnan> : vector<128xf32>
  %larger = arith.maximumf %v, %w fastmath<nnan> : vector<128xf32>
}
