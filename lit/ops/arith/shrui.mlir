// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Shifts to the right that bring in zeros: the upper half of a number.

// CHECK-LABEL: tg.kernel @shrui
tg.kernel @shrui(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.shrui %{{.*}}, %{{.*}} : i32
  %upper = arith.shrui %a, %a : i32
  // CHECK: arith.shrui %{{.*}}, %{{.*}} isExact : vector<128xi32>
  %shifted = arith.shrui %v, %w isExact : vector<128xi32>
}
