// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The extents of a ref, known at the launch.

// CHECK-LABEL: tg.kernel @dim
tg.kernel @dim(%x: !tg.ref<?x?xf16, gmem>) {
  // CHECK: tg.dim %{{.*}}, 0 : !tg.ref<?x?xf16, gmem>
  %rows = tg.dim %x, 0 : !tg.ref<?x?xf16, gmem>
  // CHECK: tg.dim %{{.*}}, 1 : !tg.ref<?x?xf16, gmem>
  %columns = tg.dim %x, 1 : !tg.ref<?x?xf16, gmem>
}
