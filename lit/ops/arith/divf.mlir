// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Quotients; `arcp` allows a product with the reciprocal.

// CHECK-LABEL: tg.kernel @divf
tg.kernel @divf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  %ratio = arith.divf %a, %b : f32
  // CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : vector<128xf32>
  %normalised = arith.divf %v, %w fastmath<arcp> : vector<128xf32>
}
