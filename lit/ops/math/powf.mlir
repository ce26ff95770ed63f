// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A power with any exponent.

// CHECK-LABEL: tg.kernel @powf
tg.kernel @powf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.powf %{{.*}}, %{{.*}} : f32
  %number = math.powf %a, %b : f32
  // CHECK: math.powf %{{.*}}, %{{.*}} fastmath<afn> : vector<128xf32>
  %array = math.powf %v, %w fastmath<afn> : vector<128xf32>
}
