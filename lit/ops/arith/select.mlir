// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// One of two values, for all elements or for each.

// CHECK-LABEL: tg.kernel @select
tg.kernel @select(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32, %first: i1) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %below = arith.cmpf olt, %v, %w : vector<128xf32>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<128xi1>, vector<128xf32>
  %larger = arith.select %below, %w, %v : vector<128xi1>, vector<128xf32>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<128xf32>
  %all = arith.select %first, %v, %w : vector<128xf32>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} {weight = 3 : i64} : f32
  %number = arith.select %first, %a, %b {weight = 3 : i64} : f32
}
