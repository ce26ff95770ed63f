// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The lowest bits; a mask for each element.

// CHECK-LABEL: tg.kernel @andi
tg.kernel @andi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.andi %{{.*}}, %{{.*}} : index
  %low = arith.andi %i, %n : index
  // CHECK: arith.andi %{{.*}}, %{{.*}} : vector<128xi32>
  %masked = arith.andi %v, %w : vector<128xi32>
}
