// Four slots, refilled by TMA as they are read: the sum of 16 rows.
tg.kernel @multislot_ring(in %x: !tg.ref<16x128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>) {
  %buf = tg.alloc : !tg.ref<4x128xf32, smem>
  %bars = tg.alloc_barrier : !tg.barrier_ref<4, arrivals = 1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<128xf32>
  tg.copy_gmem_to_smem %x[0] -> %buf[0], %bars[0] : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
  tg.copy_gmem_to_smem %x[1] -> %buf[1], %bars[1] : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
  tg.copy_gmem_to_smem %x[2] -> %buf[2], %bars[2] : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
  tg.copy_gmem_to_smem %x[3] -> %buf[3], %bars[3] : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (vector<128xf32>) {
    %slot = arith.remui %i, %c4 : index
    tg.barrier_wait %bars[%slot] : !tg.barrier_ref<4, arrivals = 1>
    %v = tg.load %buf[%slot] : !tg.ref<4x128xf32, smem> -> vector<128xf32>
    %next = arith.addf %acc, %v : vector<128xf32>
    %more = arith.cmpi ult, %i, %c12 : index
    scf.if %more {
      %row = arith.addi %i, %c4 : index
      tg.copy_gmem_to_smem %x[%row] -> %buf[%slot], %bars[%slot] : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
    }
    scf.yield %next : vector<128xf32>
  }
  tg.store %sum, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
}
