// RUN: %tidegate opt %s --passes=infer-layouts | FileCheck %s

// CHECK-LABEL: tg.kernel @widen
tg.kernel @widen(%x: !tg.ref<64x1024xbf16, gmem>, %y: !tg.ref<64x1024xf32, gmem>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: arith.constant {layout = #tg.splat} dense<0.000000e+00> : vector<1024xf32>
  %zero = arith.constant dense<0.0> : vector<1024xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (vector<1024xf32>) {
    // 8 elements of 2 bytes would fit one access, 4 of 4 bytes do: what meets has one layout.
    // CHECK: tg.load %x[%i] {layout = #tg.strided<4>}
    // CHECK: arith.extf %{{.*}} {layout = #tg.strided<4>}
    // CHECK: arith.addf %{{.*}}, %{{.*}} {layout = #tg.strided<4>}
    %v = tg.load %x[%i] : !tg.ref<64x1024xbf16, gmem> -> vector<1024xbf16>
    %w = arith.extf %v : vector<1024xbf16> to vector<1024xf32>
    %s = arith.addf %acc, %w : vector<1024xf32>
    scf.yield %s : vector<1024xf32>
  // CHECK: } {layout = #tg.strided<4>}
  }
  tg.store %sum, %y[%c0] : vector<1024xf32>, !tg.ref<64x1024xf32, gmem>
}
