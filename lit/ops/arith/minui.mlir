// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A position that stays in bounds.

// CHECK-LABEL: tg.kernel @minui
tg.kernel @minui(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.minui %{{.*}}, %{{.*}} : index
  %inside = arith.minui %i, %n : index
  // CHECK: arith.minui %{{.*}}, %{{.*}} : vector<128xi32>
  %smaller = arith.minui %v, %w : vector<128xi32>
}
