// Four slots, refilled by TMA as they are read. Written by hand: what lowering should make of it.
!bar = !nvgpu.mbarrier.group<memorySpace = 3>
!bar4 = !nvgpu.mbarrier.group<memorySpace = 3, num_barriers = 4>
!tok = !nvgpu.mbarrier.token
gpu.module @k {
  llvm.mlir.global external @dyn() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @multislot_ring(%o: !llvm.ptr<1>, %xm : !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %bytes = arith.constant 512 : index
    %ticks = arith.constant 10000000 : index
    %z = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i4 = arith.constant 4 : i32
    %i12 = arith.constant 12 : i32
    %i16 = arith.constant 16 : i32
    %i128 = arith.constant 128 : i32
    %zero = arith.constant 0.0 : f32
    %dyn = llvm.mlir.addressof @dyn : !llvm.ptr<3>
    %bar = nvgpu.mbarrier.create -> !bar4
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
    %is0 = arith.cmpi eq, %tid, %z : i32
    scf.if %is0 {
      nvgpu.mbarrier.init %bar[%c0], %c1 : !bar4
      nvgpu.mbarrier.init %bar[%c1], %c1 : !bar4
      nvgpu.mbarrier.init %bar[%c2], %c1 : !bar4
      nvgpu.mbarrier.init %bar[%c3], %c1 : !bar4
    }
    nvvm.fence.mbarrier.init
    gpu.barrier
    %ta = llvm.getelementptr inbounds|nuw %dyn[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    scf.if %is0 {
      %d0 = llvm.getelementptr inbounds|nuw %dyn[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %bi0m = builtin.unrealized_conversion_cast %bar : !bar4 to memref<4xi64, 3>
    %bi0a = memref.extract_aligned_pointer_as_index %bi0m : memref<4xi64, 3> -> index
    %bi0x = arith.index_cast %bi0a : index to i64
    %bi0q = llvm.inttoptr %bi0x : i64 to !llvm.ptr<3>
    %bi0y = arith.index_cast %c0 : index to i64
    %bp0 = llvm.getelementptr %bi0q[%bi0y] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
      %y0 = arith.constant 0 : i32
      nvgpu.mbarrier.arrive.expect_tx %bar[%c0], %bytes : !bar4
      nvvm.cp.async.bulk.tensor.shared.cluster.global %d0, %xm, %bp0, box [%z, %y0] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
      %d1 = llvm.getelementptr inbounds|nuw %dyn[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %bi1m = builtin.unrealized_conversion_cast %bar : !bar4 to memref<4xi64, 3>
    %bi1a = memref.extract_aligned_pointer_as_index %bi1m : memref<4xi64, 3> -> index
    %bi1x = arith.index_cast %bi1a : index to i64
    %bi1q = llvm.inttoptr %bi1x : i64 to !llvm.ptr<3>
    %bi1y = arith.index_cast %c1 : index to i64
    %bp1 = llvm.getelementptr %bi1q[%bi1y] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
      %y1 = arith.constant 1 : i32
      nvgpu.mbarrier.arrive.expect_tx %bar[%c1], %bytes : !bar4
      nvvm.cp.async.bulk.tensor.shared.cluster.global %d1, %xm, %bp1, box [%z, %y1] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
      %d2 = llvm.getelementptr inbounds|nuw %dyn[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %bi2m = builtin.unrealized_conversion_cast %bar : !bar4 to memref<4xi64, 3>
    %bi2a = memref.extract_aligned_pointer_as_index %bi2m : memref<4xi64, 3> -> index
    %bi2x = arith.index_cast %bi2a : index to i64
    %bi2q = llvm.inttoptr %bi2x : i64 to !llvm.ptr<3>
    %bi2y = arith.index_cast %c2 : index to i64
    %bp2 = llvm.getelementptr %bi2q[%bi2y] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
      %y2 = arith.constant 2 : i32
      nvgpu.mbarrier.arrive.expect_tx %bar[%c2], %bytes : !bar4
      nvvm.cp.async.bulk.tensor.shared.cluster.global %d2, %xm, %bp2, box [%z, %y2] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
      %d3 = llvm.getelementptr inbounds|nuw %dyn[1536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %bi3m = builtin.unrealized_conversion_cast %bar : !bar4 to memref<4xi64, 3>
    %bi3a = memref.extract_aligned_pointer_as_index %bi3m : memref<4xi64, 3> -> index
    %bi3x = arith.index_cast %bi3a : index to i64
    %bi3q = llvm.inttoptr %bi3x : i64 to !llvm.ptr<3>
    %bi3y = arith.index_cast %c3 : index to i64
    %bp3 = llvm.getelementptr %bi3q[%bi3y] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
      %y3 = arith.constant 3 : i32
      nvgpu.mbarrier.arrive.expect_tx %bar[%c3], %bytes : !bar4
      nvvm.cp.async.bulk.tensor.shared.cluster.global %d3, %xm, %bp3, box [%z, %y3] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    }
    %r:2 = scf.for %i = %z to %i16 step %i1 iter_args(%acc = %zero, %mask = %z) -> (f32, i32) : i32 {
      %slot = arith.remui %i, %i4 : i32
      %sx = arith.index_castui %slot : i32 to index
      %lap = arith.divui %i, %i4 : i32
      %p = arith.trunci %lap : i32 to i1
      %mask2 = arith.addi %mask, %z : i32
      nvgpu.mbarrier.try_wait.parity %bar[%sx], %p, %ticks : !bar4
      %so = arith.muli %slot, %i128 overflow<nuw> : i32
      %pa = llvm.getelementptr inbounds|nuw %ta[%so] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %v = llvm.load %pa : !llvm.ptr<3> -> f32
      %acc2 = arith.addf %acc, %v : f32
      %more = arith.cmpi ult, %i, %i12 : i32
      scf.if %more {
        gpu.barrier
        scf.if %is0 {
          %row = arith.addi %i, %i4 overflow<nuw> : i32
          %d = llvm.getelementptr inbounds|nuw %dyn[%so] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
          %bim = builtin.unrealized_conversion_cast %bar : !bar4 to memref<4xi64, 3>
    %bia = memref.extract_aligned_pointer_as_index %bim : memref<4xi64, 3> -> index
    %bix = arith.index_cast %bia : index to i64
    %biq = llvm.inttoptr %bix : i64 to !llvm.ptr<3>
    %biy = arith.index_cast %sx : index to i64
    %bp = llvm.getelementptr %biq[%biy] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
          nvgpu.mbarrier.arrive.expect_tx %bar[%sx], %bytes : !bar4
          nvvm.cp.async.bulk.tensor.shared.cluster.global %d, %xm, %bp, box [%z, %row] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
        }
      }
      scf.yield %acc2, %mask2 : f32, i32
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    %oa = llvm.getelementptr inbounds|nuw %o[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %r#0, %oa : f32, !llvm.ptr<1>
    llvm.return
  }
}
