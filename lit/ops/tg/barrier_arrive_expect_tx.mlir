// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Bytes are announced and an arrival is made, before a copy that only pays.

// CHECK-LABEL: tg.kernel @barrier_arrive_expect_tx
tg.kernel @barrier_arrive_expect_tx(%x: !tg.ref<128xf32, gmem>, %rank: index) cluster ["c" = 2] {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  // CHECK: tg.barrier_arrive_expect_tx %{{.*}}[0] bytes 512 : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_arrive_expect_tx %full[0] bytes 512 : !tg.barrier_ref<2, arrivals = 1>
  tg.copy_gmem_to_smem %x -> %buf, %full[0] raw : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: tg.barrier_arrive_expect_tx %{{.*}}[1] peer(%{{.*}}) bytes 16 : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_arrive_expect_tx %full[1] peer(%rank) bytes 16 : !tg.barrier_ref<2, arrivals = 1>
}
