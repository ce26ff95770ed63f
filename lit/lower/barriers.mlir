// REQUIRES: mlir
// RUN: %tidegate compile %s --emit nvgpu | FileCheck %s --check-prefix=NVGPU
// RUN: %tidegate compile %s --emit nvvm | FileCheck %s --check-prefix=NVVM
// RUN: %tidegate compile %s --emit llvm | FileCheck %s --check-prefix=LLVM

// A group of barriers is one `nvgpu` group; arrivals are counted as the threads that make them need it: copies by one
// lane, a warpgroup that has loaded by all 128.

// NVGPU-LABEL: llvm.func @ring
// NVGPU-DAG: %[[FULL:.*]] = nvgpu.mbarrier.create {{.*}}-> <memorySpace = 3 : i64, num_barriers = 2>
// NVGPU-DAG: nvgpu.mbarrier.init {{.*}}%c1
// NVGPU-DAG: nvgpu.mbarrier.init {{.*}}%c128
// NVGPU: nvvm.fence.mbarrier.init
// NVGPU: gpu.barrier
// NVGPU: nvgpu.mbarrier.try_wait.parity
// NVGPU: nvgpu.mbarrier.arrive.expect_tx
// NVGPU: nvvm.cp.async.bulk.tensor.shared.cluster.global
// NVGPU: nvgpu.mbarrier.try_wait.parity
// NVGPU: nvgpu.mbarrier.arrive %

// NVVM: nvvm.mbarrier.try_wait
// NVVM-NOT: nvgpu.
// NVVM-NOT: scf.

// A wait is a convergent intrinsic in a loop of its own, not inline assembly.
// LLVM: define ptx_kernel void @ring
// LLVM: call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta{{.*}} #[[CONVERGENT:[0-9]+]]
// LLVM: attributes #[[CONVERGENT]] = { convergent
tg.kernel @ring(in %x: !tg.ref<1024xf32, gmem>, out %y: !tg.ref<1024xf32, gmem>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %buf = tg.alloc : !tg.ref<2x128xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %empty = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  tg.warp_specialize {
    role @producer warps 1 {
      scf.for %k = %c0 to %c8 step %c1 {
        %slot = arith.remui %k, %c2 : index
        %reuse = arith.cmpi uge, %k, %c2 : index
        scf.if %reuse {
          tg.barrier_wait %empty[%slot] : !tg.barrier_ref<2, arrivals = 1>
        }
        %off = arith.muli %k, %c128 : index
        tg.copy_gmem_to_smem %x[%off] -> %buf[%slot], %full[%slot] : !tg.ref<1024xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
      }
    }
    role @consumer {
      scf.for %k = %c0 to %c8 step %c1 {
        %slot = arith.remui %k, %c2 : index
        tg.barrier_wait %full[%slot] : !tg.barrier_ref<2, arrivals = 1>
        %v = tg.load %buf[%slot] : !tg.ref<2x128xf32, smem> -> vector<128xf32>
        tg.barrier_arrive %empty[%slot] : !tg.barrier_ref<2, arrivals = 1>
        %off = arith.muli %k, %c128 : index
        tg.store %v, %y[%off] : vector<128xf32>, !tg.ref<1024xf32, gmem>
      }
    }
  }
}
