// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The hyperbolic tangent, as in an activation.

// CHECK-LABEL: tg.kernel @tanh
tg.kernel @tanh(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.tanh %{{.*}} : f32
  %number = math.tanh %a : f32
  // CHECK: math.tanh %{{.*}} fastmath<afn> : vector<128xf32>
  %array = math.tanh %v fastmath<afn> : vector<128xf32>
}
