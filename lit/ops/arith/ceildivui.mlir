// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// How many tiles cover so many rows.

// CHECK-LABEL: tg.kernel @ceildivui
tg.kernel @ceildivui(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.ceildivui %{{.*}}, %{{.*}} : index
  %tiles = arith.ceildivui %i, %n : index
  // CHECK: arith.ceildivui %{{.*}}, %{{.*}} : vector<128xi32>
  %quotient = arith.ceildivui %v, %w : vector<128xi32>
}
