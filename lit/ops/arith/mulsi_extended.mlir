// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Both halves of a signed product.

// CHECK-LABEL: tg.kernel @mulsi_extended
tg.kernel @mulsi_extended(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.mulsi_extended %{{.*}}, %{{.*}} : i32
  %low, %high = arith.mulsi_extended %a, %a : i32
  // CHECK: arith.mulsi_extended %{{.*}}, %{{.*}} : vector<128xi32>
  %lows, %highs = arith.mulsi_extended %v, %w : vector<128xi32>
}
