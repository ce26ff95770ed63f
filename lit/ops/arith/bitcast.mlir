// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The same bits as another type.

// CHECK-LABEL: tg.kernel @bitcast
tg.kernel @bitcast(%x: !tg.ref<128xf32, gmem>, %a: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.bitcast %{{.*}} : f32 to i32
  %bits = arith.bitcast %a : f32 to i32
  // CHECK: arith.bitcast %{{.*}} : vector<128xf32> to vector<128xi32>
  %words = arith.bitcast %v : vector<128xf32> to vector<128xi32>
}
