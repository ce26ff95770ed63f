// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A power of two: what hardware computes.

// CHECK-LABEL: tg.kernel @exp2
tg.kernel @exp2(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.exp2 %{{.*}} : f32
  %number = math.exp2 %a : f32
  // CHECK: math.exp2 %{{.*}} fastmath<afn> : vector<128xf32>
  %array = math.exp2 %v fastmath<afn> : vector<128xf32>
}
