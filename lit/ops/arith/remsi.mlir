// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A remainder with the sign of the dividend.

// CHECK-LABEL: tg.kernel @remsi
tg.kernel @remsi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.remsi %{{.*}}, %{{.*}} : i32
  %rest = arith.remsi %a, %a : i32
  // CHECK: arith.remsi %{{.*}}, %{{.*}} : vector<128xi32>
  %rests = arith.remsi %v, %w : vector<128xi32>
}
