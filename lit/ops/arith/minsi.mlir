// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The smaller signed number.

// CHECK-LABEL: tg.kernel @minsi
tg.kernel @minsi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.minsi %{{.*}}, %{{.*}} : i32
  %least = arith.minsi %a, %a : i32
  // CHECK: arith.minsi %{{.*}}, %{{.*}} : vector<128xi32>
  %smaller = arith.minsi %v, %w : vector<128xi32>
}
