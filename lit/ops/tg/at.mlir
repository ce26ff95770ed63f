// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A slot of a ring, a barrier of a group, a row of a group of barriers.

// CHECK-LABEL: tg.kernel @at
tg.kernel @at(%i: index) {
  %ring = tg.alloc : !tg.ref<4x64x64xf16, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<4x2, arrivals = 1>
  // CHECK: tg.at %{{.*}}[%{{.*}}] : !tg.ref<4x64x64xf16, smem> to !tg.ref<64x64xf16, smem>
  %slot = tg.at %ring[%i] : !tg.ref<4x64x64xf16, smem> to !tg.ref<64x64xf16, smem>
  // CHECK: tg.at %{{.*}}[2, %{{.*}}] : !tg.ref<4x64x64xf16, smem> to !tg.ref<64xf16, smem>
  %row = tg.at %ring[2, %i] : !tg.ref<4x64x64xf16, smem> to !tg.ref<64xf16, smem>
  // CHECK: tg.at %{{.*}}[%{{.*}}] : !tg.barrier_ref<4x2, arrivals = 1> to !tg.barrier_ref<2, arrivals = 1>
  %pair = tg.at %full[%i] : !tg.barrier_ref<4x2, arrivals = 1> to !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.at %{{.*}}[%{{.*}}, 1] : !tg.barrier_ref<4x2, arrivals = 1> to !tg.barrier_ref<arrivals = 1>
  %one = tg.at %full[%i, 1] : !tg.barrier_ref<4x2, arrivals = 1> to !tg.barrier_ref<arrivals = 1>
}
