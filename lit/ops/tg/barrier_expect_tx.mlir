// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Bytes are announced, and no arrival is made.

// CHECK-LABEL: tg.kernel @barrier_expect_tx
tg.kernel @barrier_expect_tx(%x: !tg.ref<128xf32, gmem>) {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  // CHECK: tg.barrier_expect_tx %{{.*}}[1] bytes 512 : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_expect_tx %full[1] bytes 512 : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_arrive %full[1] : !tg.barrier_ref<2, arrivals = 1>
  tg.copy_gmem_to_smem %x -> %buf, %full[1] raw : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait %full[1] : !tg.barrier_ref<2, arrivals = 1>
}
