// RUN: %tidegate opt %s --passes=allocate-smem | FileCheck %s
// RUN: not %tidegate opt %s --passes='allocate-smem{limit=1000}' 2>&1 | FileCheck %s --check-prefix=LIMIT

// LIMIT: error[TG0701]: the kernel needs 16424 bytes of shared memory, and a block can have 1000
// LIMIT: 16384 bytes  `%tile`

// Strict alignments first, barriers last, each with bytes of its own, used or not: case 5.2.
// CHECK-LABEL: tg.kernel @k
// CHECK-SAME: smem_bytes = 16424
tg.kernel @k() {
  // CHECK: %full = tg.alloc_barrier at 16400 : !tg.barrier_ref<2, arrivals = 1>
  // CHECK: %small = tg.alloc at 16384
  // CHECK: %tile = tg.alloc at 0
  // CHECK: %unused = tg.alloc_barrier at 16416
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %small = tg.alloc : !tg.ref<4xf32, smem>
  %tile = tg.alloc : !tg.ref<128x64xbf16, smem, tile = [8, 64], swizzle = 128>
  %unused = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
}
