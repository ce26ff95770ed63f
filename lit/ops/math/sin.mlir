// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The sine of an angle in radians.

// CHECK-LABEL: tg.kernel @sin
tg.kernel @sin(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.sin %{{.*}} : f32
  %number = math.sin %a : f32
  // CHECK: math.sin %{{.*}} fastmath<afn> : vector<128xf32>
  %array = math.sin %v fastmath<afn> : vector<128xf32>
}
