// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The slot of a ring.

// CHECK-LABEL: tg.kernel @remui
tg.kernel @remui(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.remui %{{.*}}, %{{.*}} : index
  %slot = arith.remui %i, %n : index
  // CHECK: arith.remui %{{.*}}, %{{.*}} : vector<128xi32>
  %rests = arith.remui %v, %w : vector<128xi32>
}
