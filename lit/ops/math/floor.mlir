// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Rounded down.

// CHECK-LABEL: tg.kernel @floor
tg.kernel @floor(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.floor %{{.*}} : f32
  %number = math.floor %a : f32
  // CHECK: math.floor %{{.*}} fastmath<nsz> : vector<128xf32>
  %array = math.floor %v fastmath<nsz> : vector<128xf32>
}
