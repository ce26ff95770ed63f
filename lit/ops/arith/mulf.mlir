// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Products; `fast` is all flags.

// CHECK-LABEL: tg.kernel @mulf
tg.kernel @mulf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
  %scaled = arith.mulf %a, %b : f32
  // CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<fast> : vector<128xf32>
  %products = arith.mulf %v, %w fastmath<fast> : vector<128xf32>
}
