// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// What a region of a loop or of a branch hands on; without values it is left out.

// CHECK-LABEL: tg.kernel @yield
tg.kernel @yield(%first: i1, %x: !tg.ref<8xf32, gmem>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.000000e+00 : f32
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%part = %zero) -> (f32) {
    %a = tg.load %x[%i] : !tg.ref<8xf32, gmem> -> f32
    %next = arith.addf %part, %a : f32
    // CHECK: scf.yield %{{.*}} : f32
    scf.yield %next : f32
  }
  %count, %flag = scf.if %first -> (index, i1) {
    // CHECK: scf.yield %{{.*}}, %{{.*}} : index, i1
    scf.yield %c1, %first : index, i1
  } else {
    // CHECK: scf.yield {why = "none"} %{{.*}}, %{{.*}} : index, i1
    scf.yield {why = "none"} %c0, %first : index, i1
  }
  scf.if %first {
    scf.yield
  }
}
