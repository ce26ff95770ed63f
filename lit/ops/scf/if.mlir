// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A branch without results and one with.

// CHECK-LABEL: tg.kernel @if
tg.kernel @if(%last: i1, %a: f32, %b: f32) {
  // CHECK: scf.if %{{.*}} {
  scf.if %last {
    tg.debug_print "the last one"
  }
  // CHECK: scf.if %{{.*}} {
  scf.if %last {
    tg.debug_print "the last one"
  } else {
    tg.debug_print "one of the others"
  }
  // CHECK: scf.if %{{.*}} -> (f32) {
  %larger = scf.if %last -> (f32) {
    scf.yield %a : f32
  } else {
    scf.yield %b : f32
  }
}
