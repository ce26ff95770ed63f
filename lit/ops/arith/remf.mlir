// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Remainders, with the sign of the dividend.

// CHECK-LABEL: tg.kernel @remf
tg.kernel @remf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.remf %{{.*}}, %{{.*}} : f32
  %rest = arith.remf %a, %b : f32
  // CHECK: arith.remf %{{.*}}, %{{.*}} : vector<128xf32>
  %rests = arith.remf %v, %w : vector<128xf32>
}
