// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A module has a name and attributes, or says nothing of itself and is left out.

// CHECK: module @kernels attributes {tg.version = 1 : i64} {
module @kernels attributes {tg.version = 1} {
  // CHECK-NEXT: tg.kernel @first() {
  tg.kernel @first() {
  }
  // CHECK: tg.kernel @second() {
  tg.kernel @second() {
  }
}
