// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The error function, as in a GELU.

// CHECK-LABEL: tg.kernel @erf
tg.kernel @erf(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.erf %{{.*}} : f32
  %number = math.erf %a : f32
  // CHECK: math.erf %{{.*}} fastmath<fast> : vector<128xf32>
  %array = math.erf %v fastmath<fast> : vector<128xf32>
}
