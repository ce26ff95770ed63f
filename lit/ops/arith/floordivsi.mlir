// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Quotients rounded down, of signed numbers.

// CHECK-LABEL: tg.kernel @floordivsi
tg.kernel @floordivsi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.floordivsi %{{.*}}, %{{.*}} : index
  %tile = arith.floordivsi %i, %n : index
  // CHECK: arith.floordivsi %{{.*}}, %{{.*}} : vector<128xi32>
  %quotient = arith.floordivsi %v, %w : vector<128xi32>
}
