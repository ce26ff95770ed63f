// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Shared memory, dense and as tensor cores want it; aligned, and placed.

// CHECK-LABEL: tg.kernel @alloc
tg.kernel @alloc() {
  // CHECK: tg.alloc : !tg.ref<2x128xf32, smem>
  %ring = tg.alloc : !tg.ref<2x128xf32, smem>
  // CHECK: tg.alloc align 1024 : !tg.ref<64x64xbf16, smem, tile = [8, 64], swizzle = 128>
  %tile = tg.alloc align 1024 : !tg.ref<64x64xbf16, smem, tile = [8, 64], swizzle = 128>
  // CHECK: tg.alloc align 128 at 16384 {name = "b"} : !tg.ref<128xf32, smem>
  %placed = tg.alloc align 128 at 16384 {name = "b"} : !tg.ref<128xf32, smem>
  // CHECK: tg.alloc : !tg.acc<64x128xf32>
  %sum = tg.alloc : !tg.acc<64x128xf32>
}
