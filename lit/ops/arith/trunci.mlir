// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The low bits; the lowest of a count is a parity.

// CHECK-LABEL: tg.kernel @trunci
tg.kernel @trunci(%x: !tg.ref<128xi32, gmem>, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.trunci %{{.*}} : i32 to i1
  %parity = arith.trunci %a : i32 to i1
  // CHECK: arith.trunci %{{.*}} overflow<nsw> : vector<128xi32> to vector<128xi8>
  %bytes = arith.trunci %v overflow<nsw> : vector<128xi32> to vector<128xi8>
}
