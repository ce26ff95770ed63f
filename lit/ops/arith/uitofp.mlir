// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Unsigned integers as floats.

// CHECK-LABEL: tg.kernel @uitofp
tg.kernel @uitofp(%x: !tg.ref<128xi32, gmem>, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.uitofp %{{.*}} : i32 to f32
  %number = arith.uitofp %a : i32 to f32
  // CHECK: arith.uitofp %{{.*}} : vector<128xi32> to vector<128xbf16>
  %numbers = arith.uitofp %v : vector<128xi32> to vector<128xbf16>
}
