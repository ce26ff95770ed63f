// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The number of zeros behind.

// CHECK-LABEL: tg.kernel @cttz
tg.kernel @cttz(%x: !tg.ref<128xi32, gmem>, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: math.cttz %{{.*}} : i32
  %number = math.cttz %a : i32
  // CHECK: math.cttz %{{.*}} : vector<128xi32>
  %array = math.cttz %v : vector<128xi32>
}
