// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The cosine of an angle in radians.

// CHECK-LABEL: tg.kernel @cos
tg.kernel @cos(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.cos %{{.*}} : f32
  %number = math.cos %a : f32
  // CHECK: math.cos %{{.*}} fastmath<afn> : vector<128xf32>
  %array = math.cos %v fastmath<afn> : vector<128xf32>
}
