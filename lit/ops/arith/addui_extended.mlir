// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A sum with its carry, as for numbers of more bits.

// CHECK-LABEL: tg.kernel @addui_extended
tg.kernel @addui_extended(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.addui_extended %{{.*}}, %{{.*}} : i32, i1
  %sum, %carry = arith.addui_extended %a, %a : i32, i1
  // CHECK: arith.addui_extended %{{.*}}, %{{.*}} : vector<128xi32>, vector<128xi1>
  %sums, %carries = arith.addui_extended %v, %w : vector<128xi32>, vector<128xi1>
}
