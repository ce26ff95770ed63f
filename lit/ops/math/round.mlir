// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Rounded to the nearest, halves away from zero.

// CHECK-LABEL: tg.kernel @round
tg.kernel @round(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.round %{{.*}} : f32
  %number = math.round %a : f32
  // CHECK: math.round %{{.*}} fastmath<fast> : vector<128xf32>
  %array = math.round %v fastmath<fast> : vector<128xf32>
}
