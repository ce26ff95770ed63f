// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Bits of either.

// CHECK-LABEL: tg.kernel @ori
tg.kernel @ori(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.ori %{{.*}}, %{{.*}} : i32
  %flags = arith.ori %a, %a : i32
  // CHECK: arith.ori %{{.*}}, %{{.*}} : vector<128xi32>
  %either = arith.ori %v, %w : vector<128xi32>
}
