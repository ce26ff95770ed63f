// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Rounded to the nearest, halves to the even number.

// CHECK-LABEL: tg.kernel @roundeven
tg.kernel @roundeven(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.roundeven %{{.*}} : f32
  %number = math.roundeven %a : f32
  // CHECK: math.roundeven %{{.*}} fastmath<fast> : vector<128xf32>
  %array = math.roundeven %v fastmath<fast> : vector<128xf32>
}
