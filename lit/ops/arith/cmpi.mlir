// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Whether a ring is full; where an array is below another one.

// CHECK-LABEL: tg.kernel @cmpi
tg.kernel @cmpi(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.cmpi uge, %{{.*}}, %{{.*}} : index
  %full = arith.cmpi uge, %i, %n : index
  // CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : i32
  %same = arith.cmpi eq, %a, %a : i32
  // CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : vector<128xi32>
  %below = arith.cmpi slt, %v, %w : vector<128xi32>
}
