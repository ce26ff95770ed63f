// REQUIRES: mlir
// RUN: split-file %s %t
// RUN: not %tidegate compile %t/opaque.mlir 2>&1 | FileCheck %s --check-prefix=OPAQUE
// RUN: not %tidegate compile %t/remf.mlir 2>&1 | FileCheck %s --check-prefix=REMF
// RUN: not %tidegate compile %t/passes.mlir --passes=cse 2>&1 | FileCheck %s --check-prefix=PASSES

// What has no lowering is named where it stands.

//--- opaque.mlir
// OPAQUE: error[TG0309]: `else.where` is of a dialect that has no lowering
// OPAQUE: opaque.mlir:[[#]]:
tg.kernel @k() {
  "else.where"() : () -> ()
}

//--- remf.mlir
// REMF: error[TG0802]: `arith.remf` has no instruction on the GPU
tg.kernel @k(%x: f32, out %o: !tg.ref<1xf32, gmem>) {
  %r = arith.remf %x, %x : f32
  tg.store %r, %o[0] : f32, !tg.ref<1xf32, gmem>
}

//--- passes.mlir
// PASSES: error[TG0809]: `tg.load` has an array without a layout: run `infer-layouts` before lowering
tg.kernel @k(in %x: !tg.ref<128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>) {
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  tg.store %v, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
}
