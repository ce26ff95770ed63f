// RUN: %tidegate opt %s --passes=cse | FileCheck %s --check-prefix=CSE
// RUN: %tidegate opt %s --passes=licm | FileCheck %s --check-prefix=LICM
// RUN: %tidegate opt %s --passes=dce | FileCheck %s --check-prefix=DCE

// CSE-LABEL: tg.kernel @k
// LICM-LABEL: tg.kernel @k
// DCE-LABEL: tg.kernel @k
tg.kernel @k(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CSE: %a = arith.addi %n, %m
  // CSE-NOT: arith.addi %m, %n
  %a = arith.addi %n, %m : index
  %b = arith.addi %m, %n : index
  tg.debug_print "{} {}", %a, %b : index, index
  // LICM: arith.muli %n, %m
  // LICM: scf.for
  // LICM-NOT: arith.muli
  // The divisor may be zero, and the loop may not run at all.
  // LICM: arith.divui %n, %m
  scf.for %i = %c0 to %n step %c1 {
    %p = arith.muli %n, %m : index
    %q = arith.divui %n, %m : index
    tg.debug_print "{} {}", %p, %q : index, index
  }
  // DCE-NOT: arith.subi
  %unused = arith.subi %n, %m : index
  // DCE: scf.for
  // DCE-NOT: scf.for
  scf.for %i = %c0 to %n step %c1 {
    %nothing = arith.subi %n, %i : index
  }
}
