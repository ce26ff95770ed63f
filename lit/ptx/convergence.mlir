// REQUIRES: mlir
// RUN: %tidegate compile %s | FileCheck %s
// RUN: %tidegate compile %s -O0 | FileCheck %s --check-prefix=COUNT
// RUN: %tidegate compile %s -O3 | FileCheck %s --check-prefix=COUNT

// Case 11.1: a join between two branches on the same condition comes out once, at every level of optimisation, though
// LLVM could join the branches and copy what is between.

// CHECK: .visible .entry joined
// COUNT-COUNT-1: bar.sync
// COUNT-NOT: bar.sync
// COUNT: ret;
tg.kernel @joined(in %x: !tg.ref<128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>, %c: i32) {
  %zero = arith.constant 0 : i32
  %yes = arith.cmpi eq, %c, %zero : i32
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %a = scf.if %yes -> (vector<128xf32>) {
    %twice = arith.addf %v, %v : vector<128xf32>
    scf.yield %twice : vector<128xf32>
  } else {
    scf.yield %v : vector<128xf32>
  }
  tg.thread_sync
  %b = scf.if %yes -> (vector<128xf32>) {
    %square = arith.mulf %a, %a : vector<128xf32>
    scf.yield %square : vector<128xf32>
  } else {
    scf.yield %a : vector<128xf32>
  }
  tg.store %b, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
}
