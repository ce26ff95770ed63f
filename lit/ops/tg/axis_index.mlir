// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Where the block stands in the grid and in its cluster, and the thread in its block.

// CHECK-LABEL: tg.kernel @axis_index
tg.kernel @axis_index() grid ["i" = 4] cluster ["c" = 2] threads ["wg" = 2] {
  // CHECK: tg.axis_index "i" : index
  %i = tg.axis_index "i" : index
  // CHECK: tg.axis_index "c" : index
  %c = tg.axis_index "c" : index
  // CHECK: tg.axis_index "wg" : index
  %wg = tg.axis_index "wg" : index
}
