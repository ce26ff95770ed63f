// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The next position; sums of arrays; flags that promise that nothing overflows.

// CHECK-LABEL: tg.kernel @addi
tg.kernel @addi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : index
  %next = arith.addi %i, %n overflow<nsw> : index
  // CHECK: arith.addi %{{.*}}, %{{.*}} : vector<128xi32>
  %sum = arith.addi %v, %w : vector<128xi32>
  // CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw, nuw> : i32
  %both = arith.addi %a, %a overflow<nsw, nuw> : i32
}
