// RUN: %tidegate opt %s --passes=insert-fences | FileCheck %s
// RUN: %tidegate opt %s --passes=insert-fences,insert-fences | FileCheck %s
// RUN: not %tidegate opt %s --passes='insert-fences{diagnose}' 2>&1 | FileCheck %s --check-prefix=MISSING

// Case 6.1: the fence is in the loop, which may not run.
// MISSING: error[TG0611]
// MISSING: this copy
// MISSING-NOT: error[TG0611]
// CHECK-LABEL: tg.kernel @fence_on_one_path
tg.kernel @fence_on_one_path(%y: !tg.ref<128xf32, gmem>, %tiles: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<128xf32>
  %o = tg.alloc : !tg.ref<128xf32, smem>
  // CHECK: tg.store
  // CHECK-NEXT: scf.for
  tg.store %zero, %o : vector<128xf32>, !tg.ref<128xf32, smem>
  scf.for %t = %c0 to %tiles step %c1 {
    // CHECK: tg.store
    // CHECK-NEXT: tg.commit_smem
    tg.store %zero, %o : vector<128xf32>, !tg.ref<128xf32, smem>
    tg.commit_smem
  }
  tg.thread_sync
  // CHECK: tg.thread_sync
  // CHECK-NEXT: tg.commit_smem
  // CHECK-NEXT: tg.copy_smem_to_gmem
  tg.copy_smem_to_gmem %o -> %y : !tg.ref<128xf32, smem> -> !tg.ref<128xf32, gmem>
  tg.wait_smem_to_gmem 0
}

// Its twin needs nothing.
// CHECK-LABEL: tg.kernel @fenced_behind_the_loop
tg.kernel @fenced_behind_the_loop(%y: !tg.ref<128xf32, gmem>, %tiles: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<128xf32>
  %o = tg.alloc : !tg.ref<128xf32, smem>
  // CHECK-COUNT-1: tg.commit_smem
  // CHECK-NOT: tg.commit_smem
  scf.for %t = %c0 to %tiles step %c1 {
    tg.store %zero, %o : vector<128xf32>, !tg.ref<128xf32, smem>
  }
  tg.commit_smem
  tg.thread_sync
  tg.copy_smem_to_gmem %o -> %y : !tg.ref<128xf32, smem> -> !tg.ref<128xf32, gmem>
  tg.wait_smem_to_gmem 0
}
