// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The start of a row; products of arrays.

// CHECK-LABEL: tg.kernel @muli
tg.kernel @muli(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.muli %{{.*}}, %{{.*}} overflow<nsw> : index
  %row = arith.muli %i, %n overflow<nsw> : index
  // CHECK: arith.muli %{{.*}}, %{{.*}} : vector<128xi32>
  %product = arith.muli %v, %w : vector<128xi32>
}
