// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Two roles run beside each other; the block goes on when both have ended.

// CHECK-LABEL: tg.kernel @warp_specialize
tg.kernel @warp_specialize(%x: !tg.ref<128xf32, gmem>) {
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  // CHECK: tg.warp_specialize attributes {name = "pipeline"} {
  tg.warp_specialize attributes {name = "pipeline"} {
    role @producer {
      tg.copy_gmem_to_smem %x -> %buf, %full : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
    }
    role @consumer {
      tg.barrier_wait %full : !tg.barrier_ref<1, arrivals = 1>
    }
  }
}
