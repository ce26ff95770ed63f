// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Some rows of an array; some barriers of a group.

// CHECK-LABEL: tg.kernel @subview
tg.kernel @subview(%x: !tg.ref<64x128xf32, gmem>, %i: index) {
  %full = tg.alloc_barrier : !tg.barrier_ref<8, arrivals = 1>
  // CHECK: tg.subview %{{.*}}[%{{.*}}, 0] [16, 128] : !tg.ref<64x128xf32, gmem> to !tg.ref<16x128xf32, gmem, strides = [128, 1]>
  %rows = tg.subview %x[%i, 0] [16, 128] : !tg.ref<64x128xf32, gmem> to !tg.ref<16x128xf32, gmem, strides = [128, 1]>
  // CHECK: tg.subview %{{.*}}[4] [4] : !tg.barrier_ref<8, arrivals = 1> to !tg.barrier_ref<4, arrivals = 1>
  %half = tg.subview %full[4] [4] : !tg.barrier_ref<8, arrivals = 1> to !tg.barrier_ref<4, arrivals = 1>
}
