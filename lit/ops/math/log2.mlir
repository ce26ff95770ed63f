// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The binary logarithm.

// CHECK-LABEL: tg.kernel @log2
tg.kernel @log2(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.log2 %{{.*}} : f32
  %number = math.log2 %a : f32
  // CHECK: math.log2 %{{.*}} fastmath<nnan, ninf> : vector<128xf32>
  %array = math.log2 %v fastmath<nnan, ninf> : vector<128xf32>
}
