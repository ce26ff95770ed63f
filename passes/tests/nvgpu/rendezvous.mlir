// Two warpgroups arrive on, and wait for, one barrier. Written by hand: what lowering should make of it.
!bar = !nvgpu.mbarrier.group<memorySpace = 3>
!tok = !nvgpu.mbarrier.token
gpu.module @k {
  llvm.mlir.global external @dyn() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @rendezvous(%x: !llvm.ptr<1>, %o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %cnt = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %par = arith.constant 0 : i1
    %z = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %c127 = arith.constant 127 : i32
    %dyn = llvm.mlir.addressof @dyn : !llvm.ptr<3>
    %bar = nvgpu.mbarrier.create -> !bar
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 256> : i32
    %is0 = arith.cmpi eq, %tid, %z : i32
    nvgpu.mbarrier.init %bar[%c0], %cnt, predicate = %is0 : !bar
    gpu.barrier
    %lane = arith.andi %tid, %c127 : i32
    %wg = arith.shrui %tid, %c7 : i32
    %wb = arith.shli %wg, %c7 : i32
    %i = arith.ori %wb, %lane : i32
    %ow = arith.subi %c1, %wg : i32
    %owb = arith.shli %ow, %c7 : i32
    %j = arith.addi %owb, %lane : i32
    %xa = llvm.getelementptr inbounds|nuw %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %xa : !llvm.ptr<1> -> f32
    %ba = llvm.getelementptr inbounds|nuw %dyn[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %v, %ba : f32, !llvm.ptr<3>
    %t = nvgpu.mbarrier.arrive %bar[%c0] : !bar -> !tok
    nvgpu.mbarrier.try_wait.parity %bar[%c0], %par, %ticks : !bar
    %bb = llvm.getelementptr inbounds|nuw %dyn[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %w = llvm.load %bb : !llvm.ptr<3> -> f32
    %oa = llvm.getelementptr inbounds|nuw %o[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %w, %oa : f32, !llvm.ptr<1>
    llvm.return
  }
}
