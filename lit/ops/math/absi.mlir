// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Without the sign.

// CHECK-LABEL: tg.kernel @absi
tg.kernel @absi(%x: !tg.ref<128xi32, gmem>, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: math.absi %{{.*}} : i32
  %number = math.absi %a : i32
  // CHECK: math.absi %{{.*}} : vector<128xi32>
  %array = math.absi %v : vector<128xi32>
}
