// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Signed integers as floats.

// CHECK-LABEL: tg.kernel @sitofp
tg.kernel @sitofp(%x: !tg.ref<128xi32, gmem>, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.sitofp %{{.*}} : i32 to f32
  %number = arith.sitofp %a : i32 to f32
  // CHECK: arith.sitofp %{{.*}} : vector<128xi32> to vector<128xf16>
  %numbers = arith.sitofp %v : vector<128xi32> to vector<128xf16>
}
