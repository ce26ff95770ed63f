// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// What is left; differences of arrays.

// CHECK-LABEL: tg.kernel @subi
tg.kernel @subi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.subi %{{.*}}, %{{.*}} overflow<nuw> : index
  %left = arith.subi %n, %i overflow<nuw> : index
  // CHECK: arith.subi %{{.*}}, %{{.*}} : vector<128xi32>
  %difference = arith.subi %v, %w : vector<128xi32>
}
