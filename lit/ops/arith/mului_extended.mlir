// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Both halves of an unsigned product, as for a division by multiplication.

// CHECK-LABEL: tg.kernel @mului_extended
tg.kernel @mului_extended(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.mului_extended %{{.*}}, %{{.*}} : i32
  %low, %high = arith.mului_extended %a, %a : i32
  // CHECK: arith.mului_extended %{{.*}}, %{{.*}} : vector<128xi32>
  %lows, %highs = arith.mului_extended %v, %w : vector<128xi32>
}
