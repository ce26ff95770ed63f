// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A role of one warp, a warpgroup with more registers, two warpgroups that are told apart by an axis.

// CHECK-LABEL: tg.kernel @role
tg.kernel @role() {
  tg.warp_specialize {
    // CHECK: role @producer warps 1 {
    role @producer warps 1 {
    }
    // CHECK: role @consumer registers 160 attributes {stage = 1 : i64} {
    role @consumer registers 160 attributes {stage = 1 : i64} {
    }
    // CHECK: role @workers warps 8 threads ["wg" = 2] {
    role @workers warps 8 threads ["wg" = 2] {
      %wg = tg.axis_index "wg" : index
    }
  }
}
