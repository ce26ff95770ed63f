// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A wider float with the same value.

// CHECK-LABEL: tg.kernel @extf
tg.kernel @extf(%x: !tg.ref<128xbf16, gmem>, %a: bf16) {
  %v = tg.load %x : !tg.ref<128xbf16, gmem> -> vector<128xbf16>
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  %wide = arith.extf %a : bf16 to f32
  // CHECK: arith.extf %{{.*}} fastmath<contract> : vector<128xbf16> to vector<128xf32>
  %wider = arith.extf %v fastmath<contract> : vector<128xbf16> to vector<128xf32>
}
