// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A power of two times as much.

// CHECK-LABEL: tg.kernel @shli
tg.kernel @shli(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.shli %{{.*}}, %{{.*}} overflow<nuw> : index
  %scaled = arith.shli %i, %n overflow<nuw> : index
  // CHECK: arith.shli %{{.*}}, %{{.*}} : vector<128xi32>
  %shifted = arith.shli %v, %w : vector<128xi32>
}
