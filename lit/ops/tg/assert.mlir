// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The kernel stops with the message when the condition is false.

// CHECK-LABEL: tg.kernel @assert
tg.kernel @assert(%i: index, %n: index) {
  %inside = arith.cmpi ult, %i, %n : index
  // CHECK: tg.assert %{{.*}}, "the row is out of bounds" {level = 2 : i64}
  tg.assert %inside, "the row is out of bounds" {level = 2 : i64}
}
