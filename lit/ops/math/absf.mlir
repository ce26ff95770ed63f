// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Without the sign.

// CHECK-LABEL: tg.kernel @absf
tg.kernel @absf(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.absf %{{.*}} : f32
  %number = math.absf %a : f32
  // CHECK: math.absf %{{.*}} fastmath<nnan> : vector<128xf32>
  %array = math.absf %v fastmath<nnan> : vector<128xf32>
}
