// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// All lanes of the thread have stored before any of them loads.

// CHECK-LABEL: tg.kernel @thread_sync
tg.kernel @thread_sync(%v: f32) {
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  %row = vector.broadcast %v : f32 to vector<128xf32>
  tg.store %row, %buf : vector<128xf32>, !tg.ref<128xf32, smem>
  // CHECK: tg.thread_sync
  tg.thread_sync
  %first = tg.load %buf[0] : !tg.ref<128xf32, smem> -> f32
}
