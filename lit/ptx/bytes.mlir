// REQUIRES: mlir
// RUN: %tidegate compile %s --emit ptx | FileCheck %s

// Floats of 8 bits are converted in pairs; a single one with a zero beside it.

// CHECK-LABEL: .entry bytes
// CHECK: ld.global.v4.b32
// CHECK: cvt.rn.satfinite.e4m3x2.f32
// CHECK: cvt.rn.satfinite.e4m3x2.f32
// CHECK: cvt.rn.satfinite.e5m2x2.f32
// CHECK: cvt.rn.f16x2.e5m2x2
tg.kernel @bytes(in %x: !tg.ref<512xf32, gmem>, out %y: !tg.ref<512xf8E4M3FN, gmem>, %s: f32, out %z: !tg.ref<1xf32, gmem>) {
  %v = tg.load %x : !tg.ref<512xf32, gmem> -> vector<512xf32>
  %b = arith.truncf %v : vector<512xf32> to vector<512xf8E4M3FN>
  tg.store %b, %y : vector<512xf8E4M3FN>, !tg.ref<512xf8E4M3FN, gmem>
  %n = arith.truncf %s : f32 to f8E5M2
  %w = arith.extf %n : f8E5M2 to f32
  tg.store %w, %z[0] : f32, !tg.ref<1xf32, gmem>
}
