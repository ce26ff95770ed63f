// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// One over the square root, as in a normalisation.

// CHECK-LABEL: tg.kernel @rsqrt
tg.kernel @rsqrt(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.rsqrt %{{.*}} : f32
  %number = math.rsqrt %a : f32
  // CHECK: math.rsqrt %{{.*}} fastmath<arcp, afn> : vector<128xf32>
  %array = math.rsqrt %v fastmath<arcp, afn> : vector<128xf32>
}
