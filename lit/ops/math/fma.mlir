// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A product and a sum, rounded once.

// CHECK-LABEL: tg.kernel @fma
tg.kernel @fma(%x: !tg.ref<128xf32, gmem>, %y: !tg.ref<128xf32, gmem>, %z: !tg.ref<128xf32, gmem>, %a: f32, %b: f32, %c: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %w = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %u = tg.load %z : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : f32
  %number = math.fma %a, %b, %c : f32
  // CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} fastmath<contract> : vector<128xf32>
  %array = math.fma %v, %w, %u fastmath<contract> : vector<128xf32>
}
