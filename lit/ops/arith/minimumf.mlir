// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The smaller number; a NaN wins.

// CHECK-LABEL: tg.kernel @minimumf
tg.kernel @minimumf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.minimumf %{{.*}}, %{{.*}} : f32
  %smallest = arith.minimumf %a, %b : f32
  // CHECK: arith.minimumf %{{.*}}, %{{.*}} : vector<128xf32>
  %smaller = arith.minimumf %v, %w : vector<128xf32>
}
