// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Numbers, arrays of equal numbers, and what is no finite number.

// CHECK-LABEL: tg.kernel @constant
tg.kernel @constant() {
  // CHECK: arith.constant 4 : index
  %four = arith.constant 4 : index
  // CHECK: arith.constant -1 : i8
  %minus = arith.constant -1 : i8
  // CHECK: arith.constant true
  %true = arith.constant true
  // CHECK: arith.constant 5.000000e-01 : f32
  %half = arith.constant 5.000000e-01 : f32
  // CHECK: arith.constant 0xFF800000 : f32
  %least = arith.constant 0xFF800000 : f32
  // CHECK: arith.constant dense<0.000000e+00> : vector<64x128xf32>
  %zeros = arith.constant dense<0.000000e+00> : vector<64x128xf32>
  // CHECK: arith.constant dense<true> : vector<128xi1>
  %mask = arith.constant dense<true> : vector<128xi1>
  // CHECK: arith.constant {name = "seven"} 7 : i32
  %named = arith.constant {name = "seven"} 7 : i32
}
