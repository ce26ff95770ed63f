// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Rounded up.

// CHECK-LABEL: tg.kernel @ceil
tg.kernel @ceil(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.ceil %{{.*}} : f32
  %number = math.ceil %a : f32
  // CHECK: math.ceil %{{.*}} fastmath<ninf> : vector<128xf32>
  %array = math.ceil %v fastmath<ninf> : vector<128xf32>
}
