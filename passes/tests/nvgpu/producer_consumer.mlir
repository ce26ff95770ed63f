// x * 2 + 1: two warpgroups, a barrier each way. Written by hand: what lowering should make of it.
!full = !nvgpu.mbarrier.group<memorySpace = 3>
!tok = !nvgpu.mbarrier.token
gpu.module @k {
  llvm.mlir.global external @dyn() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @producer_consumer(%x: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %o: !llvm.ptr<1> {llvm.noalias}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %cnt = arith.constant 128 : index
    %ticks = arith.constant 10000000 : index
    %par = arith.constant 0 : i1
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %z = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %c127 = arith.constant 127 : i32
    %dyn = llvm.mlir.addressof @dyn : !llvm.ptr<3>
    %full = nvgpu.mbarrier.create -> !full
    %done = nvgpu.mbarrier.create -> !full
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %is0 = arith.cmpi eq, %tid, %z : i32
    nvgpu.mbarrier.init %full[%c0], %cnt, predicate = %is0 : !full
    nvgpu.mbarrier.init %done[%c0], %cnt, predicate = %is0 : !full
    gpu.barrier
    %lane = arith.andi %tid, %c127 : i32
    %p = arith.cmpi ult, %tid, %c128 : i32
    %buf = llvm.getelementptr inbounds|nuw %dyn[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    scf.if %p {
      %xa = llvm.getelementptr inbounds|nuw %x[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %v = llvm.load %xa : !llvm.ptr<1> -> f32
      %w = arith.mulf %v, %two : f32
      llvm.store %w, %buf : f32, !llvm.ptr<3>
      %t = nvgpu.mbarrier.arrive %full[%c0] : !full -> !tok
      nvgpu.mbarrier.try_wait.parity %done[%c0], %par, %ticks : !full
    } else {
      nvgpu.mbarrier.try_wait.parity %full[%c0], %par, %ticks : !full
      %v = llvm.load %buf : !llvm.ptr<3> -> f32
      %w = arith.addf %v, %one : f32
      %xa = llvm.getelementptr inbounds|nuw %o[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      llvm.store %w, %xa : f32, !llvm.ptr<1>
      %t = nvgpu.mbarrier.arrive %done[%c0] : !full -> !tok
    }
    llvm.return
  }
}
