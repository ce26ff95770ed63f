// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The number of bits that are set.

// CHECK-LABEL: tg.kernel @ctpop
tg.kernel @ctpop(%x: !tg.ref<128xi32, gmem>, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: math.ctpop %{{.*}} : i32
  %number = math.ctpop %a : i32
  // CHECK: math.ctpop %{{.*}} : vector<128xi32>
  %array = math.ctpop %v : vector<128xi32>
}
