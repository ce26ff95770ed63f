// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The natural logarithm.

// CHECK-LABEL: tg.kernel @log
tg.kernel @log(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.log %{{.*}} : f32
  %number = math.log %a : f32
  // CHECK: math.log %{{.*}} fastmath<afn> : vector<128xf32>
  %array = math.log %v fastmath<afn> : vector<128xf32>
}
