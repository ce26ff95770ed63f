// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The sign flipped, of NaNs and zeros too.

// CHECK-LABEL: tg.kernel @negf
tg.kernel @negf(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %a: f32, %b: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: arith.negf %{{.*}} : f32
  %minus = arith.negf %a : f32
  // CHECK: arith.negf %{{.*}} fastmath<nsz> : vector<128xf32>
  %flipped = arith.negf %v fastmath<nsz> : vector<128xf32>
}
