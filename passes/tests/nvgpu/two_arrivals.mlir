// Two TMA loads complete one phase. Written by hand: what lowering should make of it.
!bar = !nvgpu.mbarrier.group<memorySpace = 3>
!tok = !nvgpu.mbarrier.token
!d = !nvgpu.tensormap.descriptor<tensor = memref<128xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @k {
  llvm.mlir.global external @dyn() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @two_arrivals(%o: !llvm.ptr<1>, 
         %xm : !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
         %ym : !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %cnt = arith.constant 2 : index
    %bytes = arith.constant 512 : index
    %ticks = arith.constant 10000000 : index
    %par = arith.constant 0 : i1
    %z = arith.constant 0 : i32
    %dyn = llvm.mlir.addressof @dyn : !llvm.ptr<3>
    %b = llvm.getelementptr inbounds|nuw %dyn[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %bar = nvgpu.mbarrier.create -> !bar
    %bim = builtin.unrealized_conversion_cast %bar : !bar to memref<1xi64, 3>
    %bia = memref.extract_aligned_pointer_as_index %bim : memref<1xi64, 3> -> index
    %bix = arith.index_cast %bia : index to i64
    %biq = llvm.inttoptr %bix : i64 to !llvm.ptr<3>
    %biy = arith.index_cast %c0 : index to i64
    %bp = llvm.getelementptr %biq[%biy] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
    %b512 = arith.constant 512 : i32
    %c32 = arith.constant 32 : i32
    %c5 = arith.constant 5 : i32
    %cnt2 = arith.constant 2 : i32
    %l31 = arith.constant 31 : i32
    %m1 = arith.constant -1 : i32
    %is0 = arith.cmpi eq, %tid, %z : i32
    scf.if %is0 {
 nvgpu.mbarrier.init %bar[%c0], %cnt : !bar
    }
    nvvm.fence.mbarrier.init
    gpu.barrier
    scf.if %is0 {
      nvgpu.mbarrier.arrive.expect_tx %bar[%c0], %bytes : !bar
      nvvm.cp.async.bulk.tensor.shared.cluster.global %dyn, %xm, %bp, box [%z] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
      nvgpu.mbarrier.arrive.expect_tx %bar[%c0], %bytes : !bar
      nvvm.cp.async.bulk.tensor.shared.cluster.global %b, %ym, %bp, box [%z] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    }

    nvgpu.mbarrier.try_wait.parity %bar[%c0], %par, %ticks : !bar
    %ta = llvm.getelementptr inbounds|nuw %dyn[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %tb = llvm.getelementptr inbounds|nuw %b[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %v = llvm.load %ta : !llvm.ptr<3> -> f32
    %w = llvm.load %tb : !llvm.ptr<3> -> f32
    %s = arith.addf %v, %w : f32
    %oa = llvm.getelementptr inbounds|nuw %o[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %s, %oa {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
