// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The number of zeros in front.

// CHECK-LABEL: tg.kernel @ctlz
tg.kernel @ctlz(%x: !tg.ref<128xi32, gmem>, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: math.ctlz %{{.*}} : i32
  %number = math.ctlz %a : i32
  // CHECK: math.ctlz %{{.*}} : vector<128xi32>
  %array = math.ctlz %v : vector<128xi32>
}
