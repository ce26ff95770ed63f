// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Differences, as of scores and their maximum.

// CHECK-LABEL: tg.kernel @subf
tg.kernel @subf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.subf %{{.*}}, %{{.*}} : f32
  %difference = arith.subf %a, %b : f32
  // CHECK: arith.subf %{{.*}}, %{{.*}} fastmath<nnan, ninf> : vector<128xf32>
  %centred = arith.subf %v, %w fastmath<nnan, ninf> : vector<128xf32>
}
