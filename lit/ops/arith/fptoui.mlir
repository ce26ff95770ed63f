// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Floats cut off to unsigned integers.

// CHECK-LABEL: tg.kernel @fptoui
tg.kernel @fptoui(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.fptoui %{{.*}} : f32 to i32
  %number = arith.fptoui %a : f32 to i32
  // CHECK: arith.fptoui %{{.*}} : vector<128xf32> to vector<128xi8>
  %numbers = arith.fptoui %v : vector<128xf32> to vector<128xi8>
}
