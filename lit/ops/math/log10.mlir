// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The decimal logarithm.

// CHECK-LABEL: tg.kernel @log10
tg.kernel @log10(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.log10 %{{.*}} : f32
  %number = math.log10 %a : f32
  // CHECK: math.log10 %{{.*}} fastmath<fast> : vector<128xf32>
  %array = math.log10 %v fastmath<fast> : vector<128xf32>
}
