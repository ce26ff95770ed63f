// REQUIRES: mlir
// RUN: %tidegate compile %s | FileCheck %s
// RUN: %tidegate compile %s --no-line-tables | FileCheck %s --check-prefix=WITHOUT

// Line tables point at the line of the kernel, and do not switch optimisation off as `.target ..., debug` would.

// CHECK: .target sm_90a{{$}}
// CHECK: .loc 1 [[#@LINE + 5]] 3
// CHECK-NEXT: st.global
// CHECK: .file 1 "{{.*}}lines.mlir"
// WITHOUT-NOT: .loc
tg.kernel @one(%x: f32, out %o: !tg.ref<1xf32, gmem>) {
  tg.store %x, %o[0] : f32, !tg.ref<1xf32, gmem>
}
