// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The first number with the sign of the second.

// CHECK-LABEL: tg.kernel @copysign
tg.kernel @copysign(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.copysign %{{.*}}, %{{.*}} : f32
  %number = math.copysign %a, %b : f32
  // CHECK: math.copysign %{{.*}}, %{{.*}} fastmath<nsz> : vector<128xf32>
  %array = math.copysign %v, %w fastmath<nsz> : vector<128xf32>
}
