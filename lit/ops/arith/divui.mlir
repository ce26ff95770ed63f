// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// How often a ring has been gone round.

// CHECK-LABEL: tg.kernel @divui
tg.kernel @divui(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.divui %{{.*}}, %{{.*}} : index
  %lap = arith.divui %i, %n : index
  // CHECK: arith.divui %{{.*}}, %{{.*}} isExact : vector<128xi32>
  %quotient = arith.divui %v, %w isExact : vector<128xi32>
}
