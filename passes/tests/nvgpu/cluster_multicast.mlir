// A cluster of two blocks; each loads half and multicasts it. Written by hand: what lowering should make of it.
!bar = !nvgpu.mbarrier.group<memorySpace = 3>
!bar4 = !nvgpu.mbarrier.group<memorySpace = 3, num_barriers = 4>
!tok = !nvgpu.mbarrier.token
gpu.module @k {
  llvm.mlir.global external @dyn() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @cluster_multicast(%o: !llvm.ptr<1>, %xm : !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 32768 : index
    %b32 = arith.constant 32768 : i32
    %ticks = arith.constant 10000000 : index
    %par = arith.constant 0 : i1
    %z = arith.constant 0 : i32
    %i2 = arith.constant 2 : i32
    %i6 = arith.constant 6 : i32
    %i14 = arith.constant 14 : i32
    %i15 = arith.constant 15 : i32
    %m3 = arith.constant 3 : i16
    %dyn = llvm.mlir.addressof @dyn : !llvm.ptr<3>
    %bar = nvgpu.mbarrier.create -> !bar
    %cbar = nvgpu.mbarrier.create -> !bar
    %bim = builtin.unrealized_conversion_cast %bar : !bar to memref<1xi64, 3>
    %bia = memref.extract_aligned_pointer_as_index %bim : memref<1xi64, 3> -> index
    %bix = arith.index_cast %bia : index to i64
    %biq = llvm.inttoptr %bix : i64 to !llvm.ptr<3>
    %biy = arith.index_cast %c0 : index to i64
    %bp = llvm.getelementptr %biq[%biy] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    %cim = builtin.unrealized_conversion_cast %cbar : !bar to memref<1xi64, 3>
    %cia = memref.extract_aligned_pointer_as_index %cim : memref<1xi64, 3> -> index
    %cix = arith.index_cast %cia : index to i64
    %ciq = llvm.inttoptr %cix : i64 to !llvm.ptr<3>
    %ciy = arith.index_cast %c0 : index to i64
    %cp = llvm.getelementptr %ciq[%ciy] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
    %is0 = arith.cmpi eq, %tid, %z : i32
    scf.if %is0 {
      nvgpu.mbarrier.init %bar[%c0], %c1 : !bar
      nvgpu.mbarrier.init %cbar[%c0], %c2 : !bar
    }
    nvvm.fence.mbarrier.init
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait {aligned}
    %c = nvvm.read.ptx.sreg.cluster.ctarank range <i32, 0, 2> : i32
    %lt = arith.cmpi ult, %tid, %i2 : i32
    scf.if %lt {
      %rb = nvvm.mapa %cp, %tid : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.mbarrier.arrive %rb {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    }
    nvgpu.mbarrier.try_wait.parity %cbar[%c0], %par, %ticks : !bar
    %half = arith.shli %c, %i14 : i32
    %row = arith.shli %c, %i6 : i32
    %d = llvm.getelementptr inbounds|nuw %dyn[%half] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %d7i = llvm.ptrtoint %d : !llvm.ptr<3> to i64
    %d7 = llvm.inttoptr %d7i : i64 to !llvm.ptr<7>
    scf.if %is0 {
      nvgpu.mbarrier.arrive.expect_tx %bar[%c0], %bytes : !bar
      nvvm.cp.async.bulk.tensor.shared.cluster.global %d7, %xm, %bp, box [%z, %row] multicast_mask = %m3 : !llvm.ptr<7>, !llvm.ptr
    }
    nvgpu.mbarrier.try_wait.parity %bar[%c0], %par, %ticks : !bar
    scf.if %is0 {
      %oo = arith.shli %c, %i15 : i32
      %oa = llvm.getelementptr inbounds|nuw %o[%oo] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      nvvm.cp.async.bulk.global.shared.cta %oa, %dyn, %b32 : !llvm.ptr<1>, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    llvm.return
  }
}
