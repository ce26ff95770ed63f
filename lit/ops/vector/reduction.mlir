// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// All elements to one number, with a start value or without.

// CHECK-LABEL: tg.kernel @reduction
tg.kernel @reduction(%x: !tg.ref<128xf32, gmem>, %start: f32) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  // CHECK: vector.reduction <add>, %{{.*}} : vector<128xf32> into f32
  %sum = vector.reduction <add>, %v : vector<128xf32> into f32
  // CHECK: vector.reduction <add>, %{{.*}}, %{{.*}} fastmath<reassoc> : vector<128xf32> into f32
  %total = vector.reduction <add>, %v, %start fastmath<reassoc> : vector<128xf32> into f32
  // CHECK: vector.reduction <maximumf>, %{{.*}} : vector<128xf32> into f32
  %most = vector.reduction <maximumf>, %v : vector<128xf32> into f32
}
