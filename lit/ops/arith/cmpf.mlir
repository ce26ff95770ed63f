// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// `o` predicates are false of NaNs, `u` predicates true.

// CHECK-LABEL: tg.kernel @cmpf
tg.kernel @cmpf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
  %less = arith.cmpf olt, %a, %b : f32
  // CHECK: arith.cmpf uno, %{{.*}}, %{{.*}} : vector<128xf32>
  %nan = arith.cmpf uno, %v, %v : vector<128xf32>
  // CHECK: arith.cmpf one, %{{.*}}, %{{.*}} fastmath<nnan> : vector<128xf32>
  %never_nan = arith.cmpf one, %v, %w fastmath<nnan> : vector<128xf32>
}
