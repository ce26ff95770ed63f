// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Quotients rounded up, of signed numbers.

// CHECK-LABEL: tg.kernel @ceildivsi
tg.kernel @ceildivsi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.ceildivsi %{{.*}}, %{{.*}} : index
  %tiles = arith.ceildivsi %i, %n : index
  // CHECK: arith.ceildivsi %{{.*}}, %{{.*}} : vector<128xi32>
  %quotient = arith.ceildivsi %v, %w : vector<128xi32>
}
