// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The smaller number; a NaN loses.

// CHECK-LABEL: tg.kernel @minnumf
tg.kernel @minnumf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.minnumf %{{.*}}, %{{.*}} : f32
  %smallest = arith.minnumf %a, %b : f32
  // CHECK: arith.minnumf %{{.*}}, %{{.*}} fastmath<nsz> : vector<128xf32>
  %smaller = arith.minnumf %v, %w fastmath<nsz> : vector<128xf32>
}
