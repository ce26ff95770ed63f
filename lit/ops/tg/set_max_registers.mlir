// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A producer gives up registers, a consumer takes them.

// CHECK-LABEL: tg.kernel @set_max_registers
tg.kernel @set_max_registers() {
  tg.warp_specialize {
    role @producer {
      // CHECK: tg.set_max_registers 40 decrease
      tg.set_max_registers 40 decrease
    }
    role @consumer {
      // CHECK: tg.set_max_registers 232 increase
      tg.set_max_registers 232 increase
    }
  }
}
