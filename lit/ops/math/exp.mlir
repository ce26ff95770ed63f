// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The exponential function, as in a softmax.

// CHECK-LABEL: tg.kernel @exp
tg.kernel @exp(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.exp %{{.*}} : f32
  %number = math.exp %a : f32
  // CHECK: math.exp %{{.*}} fastmath<afn> : vector<128xf32>
  %array = math.exp %v fastmath<afn> : vector<128xf32>
}
