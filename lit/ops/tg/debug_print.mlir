// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A line with numbers and arrays in it.

// CHECK-LABEL: tg.kernel @debug_print
tg.kernel @debug_print(%i: index, %a: f32) {
  %v = vector.broadcast %a : f32 to vector<128xf32>
  // CHECK: tg.debug_print "here"
  tg.debug_print "here"
  // CHECK: tg.debug_print "row {} is \22{}\22", %{{.*}}, %{{.*}} : index, vector<128xf32>
  tg.debug_print "row {} is \22{}\22", %i, %v : index, vector<128xf32>
}
