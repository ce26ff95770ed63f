// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Cut off towards zero.

// CHECK-LABEL: tg.kernel @trunc
tg.kernel @trunc(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.trunc %{{.*}} : f32
  %number = math.trunc %a : f32
  // CHECK: math.trunc %{{.*}} fastmath<fast> : vector<128xf32>
  %array = math.trunc %v fastmath<fast> : vector<128xf32>
}
