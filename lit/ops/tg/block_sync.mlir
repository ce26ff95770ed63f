// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// All threads of the block meet.

// CHECK-LABEL: tg.kernel @block_sync
tg.kernel @block_sync() threads ["wg" = 2] {
  tg.debug_print "before"
  // CHECK: tg.block_sync {why = "all have printed"}
  tg.block_sync {why = "all have printed"}
  tg.debug_print "behind"
}
