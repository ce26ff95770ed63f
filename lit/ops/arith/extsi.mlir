// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A wider integer with the same signed value.

// CHECK-LABEL: tg.kernel @extsi
tg.kernel @extsi(%x: !tg.ref<128xi8, gmem>, %a: i8) {
  %v = tg.load %x : !tg.ref<128xi8, gmem> -> vector<128xi8>
  // CHECK: arith.extsi %{{.*}} : i8 to i32
  %wide = arith.extsi %a : i8 to i32
  // CHECK: arith.extsi %{{.*}} : vector<128xi8> to vector<128xi64>
  %wider = arith.extsi %v : vector<128xi8> to vector<128xi64>
}
