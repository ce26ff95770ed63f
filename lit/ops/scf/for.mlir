// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A loop that adds up rows; one that counts unsigned 32-bit numbers and carries nothing.

// CHECK-LABEL: tg.kernel @for
tg.kernel @for(%x: !tg.ref<8x128xf32, gmem>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.000000e+00> : vector<128xf32>
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<128xf32>) {
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%part = %zero) -> (vector<128xf32>) {
    %row = tg.load %x[%i] : !tg.ref<8x128xf32, gmem> -> vector<128xf32>
    %next = arith.addf %part, %row : vector<128xf32>
    scf.yield %next : vector<128xf32>
  }
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
  scf.for unsigned %k = %i0 to %n step %i1 : i32 {
    tg.debug_print "round {}", %k : i32
  } {unroll = 4 : i64}
}
