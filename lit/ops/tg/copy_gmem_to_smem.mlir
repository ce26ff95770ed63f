// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// A tile by TMA; to several blocks, by several blocks, under a condition.

// CHECK-LABEL: tg.kernel @copy_gmem_to_smem
tg.kernel @copy_gmem_to_smem(%x: !tg.ref<8x128xf32, gmem>, %i: index, %p: i1) cluster ["c" = 2] {
  %ring = tg.alloc : !tg.ref<2x128xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.copy_gmem_to_smem %{{.*}}[%{{.*}}] -> %{{.*}}[0], %{{.*}}[0] : !tg.ref<8x128xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  tg.copy_gmem_to_smem %x[%i] -> %ring[0], %full[0] : !tg.ref<8x128xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.copy_gmem_to_smem %{{.*}}[%{{.*}}, 0] -> %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}] if %{{.*}} : !tg.ref<8x128xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  tg.copy_gmem_to_smem %x[%i, 0] -> %ring[%i], %full[%i] if %p : !tg.ref<8x128xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.copy_gmem_to_smem %{{.*}}[3] -> %{{.*}}[1], %{{.*}}[1] raw multicast [0, 1] : !tg.ref<8x128xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  tg.copy_gmem_to_smem %x[3] -> %ring[1], %full[1] raw multicast [0, 1] : !tg.ref<8x128xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.copy_gmem_to_smem %{{.*}}[3] -> %{{.*}}[1], %{{.*}}[1] collective ["c"] : !tg.ref<8x128xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  tg.copy_gmem_to_smem %x[3] -> %ring[1], %full[1] collective ["c"] : !tg.ref<8x128xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<2, arrivals = 1>
}
