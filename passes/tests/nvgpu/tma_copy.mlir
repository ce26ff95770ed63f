// TMA load, add, bulk store. Written by hand: what lowering should make of it.
!bar = !nvgpu.mbarrier.group<memorySpace = 3>
!bar4 = !nvgpu.mbarrier.group<memorySpace = 3, num_barriers = 4>
!tok = !nvgpu.mbarrier.token
gpu.module @k {
  llvm.mlir.global external @dyn() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @tma_copy(%o: !llvm.ptr<1>, %xm : !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 16 : index
    %bytes = arith.constant 32768 : index
    %b32 = arith.constant 32768 : i32
    %ticks = arith.constant 10000000 : index
    %par = arith.constant 0 : i1
    %z = arith.constant 0 : i32
    %vs = arith.constant 4 : i32
    %one = arith.constant dense<1.0> : vector<4xf32>
    %dyn = llvm.mlir.addressof @dyn : !llvm.ptr<3>
    %b = llvm.getelementptr inbounds|nuw %dyn[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %bar = nvgpu.mbarrier.create -> !bar
    %bim = builtin.unrealized_conversion_cast %bar : !bar to memref<1xi64, 3>
    %bia = memref.extract_aligned_pointer_as_index %bim : memref<1xi64, 3> -> index
    %bix = arith.index_cast %bia : index to i64
    %biq = llvm.inttoptr %bix : i64 to !llvm.ptr<3>
    %biy = arith.index_cast %c0 : index to i64
    %bp = llvm.getelementptr %biq[%biy] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
    %is0 = arith.cmpi eq, %tid, %z : i32
    scf.if %is0 {
      nvgpu.mbarrier.init %bar[%c0], %c1 : !bar
    }
    nvvm.fence.mbarrier.init
    gpu.barrier
    scf.if %is0 {
      nvgpu.mbarrier.arrive.expect_tx %bar[%c0], %bytes : !bar
      nvvm.cp.async.bulk.tensor.shared.cluster.global %dyn, %xm, %bp, box [%z, %z] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    }
    nvgpu.mbarrier.try_wait.parity %bar[%c0], %par, %ticks : !bar
    %t = arith.muli %tid, %vs overflow<nuw> : i32
    %ta = llvm.getelementptr inbounds|nuw %dyn[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %p0 = llvm.getelementptr inbounds|nuw %ta[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v0 = llvm.load %p0 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w0 = arith.addf %v0, %one : vector<4xf32>
      %q0 = llvm.getelementptr inbounds|nuw %p0[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w0, %q0 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p1 = llvm.getelementptr inbounds|nuw %ta[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v1 = llvm.load %p1 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w1 = arith.addf %v1, %one : vector<4xf32>
      %q1 = llvm.getelementptr inbounds|nuw %p1[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w1, %q1 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p2 = llvm.getelementptr inbounds|nuw %ta[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v2 = llvm.load %p2 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w2 = arith.addf %v2, %one : vector<4xf32>
      %q2 = llvm.getelementptr inbounds|nuw %p2[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w2, %q2 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p3 = llvm.getelementptr inbounds|nuw %ta[1536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v3 = llvm.load %p3 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w3 = arith.addf %v3, %one : vector<4xf32>
      %q3 = llvm.getelementptr inbounds|nuw %p3[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w3, %q3 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p4 = llvm.getelementptr inbounds|nuw %ta[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v4 = llvm.load %p4 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w4 = arith.addf %v4, %one : vector<4xf32>
      %q4 = llvm.getelementptr inbounds|nuw %p4[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w4, %q4 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p5 = llvm.getelementptr inbounds|nuw %ta[2560] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v5 = llvm.load %p5 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w5 = arith.addf %v5, %one : vector<4xf32>
      %q5 = llvm.getelementptr inbounds|nuw %p5[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w5, %q5 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p6 = llvm.getelementptr inbounds|nuw %ta[3072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v6 = llvm.load %p6 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w6 = arith.addf %v6, %one : vector<4xf32>
      %q6 = llvm.getelementptr inbounds|nuw %p6[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w6, %q6 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p7 = llvm.getelementptr inbounds|nuw %ta[3584] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v7 = llvm.load %p7 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w7 = arith.addf %v7, %one : vector<4xf32>
      %q7 = llvm.getelementptr inbounds|nuw %p7[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w7, %q7 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p8 = llvm.getelementptr inbounds|nuw %ta[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v8 = llvm.load %p8 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w8 = arith.addf %v8, %one : vector<4xf32>
      %q8 = llvm.getelementptr inbounds|nuw %p8[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w8, %q8 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p9 = llvm.getelementptr inbounds|nuw %ta[4608] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v9 = llvm.load %p9 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w9 = arith.addf %v9, %one : vector<4xf32>
      %q9 = llvm.getelementptr inbounds|nuw %p9[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w9, %q9 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p10 = llvm.getelementptr inbounds|nuw %ta[5120] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v10 = llvm.load %p10 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w10 = arith.addf %v10, %one : vector<4xf32>
      %q10 = llvm.getelementptr inbounds|nuw %p10[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w10, %q10 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p11 = llvm.getelementptr inbounds|nuw %ta[5632] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v11 = llvm.load %p11 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w11 = arith.addf %v11, %one : vector<4xf32>
      %q11 = llvm.getelementptr inbounds|nuw %p11[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w11, %q11 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p12 = llvm.getelementptr inbounds|nuw %ta[6144] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v12 = llvm.load %p12 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w12 = arith.addf %v12, %one : vector<4xf32>
      %q12 = llvm.getelementptr inbounds|nuw %p12[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w12, %q12 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p13 = llvm.getelementptr inbounds|nuw %ta[6656] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v13 = llvm.load %p13 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w13 = arith.addf %v13, %one : vector<4xf32>
      %q13 = llvm.getelementptr inbounds|nuw %p13[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w13, %q13 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p14 = llvm.getelementptr inbounds|nuw %ta[7168] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v14 = llvm.load %p14 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w14 = arith.addf %v14, %one : vector<4xf32>
      %q14 = llvm.getelementptr inbounds|nuw %p14[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w14, %q14 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      %p15 = llvm.getelementptr inbounds|nuw %ta[7680] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %v15 = llvm.load %p15 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %w15 = arith.addf %v15, %one : vector<4xf32>
      %q15 = llvm.getelementptr inbounds|nuw %p15[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %w15, %q15 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    scf.if %is0 {
      nvvm.cp.async.bulk.global.shared.cta %o, %b, %b32 : !llvm.ptr<1>, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    llvm.return
  }
}
