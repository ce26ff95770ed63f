// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The square root.

// CHECK-LABEL: tg.kernel @sqrt
tg.kernel @sqrt(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.sqrt %{{.*}} : f32
  %number = math.sqrt %a : f32
  // CHECK: math.sqrt %{{.*}} fastmath<fast> : vector<128xf32>
  %array = math.sqrt %v fastmath<fast> : vector<128xf32>
}
