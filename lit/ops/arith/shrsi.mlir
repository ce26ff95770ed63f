// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Shifts to the right that keep the sign.

// CHECK-LABEL: tg.kernel @shrsi
tg.kernel @shrsi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.shrsi %{{.*}}, %{{.*}} isExact : i32
  %half = arith.shrsi %a, %a isExact : i32
  // CHECK: arith.shrsi %{{.*}}, %{{.*}} : vector<128xi32>
  %shifted = arith.shrsi %v, %w : vector<128xi32>
}
