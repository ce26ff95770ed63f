// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The other parity; bits that differ.

// CHECK-LABEL: tg.kernel @xori
tg.kernel @xori(%x: !tg.ref<128xi32, gmem>, %y: !tg.ref<128xi32, gmem>, %i: index, %n: index, %a: i32, %p: i1, %true: i1) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  %w = tg.load %y : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.xori %{{.*}}, %{{.*}} : vector<128xi32>
  %differ = arith.xori %v, %w : vector<128xi32>
  // CHECK: arith.xori %{{.*}}, %{{.*}} : i1
  %other = arith.xori %p, %true : i1
}
