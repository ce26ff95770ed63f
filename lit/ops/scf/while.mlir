// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A loop whose condition comes first: it hands values on to its second region.

// CHECK-LABEL: tg.kernel @while
tg.kernel @while(%start: index, %n: index) {
  %c1 = arith.constant 1 : index
  // CHECK: scf.while (%{{.*}} = %{{.*}}) : (index) -> index {
  %end = scf.while (%i = %start) : (index) -> index {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%k: index):
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  // CHECK: scf.while : () -> () {
  scf.while : () -> () {
    %done = arith.cmpi eq, %start, %n : index
    scf.condition(%done)
  } do {
  }
}
