// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The nearest narrower float, or rounded otherwise.

// CHECK-LABEL: tg.kernel @truncf
tg.kernel @truncf(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %half = arith.truncf %a : f32 to f16
  // CHECK: arith.truncf %{{.*}} downward : f32 to bf16
  %down = arith.truncf %a downward : f32 to bf16
  // CHECK: arith.truncf %{{.*}} to_nearest_even fastmath<nnan> : vector<128xf32> to vector<128xf8E4M3FN>
  %narrow = arith.truncf %v to_nearest_even fastmath<nnan> : vector<128xf32> to vector<128xf8E4M3FN>
}
