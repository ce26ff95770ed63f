// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Quotients rounded towards zero; `isExact` promises that there is no remainder.

// CHECK-LABEL: tg.kernel @divsi
tg.kernel @divsi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.divsi %{{.*}}, %{{.*}} : index
  %half = arith.divsi %i, %n : index
  // CHECK: arith.divsi %{{.*}}, %{{.*}} isExact : i32
  %whole = arith.divsi %a, %a isExact : i32
  // CHECK: arith.divsi %{{.*}}, %{{.*}} : vector<128xi32>
  %quotient = arith.divsi %v, %w : vector<128xi32>
}
