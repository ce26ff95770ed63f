// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Whether an `scf.while` goes on, and with which values.

// CHECK-LABEL: tg.kernel @condition
tg.kernel @condition(%start: index, %n: index) {
  %c1 = arith.constant 1 : index
  %end = scf.while (%i = %start) : (index) -> index {
    %more = arith.cmpi ult, %i, %n : index
    // CHECK: scf.condition(%{{.*}}) %{{.*}} : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%k: index):
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  scf.while : () -> () {
    %done = arith.cmpi eq, %start, %n : index
    // CHECK: scf.condition(%{{.*}})
    scf.condition(%done)
  } do {
  }
}
