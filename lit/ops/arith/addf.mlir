// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Sums; `contract` lets a product and a sum become one operation.

// CHECK-LABEL: tg.kernel @addf
tg.kernel @addf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  %sum = arith.addf %a, %b : f32
  // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : vector<128xf32>
  %sums = arith.addf %v, %w fastmath<contract> : vector<128xf32>
}
